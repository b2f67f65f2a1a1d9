internal import Fetching
internal import HTTP
internal import Platform
internal import Serialization

/// A request for an upstream response that passed all rules which can be checked before the host is resolved.
struct FetchOrder: Sendable {
    var request: FetchRequest
    var admission: FetchPolicy.Admission
    var partition = ""
    var cacheKey: String?
    var cache = CacheMode.default
    /// Whether the caller permits storing the response.
    var permitsStoring = true
    /// Whether the response at the end of redirects is also stored under the first URL, as AFNetworking's cache does.
    var aliasesRedirects = false
    /// The values of the caller's own `If-None-Match`, to which Decant's entity tags are compared. Only for `GET`.
    var ifNoneMatch: [String] = []
    var redirects = RedirectMode.follow

    /// The name under which the request is cancelled, and its result is retrieved. Several requests may have the same.
    var receipt: String
    /// Whether the name is generated (``generateReceipt()``), so that nobody else can know it.
    var hasGeneratedReceipt = false
    /// The name of what shows one resource at a time.
    var slot: String?

    var timeout: Duration
    /// Whether the caller has lowered the timeout, so that its end is no fact about the origin.
    var lowersTimeout = false
    var retries: Int
    /// The time after which the caller receives 202 instead of the result; `nil` if it waits for the result.
    var wait: Duration?
    /// The same time in the profile of the request, which is used if the caller does not choose one.
    var waitByDefault: Duration?
    /// Whether the time was given in the field `Prefer` (RFC 7240).
    var prefersWait = false

    /// Decodes the response.
    var serializer: ResponseSerializer
    /// The form of the response; `nil` if it is not an image.
    var image: ImageOrder?
    var requestID: RequestID

    /// The memory of the content that is sent to the origin; `nil` if there is none.
    var memory: MemoryReservation?

    var scopedReceipt: ScopedName { ScopedName(partition: partition, name: receipt) }
    var scopedSlot: ScopedName? { slot.map { ScopedName(partition: partition, name: $0) } }

    var identity: FlightIdentity {
        FlightIdentity(of: request, partition: partition, cacheKey: cacheKey, redirects: redirects)
    }

    /// Whether the request can share a flight. Other methods than GET and HEAD are not safe to merge, and content may be a part of them.
    var isMergeable: Bool {
        cache != .noStore && (request.method == "GET" || request.method == "HEAD")
    }

    /// Sets the receipt to 128 random bits in hexadecimal digits, which cannot be guessed, unless the caller has chosen one. It must be called
    /// before the order becomes a part of a flight.
    mutating func generateReceipt() {
        guard hasGeneratedReceipt else { return }
        var random = SystemRandomPool()
        // Only its text is that of an identifier of a request: all bits come from the system.
        receipt = RequestID.made(random.next(), random.next()).text
    }

    /// Returns whether a name has the form of generated receipts: 32 hexadecimal digits in lower case.
    static func looksGenerated(_ receipt: String) -> Bool {
        receipt.utf8.count == 32
            && receipt.utf8.allSatisfy { $0.isDecimalDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 }
    }

    /// Returns whether the caller has the response with an entity tag of Decant's (RFC 9110 §13.1.2, weak comparison).
    func hasEntityTag(_ tag: String) -> Bool { Self.matches(ifNoneMatch, tag) }

    /// Returns whether the values of `If-None-Match` match an entity tag of Decant's.
    static func matches(_ ifNoneMatch: [String], _ tag: String) -> Bool {
        guard !ifNoneMatch.isEmpty, let tag = EntityTag(tag) else { return false }
        switch EntityTag.List(ifNoneMatch) {
        case .any: return true
        case .tags(let tags): return tags.contains { $0.matchesWeakly(tag) }
        case nil: return false
        }
    }

    var maxContentBytes: Int { serializer.limits.maxContentBytes }

    /// Whether the response to both orders is the same, apart from a fallback.
    func isRendered(like other: FetchOrder) -> Bool {
        RenditionOptions(of: self) == RenditionOptions(of: other)
    }
}

/// A name within a partition.
struct ScopedName: Hashable, Sendable {
    let partition: String
    let name: String

    /// The characters of receipts, slots and partitions: `[A-Za-z0-9_-]{1,128}`.
    static func isValid(_ name: String) -> Bool {
        RequestIDGenerator.accepts(name.utf8.span)
    }
}

/// The settings of flights.
struct FlightSettings: Sendable {
    var maxActive = 256
    var maxActivePerOrigin = 8
    var maxQueued = 2048
    /// Whether the last request of an origin's queue is the next one.
    var isLIFO = false
    var resolveTimeout: Duration = .seconds(3)
    var connectTimeout: Duration = .seconds(5)
    var idleTimeout: Duration = .seconds(15)
    var timeout: Duration = .seconds(60)
    var queueTimeout: Duration = .seconds(10)
    /// The time for which a result is kept that nobody has received.
    var resultTime: Duration = .seconds(10)
    var slowestBytesPerSecond = 1024
    /// Whether a GET or HEAD may have content.
    var allowsGetContent = false
    var redirects = RedirectRules()
    var maxRetries = 2
    var cache = CacheSettings()
    var breaker = CircuitBreaker.Settings()
    var policy = FetchPolicy()
    /// The fields of every request to an origin, unless the caller sends the same.
    var fields: [HeaderFields.Field] = []

    /// The time for which requests of a URL are not merged after a response that cannot be shared.
    static let noMergeTime: Duration = .seconds(120)

    /// The maximum number of such URLs.
    static let maxNoMergeKeys = 16_384

    /// The number of serializations in progress or in the queue of their lane from which on no further transfer begins.
    static let maxSerializations = 256

    /// The maximum length of the contents of all requests that are active at a time, in bytes. The memory of the fetcher is limited.
    static let maxActiveContentBytes = 2 * FetchStart.maxContentBytes

    /// The maximum number of requests that wait under one receipt, and in one slot.
    static let maxReceiptsPerName = 1_024

    /// The maximum number of requests that share one flight. Further ones begin another.
    static let maxReceiptsPerFlight = 16_384

    /// The maximum share of the memory for requests that the responses of one origin use together.
    static let originMemoryPercent = 25
}
