internal import Fetching
internal import HTTP
internal import Logging
internal import Platform
internal import Serialization

/// The values of all settings of the service. ``Setting`` defines their names and allowed values.
///
/// All limits are inclusive. The names contain the units.
struct Configuration: Equatable, Sendable {
    /// The address on which to listen: a numeric IPv4 or IPv6 address. The default is reachable only from this machine.
    var address = "127.0.0.1"

    /// The TCP port. With 0 the system selects a free port, which the ready line reports.
    var port = 8080

    /// The address of the listener for probes, metrics and the administration of the cache, `HOST:PORT` or `unix:PATH`; empty if there is
    /// none.
    var adminAddress = ""

    /// The URL under which callers reach the service; empty if responses refer to paths.
    var publicURL = ""

    /// The number of HTTP threads.
    var threads: Int

    /// The maximum number of open connections. Further connections wait in the kernel's queue. The default is a tenth of the memory
    /// divided by ``connectionBytes``.
    var maxConnections: Int

    /// The maximum number of connections of one address; 0 for no limit, because a proxy is a single address.
    var maxConnectionsPerAddress = 0

    /// The maximum time to receive a head. It begins when the connection is accepted, or with the first byte of a later request. It
    /// protects against clients that send very slowly.
    var headTimeoutSeconds = 10

    /// The maximum time from the end of the head to the end of the content, plus one second per 64 KiB received.
    var contentTimeoutSeconds = 60

    /// The maximum time from the beginning of a response to its end, plus one second per 64 KiB sent.
    var responseTimeoutSeconds = 60

    /// The maximum time that a request waits in the queue of a lane.
    var queueTimeoutSeconds = 10

    /// The maximum time between two requests of a connection.
    var idleTimeoutSeconds = 75

    /// The time after a request in which an end of stream means that the client has closed only its side.
    var halfCloseGraceSeconds = 1

    /// The time from SIGTERM to the end of the listening socket. It must exceed the interval of a load balancer's checks times the
    /// number of failures that it waits for.
    var drainDelaySeconds = 0

    /// The time for requests in flight after ``drainDelaySeconds``. Together they must stay below the 30 seconds that orchestrators
    /// commonly give.
    var drainTimeoutSeconds = 25

    /// The maximum memory of all requests together: for content, decoding and responses.
    var maxBufferedBytes: Int

    /// The minimum size of a response that is compressed; 0 if no response is compressed.
    var gzipResponsesAboveBytes = 0

    /// The number of processes that decode images. With 0, no pixels are decoded.
    var workers: Int

    /// The number of workers that were omitted because there is not enough memory.
    var omittedWorkers = 0

    /// The maximum size of the mapped memory of one worker.
    var workerMemoryBytes = Self.maxDefaultWorkerMemoryBytes

    /// The maximum time to decode one image. After that the worker is killed.
    var decodeTimeSeconds = 10

    /// Whether images are decoded on a system without seccomp.
    var allowUnsandboxed = false

    /// The limits of one serialization.
    var limits = Limits()

    /// What may be fetched; empty if fetching is disabled.
    var fetchAllow = ParsedText("", HostRules())
    var fetchDeny = ParsedText("", HostRules())
    var fetchAllowRedirects = ParsedText("", HostRules())
    var fetchAllowAddresses = ParsedText("", [AddressBlock]())
    var fetchDenyAddresses = ParsedText("", [AddressBlock]())
    var fetchMethods = ParsedText("GET,HEAD", FetchMethods.safe)
    /// Whether a GET or HEAD may have content.
    var fetchAllowGetContent = false
    var fetchMaxActive = 256
    var fetchMaxActivePerOrigin = 8
    var fetchMaxQueued = 2_048
    /// `fifo` or `lifo`.
    var fetchOrder = "fifo"
    var fetchResolveSeconds = 3
    var fetchConnectSeconds = 5
    var fetchIdleSeconds = 15
    var fetchTimeoutSeconds = 60
    var fetchQueueSeconds = 10
    var fetchResultSeconds = 10
    var fetchSlowestBytesPerSecond = 1_024
    var fetchMaxRedirects = 5
    var fetchRetries = 2
    /// In percent.
    var fetchBreakerFailures = 50
    var fetchBreakerOpenSeconds = 5
    var fetchProxy = ParsedText("", FetchProxy?.none)
    var fetchNoProxy = ParsedText("", ProxyExceptions())
    /// Empty for the certificates of the system.
    var fetchCAFile = ""
    var fetchUserAgent = "decant/\(decantVersion)"

