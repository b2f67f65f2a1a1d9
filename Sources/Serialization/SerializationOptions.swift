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

    /// Whether a top-level scalar is acceptable JSON. Default true.
    public var fragments = true

    /// How much of the answer is written. Default ``AnswerView/full``.
    public var view: AnswerView = .full

    /// Which of several members with the same name stays. Default ``DuplicateNames/last``.
    public var duplicates: DuplicateNames = .last

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
}

/// One serializer, several in turn, or the one that the media type calls for.
public enum SerializerChoice: Equatable, Sendable {
    case auto
    case one(SerializerKind)
    /// A compound: tried in order, the first that gives a value wins. Never empty.
    case compound([SerializerKind])
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
