internal import Glibc

/// The file of a Unix domain socket that this process has bound.
struct SocketFile: Sendable {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// - Returns: `nil` if there is no socket at `path`.
    init?(at path: String) {
        guard let status = Self.status(of: path) else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    /// Removes the file, unless another one has replaced it.
    func remove() {
        guard let status = Self.status(of: path), status.st_dev == device, status.st_ino == inode else { return }
        // The text is valid for the duration of the call.
        unsafe unlink(path)
    }

    /// Removes the socket at `path` if no process listens on it: the process that bound it was killed.
    ///
    /// Files that are not sockets are never removed.
    /// - Returns: whether the socket was removed.
    static func removeStale(at address: SocketAddress) -> Bool {
        guard status(of: address.host) != nil else { return false }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard probe >= 0 else { return false }
        defer { close(probe) }
        // The address is valid for the duration of the call.
        let result = unsafe address.withPointer { unsafe connect(probe, $0, $1) }
        // A process that listens accepts the connection, or has a full queue (EAGAIN).
        guard result != 0, errno == ECONNREFUSED else { return false }
        // The text is valid for the duration of the call.
        return unsafe unlink(address.host) == 0
    }

    /// Returns the status of the socket at `path`; `nil` if there is none.
    private static func status(of path: String) -> stat? {
        var status = stat()
        // One structure is written, which outlives the call.
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return status
    }
}
