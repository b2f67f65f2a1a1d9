internal import Primitives

/// The reason why a response is not stored (RFC 9111 §3).
package enum StoreRejection: Equatable, Sendable {
    /// The request does not permit it: its method, its content, its mode, `no-store`, `"store":false`, or `cache-deny`.
    case request
    /// The content was not received completely.
    case incomplete
    /// The status is 206 or 304, not final, or not understood despite `must-understand`.
    case status
    /// The response has `no-store`.
    case noStore
    /// The response has `private`.
    case isPrivate
    /// `Vary` matches no request.
    case varies
    /// The request has `Authorization`, and the response does not permit sharing (RFC 9111 §3.5).
    case authorization
    /// The response has `Set-Cookie`, and does not explicitly permit sharing.
    case cookie
    /// The response has no lifetime, and its status needs one, or nothing else permits using it later.
    case lifetime
}

/// The rules by which a response is stored (RFC 9111 §3).
enum Storability {
    /// Statuses that are stored without a lifetime, and to which a heuristic applies (RFC 9110 §15.1), besides errors.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool { [200, 203, 204, 300, 301, 308].contains(status) }

    /// Errors to which a heuristic applies (RFC 9110 §15.1). Without a lifetime, they are not stored: the error may be
    /// gone.
    static func isHeuristicallyCacheableError(_ status: Int) -> Bool { [404, 405, 410, 414, 501].contains(status) }

    /// Statuses whose caching requirements this cache conforms to (RFC 9111 §3, `must-understand`).
    static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...205, 300...303, 307, 308, 400...415, 417, 421, 422, 426, 500...505: true
        default: false
        }
    }

    /// Returns the reason why a response is not stored, or `nil` if it is.
    static func rejection(
        _ response: OriginResponse,
        for request: CacheRequest,
        control: CacheControl,
        freshness: Freshness
    ) -> StoreRejection? {
        guard request.allowsStoring else { return .request }
        guard response.isComplete else { return .incomplete }
        return rejection(
            status: response.status,
            fields: response.fields,
            for: request,
            control: control,
            freshness: freshness
        )
    }

    /// Returns the reason why a response with this head is not stored.
    static func rejection(
        status: Int,
        fields: [HeaderFields.Field],
        for request: CacheRequest,
        control: CacheControl,
        freshness: Freshness
    ) -> StoreRejection? {
        guard 200...599 ~= status, status != 206, status != 304 else { return .status }
        if control.mustUnderstand {
            // RFC 9111 §5.2.2.3: no-store is for caches that do not know must-understand.
            guard isUnderstood(status) else { return .status }
        } else if control.noStore {
            return .noStore
        }
        if control.isPrivate { return .isPrivate }
        guard VaryNames(ofResponse: fields) != nil else { return .varies }
        let isShared = control.isPublic || control.sMaxAge != nil
        if !isShared, !control.mustRevalidate,
            request.fields.contains(where: { $0.name.equalsIgnoringASCIICase("Authorization") })
        {
            return .authorization
        }
        if !isShared, fields.contains(where: { $0.name.equalsIgnoringASCIICase("Set-Cookie") }) { return .cookie }
        if isHeuristicallyCacheable(status) { return nil }
        // For others, it is stale from the beginning.
        if request.acceptsAnyStored, RedirectRules.isRedirect(status) { return nil }
        // Without a positive lifetime, only a cache mode that ignores freshness would ever use it.
        return freshness.lifetimeSeconds > 0 ? nil : .lifetime
    }
}

extension CacheControl {
    /// Whether a response with these directives must not be delivered to other requests than the one that caused it.
    package var forbidsSharing: Bool { isPrivate || (noStore && !mustUnderstand) }
}
