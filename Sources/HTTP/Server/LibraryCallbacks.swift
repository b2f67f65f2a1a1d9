internal import CMicroHTTPD

/// The functions that the library calls on the thread of the loop.
///
/// They are stored closures of a type, which are not isolated to an actor. Each pointer that the library receives is an
/// `Unmanaged` reference: the thread of a loop retains the loop, and a connection is retained from `opened` to
/// `closed`.
enum LibraryCallbacks {
    /// Returns the table of callbacks for `loop`, which must outlive the library's daemon.
    static func table(for loop: ConnectionLoop) -> cmhd_callbacks {
        unsafe cmhd_callbacks(
            context: Unmanaged.passUnretained(loop).toOpaque(),
            opened: opened,
            receive: receive,
            respond: respond,
            completed: completed,
            closed: closed
        )
    }

    private static let opened: @convention(c) (UnsafeMutableRawPointer?, Int32) -> UnsafeMutableRawPointer = {
        context,
        descriptor in
        guard let context = unsafe context else { preconditionFailure("the table has a context") }
        // The context of the table is the loop.
        let loop = unsafe Unmanaged<ConnectionLoop>.fromOpaque(context).takeUnretainedValue()
        // Released in `closed`.
        return unsafe Unmanaged.passRetained(loop.open(descriptor)).toOpaque()
    }

    private static let receive: @convention(c) (UnsafeMutableRawPointer, UnsafeMutablePointer<UInt8>, Int) -> Int = {
        connection,
        buffer,
        capacity in
        // Retained in `opened`, released in `closed`. `capacity` bytes can be written for the duration of the call.
        unsafe Unmanaged<Connection>.fromOpaque(connection)._withUnsafeGuaranteedRef { connection in
            unsafe connection.receive(into: UnsafeMutableBufferPointer(start: buffer, count: capacity))
        }
    }

    private static let respond: @convention(c) (UnsafeMutableRawPointer, OpaquePointer) -> cmhd_verdict = {
        connection,
        handle in
        // Retained in `opened`, released in `closed`.
        unsafe Unmanaged<Connection>.fromOpaque(connection)._withUnsafeGuaranteedRef { connection in
            unsafe connection.respond(on: handle)
        }
    }

    private static let completed: @convention(c) (UnsafeMutableRawPointer, Int32) -> Void = { connection, isSent in
        // Retained in `opened`, released in `closed`.
        unsafe Unmanaged<Connection>.fromOpaque(connection)._withUnsafeGuaranteedRef {
            $0.completed(isSent: isSent != 0)
        }
    }

    private static let closed: @convention(c) (UnsafeMutableRawPointer) -> Void = { connection in
        // Retained in `opened`.
        unsafe Unmanaged<Connection>.fromOpaque(connection).takeRetainedValue().closed()
    }
}
