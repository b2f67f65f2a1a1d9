internal import Glibc

/// An error that occurred while a file was read.
package enum ReadError: Error, Equatable, Sendable, CustomStringConvertible {
    case system(SystemError)
    /// The content is longer than the caller allows.
    case tooLong(name: String, maxBytes: Int)

    package var description: String {
        switch self {
        case .system(let error): error.description
        case .tooLong(let name, let maxBytes): "\(name) is longer than \(maxBytes) bytes"
        }
    }
}

/// An open file, pipe or socket, which is closed at the end of this value's lifetime.
package struct FileDescriptor: ~Copyable {
    /// The number of the descriptor, for system calls. It is valid as long as this value exists.
    package private(set) var number: Int32

    /// The file's name in error messages.
    let name: String

    /// - Parameters:
    ///   - number: an open descriptor, which nothing else closes.
    ///   - name: its name in error messages.
    package init(owning number: Int32, name: String) {
        self.number = number
        self.name = name
    }

    /// Opens the file at `path` for reading.
    package init(opening path: String) throws(SystemError) {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("open \(path)") }
        self.init(owning: number, name: path)
    }

    /// Opens the regular file at `path` for reading. A symbolic link is followed.
    ///
    /// The call does not wait: a pipe or a device is an error.
    package static func openingRegularFile(_ path: String) throws(SystemError) -> FileDescriptor {
        // Without O_NONBLOCK, opening a pipe waits for a writer.
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw SystemError("open \(path)") }
        let file = FileDescriptor(owning: number, name: path)
        switch try file.attributes.st_mode & S_IFMT {
        case S_IFREG: return file
        case S_IFDIR: throw SystemError("read \(path)", code: EISDIR)
        // No value of `errno` describes this case better than that of an invalid argument.
        default: throw SystemError("read \(path), which is not a regular file", code: EINVAL)
        }
    }

    /// Whether every user of the machine can read the file.
    package var isReadableByOthers: Bool { get throws(SystemError) { try attributes.st_mode & S_IROTH != 0 } }

    /// The result of fstat(2).
    var attributes: stat {
        get throws(SystemError) {
            var attributes = stat()
            // The call writes one `stat`.
            guard unsafe fstat(number, &attributes) == 0 else { throw SystemError("read \(name)") }
            return attributes
        }
    }

    /// Creates the file at `path` for writing, or truncates an existing file.
    package init(creating path: String) throws(SystemError) {
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw SystemError("create \(path)") }
        self.init(owning: number, name: path)
    }

    /// Duplicates a descriptor, and owns the duplicate.
    package init(duplicating descriptor: Int32, name: String) throws(SystemError) {
        // The duplicate must not get the number of a closed standard stream: it would receive the output that is
        // intended for that stream.
        let number = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard number >= 0 else { throw SystemError("use \(name)") }
        self.init(owning: number, name: name)
    }

    deinit {
        // Linux releases the descriptor even if close(2) fails, so close(2) must not be called again.
        if number >= 0 { close(number) }
    }

    /// Transfers ownership of the descriptor to the caller, which closes it.
    package consuming func take() -> Int32 {
        let taken = number
        number = -1
        return taken
    }

    /// Reads to the end of the file. Waits if the descriptor is nonblocking.
    /// - Parameter maxBytes: the maximum length of the content, inclusive.
    /// - Throws: `tooLong` as soon as more than `maxBytes` bytes have been read, so that the memory exceeds this limit
    ///   by at most 64 KiB.
    package func readAll(maxBytes: Int) throws(ReadError) -> [UInt8] {
        var content: [UInt8] = []
        do throws(SystemError) {
            while content.count <= maxBytes { if try read(64 << 10, into: &content) == 0 { return content } }
        } catch { throw .system(error) }
        throw .tooLong(name: name, maxBytes: maxBytes)
    }

    /// Returns the content of a file of at most 4 KiB, for example of procfs or a control group; `nil` if it cannot be
    /// read.
    static func text(ofSmallFile path: String) -> String? {
        guard let file = try? FileDescriptor(opening: path),
            let content = try? file.readAll(maxBytes: 4096)
        else { return nil }
        return String(decoding: content, as: UTF8.self)
    }

    /// Writes all of `bytes`. Waits if the descriptor is nonblocking, as a pipe is that the program shares with its
    /// caller.
    package func writeAll(_ bytes: Span<UInt8>) throws(SystemError) {
        var offset = 0
        while offset < bytes.count {
            let rest = bytes.extracting(offset...)
            // The call reads at most as many bytes as `rest` has.
            let count = unsafe rest.withUnsafeBytes { unsafe write(number, $0.baseAddress, $0.count) }
            guard count >= 0 else {
                switch errno {
                case EINTR: continue
                case EAGAIN: Self.wait(for: POLLOUT, on: number)
                default: throw SystemError("write to \(name)")
                }
                continue
            }
            // No file writes nothing and reports no error.
            guard count > 0 else { throw SystemError("write to \(name)", code: EIO) }
            offset += count
        }
    }

    /// Whether a write of a few bytes ends immediately, with success or an error.
    package var isWritable: Bool { Self.wait(for: POLLOUT, on: number, milliseconds: 0) }

    /// Waits until one of `events` occurs. An error of the descriptor also ends the wait, and the next call reports it.
    /// - Parameter milliseconds: the maximum time, or -1 for any time.
    /// - Returns: whether something occurred.
    @discardableResult
    static func wait(for events: Int32, on number: Int32, milliseconds: Int32 = -1) -> Bool {
        var poll = pollfd(fd: number, events: Int16(events), revents: 0)
        // The call accesses one structure, which outlives it. If a signal interrupts it, the caller tries again.
        return unsafe Glibc.poll(&poll, 1, milliseconds) != 0
    }

    /// Writes `text` and a line feed.
    package func writeLine(_ text: String) throws(SystemError) {
        let line = Array((text + "\n").utf8)
        try writeAll(line.span)
    }
}

// MARK: Standard streams

extension FileDescriptor {
    package static func standardInput() throws(SystemError) -> FileDescriptor {
        try FileDescriptor(duplicating: STDIN_FILENO, name: "standard input")
    }

    package static func standardOutput() throws(SystemError) -> FileDescriptor {
        try FileDescriptor(duplicating: STDOUT_FILENO, name: "standard output")
    }

    package static func standardError() throws(SystemError) -> FileDescriptor {
        try FileDescriptor(duplicating: STDERR_FILENO, name: "standard error")
    }

    /// Whether standard output is a terminal (isatty(3)).
    package static var isStandardOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal (isatty(3)).
    package static var isStandardErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Opens the null device in place of each closed standard stream. Otherwise the next file or socket that is opened
    /// would become a standard stream, and receive its output.
    /// - Parameter isUsable: whether the streams are then empty and discard their output. Otherwise their use is an
    ///   error, as that of a closed stream: the device is opened for the opposite direction.
    package static func fillStandardStreams(isUsable: Bool) {
        for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
            let opposite = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY
            // The lowest number that is free is that of the stream.
            let number = unsafe open("/dev/null", isUsable ? O_RDWR : opposite)
            if number > STDERR_FILENO { close(number) }
        }
    }
}
