/// A set of acceptable media types: types, media ranges (`image/*`) and structured suffixes (`+json`), or any, or none.
///
/// Each entry is also stored as written, because ``accepts(letterByLetter:)`` compares that text.
public struct MediaTypeSet: Equatable, Sendable {
    /// The set that accepts every type, and responses without a type.
    public static let any = MediaTypeSet(acceptsAny: true, entries: [])
    /// The set that accepts nothing.
    public static let none = MediaTypeSet(acceptsAny: false, entries: [])

    struct Entry: Equatable, Sendable {
        enum Pattern: Equatable, Sendable {
            /// A type. Parameters of the entry must be present too.
            case type(MediaType)
            /// `*/*`.
            case all
            /// `image` for `image/*`.
            case range(type: String)
            /// `json` for `+json`.
            case suffix(String)
        }

        /// The entry as written.
        let text: String
        let pattern: Pattern
    }

    public let acceptsAny: Bool
    let entries: [Entry]

    /// Returns whether the set contains `type`. The comparison is case-insensitive, and includes ranges and suffixes.
    public func accepts(_ type: MediaType) -> Bool {
        if acceptsAny { return true }
        // A span, because an iterator would retain and release each element.
        let entries = entries.span
        for index in entries.indices where entries[index].pattern.matches(type) { return true }
        return false
    }

    /// Returns whether an entry has exactly the text `essence`. This is the comparison of AFNetworking: a range, a
    /// suffix, a capital letter or a parameter in the list never matches, because the type of the response is in lower
    /// case and ends before `;`.
    public func accepts(letterByLetter essence: String) -> Bool {
        acceptsAny || entries.contains { $0.text == essence }
    }
}

extension MediaTypeSet.Entry.Pattern {
    func matches(_ type: MediaType) -> Bool {
        switch self {
        case .type(let own):
            own.essence == type.essence
                && own.parameters.allSatisfy { parameter in
                    type.parameter(parameter.name)?.equalsIgnoringASCIICase(parameter.value) ?? false
                }
        case .all: true
        case .range(let own): type.type == own
        case .suffix(let own): type.suffix.map { $0 == own } ?? false
        }
    }
}

extension MediaTypeSet: CustomStringConvertible {
    /// The text that ``init(parsing:)`` parses.
    public var description: String { descriptions.isEmpty ? "none" : descriptions.joined(separator: ",") }

    /// The text of each entry, as written: `["application/json", "+json"]`; `["*"]` for any; empty for none.
    public var descriptions: [String] { acceptsAny ? ["*"] : entries.map(\.text) }
}