    /// The size of the cache of upstream responses; 0 if nothing is stored.
    var cacheCapacityBytes: Int
    /// The size of the cache after an eviction.
    var cacheBytesAfterPurge: Int
    var cacheMaxEntryBytes: Int
    var cacheHeuristicSeconds = 0
    var cacheStaleIfErrorSeconds = 0
    var cacheKeyFields = ParsedText("all", CacheKeyFields.all)
    /// The URLs whose responses are never stored.
    var cacheDeny = ParsedText("", HostRules())
    /// Whether callers may remove stored responses.
    var allowPurge = false

    /// The sizes of images that need no signature; empty for every size.
    var imageSizes = ParsedText("", ImageSizes())

    /// The origins of pages that may read images; empty for none.
    var imageCORSOrigins = ParsedText("", CORSOrigins())

    /// The file with profiles; empty if there are only the built-in ones.
    var profiles = ""

    /// The file with tokens; empty if every request is permitted.
    var tokensFile = ""

    /// The file with the keys that sign the targets of `GET`; empty if there are none.
    var fetchSigningKeysFile = ""

    /// The minimum severity of the log lines that are written.
    var logLevel = Logger.Level.info

    /// The form of the access log; `nil` if it depends on whether standard error is a terminal (see ``LogFormat``).
    var accessLog: AccessLogMode?

    /// Creates the default configuration of a machine with `resources`.
    init(resources: MachineResources) {
        threads = resources.cores
        cacheCapacityBytes = min(Self.maxDefaultCacheBytes, resources.memoryBytes / 10)
        cacheBytesAfterPurge = Self.defaultBytesAfterPurge(ofCapacity: cacheCapacityBytes)
        cacheMaxEntryBytes = Self.defaultMaxEntryBytes(ofCapacity: cacheCapacityBytes)
        maxBufferedBytes = Self.defaultBufferedBytes(resources)
        maxConnections = Self.defaultConnections(resources, maxBufferedBytes: maxBufferedBytes)
        workers = resources.cores
        fitWorkers(into: resources, keepsMemory: false)
    }

    /// Returns the memory that is available to all workers together, in bytes.
    private func bytesForWorkers(_ resources: MachineResources) -> Int {
        max(0, Self.availableBytes(resources) - bytesWithoutWorkers)
    }

    /// Returns the part of the memory that the settings may use, in bytes: 80 %.
    static func availableBytes(_ resources: MachineResources) -> Int {
        resources.memoryBytes / 5 * 4
    }

    /// Returns the default of ``maxBufferedBytes``: a quarter of the memory. It is greater if content of the default maximum size
    /// may need more, as long as there is enough memory for a worker.
    private static func defaultBufferedBytes(_ resources: MachineResources) -> Int {
        let quarter = max(minDefaultBufferedBytes, resources.memoryBytes / 4)
        let connectionsBytes = min(resources.memoryBytes / 10, maxDefaultConnections * connectionBytes)
        let available = availableBytes(resources) - baseBytes - connectionsBytes - usualWorkerMemoryBytes
        return max(quarter, min(largestContentBytes, available))
    }

    /// Returns the default of ``maxConnections``: the number that fits into a tenth of the memory, and into the memory that requests do not use.
    private static func defaultConnections(_ resources: MachineResources, maxBufferedBytes: Int) -> Int {
        let bytes = min(resources.memoryBytes / 10, availableBytes(resources) - baseBytes - maxBufferedBytes)
        return min(max(bytes / connectionBytes, minDefaultConnections), maxDefaultConnections)
    }

    /// Adapts the settings that depend on ``maxBufferedBytes`` and were not set: the number of connections, and the size of content.
    mutating func fitDefaults(into resources: MachineResources, keepsConnections: Bool, keepsContent: Bool) {
        if !keepsConnections {
            maxConnections = Self.defaultConnections(resources, maxBufferedBytes: maxBufferedBytes)
        }
        // The rest is for the response to an image, which needs the least memory. Other content is limited by the factor of its format.
        if !keepsContent { limits.maxContentBytes = min(limits.maxContentBytes, maxBufferedBytes / 5 * 4) }
    }

