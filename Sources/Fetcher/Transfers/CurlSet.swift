internal import CCurl
internal import Fetching
internal import Platform

// The only file that imports CCurl.

enum CurlVerdict {
    case proceed
    case abort
    /// The content is received again after ``CurlTransfer/resume()``.
    case pause
    /// As `proceed`, and the connection is closed after the transfer. Only for lines of a head.
    case close
}

/// A descriptor that is observed, and what it is ready for.
struct WatchedDescriptor: Equatable {
    var number: Int32
    var wantsRead: Bool
    var wantsWrite: Bool
    var isReadable = false
    var isWritable = false
}

/// The state of a transfer as libcurl knows it.
struct CurlProgress {
    var isNewConnection: Bool
    /// Whether a connection exists that may not have completed its TLS handshake. `false` after the end of the
    /// transfer.
    var isConnected: Bool
    /// The status of the proxy's response to CONNECT; 0 if there is none.
    var connectStatus: Int
    var times: Times

    /// The microseconds from the start of the transfer to each point; 0 if the point has not been reached.
    struct Times {
        var connected: UInt64
        var secured: UInt64
        var ready: UInt64
        var firstByte: UInt64
        var total: UInt64
    }
}

/// The end of a transfer.
struct CurlResult {
    enum Outcome: Equatable {
        case complete
        /// The transfer has decided so.
        case aborted
        case resolve
        case connect
        case proxy
        case tls
        case certificate
        case lost
        case malformed
        case timeout
        /// libcurl has failed, for example because there is no memory.
        case `internal`
    }

    var transfer: Transfer
    var outcome: Outcome
    /// Words about the failure, which can contain bytes that the origin sent.
    var message: String
    var progress: CurlProgress
}

/// All transfers. Used by one thread.
@safe final class CurlSet {
    private let set: OpaquePointer

    /// Initializes libcurl, and creates an empty set. There must be only one.
    init?() {
        guard ccurl_initialize() else { return nil }
        // Each context is a `Transfer`, which outlives its `CurlTransfer`. Bytes are valid for the duration of a call.
        var callbacks = unsafe ccurl_callbacks(
            line: { context, bytes, count in
                let line = unsafe UnsafeBufferPointer(start: bytes, count: count).span
                return unsafe Transfer.of(context).receive(line: line).shimmed
            },
            content: { context, bytes, count in
                let content = unsafe UnsafeBufferPointer(start: bytes, count: count).span
                return unsafe Transfer.of(context).receive(content: content).shimmed
            },
            address: { context, bytes, count, port in
                let bytes = unsafe UnsafeBufferPointer(start: bytes, count: count).span
                guard let address = IPAddress(networkOrder: bytes) else { return CCURL_ABORT }
                let isPermitted = unsafe Transfer.of(context).permitsSocket(to: address, port: port)
                return isPermitted ? CCURL_CONTINUE : CCURL_ABORT
            },
            connection: { context, text, _, isClean in
                let address = IPAddress(parsing: unsafe String(cString: text))
                let isPermitted = unsafe Transfer.of(context).permitsConnection(to: address, isClean: isClean)
                return isPermitted ? CCURL_CONTINUE : CCURL_ABORT
            }
        )
        // The callbacks are copied.
        guard let set = unsafe ccurl_create(&callbacks, UInt32(ConnectionPools.maxIdle)) else { return nil }
        unsafe self.set = set
    }

    /// Waits until a descriptor of a transfer or of `watched` is ready, or `time` has come.
    func wait(_ watched: inout [WatchedDescriptor], until time: MonotonicTime) {
        var all = watched.map {
            ccurl_watched(
                descriptor: $0.number,
                wants_read: $0.wantsRead,
                wants_write: $0.wantsWrite,
                is_readable: false,
                is_writable: false
            )
        }
        // libcurl has no unlimited wait.
        let milliseconds = time.pollMilliseconds
        unsafe ccurl_wait(set, &all, all.count, milliseconds < 0 ? Self.maxWaitMilliseconds : milliseconds)
        for index in watched.indices {
            watched[index].isReadable = all[index].is_readable
            watched[index].isWritable = all[index].is_writable
        }
    }

