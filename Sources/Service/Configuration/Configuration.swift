internal import Logging
internal import Platform
internal import Serialization

/// How the service runs: every setting, with its default. ``Setting`` says how each is called outside and what it may be.
///
/// All bounds are inclusive; units stand in the names.
struct Configuration: Equatable, Sendable {
    /// Where to listen: a numeric IPv4 or IPv6 address. The default is reachable from this machine only.
    var address = "127.0.0.1"

    /// TCP port; 0 lets the system pick a free one, which the ready line then tells.
    var port = 8080

    /// The URL under which callers reach the service; empty if responses refer to paths.
    var publicURL = ""

    /// HTTP threads.
    var threads: Int

    /// Connections open at once; more wait in the kernel's queue. By default as many as ``connectionBytes`` permit for a tenth of the memory.
    var maxConnections: Int

    /// The maximum number of connections of one address; 0 for no limit, because a proxy is a single address.
    var maxConnectionsPerAddress = 0

    /// From accepting a connection, or a later request's first line, to the end of a request's head. Stops dripped heads.
    var headTimeoutSeconds = 10

    /// From the end of the head to the end of the content; a second more for each 64 KiB received.
    var contentTimeoutSeconds = 60

    /// From the beginning of a response to its end; a second more for each 64 KiB sent.
    var responseTimeoutSeconds = 60

    /// In the queue of a lane, before the work for a request begins.
    var queueTimeoutSeconds = 10

    /// Between two requests of one connection.
    var idleTimeoutSeconds = 75

    /// The time after a request in which an end of stream means that the client has closed only its side.
    var halfCloseGraceSeconds = 1

    /// The time from SIGTERM to the end of the listening socket. It must exceed the interval of a load balancer's checks times the
    /// number of failures that it waits for.
    var drainDelaySeconds = 0

    /// The time for requests in flight after ``drainDelaySeconds``. Together they must stay below the 30 seconds that orchestrators
    /// commonly give.
    var drainTimeoutSeconds = 25

    /// Content held in memory for all requests together.
    var maxBufferedBytes: Int

    /// The size from which responses are compressed; 0 if none is.
    var gzipResponsesAboveBytes = 0

    /// Processes that decode images. 0: none is decoded.
    var workers: Int

    /// How many of them the memory had no room for.
    var workersLeftOut = 0

    /// All that one of them may have mapped.
    var workerMemoryBytes = Self.maxDefaultWorkerMemoryBytes

    /// How long one decode may take; then its process is killed.
    var decodeTimeSeconds = 10

    /// Whether images are decoded on a system without seccomp.
    var allowUnsandboxed = false

    /// The bounds of one serialization.
    var limits = Limits()

    /// The file with profiles; empty if there are the built-in ones only.
    var profiles = ""

    /// The file with tokens; empty if every request is permitted.
    var tokensFile = ""

    /// The file with the keys that sign the targets of `GET`; empty if there are none.
    var fetchSigningKeysFile = ""

    /// The least severe log line that is written.
    var logLevel = Logger.Level.info

    /// The form of the access log; `nil` if it depends on whether standard error is a terminal (see ``LogFormat``).
    var accessLog: AccessLogMode?

    /// The defaults on a machine with `resources`.
    init(resources: MachineResources) {
        threads = resources.cores
        maxBufferedBytes = Self.defaultBufferedBytes(resources)
        maxConnections = Self.defaultConnections(resources, maxBufferedBytes: maxBufferedBytes)
        workers = resources.cores
        fitWorkers(into: resources, keepsMemory: false)
    }

    /// What workers may take together, in bytes, beside everything else.
    private func bytesForWorkers(_ resources: MachineResources) -> Int {
        max(
            0,
            Self.availableBytes(resources) - Self.baseBytes - maxBufferedBytes - maxConnections * Self.connectionBytes
        )
    }

    /// The part of the memory that may be planned with, in bytes: 80 %.
    static func availableBytes(_ resources: MachineResources) -> Int {
        resources.memoryBytes / 5 * 4
    }

