internal import Serialization

extension CodingError.Reason {
    var problemCode: ProblemCode {
        switch self {
        case .truncated: .codingTruncated
        case .corrupt: .codingCorrupt
        case .windowTooLarge: .codingWindowTooLarge
        case .dictionary: .codingDictionary
        case .tooManyCodings: .contentCodings
        case .tooLong: .decodedTooLong
        case .ratio: .decodedRatio
        case .outOfMemory: .saturated
        }
    }

    /// The alternatives that would have been accepted.
    var expected: [String] {
        switch self {
        case .windowTooLarge: ["a window of at most \(ContentCoding.maxWindowBytes) bytes"]
        case .tooManyCodings(let max): ["at most \(max) content codings"]
        case .tooLong(let max): ["at most \(max) bytes"]
        case .ratio(let max): ["at most \(max) times the encoded bytes"]
        case .truncated, .corrupt, .dictionary, .outOfMemory: []
        }
    }
}

extension CodingError {
    /// One sentence with the reason and the position.
    var message: String {
        let name = coding?.rawValue ?? "encoded"
        let position = byte.map { " at byte \($0) of the \(content)" } ?? ""
        return switch reason {
        case .truncated: "the \(name) data ends early\(position)"
        case .corrupt(part: .data): "the \(name) data is malformed\(position)"
        case .corrupt(let part): "the \(name) data has an invalid \(part.rawValue)\(position)"
        case .windowTooLarge(let bytes):
            "the \(name) data requires a window of \(bytes) bytes\(position); at most \(ContentCoding.maxWindowBytes) are allowed"
        case .dictionary: "the \(name) data requires a dictionary, which it does not contain"
        case .tooManyCodings(let max): "there are more than \(max) content codings"
        case .tooLong(let max): "the decoded content is longer than the allowed \(max) bytes"
        case .ratio(let max):
            "the decoded content is longer than \(max) times its encoded bytes\(position)"
        case .outOfMemory: "there is not enough memory to decode the content"
        }
    }

    /// The bytes in which ``byte`` counts.
    private var content: String {
        guard !undone.isEmpty else { return "encoded content" }
        return
            "content after \(undone.map(\.rawValue).joined(separator: " and ")) \(undone.count == 1 ? "was" : "were") undone"
    }
}