    private static let maxWaitMilliseconds: Int32 = 60_000

    /// Makes progress with all transfers.
    func perform() { unsafe ccurl_perform(set) }

    /// Returns the result of the next transfer that has ended.
    func nextResult() -> CurlResult? {
        var result = unsafe ccurl_result()
        // The call writes one result, whose context is that of a transfer that has not been closed.
        guard unsafe ccurl_next_result(set, &result), let context = unsafe result.context else { return nil }
        return CurlResult(
            transfer: unsafe Transfer.of(context),
            outcome: CurlResult.Outcome(unsafe result.outcome),
            message: unsafe result.message.map { unsafe String(cString: $0) } ?? "",
            progress: unsafe CurlProgress(result)
        )
    }

    /// Returns a pool without connections; `nil` if there is no memory.
    func openPool() -> ConnectionPool? {
        guard let pool = unsafe ccurl_open_pool(set) else { return nil }
        return unsafe ConnectionPool(pool)
    }

    /// The number of connections that are kept: they are idle, or will be after their transfer.
    var keptConnections: Int { Int(unsafe ccurl_kept_in_set(set)) }
}

/// The connections that transfers use one after the other. They are closed with the last reference, which each transfer
/// has too.
@safe final class ConnectionPool {
    private let pool: OpaquePointer
    /// The number of the last transfer. See ``ConnectionPools``.
    var lastUse: UInt64 = 0

    fileprivate init(_ pool: OpaquePointer) { unsafe self.pool = pool }

    deinit { unsafe ccurl_close_pool(pool) }

    /// The number of its connections that are kept.
    var keptConnections: Int { Int(unsafe ccurl_kept_in_pool(pool)) }

    /// Whether it has transfers.
    var isUsed: Bool { unsafe ccurl_is_used(pool) }

    /// Returns a transfer that has not begun; `nil` if there is no memory.
    /// - Parameter transfer: Receives the callbacks. It must outlive the result.
    func open(for transfer: Transfer) -> CurlTransfer? {
        let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        guard let handle = unsafe ccurl_open(pool, context) else { return nil }
        return unsafe CurlTransfer(handle, self)
    }
}

extension CurlVerdict {
    fileprivate var shimmed: ccurl_verdict {
        switch self {
        case .proceed: CCURL_CONTINUE
        case .abort: CCURL_ABORT
        case .pause: CCURL_PAUSE
        case .close: CCURL_CLOSE
        }
    }
}

extension Transfer {
    /// - Parameter context: The address of a transfer that exists.
    fileprivate static func of(_ context: UnsafeMutableRawPointer) -> Transfer {
        unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }
}

/// A transfer of libcurl, which ends with this object.
@safe final class CurlTransfer {
    private let handle: OpaquePointer
    let pool: ConnectionPool
    /// Whether all settings so far were accepted. libcurl rejects one only if there is no memory.
    private var isConfigured = true

    fileprivate init(_ handle: OpaquePointer, _ pool: ConnectionPool) {
        unsafe self.handle = handle
        self.pool = pool
    }

    deinit { unsafe ccurl_close(handle) }

    enum Text {
        case url
        case target
        case method
        case userAgent
        case caFile
        case proxyURL
        case proxyUser
        case proxyPassword
    }

    func set(_ name: Text, _ value: String) {
        let name =
            switch name {
            case .url: CCURL_URL
            case .target: CCURL_TARGET
            case .method: CCURL_METHOD
            case .userAgent: CCURL_USER_AGENT
            case .caFile: CCURL_CA_FILE
            case .proxyURL: CCURL_PROXY_URL
            case .proxyUser: CCURL_PROXY_USER
            case .proxyPassword: CCURL_PROXY_PASSWORD
            }
        // All texts are copied.
        isConfigured = unsafe ccurl_set_text(handle, name, value) && isConfigured
    }

    /// Adds a field of the request. Fields that libcurl would add on its own are replaced.
    func addField(name: String, value: String) {
        // libcurl removes a field from its defaults for `name:`, and sends one without a value for `name;`.
        add(line: value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? "\(name);" : "\(name): \(value)")
    }

