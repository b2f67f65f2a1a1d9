internal import Glibc
internal import HTTP
internal import Platform

extension ServeCommand {
    /// Reports that the service is ready. It does not wait for a reader: the service responds already, and must end on
    /// a signal.
    func announce(
        _ address: SocketAddress,
        hasPage: Bool,
        examples: SocketAddress?,
        on output: borrowing FileDescriptor
    ) throws {
        do {
            let page = hasPage && FileDescriptor.isStandardErrorTerminal ? Self.page(of: address.reachable) : nil
            let example =
                examples.map { Self.example(url: address.reachable.url, origin: $0.url) }
                ?? (showExample ? Self.example(url: address.reachable.url) : nil)
            try Self.write("decant \(decantVersion) ready at \(address.url)", to: output)
            for text in [page, example].compactMap({ $0 }) { try Self.write(text, to: FileDescriptor.standardError()) }
        } catch { throw CommandFailure(error.description) }
    }

    /// Writes a line. If the reader of a pipe does not read, another thread waits for it, until the process ends.
    private static func write(_ line: String, to stream: borrowing FileDescriptor) throws(SystemError) {
        guard !stream.isWritable else { return try stream.writeLine(line) }
        let number = try FileDescriptor(duplicating: stream.number, name: "standard output").take()
        try Thread {
            // Nobody can be told of an error any more.
            try? FileDescriptor(owning: number, name: "the reader of the ready line").writeLine(line)
        }.detach()
    }

    /// The line for a person who wants to try the service; `nil` if no browser can reach the address.
    static func page(of address: SocketAddress) -> String? {
        address.family == AF_UNIX ? nil : "Open \(address.url) in a browser to try it."
    }

    static func example(url: String, origin: String) -> String {
        let paths = ExampleOrigin.examples.map(\.path)
        return """
            Fetch an example in another terminal, or \(paths.dropFirst().joined(separator: ", ")):
                curl -i '\(url)/v1/fetch?url=\(origin)\(paths[0])'
            """
    }

    static func example(url: String) -> String {
        """
        Try it in another terminal:
            curl -i \(url)/v1/normalize -H 'Content-Type: application/json' -d '{"id":9007199254740993,"name":null}'
        """
    }
}
