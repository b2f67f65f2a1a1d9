import Foundation

/// A TLS server in front of an origin: it terminates TLS, and forwards the bytes in both directions. It needs
/// `python3`.
///
/// It is a separate process. It ends at the end of this object's lifetime, and with the process that started it.
public final class TLSFront: Sendable {
    /// Its behaviour during the handshake.
    public enum Handshake: String, Sendable, CaseIterable {
        case complete
        /// The client hello is read, and never answered.
        case silent
        /// The connection is reset after the client hello.
        case reset
        /// The client hello is answered with text.
        case garbage
        /// Only TLS 1.1 and older are offered, which clients reject.
        case oldVersion = "old-version"
    }

    public let port: UInt16
    private let process: Process
    private let input: Pipe

    /// Whether `python3` has its module `ssl`.
    public static let isAvailable = (try? Tool.run("python3", "-c", "import ssl")) != nil

    public convenience init(
        _ certificate: CertificateAuthority.Certificate,
        before origin: Origin,
        handshake: Handshake = .complete
    ) throws {
        try self.init(certificate, address: origin.address, port: origin.port, handshake: handshake)
    }

    /// - Parameters:
    ///   - address: the address of the server to which bytes are forwarded.
    ///   - port: its port.
    ///   - listener: the address and the port of the TLS server; port 0 for a free one.
    public init(
        _ certificate: CertificateAuthority.Certificate,
        address: String,
        port: UInt16,
        listeningAt listener: (address: String, port: UInt16) = ("127.0.0.1", 0),
        handshake: Handshake = .complete
    ) throws {
        process = Process()
        input = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c", Self.program, certificate.certificate, certificate.key, address, "\(port)",
            handshake.rawValue, listener.address, "\(listener.port)",
        ]
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = UInt16(line.prefix { $0.isNumber }) else { throw OriginError.tool("python3", output: line) }
        self.port = port
    }

    deinit {
        // The program ends with its standard input.
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    public func url(_ path: String, host: String = "localhost") -> String {
        "https://\(host):\(port)\(path)"
    }

    /// The program. Its arguments are the certificate, the key, the address and the port of the origin, and the
    /// handshake, and the address and the port of the listening socket.
    private static let program = """
        import os, select, socket, ssl, struct, sys, threading
        certificate, key, address, port, handshake, own_address, own_port = sys.argv[1:]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.set_alpn_protocols(["http/1.1"])
        if handshake == "old-version":
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = ssl.TLSVersion.TLSv1_1

        def reset(connection):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

        def serve(client):
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if handshake in ("silent", "reset", "garbage"):
                client.recv(4096)
                if handshake == "silent":
                    while client.recv(4096): pass
                elif handshake == "garbage":
                    client.sendall(b"HTTP/1.1 400 Bad Request\\r\\n\\r\\n")
                    client.close()
                else:
                    reset(client)
                return
            try:
                secure = context.wrap_socket(client, server_side=True)
            except OSError:
                return client.close()
            try:
                origin = socket.create_connection((address, int(port)))
            except OSError:
                return reset(secure)
            origin.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            forward(secure, origin)

        # One thread for both directions: an SSL object must not be used by two threads at the same time.
        def forward(secure, origin):
            secure.setblocking(False)
            events = select.poll()
            events.register(secure, select.POLLIN)
            events.register(origin, select.POLLIN)
            while True:
                ready = [descriptor for descriptor, _ in events.poll()]
                if secure.fileno() in ready and not pump_in(secure, origin): break
                if origin.fileno() in ready and not pump_out(secure, origin): break
            secure.close()
            origin.close()

        def pump_in(secure, origin):
            while True:
                try:
                    data = secure.recv(65536)
                except ssl.SSLWantReadError:
                    return True
                except OSError:
                    # A reset by the client resets the origin's connection too.
                    reset(origin)
                    return False
                if not data: return False
                try:
                    origin.sendall(data)
                except OSError:
                    return False

        def pump_out(secure, origin):
            try:
                data = origin.recv(65536)
            except OSError:
                reset(secure)
                return False
            if not data:
                try:
                    secure.setblocking(True)
                    secure.settimeout(5)
                    secure.unwrap()
                except OSError:
                    pass
                return False
            try:
                secure.setblocking(True)
                secure.sendall(data)
                secure.setblocking(False)
            except OSError:
                return False
            return True

        family = socket.AF_INET6 if ":" in own_address else socket.AF_INET
        listener = socket.create_server((own_address, int(own_port)), family=family, backlog=1024,
                                        dualstack_ipv6=own_address == "::")
        print(listener.getsockname()[1], flush=True)

        def accept():
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        sys.stdin.read()
        os._exit(0)
        """
}
