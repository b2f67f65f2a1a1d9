internal import Serialization

/// The name of a partition: a group of callers who share nothing with other groups.
struct PartitionName: Hashable, Sendable {
    let text: String

    /// The partition of requests without a token. Its name is empty, so that no request can name it.
    static let standard = PartitionName(valid: "")

    /// - Returns: `nil` if the text is not a name of 1 to 128 characters.
    init?(parsing text: String) {
        guard AccessName.isValid(text.utf8.span) else { return nil }
        self.text = text
    }

    private init(valid text: String) {
        self.text = text
    }
}

/// The syntax of the names of tokens and partitions: `[A-Za-z0-9_-]{1,128}`, as in `X-Request-ID`.
enum AccessName {
    /// The maximum length in bytes, inclusive.
    static let maxBytes = 128

    static func isValid(_ name: Span<UInt8>) -> Bool {
        guard 1...maxBytes ~= name.count else { return false }
        for index in name.indices {
            switch name[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                continue
            default: return false
            }
        }
        return true
    }
}
