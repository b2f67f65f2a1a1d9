/// The options for one response: the query options and profile keys of the HTTP contract, as values.
public struct SerializationOptions: Equatable, Sendable {
    /// The serializers to try, in order. Default: chosen by media type, suffix and signature.
    public var serializer: SerializerChoice = .auto

    /// The rule set for differences that no option covers. Default ``RuleSet/decant``.
    public var rules: RuleSet = .decant

    /// The acceptable status codes, or `nil` to accept any. Default 200–299.
    public var acceptableStatusCodes: StatusCodes? = .successful

    /// The acceptable media types, or `nil` for each serializer's own list.
    public var acceptableMediaTypes: MediaTypeSet?

    /// The media type that the caller declares. It overrides the `Content-Type` field of the upstream.
    public var declaredType: String?

    /// The handling of nulls. `nil` means ``NullPolicy/drop``, or ``NullPolicy/keep`` for media types whose nulls carry
    /// meaning.
    public var nulls: NullPolicy?

    /// The upstream header fields that the response contains, if they are known. Default ``UpstreamHeaderPolicy/all``.
    public var upstreamHeaders: UpstreamHeaderPolicy = .all

    /// Whether a top-level scalar is acceptable JSON. Default `true`.
    public var fragments = true

    /// The parts of the answer that are written. Default ``AnswerView/full``.
    public var view: AnswerView = .full

    /// The parts of the value that the answer contains. Default: the whole value.
    public var parts = ValueParts()

    /// The member that is kept if several have the same name. Default ``DuplicateNames/last``.
    public var duplicates: DuplicateNames = .last

    /// The handling of an escaped lone surrogate. Default ``LoneSurrogates/reject``.
    public var surrogates: LoneSurrogates = .reject

    /// The deviations from the format of the content that are accepted. Each use produces a warning. Default none.
    public var leniencies: Leniencies = []

    /// Whether the content is one JSON value or many. Default ``Records/auto``.
    public var records: Records = .auto

    /// The order of members. Default ``MemberOrder/source``.
    public var keys: MemberOrder = .source

    /// Whether the output follows RFC 8785: sorted members, and strings and numbers in canonical form. Default `false`.
    public var canonical = false

    /// The handling of guards against script inclusion and of JSONP. `nil` means ``PrefixPolicy/strip``, or
    /// ``PrefixPolicy/reject`` under the rules of AFNetworking.
    public var prefixes: PrefixPolicy?

    /// The XML elements that are arrays even if there is only one of them. Default ``XMLArrays/auto``.
    public var xmlArrays: XMLArrays = .auto

    /// The style of the text of XML elements. Default ``XMLTextStyle/auto``.
    public var xmlText: XMLTextStyle = .auto

    /// The style of the names of XML elements and attributes. Default ``XMLNameStyle/prefixed``.
    public var xmlNames: XMLNameStyle = .prefixed

    /// Whether white space around the text of XML elements is removed. Default `false`.
    public var xmlTrim = false

    /// The names of a form whose values are arrays even if there is only one. Default ``FormArrays/auto``.
    public var formArrays: FormArrays = .auto

    /// The character between the fields of CSV. Default ``CSVDelimiter/auto``.
    public var csvDelimiter: CSVDelimiter = .auto

    /// The quote of fields of CSV. Default ``CSVQuote/double``.
    public var csvQuote: CSVQuote = .double

    /// The escape of a quote in a field of CSV. Default ``CSVEscape/quote``.
    public var csvEscape: CSVEscape = .quote

    /// Whether the first record of CSV consists of the names of the columns. `nil` means what the media type says,
    /// otherwise ``CSVHeader/present``.
    public var csvHeader: CSVHeader?

    /// The value of an empty field of CSV. Default ``CSVEmpty/string``.
    public var csvEmpty: CSVEmpty = .string

    /// The form in which the data of an event is written. Default ``EventData/text``.
    public var eventsData: EventData = .text

    /// The handling of an `NSKeyedArchiver` graph in a property list. Default ``ArchivePolicy/keep``.
    public var archive: ArchivePolicy = .keep

    /// Whether the answer contains the types of the source. Default `false`.
    public var hints = false

    /// The number of pixels per point of an image: its `size` is its size in pixels divided by this. Above 0. Default
    /// 1.
    public var scale = 1.0

    /// The thumbnails of an image, in the order of the answer. `nil` means ``ThumbnailRequest/byDefault``, which is
    /// omitted with a warning if it cannot be created.
    public var thumbnails: [ThumbnailRequest]?

    /// The extent to which an image is decoded. Default ``DecodePolicy/auto``.
    public var decode: DecodePolicy = .auto

    /// The small placeholders for an image. Default none.
    public var placeholders: Placeholders = []

    /// The fingerprints of an image. Default none.
    public var fingerprints: Fingerprints = []

    /// The metadata of an image in the answer. Default ``EXIFPolicy/typed``.
    public var exif: EXIFPolicy = .typed

    /// The handling of content that is truncated or corrupt, but partly usable. Default ``TruncatedPolicy/reject``.
    public var truncated: TruncatedPolicy = .reject

    public init() {}
}

/// The rule sets, which differ beyond what an option can express.
public enum RuleSet: String, Sendable, CaseIterable {
    /// The rules of Decant: media ranges and suffixes match, missing types are detected, white space is empty.
    case decant = "default"
    /// The rules of AFNetworking 4: exact types, no detection, one space is empty, `http` returns raw content with its
    /// error.
    case afnetworking
}

/// One serializer, several in order, or the one for the media type.
public enum SerializerChoice: Equatable, Sendable {
    case auto
    case one(SerializerKind)
    /// A compound: the serializers are tried in order, and the first value is used. `nil` is the one for the media
    /// type. Never empty.
    case compound([SerializerKind?])
}

