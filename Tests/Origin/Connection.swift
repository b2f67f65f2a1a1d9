import Glibc

/// A connection of an origin, on its own thread.
final class Connection {
    /// The reason for which the connection cannot be used any longer.
    enum Ended: Error {
        case closedByPeer
        case resetByPeer
        /// The script ends the connection, or the origin stops.
        case byOrigin(isReset: Bool)
    }

    let number: Int
    let engine: OriginEngine
    private let descriptor: Int32
    private var receiver: Receiver
    private var ordinal = 0
    /// The credentials of the request that has authenticated the connection.
    private var credentials: String?

    /// The scripts of the last path, because clients repeat a path.
    private var lastPath: String?
    private var lastScripts: [Script] = []

    init(number: Int, descriptor: Int32, engine: OriginEngine) {
        (self.number, self.descriptor, self.engine) = (number, descriptor, engine)
        receiver = Receiver(descriptor: descriptor)
    }

    func run() {
        do throws(Ended) {
            while true { try respond(to: try readRequest()) }
        } catch {
            finish(error)
        }
    }

    private func finish(_ reason: Ended) {
        let time = Moment.now
        switch reason {
        case .closedByPeer: engine.end(connection: number, reason: .closedByPeer, time: time)
        case .resetByPeer: engine.end(connection: number, reason: .resetByPeer, time: time)
        case .byOrigin(let isReset):
            if isReset { Socket.resetOnClose(descriptor) } else { linger() }
            engine.end(connection: number, reason: .closedByOrigin, time: time)
        }
        close(descriptor)
    }

    /// Closes the sending side, and discards what the peer still sends, because closing a socket with unread data
    /// resets the connection, and the peer could lose the response.
    private func linger() {
        shutdown(descriptor, Int32(SHUT_WR))
        let deadline = Moment.now + .seconds(5)
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&event, 1, deadline.pollMilliseconds) > 0, recv(descriptor, &buffer, buffer.count, 0) > 0 else {
                return
            }
        }
    }

    // MARK: Requests

    private func readRequest() throws(Ended) -> (request: Request, head: RequestHead) {
        let head = try receiver.readHead()
        let arrival = Moment.now
        if head.expectsContinue { try send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        let content =
            if head.ignoresContent {
                [UInt8]()
            } else if head.isChunked {
                try receiver.readChunks()
            } else {
                try receiver.read(head.contentLength)
            }
        ordinal += 1
        let request = Request(
            connection: number,
            ordinal: ordinal,
            arrival: arrival,
            method: head.method,
            target: head.target,
            head: head.bytes,
            content: content
        )
        return (request, head)
    }

    private func respond(to received: (request: Request, head: RequestHead)) throws(Ended) {
        let (request, head) = received
        let path = head.target.contains("?") ? request.path : head.target
        let (count, responder) = engine.begin(request, path: path)
        var script = responder.map { $0(request, count) } ?? script(for: path, count)
        script.authenticate(request, &credentials)
        try ScriptRun(script: script, request: request, count: count, connection: self).run()
        if script.closes || head.closes { throw .byOrigin(isReset: false) }
    }

    private func script(for path: String, _ count: Int) -> Script {
        if lastPath != path {
            do throws(OriginError) {
                lastScripts = try Script.parse(path: path)
            } catch {
                // A status that no test expects.
                var script = Script(status: 501, fields: [("Content-Type", "text/plain")])
                script.content = .bytes(Array("\(error)\n".utf8))
                lastScripts = [script]
            }
            lastPath = path
        }
        return lastScripts[min(count, lastScripts.count) - 1]
    }

    // MARK: Sending

    /// Sends all bytes. While the peer does not read, it waits until the peer closes the connection, or the origin
    /// stops.
    func send(_ bytes: some Sequence<UInt8>) throws(Ended) {
        let failure: Ended?? = bytes.withContiguousStorageIfAvailable { bytes in
            do throws(Ended) {
                try send(bytes)
                return nil
            } catch {
                return error
            }
        }
        switch failure {
        case .some(let failure?): throw failure
        case .some(nil): return
        case nil: try send(Array(bytes))
        }
    }

    private func send(_ bytes: UnsafeBufferPointer<UInt8>) throws(Ended) {
        var sent = 0
        while sent < bytes.count {
            let count = Glibc.send(
                descriptor,
                bytes.baseAddress?.advanced(by: sent),
                bytes.count - sent,
                Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            )
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                try wait(until: .never, for: Int16(POLLOUT))
            } else if errno != EINTR {
                throw errno == EPIPE ? .closedByPeer : .resetByPeer
            }
        }
    }

    // MARK: Waiting

    func wait(_ wait: Script.Wait) throws(Ended) {
        switch wait {
        case .delay(let milliseconds): try self.wait(until: .now + .milliseconds(milliseconds), for: 0)
        case .hold(let name): try hold(name)
        }
    }

    private func hold(_ name: String) throws(Ended) {
        guard let event = try? Socket.event() else { throw .byOrigin(isReset: true) }
        defer { close(event) }
        guard engine.enter(name, event) else { return }
        defer { engine.leave(name, event) }
        try wait(until: .never, for: 0, or: event)
    }

    /// Waits until an event of the connection, an event descriptor becomes readable, or the deadline.
    /// - Throws: if the peer closes the connection, or the origin stops.
    private func wait(until deadline: Moment, for events: Int16, or event: Int32 = -1) throws(Ended) {
        while true {
            // A negative descriptor is ignored.
            var polled = [
                pollfd(fd: descriptor, events: events | Socket.readHangUp, revents: 0),
                pollfd(fd: event, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&polled, 2, deadline.pollMilliseconds)
            if engine.state.read({ $0.isStopped }) { throw .byOrigin(isReset: false) }
            if polled[0].revents & (Int16(POLLERR) | Int16(POLLHUP)) != 0 { throw .resetByPeer }
            if polled[0].revents & Socket.readHangUp != 0 { throw .closedByPeer }
            if polled[0].revents & events != 0 || polled[1].revents != 0 { return }
            if count == 0, Moment.now >= deadline { return }
        }
    }
}
