extension CodingError {
    /// The account of the error, with the location.
    package var diagnostic: Diagnostic {
        var diagnostic = reasonDiagnostic
        diagnostic.location = location
        return diagnostic
    }

    private var reasonDiagnostic: Diagnostic {
        let name = coding?.rawValue ?? "encoded"
        let location = byte.map { " at byte \($0) of the \(content)" } ?? ""
        return switch reason {
        case .truncated: Diagnostic(.codingTruncated, "the \(name) data ends early\(location)")
        case .corrupt(part: .data): Diagnostic(.codingCorrupt, "the \(name) data is malformed\(location)")
        case .corrupt(let part):
            Diagnostic(.codingCorrupt, "the \(name) data has an invalid \(part.rawValue)\(location)")
        case .windowTooLarge(let bytes):
            Diagnostic(
                .codingWindowTooLarge,
                """
                the \(name) data requires a window of \(bytes) bytes\(location); at most \
                \(ContentCoding.maxWindowBytes) are allowed
                """,
                expected: ["a window of at most \(ContentCoding.maxWindowBytes) bytes"]
            )
        case .dictionary:
            Diagnostic(.codingDictionary, "the \(name) data requires a dictionary, which it does not contain")
        case .tooManyCodings(let max):
            Diagnostic(
                .contentCodings,
                "there are more than \(max) content codings (max-content-codings)",
                atMost: "\(max) content codings"
            )
        case .tooLong(let max):
            Diagnostic(
                .decodedTooLong,
                "the decoded content is longer than the allowed \(max) bytes (max-decoded-bytes)",
                atMost: "\(max) bytes"
            )
        case .ratio(let max):
            Diagnostic(
                .decodedRatio,
                "the decoded content is longer than \(max) times its encoded bytes\(location)",
                atMost: "\(max) times the encoded bytes"
            )
        case .outOfMemory: Diagnostic(.saturated, "there is not enough memory to decode the content")
        }
    }

    /// The bytes in which ``byte`` counts.
    private var content: String {
        guard !decoded.isEmpty else { return "encoded content" }
        let codings = decoded.map(\.rawValue).joined(separator: " and ")
        return "content after \(codings) \(decoded.count == 1 ? "was" : "were") undone"
    }
}
