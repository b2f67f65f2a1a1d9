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

    /// What would have been accepted.
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
    /// One sentence: what is wrong, and where.
    var message: String {
        let name = coding?.rawValue ?? "encoded"
        let place = byte.map { " at byte \($0) of the \(content)" } ?? ""
        return switch reason {
        case .truncated: "the \(name) data ends early\(place)"
        case .corrupt(part: .data): "the \(name) data is malformed\(place)"
        case .corrupt(let part): "the \(name) data has an invalid \(part.rawValue)\(place)"
        case .windowTooLarge(let bytes):
            "the \(name) data needs a window of \(bytes) bytes\(place), and at most \(ContentCoding.maxWindowBytes) are allowed"
        case .dictionary: "the \(name) data needs a dictionary that is not part of it"
        case .tooManyCodings(let max): "there are more than the \(max) content codings that are allowed"
        case .tooLong(let max): "the decoded content is longer than the \(max) bytes that are allowed"
        case .ratio(let max):
            "the decoded content is longer than \(max) times the encoded bytes that it was decoded from\(place)"
        case .outOfMemory: "there is no memory for decoding the content"
        }
    }

    /// The bytes in which ``byte`` counts.
    private var content: String {
        guard !undone.isEmpty else { return "encoded content" }
        return
            "content after \(undone.map(\.rawValue).joined(separator: " and ")) \(undone.count == 1 ? "was" : "were") undone"
    }
}
