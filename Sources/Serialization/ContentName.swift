/// A name in content, or one that is compared with names in content.
///
/// Two names are equal if their bytes are equal. `String` compares canonically equivalent texts as equal (`é` as one
/// character, and as `e` with a combining accent), but XML 1.0 §1.2, RFC 8259 §8.3 and RFC 6901 do not.
public struct ContentName: Hashable, Sendable, ExpressibleByStringLiteral {
    public let text: String

    public init(_ text: String) { self.text = text }

    public init(stringLiteral text: String) { self.text = text }

    public static func == (one: ContentName, other: ContentName) -> Bool {
        one.text.utf8.span.equals(other.text.utf8.span)
    }

    public func hash(into hasher: inout Hasher) {
        // The bytes outlive the call.
        unsafe text.utf8.span.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
