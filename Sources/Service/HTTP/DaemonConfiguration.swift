internal import Platform

/// How a ``Daemon`` listens, and what it grants its clients. All limits are inclusive.
struct DaemonConfiguration: Sendable {
    /// An IPv4 or IPv6 address in numbers. Default: this machine only. `::` takes both families.
    var address = "127.0.0.1"

    /// 0 picks a free port.
    var port: UInt16 = 8080

    /// Threads that serve connections. Default: one a core that this process may use.
    var threads = ProcessorCount.available

    /// Connections at a time, all threads together. Default 4 096. More wait in the kernel's queue.
    var maxConnections = 4_096

    /// Memory that the content of all requests may take together, in bytes. Default 64 MiB. Beyond it: 503.
    var maxBufferedBytes = 64 << 20

    /// From accepting a connection, or from the request line on a later request, to the end of the head. Default 10 s.
    var headTimeout: Duration = .seconds(10)

    /// From the end of the head to the end of the content, and again from there to the last byte of the answer. Each is
    /// prolonged by what its bytes take at ``slowestBytesPerSecond``. Default 60 s.
    var contentTimeout: Duration = .seconds(60)

    /// Default 64 KiB a second: nobody is cut for having much to send or to read.
    var slowestBytesPerSecond = 64 << 10

    /// From an answer to the next request line. Default 75 s.
    var idleTimeout: Duration = .seconds(75)

    /// Content of a refused request that is read and dropped so that the client comes to read the answer, in bytes.
    /// Default 64 MiB. More closes the connection.
    var maxDiscardedBytes = 64 << 20

    /// How long refused content is read and dropped, prolonged by what its bytes take at ``slowestBytesPerSecond``. Default 5 s.
    var discardTimeout: Duration = .seconds(5)
}

extension DaemonConfiguration {
    /// How often the watchdog looks: an eighth of the shortest limit, from 10 ms to half a second.
    var watchInterval: Duration {
        let shortest = min(headTimeout, contentTimeout, idleTimeout, discardTimeout)
        return max(.milliseconds(10), min(.milliseconds(500), shortest / 8))
    }

    /// The library's own limit stands behind the watchdog's and never comes first.
    var inactivitySeconds: UInt32 {
        let longest = max(headTimeout, contentTimeout, idleTimeout, discardTimeout)
        return UInt32(clamping: longest.components.seconds + 5)
    }
}
