internal import Platform

/// The configuration of an ``HTTPServer``. All limits are inclusive.
package struct HTTPServerConfiguration: Sendable {
    /// A numeric IPv4 or IPv6 address. `::` accepts IPv4 and IPv6.
    package var address: String

    /// The TCP port. If it is 0, the system chooses a free port.
    package var port: UInt16

    /// The path of the Unix domain socket on which the server listens instead of ``address`` and ``port``; empty if it
    /// does not. The server removes the file when it stops.
    package var socketPath = ""

    /// The number of event loops, each of which has a thread.
    package var threads: Int

    package var connections: Connections
    package var content: Content
    package var timeouts: Timeouts

    /// The time that a connection must have waited for a request before it may be closed in favor of another. Default
    /// 100 ms: a client that has just received a response, or has just connected, may already have sent its request.
    package var minIdleTime: Duration = .milliseconds(100)

    /// The size to which the send and the receive buffer of each socket are set, in bytes. The kernel doubles each of
    /// them for its own data (socket(7)), and both count towards the memory of the control group.
    package static let socketBufferBytes = 64 << 10

    /// The maximum number of rejected connections whose sockets each loop keeps for a moment.
    package static let maxRejectedPerThread = 32

    /// The maximum processor time of one iteration of a loop. After that, the loop does not decode fetched content, and
    /// rejects large content while other content waits for the compute lane. What the loop responds to itself is never
    /// rejected. Default: no limit.
    package var maxIterationTime: Duration = .seconds(Int64.max)

    /// The lowest rate at which content may be transferred without exceeding a time limit, in bytes per second. Default
    /// 64 KiB per second. Because of it, no connection is closed merely because its content is large.
    package var slowestBytesPerSecond = 64 << 10

    /// The maximum size of the content of a rejected request that is read and discarded, in bytes, so that the client
    /// reads the response. Default 64 MiB. If the content is larger, the response is sent and the connection is closed.
    package var maxDiscardedBytes = 64 << 20

    /// The time for which rejected content is read and discarded before the response is sent, extended by the time for
    /// receiving its bytes at ``slowestBytesPerSecond``. Default 5 s.
    package var discardTimeout: Duration = .seconds(5)

    /// The time for which the socket of a closed connection is still read, so that a client that is still sending
    /// receives the response. Default 2 s.
    package var lingerTimeout: Duration = .seconds(2)

    /// The time from closing the listening socket to closing idle connections, while the service drains. Default 1 s.
    package var drainIdleTimeout: Duration = .seconds(1)

    /// The bounds of the connections.
    package struct Connections: Sendable {
        /// The maximum number of connections. If a further client connects, the connection that has waited longest for
        /// a request is closed. If none waits, the client waits in the kernel's queue.
        package var max: Int

        /// The maximum number of connections from one address; 0 for no limit, because a proxy has a single address.
        package var maxPerAddress: Int

        /// The maximum number of connections in the kernel's queue, which wait until they are accepted (listen(2)).
        package var backlog: Int

        package init(max: Int, maxPerAddress: Int, backlog: Int) {
            self.max = max
            self.maxPerAddress = maxPerAddress
            self.backlog = backlog
        }
    }

    /// The bounds of the contents of requests and responses, in bytes.
    package struct Content: Sendable {
        /// The maximum memory of all requests together: their content, decoding it, and the responses. Content that
        /// exceeds it is rejected with 503.
        package var maxBufferedBytes: Int

        /// The size from which a response is compressed for a client that accepts gzip, inclusive. With 0, no response
        /// is compressed.
        package var gzipAboveBytes: Int

        package init(maxBufferedBytes: Int, gzipAboveBytes: Int) {
            self.maxBufferedBytes = maxBufferedBytes
            self.gzipAboveBytes = gzipAboveBytes
        }
    }

    /// The time limits of requests and connections.
    package struct Timeouts: Sendable {
        /// The time from accepting a connection, or from the first byte of a later request, to the end of the head.
        package var head: Duration

        /// The time from the end of the head to the end of the content, extended by the time for receiving its bytes at
        /// ``slowestBytesPerSecond``.
        package var content: Duration

        /// The time from the beginning of the response to its last byte, extended by the time for sending its bytes at
        /// ``slowestBytesPerSecond``.
        package var response: Duration

        /// The maximum time that a request may wait in the queue of a lane, after which it is rejected with 503.
        package var queue: Duration

        /// The maximum time from a response to the next request.
        package var idle: Duration

        /// The time after the last byte of a request in which an end of stream means that the client has closed only
        /// its sending side. A later end of stream means that the client has disconnected.
        package var halfCloseGrace: Duration

        package init(
            head: Duration,
            content: Duration,
            response: Duration,
            queue: Duration,
            idle: Duration,
            halfCloseGrace: Duration
        ) {
            self.head = head
            self.content = content
            self.response = response
            self.queue = queue
            self.idle = idle
            self.halfCloseGrace = halfCloseGrace
        }
    }

    /// Everything that is a setting of the service has no default here, so that none can be forgotten.
    package init(
        address: String,
        port: UInt16,
        threads: Int,
        connections: Connections,
        content: Content,
        timeouts: Timeouts
    ) {
        self.address = address
        self.port = port
        self.threads = threads
        self.connections = connections
        self.content = content
        self.timeouts = timeouts
    }
}
