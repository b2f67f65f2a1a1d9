package import Primitives

/// The properties of a request on which caching depends.
package struct CacheRequest: Equatable, Sendable {
    /// A method (RFC 9110 §9.1).
    package private(set) var method: String

    package let url: FetchURL

    /// The fields that are sent to the origin, except those that Decant adds to all requests. They include the default
    /// `Accept`.
    package private(set) var fields: [HeaderFields.Field]

    package private(set) var control: CacheControl

    package private(set) var mode: CacheMode

    /// Whether the caller permits storing (`"store"`).
    package var permitsStoring: Bool

    /// Whether the response is stored for callers that use every stored response (`force-cache`).
    package var acceptsAnyStored: Bool

    /// Whether the response may be stored if the caller permits it.
    private var isStorable: Bool

    /// Whether the cache may be read.
    let allowsReading: Bool

    /// Whether a condition can only be evaluated by the origin (RFC 9110 §13.1.1, §13.1.4, §13.1.5).
    private(set) var hasOriginConditions: Bool

    /// - Parameters:
    ///   - store: Whether the caller permits storing.
    ///   - isDenied: Whether the URL is never stored (`cache-deny`), or the cache is off.
    package init(_ request: FetchRequest, mode: CacheMode = .default, store: Bool = true, isDenied: Bool = false) {
        method = request.method
        url = request.url
        fields = request.fields
        self.mode = mode
        control = CacheControl(ofRequest: request.fields)
        // The content of a GET is not a part of the key.
        let isCacheable = request.content == nil && mode != .noStore && !isDenied
        allowsReading = isCacheable && (request.method == "GET" || request.method == "HEAD")
        isStorable = isCacheable && request.method == "GET" && !control.noStore
        permitsStoring = store
        acceptsAnyStored = mode == .forceCache
        hasOriginConditions = request.fields.contains { field in
            ["If-Match", "If-Unmodified-Since", "If-Range"].contains { field.name.equalsIgnoringASCIICase($0) }
        }
    }

    /// The request that validates a stale response while this one uses it. What concerns this request alone is not a
    /// part of it, so that it is the same for all requests that select the response.
    package var revalidation: CacheRequest {
        var request = self
        request.method = "GET"
        let fields = CacheKey.keyFields(fields)
        request.fields = CacheKey.withoutDirectives(fields) ?? fields
        request.control = CacheControl(ofRequest: request.fields)
        request.mode = .default
        request.isStorable = allowsReading && !request.control.noStore
        request.permitsStoring = true
        request.acceptsAnyStored = false
        request.hasOriginConditions = false
        return request
    }

    /// The same request, which uses a stored response only as long as its lifetime permits.
    package var respectingLifetime: CacheRequest {
        var request = self
        if mode == .forceCache { request.mode = .default }
        return request
    }

    /// Whether the response may be stored, as far as this request is concerned.
    var allowsStoring: Bool { isStorable && permitsStoring }

    /// Whether a stored response is used although it is stale.
    var ignoresLifetime: Bool { acceptsAnyStored || control.maxStale != nil }

    /// Whether the method is safe (RFC 9110 §9.2.1). Unknown methods are not.
    var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }

    /// Whether only a stored response may be the response to the request.
    var requiresStored: Bool { mode == .onlyIfCached || control.onlyIfCached }
}

/// The head of a response of the origin, and when it was received.
package struct OriginResponse: Equatable, Sendable {
    package let status: Int
    package let fields: [HeaderFields.Field]

    /// The directives in the fields.
    package let control: CacheControl

    /// The time at which the request was sent.
    package let requested: CacheMoment

    /// The time at which the head was received.
    package let received: CacheMoment

    /// Whether the content was received completely.
    package var isComplete: Bool

    package init(
        status: Int,
        fields: [HeaderFields.Field],
        requested: CacheMoment,
        received: CacheMoment,
        isComplete: Bool = true
    ) {
        self.status = status
        self.fields = fields
        control = CacheControl(ofResponse: fields)
        self.requested = requested
        self.received = received
        self.isComplete = isComplete
    }
}
