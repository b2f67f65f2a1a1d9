package import Primitives

// The fields that the service itself adds to the requests to an origin, such as `Authorization`.
//
//     https://api.example           Authorization: Bearer 0123…
//     https://cdn.api.example:8443  X-Api-Key: 4567…
//
// They are added when a request is sent, after all rules, and after the cache: neither a rule, a key, a merged request
// nor a line of the log ever has them. All callers that may request the origin have what they permit.
//
// Ambiguities, and how we resolve them:
// - A caller that sends a field of the same name is rejected. If its field replaced one of several, it could choose the
//   account for which the key of the service is used.
// - A redirect to another origin drops the fields, and they do not return if a later redirect leads back: the origin
//   that redirects, and not the caller, has chosen the URL. For the same reason, a redirect from elsewhere to an origin
//   with fields is requested without them, and neither receives nor stores a response of the cache, which belongs to
//   requests with them (`Hop.keepsOrigin`).
// - RFC 9111 §3.5 protects the response to one user's `Authorization` from other users. These fields are added between
//   the cache and the origin, and are the same for all requests. So responses are stored as those to requests without
//   them.

/// The fields of requests to origins that are configured (`fetch-credentials-file`). It has no description with their
/// values.
package struct OriginCredentials: Sendable {
    /// The maximum length of the fields of one origin, as ``FieldRules/maxBytes`` counts them, in bytes, inclusive.
    package static let maxBytes = 16 << 10

    package static let none = OriginCredentials([:])

    private let fields: [FetchOrigin: [HeaderFields.Field]]

    /// - Parameter fields: fields that passed ``check(_:)``, by origin.
    package init(_ fields: [FetchOrigin: [HeaderFields.Field]]) { self.fields = fields }

    /// The number of origins.
    package var count: Int { fields.count }

    /// Returns whether there are fields for an origin.
    package func exist(for origin: FetchOrigin) -> Bool { !fields.isEmpty && fields[origin] != nil }

    /// Returns the fields that are added to a request to `origin`.
    package func fields(for origin: FetchOrigin) -> [HeaderFields.Field] { fields.isEmpty ? [] : fields[origin] ?? [] }

    /// Returns the name of the first field of a caller's request to `origin` that the service adds itself; `nil` if
    /// there is none. `_` counts as `-`, as in ``FieldRules``.
    package func conflict(with callers: [HeaderFields.Field], at origin: FetchOrigin) -> String? {
        guard !fields.isEmpty, let own = fields[origin] else { return nil }
        let names = own.map { FieldRules.folded($0.name) }
        return callers.first { names.contains(FieldRules.folded($0.name)) }?.name
    }

    /// Validates the fields of one origin, and returns them without the white space around their values.
    package static func check(_ fields: [HeaderFields.Field]) throws(FieldRejection) -> [HeaderFields.Field] {
        let checked = try FieldRules.check(fields)
        for (index, field) in checked.enumerated() {
            if let rule = rule(rejecting: field.name) { throw .notAllowed(name: rule, index: index) }
        }
        let bytes = FrameFields.byteCount(checked)
        guard bytes <= maxBytes else { throw .tooLong(bytes: bytes, max: maxBytes) }
        return checked
    }

    /// Returns the entry of the lists that rejects `name`: a field that cannot identify the sender. It belongs to
    /// callers, or decides about caching before these fields are added.
    private static func rule(rejecting name: String) -> String? {
        let name = FieldRules.folded(name)
        if let prefix = ["accept-", "content-", "if-"].first(where: { name.hasPrefix($0) }) { return prefix + "*" }
        return ["accept", "cache-control", "pragma", "user-agent"].contains(name) ? name : nil
    }
}

extension OriginCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "the credentials of \(count) origins" }

    package var debugDescription: String { description }

    /// Without the values, which a dump would print.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
