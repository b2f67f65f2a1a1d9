import Foundation

/// The program `origin`:
/// - `origin [--address ADDRESS] [--port PORT] [--record N]` starts an origin and prints `ready PORT`. Then it executes
///   the commands of standard input (``ControlChannel``) until it ends. It records no requests by default, because it
///   is used for measurements.
/// - `origin --isolated [--loopback ADDRESS]… [--tls CERTIFICATE,KEY] -- PROGRAM…` starts a program in an isolated
///   network (``Isolation``).
public enum OriginProgram {
    public static func run(_ arguments: [String]) -> Never {
        signal(SIGPIPE, SIG_IGN)
        do {
            switch arguments.dropFirst().first {
            case "--isolated": try Isolation.enter(arguments.dropFirst(2))
            case "--inside": try Isolation.run(arguments.dropFirst(2))
            case .some, nil: try serve(arguments.dropFirst())
            }
            exit(0)
        } catch {
            write(line: "failed: \(error)")
            exit(1)
        }
    }

    /// Writes a line to standard output without delay. An error is ignored: then nobody reads.
    static func write(line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    private static func serve(_ arguments: ArraySlice<String>) throws {
        var (address, port, options) = ("127.0.0.1", UInt16(0), Origin.Options())
        options.maxRecordedRequests = 0
        var arguments = arguments
        while let argument = arguments.popFirst() {
            guard let value = arguments.popFirst() else { throw OriginError.invalidCommand(argument) }
            switch (argument, Int(value)) {
            case ("--address", _): address = value
            case ("--port", let number?): port = UInt16(clamping: number)
            case ("--record", let number?): options.maxRecordedRequests = number
            default: throw OriginError.invalidCommand("\(argument) \(value)")
            }
        }
        let origin = try Origin(address: address, port: port, options: options)
        write(line: "ready \(origin.port)")
        let channel = ControlChannel(origin: origin)
        while let line = readLine() { write(line: channel.reply(to: line)) }
    }
}
