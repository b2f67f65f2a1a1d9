/// The names of a form whose values are arrays even if there is only one.
public enum FormArrays: Equatable, Sendable {
    /// None: only names that occur several times are arrays.
    case auto
    /// All names.
    case always
    case names([ContentName])

    /// The maximum number of names in a list.
    public static let maxNames = 100

    /// Parses `auto`, `always` or a list of names such as `tag,item`.
    public init?(parsing text: String) {
        switch text {
        case "auto": self = .auto
        case "always": self = .always
        default:
            let names = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            guard names.count <= Self.maxNames, names.allSatisfy({ !$0.isEmpty }) else { return nil }
            self = .names(names.map { ContentName(String(Substring($0))) })
        }
    }

    /// The text that ``init(parsing:)`` parses.
    public var text: String {
        switch self {
        case .auto: "auto"
        case .always: "always"
        case .names(let names): names.map(\.text).joined(separator: ",")
        }
    }
}

/// The facts about a form that an answer contains in addition to its value.
public struct FormFacts: Equatable, Sendable {
    /// The names that are arrays only because they occur several times: a single value would be a string. At most
    /// ``maxListed`` names of ``maxListedBytes`` bytes in total.
    public var inferredArrays: [String] = []

    static let maxListed = XMLFacts.maxListed
    static let maxListedBytes = XMLFacts.maxInferredBytes
}
