internal import Serialization

extension HeaderFields.Field {
    static let noStore = HeaderFields.Field(name: "Cache-Control", value: "no-store")

    /// Documents that may change at any time: a copy is used only after it was validated (RFC 9111 §5.2.2.4).
    static let noCache = HeaderFields.Field(name: "Cache-Control", value: "no-cache")

    /// Documents that change with the version only.
    static let cacheable = HeaderFields.Field(name: "Cache-Control", value: "public, max-age=300")

    /// The answer's type was chosen by the request's `Accept`.
    static let varyAccept = HeaderFields.Field(name: "Vary", value: "Accept")

    static func allow(_ methods: String) -> HeaderFields.Field {
        HeaderFields.Field(name: "Allow", value: methods)
    }

    static func retryAfter(seconds: Int) -> HeaderFields.Field {
        HeaderFields.Field(name: "Retry-After", value: String(seconds))
    }
}
