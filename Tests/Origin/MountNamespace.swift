import Foundation

/// Runs programs with another `/etc/resolv.conf`, in a mount namespace of their own (mount_namespaces(7)).
///
/// The network is that of the tests, so that they can connect to the program:
/// ```swift
/// let dns = try DNSServer(onPort53: 5)
/// let namespace = try MountNamespace(nameservers: [dns.address])
/// let command = namespace.command(["decant", "serve", "--port", "0"])
/// ```
/// A user other than root becomes root in a user namespace of the program.
public final class MountNamespace: Sendable {
    private let folder: URL
    private var file: URL { folder.appending(path: "resolv.conf") }

    /// The arguments of unshare(1) with which this user can mount files; `nil` if the kernel forbids it.
    private static let unshare: [String]? = [["--mount"], ["--user", "--map-root-user", "--mount"]].first { arguments in
        (try? Tool.run(["unshare"] + arguments + ["mount", "--bind", "/dev/null", "/etc/resolv.conf"])) != nil
    }

    /// The reason for which ``command(_:)`` cannot be used; `nil` if it can.
    public static let obstacle: String? =
        unshare == nil ? "unshare(1) cannot create a mount namespace with its own /etc/resolv.conf" : nil

    /// The reason for which a test cannot use a DNS server on port 53 and a mount namespace; `nil` if it can.
    public static let obstacleWithDNS: String? = {
        if let obstacle { return obstacle }
        return (try? DNSServer(onPort53: 5)) == nil ? "port 53 of loopback addresses cannot be bound" : nil
    }()

    public init(nameservers: [String]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "decant-namespace-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try replace(nameservers: nameservers)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Replaces the content of the file, also for programs that run already.
    public func replace(nameservers: [String]) throws {
        try replace(content: nameservers.map { "nameserver \($0)\n" }.joined())
    }

    /// Replaces the content of the file, also for programs that run already.
    public func replace(content: String) throws {
        // The file itself is mounted, so that another file of the same name would not be seen.
        if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(content.utf8))
        try handle.close()
    }

    /// Returns the command that runs a program in a new namespace. The first element is a program on the PATH. The
    /// process is that of the program itself: its identifier, signals and exit status are those of the returned
    /// command.
    public func command(_ program: [String]) -> [String] {
        ["unshare"] + (Self.unshare ?? ["--mount"])
            + ["sh", "-c", #"mount --bind "$0" /etc/resolv.conf && exec "$@""#, file.path] + program
    }
}
