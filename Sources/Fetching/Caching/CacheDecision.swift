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

    /// The same request without validators: those of the stored response are not those of the requested URL, which
    /// redirects.
    package var withoutValidators: CacheForward {
        guard isValidation else { return self }
        return CacheForward(
            reason: reason,
            fields: Preconditions.withoutConditions(fields),
            stored: stored,
            isValidation: false
        )
    }
}

/// The way in which a request is responded to.
package enum CacheDecision: Equatable, Sendable {
    /// By the stored response, without asking the origin.
    /// - Parameter isNotModified: Whether the response is 304, by the caller's own conditions.
    case serve(isNotModified: Bool)
    /// By the stored response. At the same time, one flight without a connection asks the origin.
    /// - Parameter revalidation: Its request is ``CacheRequest/revalidation``.
    case serveStale(isNotModified: Bool, revalidation: CacheForward)
    /// By the origin's response, on which ``CachePolicy/receive(_:for:_:)`` decides.
    case forward(CacheForward)
    /// By 504, because the origin must not be asked (`cache.only_if_cached`).
    case gatewayTimeout

    /// The same decision, in which the origin is asked without validators.
    package var withoutValidators: CacheDecision {
        switch self {
        case .serve, .gatewayTimeout: self
        case .serveStale(let isNotModified, let forward):
            .serveStale(isNotModified: isNotModified, revalidation: forward.withoutValidators)
        case .forward(let forward): .forward(forward.withoutValidators)
        }
    }
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
    case serveStale
    /// The response is delivered, and not stored.
    /// - Parameter removesStored: Whether the selected response is outdated, and is removed.
    case pass(StoreRejection, removesStored: Bool)
    /// The response to HEAD is delivered, and the head of the selected response is replaced (RFC 9111 §4.3.5).
    case update(StoredHead)
}
