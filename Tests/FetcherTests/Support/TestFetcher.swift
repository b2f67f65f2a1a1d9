import Fetching
import Foundation
import Glibc
import Platform
import Serialization

/// A `decant-fetcher` of its own, and the service's end of its socket. Used by one test.
///
/// By default, it may connect to 127.0.0.0/8 for hosts that `fetch-allow` names.
final class TestFetcher {
    private let child: ChildProcess
    private var socket: FileDescriptor?
    private var reader = FetchFrameReader(receiving: .toService)
    private var lastID: UInt64 = 0
    /// The replies that were received while a test waited for those of another transfer.
    private var pending: [FetchReply] = []
    /// The parts of the sandbox that are in effect.
    private(set) var sandbox: SandboxParts = []

    /// The executable, which is next to the one that runs the tests.
    static let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("decant-fetcher").path

    struct Failure: Error {
        let words: String
    }

    init(_ configure: (inout FetcherSettings) throws -> Void = { _ in }) throws {
        // The service takes these from its settings.
        var settings = FetcherSettings(
            addresses: AddressRules(
                allowed: try AddressBlock.list(parsing: "127.0.0.0/8"),
                denied: [],
                listeners: .none
            ),
            caFile: FetcherSettings.systemCAFile,
            proxy: nil,
            noProxy: ProxyExceptions(),
            userAgent: "test/1",
            maxContentBytes: 32 << 20
        )
        // The thread of a test may end before the process.
        settings.sandbox = SandboxParts.all.subtracting(.parentBound).rawValue
        try configure(&settings)
        let sockets = try Sandbox.makeSocketPair(.stream)
        child = try ChildProcess(
            Self.executable,
            arguments: settings.arguments,
            environment: settings.environment,
            descriptors: [sockets.far.number]
        )
        socket = sockets.takeNear()
        guard case .ready(let bits) = try next() else { throw Failure(words: "the first frame is not ready") }
        sandbox = SandboxParts(rawValue: bits)
    }

    var process: pid_t { child.id }

    // MARK: Frames

    func send(_ command: FetchCommand) throws {
        try send(command.frame.bytes)
    }