extension SerializerKind? {
    /// The name in the option `serializer`: `auto` for the serializer that the media type chooses.
    package var name: String { self?.rawValue ?? "auto" }
}

/// The handling of null values in the upstream's data.
public enum NullPolicy: String, Sendable, CaseIterable {
    /// Object members whose value is null are removed.
    case drop
    /// Array elements that are null are also removed.
    case dropAll = "drop-all"
    case keep
}

/// The handling of several members with the same name in an object. Names are compared unescaped.
public enum DuplicateNames: String, Sendable, CaseIterable {
    case last
    case first
    /// A second member of the same name is an error.
    case reject
    /// All members are kept, in source order.
    case keep
}

/// The handling of an escaped lone surrogate (RFC 8259 §8.2).
public enum LoneSurrogates: String, Sendable, CaseIterable {
    case reject
    /// It is replaced by `\ufffd`, with a warning.
    case replace
}

/// The deviations from the format of the content that are accepted. Content is read strictly first.
public struct Leniencies: NamedOptionSet, Hashable, Sendable {
    // JSON.

    /// A comma before a closing bracket.
    public static let trailingCommas = Leniencies(rawValue: 1)
    /// `//` to the end of the line and `/* … */`.
    public static let comments = Leniencies(rawValue: 1 << 1)
    /// `NaN`, `Infinity`, `-Infinity`. They become strings.
    public static let nan = Leniencies(rawValue: 1 << 2)
    /// Strings in single quotes.
    public static let singleQuotes = Leniencies(rawValue: 1 << 3)
    /// Member names without quotes that are similar to an ECMAScript name.
    public static let unquotedKeys = Leniencies(rawValue: 1 << 4)
    /// Control characters in strings, such as line breaks. They become escapes.
    public static let rawControlCharacters = Leniencies(rawValue: 1 << 5)
    /// Escapes that RFC 8259 does not have. Their backslash is text: `\d` is `\\d`.
    public static let badEscapes = Leniencies(rawValue: 1 << 6)
    /// `01`, `.5`, `1.` and `+1`. They become `1`, `0.5`, `1.0` and `1`.
    public static let numberForms = Leniencies(rawValue: 1 << 7)

    // XML.

    /// References to the entities of HTML 4 that are not declared. They become their characters.
    public static let htmlEntities = Leniencies(rawValue: 1 << 8)
    /// An `&` that begins no reference. It is text.
    public static let bareAmpersands = Leniencies(rawValue: 1 << 9)
    /// White space before the XML declaration. It is removed.
    public static let leadingSpace = Leniencies(rawValue: 1 << 10)
    /// Control characters that XML does not allow, and references to them. They are removed.
    public static let controlCharacters = Leniencies(rawValue: 1 << 11)

    // CSV.

    /// Records with fewer or more fields than there are columns. Missing members are absent, and the others are the
    /// array `_extra`.
    public static let ragged = Leniencies(rawValue: 1 << 13)

    // All formats of text but property lists and forms.

    /// Content that is not valid in the charset of its media type. The charset of the XML declaration is used, or else
    /// windows-1252.
    public static let declaredCharset = Leniencies(rawValue: 1 << 12)

    /// Each leniency with its name in the HTTP contract.
    public static let named: [(name: String, element: Leniencies)] = [
        ("trailing-commas", .trailingCommas),
        ("comments", .comments),
        ("nan", .nan),
        ("single-quotes", .singleQuotes),
        ("unquoted-keys", .unquotedKeys),
        ("raw-control-characters", .rawControlCharacters),
        ("bad-escapes", .badEscapes),
        ("number-forms", .numberForms),
        ("html-entities", .htmlEntities),
        ("bare-ampersands", .bareAmpersands),
        ("leading-space", .leadingSpace),
        ("control-characters", .controlCharacters),
        ("ragged", .ragged),
        ("declared-charset", .declaredCharset),
    ]

    package static let all = Leniencies(named.map(\.element))

    /// The leniencies for the text of JSON.
    package static let jsonText: Leniencies = [
        .trailingCommas, .comments, .nan, .singleQuotes, .unquotedKeys, .rawControlCharacters, .badEscapes,
        .numberForms,
    ]

    /// The leniencies for the text of XML.
    package static let xmlText: Leniencies = [.htmlEntities, .bareAmpersands, .leadingSpace, .controlCharacters]

    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// Whether content is one JSON value or many, which then become an array.
public enum Records: String, Sendable, CaseIterable {
    /// Many if the media type indicates it: `application/x-ndjson`, `application/jsonl`, `application/json-seq` and
    /// similar.
    case auto
    case one
    case many
}

/// The order of object members in the answer.
public enum MemberOrder: String, Sendable, CaseIterable {
    case source
    /// By the UTF-16 code units of the names, as in RFC 8785 §3.2.3.
    case sorted
}

/// The handling of a prefix that protects content against script inclusion, and of the function call of JSONP.
public enum PrefixPolicy: String, Sendable, CaseIterable {
    /// It is removed, with a warning.
    case strip
    /// The content is rejected, because it is not JSON.
    case reject
}

/// The handling of an `NSKeyedArchiver` graph in a property list.
public enum ArchivePolicy: String, Sendable, CaseIterable {
    /// It is written as a plain property list, with UIDs.
    case keep
    /// Each UID is replaced by the object that it refers to.
    case resolve
}

/// The handling of content that is truncated or corrupt, but partly usable.
public enum TruncatedPolicy: String, Sendable, CaseIterable {
    /// It is an error.
    case reject
    /// The usable part is used, and the answer reports what is missing.
    case allow
}
