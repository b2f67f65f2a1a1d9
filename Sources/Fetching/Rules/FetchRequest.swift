package import Primitives

/// A request at an origin, as the caller described it and redirects changed it. Framing and the fields that Decant adds
/// are not a part of it.
package struct FetchRequest: Equatable, Sendable {
    /// A token (RFC 9110 §9.1). Methods are case-sensitive.
    package var method: String

    package var url: FetchURL

    /// The caller's fields, which passed ``FieldRules``.
    package var fields: [HeaderFields.Field]

    /// The content; `nil` if the request has none.
    package var content: [UInt8]?

    package init(method: String, url: FetchURL, fields: [HeaderFields.Field] = [], content: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.fields = fields
        self.content = content
    }

    /// Whether the request can be sent again without asking the caller: it is safe, and has no content.
    package var isRepeatable: Bool { (method == "GET" || method == "HEAD") && content == nil }
}