    /// Prevents libcurl from sending a field of its own.
    func omitField(_ name: String) { add(line: "\(name):") }

    private func add(line: String) { isConfigured = unsafe ccurl_add_field(handle, line) && isConfigured }

    /// Specifies the addresses of a host, so that libcurl does not resolve it.
    func setAddresses(_ addresses: [IPAddress], of host: String, port: UInt16) {
        let list = addresses.map { address in
            switch address {
            case .v4: "\(address)"
            case .v6: "[\(address)]"
            }
        }
        // With `+`, libcurl forgets the entry. Each transfer has its own anyway.
        let entry = "+\(host):\(port):\(list.joined(separator: ","))"
        isConfigured = unsafe ccurl_set_addresses(handle, entry) && isConfigured
    }

    func setContent(_ content: [UInt8]) {
        // The bytes are copied.
        let isSet = unsafe content.withUnsafeBufferPointer { bytes in
            unsafe ccurl_set_content(handle, bytes.baseAddress, bytes.count)
        }
        isConfigured = isSet && isConfigured
    }

    /// The response has no content. Must be called before ``setContent(_:)``.
    func setHead() { isConfigured = unsafe ccurl_set_head(handle) && isConfigured }

    /// Uses no idle connection.
    func setFresh() { isConfigured = unsafe ccurl_set_fresh(handle) && isConfigured }

    /// Uses no idle connection, and closes the connection after the transfer.
    func setExclusive() { isConfigured = unsafe ccurl_set_exclusive(handle) && isConfigured }

    /// Returns whether the connection is kept for further transfers, which is decided at the end of the head.
    /// - Parameters:
    ///   - share: The maximum number of connections that the pool keeps, inclusive.
    ///   - max: That of all pools together.
    func keepConnection(share: Int, max: Int) -> Bool { unsafe ccurl_keep(handle, share, max) }

    /// Limits the time for the connection and the TLS handshake together.
    func setConnectTimeout(milliseconds: UInt32) {
        isConfigured = unsafe ccurl_set_connect_timeout(handle, milliseconds) && isConfigured
    }

    /// Begins the transfer. Returns whether it was possible.
    func begin() -> Bool { unsafe isConfigured && ccurl_begin(handle) }

    /// Ends a pause. The content that was not accepted may be received within the call.
    func resume() { unsafe ccurl_resume(handle) }

    var progress: CurlProgress {
        var result = unsafe ccurl_result()
        // The call writes one result.
        unsafe ccurl_progress(handle, &result)
        return unsafe CurlProgress(result)
    }

    /// The number of bytes of content that were sent.
    var sentBytes: UInt64 { unsafe ccurl_sent_bytes(handle) }
}

extension CurlProgress {
    fileprivate init(_ result: ccurl_result) {
        unsafe self.init(
            isNewConnection: result.is_new_connection,
            isConnected: result.is_connected,
            connectStatus: Int(result.connect_status),
            times: Times(
                connected: result.connected,
                secured: result.secured,
                ready: result.ready,
                firstByte: result.first_byte,
                total: result.total
            )
        )
    }
}

extension CurlResult.Outcome {
    fileprivate init(_ outcome: ccurl_outcome) {
        switch outcome {
        case CCURL_COMPLETE: self = .complete
        case CCURL_ABORTED: self = .aborted
        case CCURL_RESOLVE: self = .resolve
        case CCURL_CONNECT: self = .connect
        case CCURL_PROXY: self = .proxy
        case CCURL_TLS: self = .tls
        case CCURL_CERTIFICATE: self = .certificate
        case CCURL_LOST: self = .lost
        case CCURL_MALFORMED: self = .malformed
        case CCURL_TIMEOUT: self = .timeout
        default: self = .internal
        }
    }
}

extension IPAddress {
    /// - Parameter bytes: Four or sixteen bytes.
    init?(networkOrder bytes: Span<UInt8>) {
        switch bytes.count {
        case 4: self = .v4(IPv4Address(bytes[0], bytes[1], bytes[2], bytes[3]))
        case 16: self = .v6(IPv6Address(bits: (0..<16).reduce(0) { $0 << 8 | UInt128(bytes[$1]) }))
        default: return nil
        }
    }
}
