/// The character between the fields of a record.
public enum CSVDelimiter: Equatable, Sendable {
    /// That of a `sep=` line, otherwise the tab for the media type of tab-separated values, otherwise one of `,`, `;`,
    /// tab and `|`, which the first records determine.
    case auto
    /// An ASCII character.
    case character(UInt8)

    static let names: [(name: String, character: UInt8)] = [
        ("comma", UInt8(ascii: ",")), ("semicolon", UInt8(ascii: ";")), ("tab", 0x09), ("pipe", UInt8(ascii: "|")),
    ]

    /// Parses `auto`, the name of a delimiter, or one character of ASCII that is not a letter, a digit, a quote, a
    /// backslash, NUL or a part of a line end.
    public init?(parsing text: String) {
        if text == "auto" {
            self = .auto
        } else if let named = Self.names.first(where: { $0.name == text }) {
            self = .character(named.character)
        } else if let character = text.utf8.first, text.utf8.count == 1, character.canDelimitFields {
            self = .character(character)
        } else {
            return nil
        }
    }

    /// A text that ``init(parsing:)`` parses.
    public var text: String {
        switch self {
        case .auto: "auto"
        case .character(let character):
            Self.names.first { $0.character == character }?.name ?? String(Unicode.Scalar(character))
        }
    }
}

extension UInt8 {
    /// Whether the character can separate fields.
    var canDelimitFields: Bool {
        switch self {
        case 0x00, 0x0A, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "\\"): false
        default: self < 0x80 && !isLetter && !isDecimalDigit
        }
    }
}

/// The quote of fields that contain delimiters or line ends.
public enum CSVQuote: String, Sendable, CaseIterable {
    /// The double quote.
    case double
    /// There are no quotes: a double quote is text, and each line end ends a record.
    case none
}

/// The escape of a quote in a field with quotes.
public enum CSVEscape: String, Sendable, CaseIterable {
    /// A second quote (RFC 4180 §2).
    case quote
    /// A backslash, before a quote and before a backslash. A second quote is accepted as well. If there are no quotes,
    /// it escapes delimiters and line ends, too.
    case backslash

    /// The byte with which an escape begins. A second quote is an escape in both cases.
    @inline(__always) var byte: UInt8 { self == .quote ? CSVDialect.quote : UInt8(ascii: "\\") }

    /// Returns whether `byte` is an escape of the byte after it, in a field with quotes.
    @inline(__always) func isEscape(_ byte: UInt8, before next: UInt8) -> Bool {
        switch self {
        case .quote: byte == CSVDialect.quote && next == CSVDialect.quote
        case .backslash:
            next == CSVDialect.quote && (byte == next || byte == UInt8(ascii: "\\"))
                || next == UInt8(ascii: "\\") && byte == next
        }
    }
}

/// Whether the first record consists of the names of the columns.
public enum CSVHeader: String, Sendable, CaseIterable {
    case present
    case absent
}

/// The value of an empty field.
public enum CSVEmpty: String, Sendable, CaseIterable {
    /// The empty string.
    case string
    case null
}

/// The facts about CSV that an answer contains in addition to its value.
public struct CSVFacts: Equatable, Sendable {
    /// The character between fields.
    public var delimiter = ","
    /// The number of columns: of the names in the header, otherwise of the fields in the first record.
    public var columns = 0
    /// The number of records, without the header.
    public var records = 0
}
