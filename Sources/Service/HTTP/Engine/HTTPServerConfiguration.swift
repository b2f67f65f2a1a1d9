internal import Platform

/// How an ``HTTPServer`` listens, and what it grants its clients. All limits are inclusive.
struct HTTPServerConfiguration: Sendable {
    /// An IPv4 or IPv6 address in numbers. Default: this machine only. `::` accepts both families.
    var address = "127.0.0.1"

    /// 0 picks a free port.
    var port: UInt16 = 8080

    /// The number of loops, each with a thread. Default: one per processor that this process may use.
    var threads = ProcessorCount.available

    /// The maximum number of connections. Default 4 096. Others wait in the kernel's queue.
    var maxConnections = 4_096

    /// The maximum number of connections of one address; 0 for no limit, which is the default: a proxy is a single address.
    var maxConnectionsPerAddress = 0

    /// The maximum size of the contents of all requests together, in bytes. Default 64 MiB. Beyond it: 503.
    var maxBufferedBytes = 64 << 20

    /// The time from accepting a connection, or from the first byte of a later request, to the end of the head. Default 10 s.
    var headTimeout: Duration = .seconds(10)

    /// The time from the end of the head to the end of the content, and again from there to the last byte of the response. Each is
    /// prolonged by what its bytes take at ``slowestBytesPerSecond``. Default 60 s.
    var contentTimeout: Duration = .seconds(60)

    /// Default 64 KiB per second: no connection is closed because it transfers much.
    var slowestBytesPerSecond = 64 << 10

    /// The time from a response to the next request. Default 75 s.
    var idleTimeout: Duration = .seconds(75)

    /// The maximum size of the content of a rejected request that is read and dropped, so that the client comes to read the
    /// response, in bytes. Default 64 MiB. After more the response is sent and the connection closed.
    var maxDiscardedBytes = 64 << 20

    /// The time for which rejected content is read and dropped, prolonged by what its bytes take at ``slowestBytesPerSecond``. Default
    /// 5 s.
    var discardTimeout: Duration = .seconds(5)

    /// The time after the last byte of a request in which an end of stream means that the client has closed only its side. A later
    /// one means that the client is gone. Default 1 s.
    var halfCloseGrace: Duration = .seconds(1)

    /// The time for which a connection is read after its end, so that a client that is still sending receives the response. Default
    /// 2 s.
    var lingerTimeout: Duration = .seconds(2)

    /// The time from the end of the listening socket to the end of idle connections, while the service drains. Default 1 s.
    var drainIdleTimeout: Duration = .seconds(1)
}
