internal import Glibc

/// The properties of a file by which a change is noticed.
package struct FileStatus: Equatable, Sendable {
    /// The length in bytes; `nil` if the file is not a regular one, so that its length is not known.
    package var bytes: Int?

    /// The time of the last modification, in nanoseconds since 1970.
    package var modified: Int

    private let device: UInt64
    private let inode: UInt64

    /// Whether both are the status of the same file.
    package func isOfSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

    fileprivate init(_ status: stat) {
        bytes = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
        modified = status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Returns the status of the file at `path`; `nil` if there is none. A symbolic link is followed.
    package static func of(_ path: String) throws(SystemError) -> FileStatus? {
        var status = stat()
        // The call reads the path, and writes one `stat`.
        guard unsafe fstatat(AT_FDCWD, path, &status, 0) != 0 else { return FileStatus(status) }
        guard errno == ENOENT else { throw SystemError("read \(path)") }
        return nil
    }
}

extension FileDescriptor {
    package var status: FileStatus { get throws(SystemError) { FileStatus(try attributes) } }

    /// Opens the file at `path` for writing at its end, and a regular file also for reading. It is created if it does
    /// not exist.
    package init(extending path: String) throws(SystemError) {
        // The process must not be a reader of the pipe to which it writes: it would wait for itself.
        let isRegular = try FileStatus.of(path).map { $0.bytes != nil } ?? true
        let access = isRegular ? O_RDWR : O_WRONLY
        let number = unsafe open(path, access | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw SystemError("open \(path)") }
        self.init(owning: number, name: path)
    }

    /// Appends at least one and at most `max` further bytes to `buffer`, and waits for them.
    /// - Returns: the number of bytes; 0 at the end of the file.
    package func read(_ max: Int, into buffer: inout [UInt8]) throws(SystemError) -> Int {
        // The memory is not cleared: `buffer` receives only what the call has written.
        try unsafe withUnsafeTemporaryAllocation(byteCount: max, alignment: 1) { bytes throws(SystemError) in
            while true {
                // The call writes at most as many bytes as `bytes` has.
                let count = unsafe Glibc.read(number, bytes.baseAddress, bytes.count)
                if count >= 0 {
                    unsafe buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                    return count
                }
                switch errno {
                case EINTR: continue
                case EAGAIN: Self.wait(for: POLLIN, on: number)
                default: throw SystemError("read \(name)")
                }
            }
        }
    }

    /// Locks the file until it is closed, so that other processes that lock it fail (flock(2)).
    package func lock() throws(SystemError) {
        guard flock(number, LOCK_EX | LOCK_NB) != 0 else { return }
        throw SystemError(errno == EWOULDBLOCK ? "write to \(name), to which another process writes" : "lock \(name)")
    }

    /// Removes everything after the first `count` bytes of the file.
    package func truncate(to count: Int) throws(SystemError) {
        while ftruncate(number, off_t(count)) != 0 {
            guard errno == EINTR else { throw SystemError("truncate \(name)") }
        }
    }
}

/// Names of files.
package enum FilePath {
    /// Removes the file at `path`, if there is one.
    package static func remove(_ path: String) throws(SystemError) {
        // The call reads the path.
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw SystemError("remove \(path)") }
    }

    /// Gives the file at `path` the name `name`. A file of that name is replaced.
    package static func rename(_ path: String, to name: String) throws(SystemError) {
        // The call reads the two paths.
        guard unsafe Glibc.rename(path, name) == 0 else { throw SystemError("create \(name)") }
    }
}
