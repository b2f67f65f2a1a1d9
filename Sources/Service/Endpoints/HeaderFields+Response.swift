internal import Serialization

extension HeaderFields.Field {
    static let noStore = HeaderFields.Field(name: "Cache-Control", value: "no-store")

    /// For documents that may change at any time: a stored response must be validated before each use (RFC 9111
    /// §5.2.2.4).
    static let noCache = HeaderFields.Field(name: "Cache-Control", value: "no-cache")

    /// For documents that change only with the version of the service.
    static let cacheable = HeaderFields.Field(name: "Cache-Control", value: "public, max-age=300")

    /// For responses whose media type depends on the `Accept` field of the request.
    static let varyAccept = HeaderFields.Field(name: "Vary", value: "Accept")

    static func allow(_ methods: String) -> HeaderFields.Field { HeaderFields.Field(name: "Allow", value: methods) }

    static func retryAfter(seconds: Int) -> HeaderFields.Field {
        HeaderFields.Field(name: "Retry-After", value: String(seconds))
    }
}