    /// Returns the default of ``maxBufferedBytes``: a quarter of the memory. If that is less than any content of the default size may need,
    /// it is more, as long as a worker with the usual memory fits beside it.
    private static func defaultBufferedBytes(_ resources: MachineResources) -> Int {
        let quarter = max(minDefaultBufferedBytes, resources.memoryBytes / 4)
        let connectionsBytes = min(resources.memoryBytes / 10, maxDefaultConnections * connectionBytes)
        let room = availableBytes(resources) - baseBytes - connectionsBytes - usualWorkerMemoryBytes
        return max(quarter, min(largestContentBytes, room))
    }

    /// Returns the default of ``maxConnections``: what fits into a tenth of the memory, and into what requests leave.
    private static func defaultConnections(_ resources: MachineResources, maxBufferedBytes: Int) -> Int {
        let bytes = min(resources.memoryBytes / 10, availableBytes(resources) - baseBytes - maxBufferedBytes)
        return min(max(bytes / connectionBytes, minDefaultConnections), maxDefaultConnections)
    }

    /// Adapts what depends on ``maxBufferedBytes`` and was not set: the number of connections, and the size of a content.
    mutating func fitDefaults(into resources: MachineResources, keepsConnections: Bool, keepsContent: Bool) {
        if !keepsConnections {
            maxConnections = Self.defaultConnections(resources, maxBufferedBytes: maxBufferedBytes)
        }
        // The rest is for the response to the cheapest content, which is an image. Other content is admitted by the factor of its format.
        if !keepsContent { limits.maxContentBytes = min(limits.maxContentBytes, maxBufferedBytes / 5 * 4) }
    }

    /// Leaves out workers that there is no memory for.
    /// - Parameter keepsMemory: whether ``workerMemoryBytes`` stands as it was set; else a single worker may get less.
    mutating func fitWorkers(into resources: MachineResources, keepsMemory: Bool) {
        let room = bytesForWorkers(resources)
        if !keepsMemory {
            // Rather more workers with less memory than fewer with more, as long as each has enough for usual photographs.
            let count = min(max(workers, 1), max(1, room / Self.usualWorkerMemoryBytes))
            let rounded = (room / count) & ~((1 << 20) - 1)
            workerMemoryBytes = max(
                Self.minWorkerMemoryBytes,
                min(Self.maxDefaultWorkerMemoryBytes, rounded)
            )
        }
        let fitting = min(workers, room / workerMemoryBytes)
        workersLeftOut = workers - fitting
        workers = fitting
    }

    /// Memory that the process needs besides requests and connections, in bytes: code, threads, and what requests use on HTTP threads.
    /// It is planned for, not enforced.
    static let baseBytes = 64 << 20

    /// The maximum memory of one connection, in bytes: the library's and ours (4 KiB and a head of 16 KiB with 16 KiB behind it), and the
    /// buffers of its socket, each of which the kernel makes twice as large as it is told.
    static let connectionBytes = (4 << 10) + (32 << 10) + 4 * HTTPServerConfiguration.socketBufferBytes

    /// The default of ``maxConnections`` is never less than this, and never more than the other.
    static let minDefaultConnections = 16
    static let maxDefaultConnections = 4_096

    /// Below this, a worker has no room for its own code, a content and an answer.
    static let minWorkerMemoryBytes = 128 << 20

    /// The memory with which a worker decodes a progressive JPEG of 24 megapixels, which takes 90 MiB, and has as much again for its content
    /// and its answer.
    static let usualWorkerMemoryBytes = 256 << 20

    /// The default of ``workerMemoryBytes`` where there is room for it.
    static let maxDefaultWorkerMemoryBytes = 512 << 20

    /// The memory that suffices for any content of 32 MiB: ten bytes for each of its bytes, and its response.
    static let largestContentBytes = 512 << 20

    /// The default of ``maxBufferedBytes`` is never less than this.
    static let minDefaultBufferedBytes = 32 << 20
}

extension Configuration {
    /// The rows of the memory account, in bytes.
    var memoryRows: [(name: String, bytes: Int)] {
        [
            ("processBytes", Self.baseBytes), ("requestsBytes", maxBufferedBytes),
            ("connectionsBytes", maxConnections * Self.connectionBytes), ("workersBytes", workers * workerMemoryBytes),
        ]
    }
}
