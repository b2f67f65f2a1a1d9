internal import CCares
internal import Fetching
internal import Platform

// The only file that imports CCares.

/// The queries for the addresses of one name: A and AAAA, at the same time. Used by one thread.
@safe final class Lookup {
    enum Outcome: Equatable {
        /// At least one address.
        case addresses([IPAddress])
        /// There is no address. The words are for the log.
        case failed(String)
    }

    /// The time to wait for the second response after the first one, if that has addresses (RFC 8305 §3 recommends 50
    /// ms; a server that is far away takes longer).
    static let resolutionDelay = Duration.milliseconds(500)

    private static let queries = [CCARES_A, CCARES_AAAA]

    /// The wait before a query is repeated, and the number of queries to each server.
    private static let tryMilliseconds: UInt32 = 1_000
    private static let tries: UInt32 = 3

    private static let isInitialized = ccares_initialize()

    private let handle: OpaquePointer

    /// The time at which one query has found addresses, while the other one is pending.
    private var firstFound: MonotonicTime?

    /// Initializes c-ares.
    static func initialize() -> Bool { isInitialized }

    /// Begins a lookup. Returns `nil` if there is no memory.
    /// - Parameters:
    ///   - name: An absolute name without a trailing dot.
    ///   - servers: DNS servers, as ``ResolvConf/servers``.
    init?(_ name: String, servers: [String]) {
        // Both texts are copied.
        let list = servers.joined(separator: ",")
        guard let handle = unsafe ccares_open(name, list, Self.tryMilliseconds, Self.tries) else { return nil }
        unsafe self.handle = handle
    }

    deinit { unsafe ccares_close(handle) }

    /// Appends the sockets that must be observed.
    func appendSockets(to watched: inout [WatchedDescriptor]) {
        var sockets = [ccares_socket](repeating: ccares_socket(), count: Self.maxSockets)
        // The call writes at most as many elements as `sockets` has.
        let count = unsafe ccares_sockets(handle, &sockets, sockets.count)
        for socket in sockets.prefix(count) {
            watched.append(
                WatchedDescriptor(
                    number: socket.descriptor,
                    wantsRead: socket.wants_read,
                    wantsWrite: socket.wants_write
                )
            )
        }
    }

    private static let maxSockets = 16

    /// Returns the time at which ``process(_:)`` must be called.
    func deadline(at now: MonotonicTime) -> MonotonicTime {
        let milliseconds = unsafe ccares_timeout(handle)
        let next = milliseconds < 0 ? MonotonicTime.never : now + .milliseconds(Int64(milliseconds))
        return firstFound.map { min($0 + Self.resolutionDelay, next) } ?? next
    }

    /// Makes progress with sockets that are ready, and repeats queries.
    func process(_ ready: some Sequence<WatchedDescriptor>) {
        for socket in ready where socket.isReadable || socket.isWritable {
            unsafe ccares_process(
                handle,
                socket.isReadable ? socket.number : -1,
                socket.isWritable ? socket.number : -1
            )
        }
        unsafe ccares_process(handle, -1, -1)
    }

    /// Returns the outcome, if the lookup is complete.
    func outcome(at now: MonotonicTime) -> Outcome? {
        let states = Self.queries.map { unsafe ccares_query_state(handle, $0) }
        if states.contains(CCARES_TOO_MANY) { return .failed("the name has too many addresses") }
        let hasAddress = states.contains(CCARES_FOUND)
        if states.contains(CCARES_PENDING) {
            guard hasAddress else { return nil }
            guard let firstFound else {
                firstFound = now
                return nil
            }
            guard now >= firstFound + Self.resolutionDelay else { return nil }
        }
        guard hasAddress else {
            guard let failed = Self.queries.first(where: { unsafe ccares_query_state(handle, $0) == CCARES_FAILED })
            else { return .failed("the name does not exist, or has no address") }
            return .failed("DNS: \(unsafe String(cString: ccares_query_message(handle, failed)))")
        }
        return .addresses(Self.queries.flatMap(addresses))
    }

    private func addresses(_ query: ccares_query) -> [IPAddress] {
        (0..<(unsafe ccares_address_count(handle, query))).compactMap { index in
            // An address has four or sixteen bytes, and exists until the lookup is closed.
            let bytes = unsafe UnsafeBufferPointer(
                start: ccares_address(handle, query, index),
                count: query == CCARES_A ? 4 : 16
            )
            return IPAddress(networkOrder: unsafe bytes.span)
        }
    }
}
