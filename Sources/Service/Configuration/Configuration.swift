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

    /// HTTP threads.
    var threads: Int

    /// Connections open at once; more wait in the kernel's queue.
    var maxConnections = 4096

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

    /// The least severe log line that is written.
    var logLevel = Logger.Level.info

    /// The form of the access log; `nil` if it depends on whether standard error is a terminal (see ``LogFormat``).
    var accessLog: AccessLogMode?

    /// The defaults on a machine with `resources`.
    init(resources: MachineResources) {
        threads = resources.cores
        maxBufferedBytes = max(Self.minDefaultBufferedBytes, resources.memoryBytes / 4)
        workers = resources.cores
        fitWorkers(into: resources, keepsMemory: false)
    }

    /// What workers may take together, in bytes, beside everything else.
    private func bytesForWorkers(_ resources: MachineResources) -> Int {
        max(0, resources.memoryBytes / 5 * 4 - Self.baseBytes - maxBufferedBytes)
    }

    /// Leaves out workers that there is no memory for.
    /// - Parameter keepsMemory: whether ``workerMemoryBytes`` stands as it was set; else a single worker may get less.
    mutating func fitWorkers(into resources: MachineResources, keepsMemory: Bool) {
        let room = bytesForWorkers(resources)
        if !keepsMemory {
            let rounded = room & ~(1 << 20 - 1)
            workerMemoryBytes = max(
                Self.minWorkerMemoryBytes,
                min(Self.maxDefaultWorkerMemoryBytes, rounded)
            )
        }
        let fitting = min(workers, room / workerMemoryBytes)
        workersLeftOut = workers - fitting
        workers = fitting
    }

    /// Memory that the process needs besides content, in bytes: code, threads and connections. It is planned for, not enforced.
    static let baseBytes = 64 << 20

    /// Below this, a worker has no room for its own code, a content and an answer.
    static let minWorkerMemoryBytes = 128 << 20

    /// The default of ``workerMemoryBytes`` where there is room for it.
    static let maxDefaultWorkerMemoryBytes = 512 << 20

    /// The default of ``maxBufferedBytes`` is a quarter of the memory, and never less than this.
    static let minDefaultBufferedBytes = 32 << 20
}
