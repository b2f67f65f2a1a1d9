internal import Logging
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

    /// Connections open at once; one more is closed as it comes.
    var maxConnections = 4096

    /// From a connection's first byte to the end of a request's head. Stops dripped heads.
    var headTimeoutSeconds = 10

    /// From the end of the head to the end of the content; a second more for each 64 KiB received.
    var contentTimeoutSeconds = 60

    /// Between two requests of one connection.
    var idleTimeoutSeconds = 75

    /// From SIGTERM to the end, requests in flight included. Below the 30 seconds that orchestrators commonly give.
    var drainTimeoutSeconds = 25

    /// Content held in memory for all requests together.
    var maxBufferedBytes: Int

    /// The bounds of one serialization.
    var limits = Limits()

    /// The least severe log line that is written.
    var logLevel = Logger.Level.info

    /// The defaults on a machine with `resources`.
    init(resources: MachineResources) {
        threads = resources.cores
        maxBufferedBytes = max(Self.minDefaultBufferedBytes, resources.memoryBytes / 4)
    }

    /// The default of ``maxBufferedBytes`` is a quarter of the memory, and never less than this.
    static let minDefaultBufferedBytes = 32 << 20
}
