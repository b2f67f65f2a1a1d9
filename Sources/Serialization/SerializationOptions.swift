/// What the caller chose for one response: the query options and profile keys of the HTTP contract, as values.
public struct SerializationOptions: Equatable, Sendable {
    /// Which serializers are tried, in order. Default: chosen by media type, suffix and signature.
    public var serializer: SerializerChoice = .auto

    /// Where the two built-in rule books differ. Default ``RuleSet/decant``.
    public var rules: RuleSet = .decant

    /// Acceptable status codes; nil accepts any. Default 200–299.
    public var acceptableStatusCodes: StatusCodes? = .successful

    /// Acceptable media types; nil means each serializer's own.
    public var acceptableMediaTypes: MediaTypeSet?

    /// The upstream's media type as the caller states it, in place of the `Content-Type` field.
    public var declaredType: String?

    /// What happens to nulls. Nil: ``NullPolicy/drop``, or ``NullPolicy/keep`` for media types whose nulls carry meaning.
    public var nulls: NullPolicy?

    /// Which of the upstream's header fields the response contains, if they are known. Default ``UpstreamHeaderPolicy/all``.
    public var upstreamHeaders: UpstreamHeaderPolicy = .all

    /// Whether a top-level scalar is acceptable JSON. Default true.
    public var fragments = true

    /// How much of the answer is written. Default ``AnswerView/full``.
    public var view: AnswerView = .full

    /// Which of several members with the same name stays. Default ``DuplicateNames/last``.
    public var duplicates: DuplicateNames = .last

    /// What becomes of half a surrogate pair, escaped, on its own. Default ``LoneSurrogates/reject``.
    public var surrogates: LoneSurrogates = .reject

    /// What is accepted beyond RFC 8259; each use is a warning. Default none.
    public var leniencies: JSONLeniencies = []

    /// Whether the content is one JSON value or many. Default ``Records/auto``.
    public var records: Records = .auto

    /// The order of members. Default ``MemberOrder/source``.
    public var keys: MemberOrder = .source

    /// RFC 8785: sorted members, strings and numbers in canonical form. Default false.
    public var canonical = false

    /// What becomes of guards against script inclusion and of JSONP. Nil: ``PrefixPolicy/strip``, or
    /// ``PrefixPolicy/reject`` under AFNetworking's rules.
    public var prefixes: PrefixPolicy?

    /// Which elements of XML are arrays even when there is only one. Default ``XMLArrays/auto``.
    public var xmlArrays: XMLArrays = .auto

    /// Where the text of XML elements stands. Default ``XMLTextForm/auto``.
    public var xmlText: XMLTextForm = .auto

    /// How names of XML elements and attributes are written. Default ``XMLNameForm/prefixed``.
    public var xmlNames: XMLNameForm = .prefixed

    /// Whether white space around the text of XML elements goes. Default false.
    public var xmlTrim = false

    /// What becomes of an `NSKeyedArchiver` graph in a property list. Default ``ArchivePolicy/keep``.
    public var archive: ArchivePolicy = .keep

    /// Whether the answer says the source's own types. Default false.
    public var hints = false

    /// Pixels a point of an image: its `size` is its pixels divided by it. Above 0. Default 1.
    public var scale = 1.0

    /// Thumbnails of an image, in the order of the answer. Nil: ``ThumbnailRequest/byDefault``, which is left out with a
    /// warning where it cannot be made.
    public var thumbnails: [ThumbnailRequest]?

    /// How much of an image is decoded. Default ``DecodePolicy/auto``.
    public var decode: DecodePolicy = .auto

    /// Small stand-ins for an image. Default none.
    public var placeholders: Placeholders = []

    /// What tells an image again. Default none.
    public var fingerprints: Fingerprints = []

    /// Which metadata of an image the answer has. Default ``EXIFPolicy/typed``.
    public var exif: EXIFPolicy = .typed

    /// What becomes of content that ends early, or is corrupt, and can still be used in part. Default
    /// ``TruncatedPolicy/reject``.
    public var truncated: TruncatedPolicy = .reject

    public init() {}
}

/// Where the two built-in rule books differ beyond what an option can say.
public enum RuleSet: String, Sendable, CaseIterable {
    /// Decant's own: media ranges and suffixes match, missing types are sniffed, white space is empty.
    case decant = "default"
    /// AFNetworking 4's: exact types, no sniffing, one space is empty, `http` gives raw content beside its error.
    case afnetworking
}

