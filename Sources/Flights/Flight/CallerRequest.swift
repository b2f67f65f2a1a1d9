package import Fetching
internal import Primitives

/// A request for an upstream response that passed all rules which can be checked before the host is resolved.
package struct CallerRequest: Sendable {
    package var request: FetchRequest
    package var admission: FetchPolicy.Admission
    package var partition = ""
    package var cacheKey: String?
    package var cache = CacheMode.default
    /// Whether the caller permits storing the response.
    package var permitsStoring = true
    /// The values of the caller's own `If-None-Match`, to which Decant's entity tags are compared. Only for `GET`.
    package var ifNoneMatch: [String] = []
    package var redirects = RedirectMode.follow

    /// The name under which the request is cancelled, and its result is retrieved. Several requests may have the same.
    package var receipt = ""
    /// Whether the name is generated, so that nobody else can know it.
    package var hasGeneratedReceipt = false
    /// The name of the view that shows one resource at a time. A later request for another resource takes its place.
    package var slot: String?

    package var timeout: Duration
    /// Whether the caller has lowered the timeout, so that its end is no fact about the origin.
    package var lowersTimeout = false
    package var retries: Int
    /// The time after which the caller receives 202 instead of the result; `nil` if it waits for the result.
    package var wait: Duration?
    /// The same time in the profile of the request, which is used if the caller does not choose one.
    package var waitByDefault: Duration?
    /// Whether the time was given in the field `Prefer` (RFC 7240).
    package var prefersWait = false

    /// What is made of the response.
    package var rendition: any RenditionRequest
    /// The maximum length of the content of the response, in bytes, inclusive.
    package var maxContentBytes: Int
    /// Whether the response 202 shows what was made of the stored response that is being validated.
    package var showsStaleRendition = false

    /// The fields that the service adds to requests to the origin of the URL.
    package var credentials = OriginCredentials.none
    /// The values of the caller's own `CDN-Loop`, which are passed on (RFC 8586).
    package var loop: [String] = []

    /// The memory of the request, if it has more than ``maxUnreservedBytes``.
    package var memory: (any FlightMemory)?

    /// The memory that a request has without a reservation, in bytes, inclusive. It is planned for each connection, and
    /// charged when the client has received 202.
    package static let maxUnreservedBytes = 2 << 10

    package init(
        _ request: FetchRequest,
        _ admission: FetchPolicy.Admission,
        _ rendition: any RenditionRequest,
        maxContentBytes: Int,
        timeout: Duration,
        retries: Int
    ) {
        self.request = request
        self.admission = admission
        self.rendition = rendition
        self.maxContentBytes = maxContentBytes
        self.timeout = timeout
        self.retries = retries
    }

    /// The memory of what the caller has sent, in bytes.
    ///
    /// A redirect that removes fields needs another list of the same texts. A frame for the fetcher contains a copy of
    /// the content until it is sent, and the fetcher has one while it is active. Keys and reports contain the URL.
    package var heapBytes: Int {
        var bytes = request.fields.heapBytes + 32 * request.fields.count + 4 * request.url.text.utf8.count
        bytes += 3 * (request.content?.count ?? 0) + rendition.heapBytes
        bytes += partition.utf8.count + receipt.utf8.count + (cacheKey?.utf8.count ?? 0) + (slot?.utf8.count ?? 0)
        for text in ifNoneMatch { bytes += 48 + text.utf8.count }
        for text in loop { bytes += 48 + text.utf8.count }
        return bytes
    }

    var scopedReceipt: ScopedName { ScopedName(partition: partition, name: receipt) }
    var scopedSlot: ScopedName? { slot.map { ScopedName(partition: partition, name: $0) } }

    var identity: FlightIdentity {
        FlightIdentity(of: request, partition: partition, cacheKey: cacheKey, redirects: redirects)
    }

    /// Whether the request can share a flight. Other methods than GET and HEAD are not safe to merge, and content may
    /// be a part of them.
    var isMergeable: Bool { cache != .noStore && (request.method == "GET" || request.method == "HEAD") }

    /// Returns whether the service adds the same fields to both requests, which are for the same URL: the fields can be
    /// replaced in the meantime.
    func hasCredentials(of other: CallerRequest) -> Bool {
        let origin = request.url.origin
        return credentials.fields(for: origin) == other.credentials.fields(for: origin)
    }

    /// Whether the response to both requests is the same, apart from a fallback.
    func isRendered(like other: CallerRequest) -> Bool { RenditionOptions(of: self) == RenditionOptions(of: other) }
}

/// A name within a partition.
package struct ScopedName: Hashable, Sendable {
    package let partition: String
    package let name: String

    package init(partition: String, name: String) {
        self.partition = partition
        self.name = name
    }
}
