extension MediaType {
    /// Whether servers use the type for any content, so that only the content can decide.
    var isUndecided: Bool { Self.undecided.contains(essence) }

    /// Whether null and absent members have different meanings in content of this type.
    var nullsCarryMeaning: Bool { Self.withMeaningfulNulls.contains(essence) }

    /// The types whose nulls are kept by default, because null and absent members have different meanings in their
    /// content.
    package static let withMeaningfulNulls = [
        // RFC 7946 §3.2: a feature has a geometry, which may be null.
        "application/geo+json",
        // RFC 7396: null removes a member.
        "application/merge-patch+json",
        // RFC 6902 §4: `value` is required, and null is a value.
        "application/json-patch+json",
        // JSON:API 1.1 §7: null empties a relationship.
        "application/vnd.api+json",
        // GraphQL §7.1: null reports a field that failed.
        "application/graphql-response+json",
        // JSON-LD 1.1 §4.1: null removes a term of the context.
        "application/ld+json",
        // JSON-RPC 2.0 §5: `id` and `result` may be null.
        "application/json-rpc", "application/jsonrequest",
    ]

    /// The types that servers use for any content.
    static let undecided = ["text/plain", "application/octet-stream", "binary/octet-stream"]
}
