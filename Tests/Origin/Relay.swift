import Glibc

/// Accepts connections of one network namespace, and forwards their bytes to a port of the namespace in which the
/// process runs.
///
/// A socket belongs to the namespace in which it was created. Therefore a program without a network can be reached
/// through a listening socket that its process inherited.
enum Relay {
    /// Forwards connections on a new thread, as long as the process exists.
    static func start(listener: Int32, to port: UInt16) throws(OriginError) {
        try WorkerThread.start {
            while true {
                guard let client = Socket.accept(listener) else { continue }
                guard let service = try? Socket.connect(address: "127.0.0.1", port: port) else {
                    Socket.resetOnClose(client)
                    close(client)
                    continue
                }
                try? WorkerThread.start { forward(client, service) }
            }
        }
    }

    /// Forwards bytes in both directions, and the ends of the streams.
    private static func forward(_ left: Int32, _ right: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var (isLeftOpen, isRightOpen) = (true, true)
        while isLeftOpen || isRightOpen {
            var events = [
                pollfd(fd: isLeftOpen ? left : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isRightOpen ? right : -1, events: Int16(POLLIN), revents: 0),
            ]
            poll(&events, 2, -1)
            if events[0].revents != 0 { isLeftOpen = move(left, right, &buffer) }
            if events[1].revents != 0 { isRightOpen = move(right, left, &buffer) }
        }
        close(left)
        close(right)
    }

    private static func move(_ source: Int32, _ target: Int32, _ buffer: inout [UInt8]) -> Bool {
        let count = recv(source, &buffer, buffer.count, 0)
        if count <= 0 {
            if count < 0 { Socket.resetOnClose(target) }
            shutdown(target, Int32(SHUT_WR))
            return false
        }
        var sent = 0
        while sent < count {
            let result = buffer.withUnsafeBytes { bytes in
                send(target, bytes.baseAddress?.advanced(by: sent), count - sent, Int32(MSG_NOSIGNAL))
            }
            guard result > 0 else {
                shutdown(source, Int32(SHUT_RDWR))
                return false
            }
            sent += result
        }
        return true
    }
}
