import Foundation

/// A certificate authority in a temporary folder, which exists for one test. It needs `openssl`.
public final class CertificateAuthority: Sendable {
    /// A kind of certificate for ``TLSFront``.
    public enum Kind: String, Sendable, CaseIterable {
        /// For the given names, and issued by this authority.
        case valid
        /// It expired yesterday.
        case expired
        /// It becomes valid tomorrow.
        case notYetValid = "not-yet-valid"
        /// For `wrong.invalid`.
        case wrongName = "wrong-name"
        /// Signed with its own key.
        case selfSigned = "self-signed"
        /// Issued by another authority of the same name.
        case unknownAuthority = "unknown-authority"
    }

    /// A certificate and its key, as paths of PEM files.
    public struct Certificate: Sendable, Equatable {
        public let certificate: String
        public let key: String
    }

    private let folder: URL

    /// The path of the authority's certificate, for `fetch-ca-file`.
    public var path: String { folder.appending(path: "ca.pem").path }

    /// Whether `openssl` is installed.
    public static let isAvailable = (try? Tool.run("openssl", "version")) != nil

    public init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "decant-authority-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try makeAuthority("ca")
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Issues a certificate.
    /// - Parameter names: host names and IP addresses. Kinds with another name ignore them.
    public func issue(_ kind: Kind = .valid, for names: [String] = ["localhost", "127.0.0.1"]) throws -> Certificate {
        let name = "\(kind.rawValue)-\(UUID().uuidString)"
        let names = kind == .wrongName ? ["wrong.invalid"] : names
        let alternatives = names.map {
            ($0.contains(":") || $0.allSatisfy { $0.isNumber || $0 == "." } ? "IP:" : "DNS:") + $0
        }
        let extensions = """
            subjectAltName=\(alternatives.joined(separator: ","))
            basicConstraints=critical,CA:FALSE
            extendedKeyUsage=serverAuth

            """
        try extensions.write(to: file("\(name).ext"), atomically: true, encoding: .utf8)
        try makeKey(name)
        var issuer = "ca"
        if kind == .unknownAuthority {
            issuer = "\(name)-ca"
            try makeAuthority(issuer)
        }
        let request = file("\(name).csr").path
        try Tool.run(
            "openssl",
            "req",
            "-new",
            "-key",
            file("\(name).key").path,
            "-subj",
            "/CN=\(names[0])",
            "-out",
            request
        )
        if kind == .selfSigned {
            try Tool.run(
                "openssl",
                "x509",
                "-req",
                "-in",
                request,
                "-signkey",
                file("\(name).key").path,
                "-days",
                "1",
                "-extfile",
                file("\(name).ext").path,
                "-out",
                file("\(name).pem").path
            )
        } else {
            try sign(name, by: issuer, from: kind == .notYetValid ? 1 : -2, to: kind == .expired ? -1 : 2)
        }
        return Certificate(certificate: file("\(name).pem").path, key: file("\(name).key").path)
    }

    private func file(_ name: String) -> URL {
        folder.appending(path: name)
    }

    private func makeKey(_ name: String) throws {
        try Tool.run(
            "openssl",
            "genpkey",
            "-algorithm",
            "EC",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-out",
            file("\(name).key").path
        )
    }

    private func makeAuthority(_ name: String) throws {
        try makeKey(name)
        try Tool.run(
            "openssl",
            "req",
            "-x509",
            "-new",
            "-key",
            file("\(name).key").path,
            "-subj",
            "/CN=Test authority",
            "-days",
            "2",
            "-addext",
            "basicConstraints=critical,CA:TRUE",
            "-addext",
            "keyUsage=critical,keyCertSign,cRLSign",
            "-out",
            file("\(name).pem").path
        )
    }

    /// Signs a request with explicit dates, which only `openssl ca` supports in all versions.
    /// - Parameters:
    ///   - start: the first day relative to now.
    ///   - end: the last day relative to now.
    private func sign(_ name: String, by issuer: String, from start: Int, to end: Int) throws {
        let configuration = """
            [ca]
            default_ca=authority
            [authority]
            database=\(file("\(name).index").path)
            new_certs_dir=\(folder.path)
            rand_serial=yes
            default_md=sha256
            policy=policy
            unique_subject=no
            [policy]
            commonName=supplied

            """
        try configuration.write(to: file("\(name).cnf"), atomically: true, encoding: .utf8)
        try "".write(to: file("\(name).index"), atomically: true, encoding: .utf8)
        try Tool.run(
            "openssl",
            "ca",
            "-batch",
            "-notext",
            "-config",
            file("\(name).cnf").path,
            "-cert",
            file("\(issuer).pem").path,
            "-keyfile",
            file("\(issuer).key").path,
            "-in",
            file("\(name).csr").path,
            "-out",
            file("\(name).pem").path,
            "-extfile",
            file("\(name).ext").path,
            "-startdate",
            Self.date(start),
            "-enddate",
            Self.date(end)
        )
    }

    /// Returns the time so many days from now, in the form of `openssl ca`.
    private static func date(_ days: Int) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyyMMddHHmmss'Z'"
        return formatter.string(from: Date().addingTimeInterval(Double(days) * 86_400))
    }
}