    func send(_ bytes: [UInt8]) throws {
        var offset = 0
        while offset < bytes.count {
            let rest = Array(bytes[offset...])
            let count = Glibc.send(socket?.number ?? -1, rest, rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { throw Failure(words: "the fetcher has ended: \(end())") }
            offset += count
        }
    }

    /// Returns the next frame, which must arrive within 60 s.
    func next() throws -> FetchReply {
        if !pending.isEmpty { return pending.removeFirst() }
        guard let reply = try receive() else { throw Failure(words: "the fetcher has ended: \(end())") }
        return reply
    }

    /// Returns the next frame that was not received before; `nil` at the end of the stream.
    private func receive() throws -> FetchReply? {
        while true {
            if let frame = try reader.next() { return try FetchReply(frame) }
            let number = socket?.number ?? -1
            var event = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            guard poll(&event, 1, 60_000) > 0 else { throw Failure(words: "no frame in 60 s") }
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(number, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            reader.append(buffer.span.extracting(0..<count))
        }
    }

    /// Returns the next frame of a transfer.
    func next(of id: UInt64) throws -> FetchReply {
        if let index = pending.firstIndex(where: { $0.transfer == id }) { return pending.remove(at: index) }
        while true {
            guard let reply = try receive() else { throw Failure(words: "the fetcher has ended: \(end())") }
            if reply.transfer == id { return reply }
            pending.append(reply)
        }
    }

    // MARK: Fetching

    struct Request {
        var url: String
        var method = "GET"
        var fields: [(String, String)] = []
        var content: [UInt8]?
        var partition = ""
        var hostIsNamed = true
        var timeouts = FetchStart.Timeouts(resolve: 30_000, connect: 30_000, idle: 30_000, total: 60_000)
        var slowestBytesPerSecond: UInt32 = 0

        init(_ url: String) {
            self.url = url
        }
    }

    /// Starts a transfer, and returns its identifier.
    func start(_ request: Request) throws -> UInt64 {
        lastID += 1
        let start = try FetchStart(
            FetchRequest(
                method: request.method,
                url: FetchURL(parsing: request.url),
                fields: request.fields.map { HeaderFields.Field(name: $0.0, value: $0.1) },
                content: request.content
            ),
            partition: request.partition,
            hostIsNamed: request.hostIsNamed,
            timeouts: request.timeouts,
            slowestBytesPerSecond: request.slowestBytesPerSecond
        )
        try send(.start(id: lastID, start))
        return lastID
    }

    /// What the service receives about a transfer.
    struct Result {
        var head: FetchHead?
        var content: [UInt8] = []
        var end: FetchEnd?
        var failure: FetchFailureReport?

        var text: String { String(decoding: content, as: UTF8.self) }

        /// The failure and its phase.
        var cause: Cause? { failure.map { Cause(failure: $0.failure, phase: $0.phase) } }
    }

    struct Cause: Equatable {
        let failure: FetchFailure
        let phase: FetchPhase
    }

    func fetch(_ url: String, _ change: (inout Request) -> Void = { _ in }) throws -> Result {
        var request = Request(url)
        change(&request)
        return try result(of: start(request), method: request.method)
    }

    /// Receives all frames of a transfer, whose order must be valid.
    func result(of id: UInt64, method: String = "GET") throws -> Result {
        var progress = TransferProgress(method: method)
        var result = Result()
        while !progress.isFinished {
            let reply = try next(of: id)
            try progress.accept(reply)
            switch reply {
            case .head(_, let head): result.head = head
            case .data(_, let content): result.content += content
            case .end(_, let end): result.end = end
            case .failed(_, let report): result.failure = report
            case .pong, .ready: break
            }
        }
        return result
    }

    // MARK: The process

    /// The number of its open sockets.
    func sockets() throws -> Int {
        let folder = "/proc/\(process)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?
                .hasPrefix("socket:") == true
        }
    }

    /// The resident memory in bytes.
    func residentBytes() throws -> Int {
        guard let kilobytes = try status("VmRSS").flatMap({ Int($0) }) else { throw Failure(words: "no VmRSS") }
        return kilobytes << 10
    }

    /// The first word of a line in the status of the process; `nil` if there is no such line.
    private func status(_ name: String) throws -> Substring? {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first
    }

    /// Waits until the process sleeps although it has not read everything that an origin has sent.
    /// - Returns: `false` if its resident memory reaches `maxBytes` before, or after 30 s.
    func awaitPause(ofOriginAt port: UInt16, maxBytes: Int) throws -> Bool {
        let end = MonotonicTime.now + .seconds(30)
        while MonotonicTime.now < end {
            guard try residentBytes() < maxBytes else { return false }
            // It has not been awake in the meantime if it is asleep and was not switched to.
            let switches = try status("voluntary_ctxt_switches")
            let hasUnread = try unreadBytes(ofOriginAt: port) > 0
            if try hasUnread && status("State") == "S" && status("voluntary_ctxt_switches") == switches { return true }
        }
        return false
    }

    /// Waits until bytes have arrived that an origin has sent, and that the process does not read.
    /// - Returns: `false` if there are none after 30 s.
    func awaitUnreadBytes(ofOriginAt port: UInt16) throws -> Bool {
        let end = MonotonicTime.now + .seconds(30)
        while MonotonicTime.now < end {
            if try unreadBytes(ofOriginAt: port) > 0 { return true }
        }
        return false
    }

    /// The number of bytes that an origin at 127.0.0.1 has sent, and that no process has read.
    private func unreadBytes(ofOriginAt port: UInt16) throws -> Int {
        // Foundation reads only the first page.
        let content = try FileDescriptor(opening: "/proc/net/tcp").readAll(maxBytes: 64 << 20)
        let table = String(decoding: content, as: UTF8.self)
        let end = ":" + String(port, radix: 16, uppercase: true)
        return table.split(separator: "\n").reduce(0) { sum, line in
            // The remote address is the third word, and both queues are the fifth one.
            let words = line.split(separator: " ")
            guard words.count > 4, words[2].hasSuffix(end), let queue = words[4].split(separator: ":").last else {
                return sum
            }
            return sum + (Int(queue, radix: 16) ?? 0)
        }
    }

    /// Closes the service's end of the socket, and waits for the end of the process. Returns its exit status.
    func close() -> Int32? {
        socket = nil
        return awaitEnd().map { ($0.status >> 8) & 0xFF }
    }

    /// Reads all frames, and waits for the end of the process, which must be its own decision. Returns what it printed.
    func lastWords() throws -> String? {
        while try receive() != nil {}
        return awaitEnd()?.lastWords
    }

    private func awaitEnd() -> ProcessEnd? {
        var information = siginfo_t()
        // The process is not reaped, so that it cannot be another one when `end` is called.
        guard waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == 0 else { return nil }
        return child.end()
    }

    /// Kills the process.
    func end() -> String {
        child.end().map { "\($0) \($0.lastWords)" } ?? "ended before"
    }
}

extension FetchReply {
    /// The transfer of the frame; `nil` if it belongs to none.
    var transfer: UInt64? {
        switch self {
        case .head(let id, _), .data(let id, _), .end(let id, _), .failed(let id, _): id
        case .pong, .ready: nil
        }
    }
}

/// A file in a temporary folder of its own, which exists as long as this object.
final class TemporaryFile {
    let url: URL
    var path: String { url.path }

    init(_ name: String, _ content: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "decant-fetcher-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appending(path: name)
        try replace(content)
    }

    /// Replaces the file by another one of the same name.
    func replace(_ content: String) throws {
        try content.write(to: url, atomically: true, encoding: .utf8)
    }

    deinit {
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }
}
