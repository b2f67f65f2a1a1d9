import Foundation

/// An origin and a program in a network namespace and a mount namespace of their own (namespaces(7)).
///
/// In such a network the origin can have any address and port 80, and the DNS server has port 53. Nothing else is
/// reachable.
public enum Isolation {
    /// The parts of a network.
    public struct Network: Sendable {
        /// The addresses that the machine has, in addition to 127.0.0.0/8 and `::1`. They may be public addresses of
        /// others. Each IPv4 address brings the other addresses of its class.
        public var addresses: [String] = []
        /// The certificate for port 443, with TLS; `nil` for none.
        public var certificate: CertificateAuthority.Certificate?

        public init(addresses: [String] = [], certificate: CertificateAuthority.Certificate? = nil) {
            (self.addresses, self.certificate) = (addresses, certificate)
        }

        init(parsing arguments: inout ArraySlice<String>) throws(OriginError) {
            while let argument = arguments.popFirst(), argument != "--" {
                switch (argument, arguments.first) {
                case ("--loopback", let address?): addresses.append(address)
                case ("--tls", let paths?):
                    let paths = paths.split(separator: ",").map(String.init)
                    guard paths.count == 2 else { throw .invalidCommand(argument) }
                    certificate = CertificateAuthority.Certificate(certificate: paths[0], key: paths[1])
                default: throw .invalidCommand(argument)
                }
                arguments.removeFirst()
            }
        }

        var arguments: [String] {
            addresses.flatMap { ["--loopback", $0] }
                + (certificate.map { ["--tls", "\($0.certificate),\($0.key)"] } ?? []) + ["--"]
        }
    }

    /// The arguments of unshare(1) with which this user can create the namespaces; `nil` if the kernel forbids it.
    static let unshare: [String]? = [["--mount", "--net"], ["--user", "--map-root-user", "--mount", "--net"]].first {
        (try? Tool.run(["unshare"] + $0 + ["mount", "--bind", "/dev/null", "/etc/resolv.conf"])) != nil
    }

    /// Replaces this process with one in new namespaces, which calls ``run(_:)``.
    /// - Parameter arguments: the arguments of ``Network``, `--`, and the command of the program.
    static func enter(_ arguments: ArraySlice<String>) throws -> Never {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
        let listener = try Socket.listener(address: "127.0.0.1", port: 0, backlog: 4096)
        // The process in the namespaces inherits the socket.
        _ = fcntl(listener, F_SETFD, 0)
        let file = FileManager.default.temporaryDirectory.appending(path: "decant-resolv-\(UUID().uuidString)").path
        try "nameserver 127.0.0.1\n".write(toFile: file, atomically: false, encoding: .utf8)
        let script = #"mount --bind "$0" /etc/resolv.conf && rm "$0" && exec "$@""#
        let command =
            ["unshare"] + (unshare ?? ["--mount", "--net"]) + [
                "sh", "-c", script, file, program, "--inside", "\(listener)",
            ] + arguments
        var pointers = (["env"] + command).map { strdup($0) } + [nil]
        execv("/usr/bin/env", &pointers)
        throw OriginError.last("execv")
    }

    /// Starts the origin, the DNS server and the program in the namespaces of this process, and executes commands of
    /// standard input until it ends.
    ///
    /// The first line of standard output is `ready PORT`, the port of the outer network that leads to the program, or
    /// `failed`. The program must write a line that ends with its port. The rest of its output is discarded; its errors
    /// are not changed.
    /// - Parameter arguments: the descriptor of the listening socket, and those of ``enter(_:)``.
    static func run(_ arguments: ArraySlice<String>) throws {
        var arguments = arguments
        guard let listener = arguments.popFirst().flatMap({ Int32($0) }) else {
            throw OriginError.invalidCommand("--inside")
        }
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        let network = try Network(parsing: &arguments)
        try Loopback.activate()
        for (number, address) in network.addresses.enumerated() { try Loopback.add(address, number: number + 1) }
        // A socket of `::` also accepts connections of IPv4.
        let origin = try (try? Origin(address: "::", port: 80)) ?? Origin(address: "0.0.0.0", port: 80)
        let dns = try DNSServer(address: "127.0.0.1", port: 53)
        let tls = try network.certificate.map {
            try TLSFront($0, address: "127.0.0.1", port: origin.port, listeningAt: ("::", 443))
        }
        defer { withExtendedLifetime(tls) {} }

        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/env")
        program.arguments = Array(arguments)
        let output = Pipe()
        program.standardInput = FileHandle.nullDevice
        program.standardOutput = output
        try program.run()
        defer {
            program.terminate()
            program.waitUntilExit()
        }
        let line = readLine(of: output.fileHandleForReading)
        guard let port = UInt16(line.reversed().prefix { $0.isNumber }.reversed().map(String.init).joined()) else {
            OriginProgram.write(line: "failed \(line)")
            return
        }
        output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        try Relay.start(listener: listener, to: port)
        OriginProgram.write(line: "ready \(try Socket.port(of: listener))")
        let channel = ControlChannel(origin: origin, dns: dns)
        while let line = Swift.readLine() {
            OriginProgram.write(line: reply(to: line, program, channel))
        }
    }