    /// Omits workers for which there is not enough memory.
    /// - Parameter keepsMemory: whether ``workerMemoryBytes`` was set and must not be changed.
    mutating func fitWorkers(into resources: MachineResources, keepsMemory: Bool) {
        let available = bytesForWorkers(resources)
        if !keepsMemory {
            // More workers with less memory are preferred, as long as each has enough memory for usual photographs.
            let count = min(max(workers, 1), max(1, available / Self.usualWorkerMemoryBytes))
            let rounded = (available / count) & ~((1 << 20) - 1)
            workerMemoryBytes = max(
                Self.minWorkerMemoryBytes,
                min(Self.maxDefaultWorkerMemoryBytes, rounded)
            )
        }
        let fitting = min(workers, available / workerMemoryBytes)
        omittedWorkers = workers - fitting
        workers = fitting
    }

    /// Memory that the process needs besides requests and connections, in bytes: code, threads, and the memory that requests use on HTTP
    /// threads. It is an estimate, which is not enforced.
    static let baseBytes = 64 << 20

    /// The memory that is planned for the process that fetches, in bytes. It is an estimate, which is not enforced.
    static let maxFetcherBytes = 32 << 20

    /// The memory of the process that fetches, in bytes: 0 if fetching is disabled.
    var fetcherBytes: Int { fetches ? Self.maxFetcherBytes : 0 }

    /// The memory of the cache, in bytes: 0 if fetching is disabled.
    var cacheBytes: Int { fetches ? cacheCapacityBytes : 0 }

    /// The planned memory of everything but the workers, in bytes.
    var bytesWithoutWorkers: Int {
        Self.baseBytes + maxBufferedBytes + fetcherBytes + cacheBytes + maxConnections * Self.connectionBytes
    }

    /// The maximum default of ``cacheCapacityBytes``: that of AFNetworking's cache.
    static let maxDefaultCacheBytes = 100 << 20

    /// The minimum default of ``cacheCapacityBytes``, unless the machine has little memory.
    static let minDefaultCacheBytes = 4 << 20

    static func defaultBytesAfterPurge(ofCapacity capacity: Int) -> Int { capacity / 5 * 3 }

    static func defaultMaxEntryBytes(ofCapacity capacity: Int) -> Int { capacity / 4 }

    /// The maximum memory of one connection, in bytes: the objects of the library and of the service (4 KiB), a head of 16 KiB followed
    /// by 16 KiB, and the buffers of the socket, which the kernel makes twice as large as requested.
    static let connectionBytes = (4 << 10) + (32 << 10) + 4 * HTTPServerConfiguration.socketBufferBytes

    /// The minimum default of ``maxConnections``.
    static let minDefaultConnections = 16

    /// The maximum default of ``maxConnections``.
    static let maxDefaultConnections = 4_096

    /// The minimum of ``workerMemoryBytes``. With less, there would not be enough memory for code, content and an answer.
    static let minWorkerMemoryBytes = 128 << 20

    /// The memory in which a worker can decode a progressive JPEG of 24 megapixels, which takes 90 MiB, with as much memory again for its
    /// content and its answer.
    static let usualWorkerMemoryBytes = 256 << 20

    /// The default of ``workerMemoryBytes`` if there is enough memory.
    static let maxDefaultWorkerMemoryBytes = 512 << 20

    /// The memory that suffices for any content of 32 MiB: ten bytes for each of its bytes, and its response.
    static let largestContentBytes = 512 << 20

    /// The minimum default of ``maxBufferedBytes``.
    static let minDefaultBufferedBytes = 32 << 20
}

extension Configuration {
    /// The uses of memory that the log reports, in bytes.
    var memoryRows: [(name: String, bytes: Int)] {
        [
            ("processBytes", Self.baseBytes), ("requestsBytes", maxBufferedBytes),
            ("fetcherBytes", fetcherBytes), ("cacheBytes", cacheBytes),
            ("connectionsBytes", maxConnections * Self.connectionBytes),
            ("workersBytes", workers * workerMemoryBytes),
        ]
    }
}