/// A serializer that can be asked for by name.
public enum SerializerKind: String, Sendable, CaseIterable {
    /// Validation only: the raw content, in Base64 and as text where it is text.
    case http
    /// RFC 8259.
    case json
    /// XML 1.0, as an object that programs read easily.
    case xml
    /// XML 1.0, lossless.
    case xmlDocument = "xml-document"
    /// Property lists: binary, XML, and OpenStep's and GNUstep's text.
    case plist
    /// Images: what their header says, and thumbnails.
    case image
}

/// One serializer, several in turn, or the one that the media type calls for.
public enum SerializerChoice: Equatable, Sendable {
    case auto
    case one(SerializerKind)
    /// A compound: tried in order, the first that gives a value wins. Never empty.
    case compound([Component])

    /// One of several serializers that are tried.
    public struct Component: Hashable, Sendable {
        /// `nil` if the media type chooses.
        public let kind: SerializerKind?

        public init(_ kind: SerializerKind?) {
            self.kind = kind
        }

        /// The name that the option has for it.
        public var name: String { kind?.rawValue ?? "auto" }

        public static let auto = Component(nil)
        public static let http = Component(.http)
        public static let json = Component(.json)
        public static let xml = Component(.xml)
        public static let xmlDocument = Component(.xmlDocument)
        public static let plist = Component(.plist)
        public static let image = Component(.image)
    }
}

/// What happens to null values of the upstream's data.
public enum NullPolicy: String, Sendable, CaseIterable {
    /// Object members whose value is null go.
    case drop
    /// Array elements that are null go too.
    case dropAll = "drop-all"
    case keep
}

/// Which member stays when an object has several of the same name, compared unescaped.
public enum DuplicateNames: String, Sendable, CaseIterable {
    case last
    case first
    /// A second one is an error.
    case reject
    /// All stay, in source order.
    case keep
}

/// What becomes of half a surrogate pair, escaped, on its own (RFC 8259 §8.2).
public enum LoneSurrogates: String, Sendable, CaseIterable {
    case reject
    /// It becomes `\ufffd`, with a warning.
    case replace
}

/// What is accepted beyond RFC 8259, a switch each.
public struct JSONLeniencies: OptionSet, Hashable, Sendable {
    /// A comma before a closing bracket.
    public static let trailingCommas = JSONLeniencies(rawValue: 1)
    /// `//` to the end of the line and `/* … */`.
    public static let comments = JSONLeniencies(rawValue: 2)
    /// `NaN`, `Infinity`, `-Infinity`: they become strings.
    public static let nan = JSONLeniencies(rawValue: 4)
    /// Strings in single quotes.
    public static let singleQuotes = JSONLeniencies(rawValue: 8)
    /// Member names without quotes, as far as they look like an ECMAScript name.
    public static let unquotedKeys = JSONLeniencies(rawValue: 16)

    /// Each switch with its name in the HTTP contract.
    public static let named: [(name: String, leniency: JSONLeniencies)] = [
        ("trailing-commas", .trailingCommas),
        ("comments", .comments),
        ("nan", .nan),
        ("single-quotes", .singleQuotes),
        ("unquoted-keys", .unquotedKeys),
    ]

    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}

/// Whether a content is one JSON value or many, which then become an array.
public enum Records: String, Sendable, CaseIterable {
    /// Many where the media type says so: `application/x-ndjson`, `application/jsonl`, `application/json-seq` and kin.
    case auto
    case one
    case many
}

/// The order of an object's members in the answer.
public enum MemberOrder: String, Sendable, CaseIterable {
    case source
    /// By the UTF-16 code units of the names, as RFC 8785 §3.2.3 sorts.
    case sorted
}

/// What becomes of text that keeps a script from including the content, or of the call that JSONP wraps it in.
public enum PrefixPolicy: String, Sendable, CaseIterable {
    /// It is taken off, with a warning.
    case strip
    /// It is not JSON, and refused as such.
    case reject
}

/// What becomes of an `NSKeyedArchiver` graph in a property list.
public enum ArchivePolicy: String, Sendable, CaseIterable {
    /// It is written as the property list that it is, with UIDs.
    case keep
    /// Each UID is the object that it stands for.
    case resolve
}

/// What becomes of content that ends early, or is corrupt, and can still be used in part.
public enum TruncatedPolicy: String, Sendable, CaseIterable {
    /// It is an error.
    case reject
    /// What is there is used, and the answer says what is missing.
    case allow
}