    private static func reply(to line: String, _ program: Process, _ channel: ControlChannel) -> String {
        let words = line.split(separator: " ")
        switch (words.first, words.count) {
        case ("signal", 2):
            kill(program.processIdentifier, Int32(words[1]) ?? 0)
            return "ok"
        case ("process", 1): return "\(program.processIdentifier)"
        case ("resolv-conf", 2):
            guard let content = PercentEncoding.decode(words[1]) else { return "error: \(line)" }
            // The file is a mount point: it can be written, but not replaced.
            guard let file = FileHandle(forWritingAtPath: "/etc/resolv.conf") else { return "error: \(line)" }
            do {
                try file.truncate(atOffset: 0)
                try file.write(contentsOf: Data(content))
            } catch {
                return "error: \(error)"
            }
            return "ok"
        default: return channel.reply(to: line)
        }
    }

    /// Reads up to the first line feed, or the end of the stream.
    static func readLine(of file: FileHandle) -> String {
        var line: [UInt8] = []
        while let byte = try? file.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }
}

/// A program in an isolated network, with an origin at port 80 of all addresses and a DNS server (``Isolation``).
///
/// ```swift
/// let program = try IsolatedProgram(["decant", "serve", "--port", "0"], in: .init(addresses: ["93.184.216.34"]))
/// try program.send("dns a.example 93.184.216.34")
/// // … a request to 127.0.0.1:program.port, which fetches http://a.example/json/1024
/// #expect(try program.send("requests /json/1024") == "1")
/// ```
///
/// @unchecked Sendable: the streams are used only by one thread at a time, which holds the lock of `channel`.
public final class IsolatedProgram: @unchecked Sendable {
    private let process = Process()
    private let channel: Guarded<(input: FileHandle, output: FileHandle)>

    /// The port of 127.0.0.1 from which connections are forwarded to the program.
    public let port: UInt16

    /// The reason for which programs cannot be isolated; `nil` if they can.
    public static let obstacle: String? =
        Isolation.unshare == nil ? "unshare(1) cannot create a network namespace and a mount namespace" : nil

    /// The executable of the origin, which is next to the one that runs the tests.
    public static let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("origin").path

    /// Starts the program, and waits until it has written a line that ends with its port.
    /// - Parameters:
    ///   - command: the program, as a path or a name on the PATH, and its arguments.
    ///   - environment: additions to the environment.
    public init(_ command: [String], in network: Isolation.Network = .init(), environment: [String: String] = [:])
        throws
    {
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: Self.executable)
        process.arguments = ["--isolated"] + network.arguments + command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        channel = Guarded((input.fileHandleForWriting, output.fileHandleForReading))
        let line = Isolation.readLine(of: output.fileHandleForReading)
        guard line.hasPrefix("ready "), let port = UInt16(line.dropFirst(6)) else {
            try? input.fileHandleForWriting.close()
            throw OriginError.tool(command.joined(separator: " "), output: line)
        }
        self.port = port
    }

    deinit {
        // The origin ends with its standard input, and terminates the program.
        channel.change { try? $0.input.close() }
        process.waitUntilExit()
    }

    /// Executes a command of ``ControlChannel``, `signal NUMBER` (to the program), `process` (its identifier), or
    /// `resolv-conf CONTENT` (percent-encoded).
    /// - Returns: the reply.
    @discardableResult
    public func send(_ command: String) throws -> String {
        let result: Result<String, any Error> = channel.change { channel in
            Result {
                try channel.input.write(contentsOf: Data((command + "\n").utf8))
                return Isolation.readLine(of: channel.output)
            }
        }
        return try result.get()
    }
}
