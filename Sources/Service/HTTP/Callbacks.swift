internal import CMicroHTTPD

/// The functions that the library calls, on its own threads.
///
/// They are stored closures of a type, which belong to no actor; a closure at the top level of a main file would belong to
/// the main actor and trap on any other thread. Each pointer that passes the border is an `Unmanaged` reference:
/// a thread is kept by the ``Daemon``, a connection from `opened` to `closed`, an exchange from `begin` to `completed`.
enum Callbacks {
    /// The table for `thread`, which must outlive the library's own.
    static func table(for thread: ServingThread) -> cmhd_callbacks {
        unsafe cmhd_callbacks(
            context: Unmanaged.passUnretained(thread).toOpaque(),
            opened: opened,
            received: received,
            closed: closed,
            target: target,
            begin: begin,
            receive: receive,
            finish: finish,
            completed: completed
        )
    }

    private static let opened: @convention(c) (UnsafeMutableRawPointer?, Int32) -> UnsafeMutableRawPointer = {
        context,
        descriptor in
        guard let context = unsafe context else { preconditionFailure("the table has a context") }
        // The table's context is the thread.
        let thread = unsafe Unmanaged<ServingThread>.fromOpaque(context).takeUnretainedValue()
        let connection = Connection(descriptor: descriptor, thread: thread)
        connection.server.watchdog.add(connection)
        // Released in `closed`.
        return unsafe Unmanaged.passRetained(connection).toOpaque()
    }

    private static let received: @convention(c) (UnsafeMutableRawPointer, UnsafeMutablePointer<UInt8>, Int) -> Void = {
        connection,
        bytes,
        count in
        // Retained in `opened`, released in `closed`. The library lends its memory for the time of this call.
        unsafe Unmanaged<Connection>.fromOpaque(connection)._withUnsafeGuaranteedRef { connection in
            unsafe connection.readStream(bytes, count: count)
        }
    }

    private static let closed: @convention(c) (UnsafeMutableRawPointer) -> Void = { connection in
        // Retained in `opened`.
        let connection = unsafe Unmanaged<Connection>.fromOpaque(connection).takeRetainedValue()
        connection.server.watchdog.remove(connection)
        connection.thread.connectionEnded()
    }

    private static let target: @convention(c) (UnsafeMutableRawPointer, UnsafePointer<UInt8>, Int) -> Void = {
        connection,
        bytes,
        count in
        // Retained in `opened`, released in `closed`. The library lends `count` bytes for the time of this call.
        unsafe Unmanaged<Connection>.fromOpaque(connection)._withUnsafeGuaranteedRef { connection in
            unsafe connection.readTarget(UnsafeBufferPointer(start: bytes, count: count))
        }
    }

    private static let begin:
        @convention(c) (UnsafeMutableRawPointer, OpaquePointer, UnsafePointer<cmhd_head>) -> UnsafeMutableRawPointer? =
            {
                connection,
                handle,
                head in
                // Retained in `opened`, released in `closed`. The head is lent for the time of this call.
                let exchange = unsafe Unmanaged<Connection>.fromOpaque(connection)._withUnsafeGuaranteedRef {
                    connection in
                    unsafe Exchange.begin(on: connection, handle: handle, head: head.pointee)
                }
                // Released in `completed`.
                return unsafe Unmanaged.passRetained(exchange).toOpaque()
            }

    private static let receive: @convention(c) (UnsafeMutableRawPointer, UnsafePointer<UInt8>, Int) -> cmhd_verdict = {
        exchange,
        bytes,
        count in
        // Retained in `begin`, released in `completed`. The library lends `count` bytes for the time of this call.
        unsafe Unmanaged<Exchange>.fromOpaque(exchange)._withUnsafeGuaranteedRef { exchange in
            unsafe exchange.receive(UnsafeBufferPointer(start: bytes, count: count).span)
        }
    }

    private static let finish: @convention(c) (UnsafeMutableRawPointer, OpaquePointer) -> cmhd_verdict = {
        exchange,
        handle in
        // Retained in `begin`, released in `completed`.
        unsafe Unmanaged<Exchange>.fromOpaque(exchange)._withUnsafeGuaranteedRef { exchange in
            unsafe exchange.finish(on: handle)
        }
    }

    private static let completed: @convention(c) (UnsafeMutableRawPointer) -> Void = { exchange in
        // Retained in `begin`.
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(exchange).takeRetainedValue()
        exchange.completed()
    }
}
