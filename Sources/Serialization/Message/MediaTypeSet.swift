/// Acceptable media types: types, media ranges (`image/*`) and structured suffixes (`+json`), or any, or none.
///
/// Each entry is kept as written too, because ``accepts(letterByLetter:)`` compares that.
public struct MediaTypeSet: Equatable, Sendable {
    /// Accepts every type, and a response without one.
    public static let any = MediaTypeSet(acceptsAny: true, entries: [])
    /// Accepts nothing.
    public static let none = MediaTypeSet(acceptsAny: false, entries: [])

    struct Entry: Equatable, Sendable {
        enum Pattern: Equatable, Sendable {
            /// A type; parameters that it lists must be there too.
            case type(MediaType)
            /// `*/*`.
            case all
            /// `image` for `image/*`.
            case range(type: String)
            /// `json` for `+json`.
            case suffix(String)
        }

        /// As written.
        let text: String
        let pattern: Pattern
    }

    public let acceptsAny: Bool
    let entries: [Entry]

    init(acceptsAny: Bool = false, entries: [Entry]) {
        self.acceptsAny = acceptsAny
        self.entries = entries
    }

    /// Whether `type` is one of these: compared without case, ranges and suffixes counting.
    public func accepts(_ type: MediaType) -> Bool {
        if acceptsAny { return true }
        // Over a span, because an iterator would retain and release each.
        let entries = entries.span
        for index in entries.indices where entries[index].pattern.matches(type) { return true }
        return false
    }

    /// Whether `essence` is written here, letter by letter: the comparison of AFNetworking, where a range, a suffix, a
    /// capital or a parameter in the list never matches, because the response's own type is lower-cased and cut at `;`.
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
    /// What ``init(parsing:)`` reads.
    public var description: String {
        descriptions.isEmpty ? "none" : descriptions.joined(separator: ",")
    }

    /// One text an entry, as written: `["application/json", "+json"]`; `["*"]` for any; empty for none.
    public var descriptions: [String] {
        acceptsAny ? ["*"] : entries.map(\.text)
    }
}
