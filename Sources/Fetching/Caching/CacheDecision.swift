package import Primitives

/// The stored response that a request selects.
package enum CacheMatch: Equatable, Sendable {
    /// There is no response for the index key.
    case uriMiss
    /// There are responses for the index key, but not for the fields of the request.
    case varyMiss
    case stored(StoredHead)
}

/// A request that is sent to the origin.
package struct CacheForward: Equatable, Sendable {
    package let reason: CacheStatus.ForwardReason

    /// The fields to send in place of those of the request.
    package let fields: [HeaderFields.Field]

    /// The stored response that the request selected, if there is one.
    package let stored: StoredHead?

    /// Whether the fields contain the validators of the stored response.
    package let isValidation: Bool
}

/// The way in which a request is responded to.
package enum CacheDecision: Equatable, Sendable {
    /// By the stored response, without asking the origin.
    /// - Parameter isNotModified: Whether the response is 304, by the caller's own conditions.
    case serve(isNotModified: Bool)
    /// By the stored response. At the same time, one flight without a connection asks the origin.
    /// - Parameter revalidation: Its request is ``CacheRequest/revalidation``.
    case staleWhileRevalidate(isNotModified: Bool, revalidation: CacheForward)
    /// By the origin's response, on which ``CachePolicy/receive(_:for:_:)`` decides.
    case forward(CacheForward)
    /// By 504, because the origin must not be asked (`cache.only_if_cached`).
    case gatewayTimeout
}

/// The consequence of the origin's response.
package enum CacheOutcome: Equatable, Sendable {
    /// The response is delivered, and stored in place of the selected one. The request may have conditions that it
    /// satisfies (``Preconditions/isNotModified(_:_:)``).
    case store(StoredHead)
    /// The stored response is delivered with this head, which replaces its head. Its content and its generation stay.
    /// - Parameter isStorable: Whether it stays stored. If not, it is removed.
    case freshened(StoredHead, isStorable: Bool)
    /// The 304 response describes another representation: the request is sent again, without conditions.
    case fetchAgain(CacheForward)
    /// The origin has failed, and the stored response is delivered (`detail=stale-if-error`).
    case staleIfError
    /// The response is delivered, and not stored.
    /// - Parameter removesStored: Whether the selected response is outdated, and is removed.
    case pass(StoreRejection, removesStored: Bool)
    /// The response to HEAD is delivered, and the head of the selected response is replaced (RFC 9111 §4.3.5).
    case update(StoredHead)

    /// The same outcome for a response under a caller's key, where no URL is stored (``StoredHead/withoutURLs``).
    package var withoutURLs: CacheOutcome {
        switch self {
        case .store(let head): head.withoutURLs.map { .store($0) } ?? .pass(.request, removesStored: true)
        case .freshened(let head, let isStorable):
            .freshened(head.withoutURLs ?? head, isStorable: isStorable && head.withoutURLs != nil)
        case .update(let head): head.withoutURLs.map { .update($0) } ?? .pass(.request, removesStored: true)
        case .fetchAgain, .staleIfError, .pass: self
        }
    }
}
