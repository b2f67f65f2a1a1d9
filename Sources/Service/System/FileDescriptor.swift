internal import Glibc

/// A system call that failed, and why.
struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The value of `errno`.
    var code: Int32

    /// What was tried: `open data.json`.
    var action: String

    /// Takes `errno` as the failed call left it.
    init(_ action: String, code: Int32 = errno) {
        self.action = action
        self.code = code
    }

    var description: String {
        let reason = unsafe String(cString: strerror(code))
        return "cannot \(action): \(reason)"
    }
}

/// Why a file was not read to its end.
enum ReadError: Error, Equatable, CustomStringConvertible {
    case system(SystemError)
    /// More came than a bound allows.
    case tooLong(name: String, maxBytes: Int)

    var description: String {
        switch self {
        case .system(let error): error.description
        case .tooLong(let name, let maxBytes): "\(name) is longer than \(maxBytes) bytes"
        }
    }
}

/// An open file, pipe or socket, closed when it goes.
struct FileDescriptor: ~Copyable {
    private let number: Int32

    /// What it is called in an error.
    private let name: String

    /// - Parameter owning: an open descriptor that nobody else will close.
    init(owning number: Int32, name: String) {
        self.number = number
        self.name = name
    }

    /// Opens a file for reading.
    init(opening path: String) throws(SystemError) {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("open \(path)") }
        self.init(owning: number, name: path)
    }

    /// A copy of one of the standard streams, so that it can be owned.
    init(copying stream: Int32, name: String) throws(SystemError) {
        // Never in the place of a standard stream that is closed: what is meant for that one would go to this.
        let number = fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard number >= 0 else { throw SystemError("use \(name)") }
        self.init(owning: number, name: name)
    }

    static func standardInput() throws(SystemError) -> FileDescriptor {
        try FileDescriptor(copying: STDIN_FILENO, name: "standard input")
    }

    static func standardOutput() throws(SystemError) -> FileDescriptor {
        try FileDescriptor(copying: STDOUT_FILENO, name: "standard output")
    }

    static func standardError() throws(SystemError) -> FileDescriptor {
        try FileDescriptor(copying: STDERR_FILENO, name: "standard error")
    }

    /// Opens the null device in place of each standard stream that is closed, so that the next file or socket opened does
    /// not become one and receive what is meant for it.
    static func fillStandardStreams() {
        while true {
            let number = unsafe open("/dev/null", O_RDWR)
            guard 0...2 ~= number else {
                close(number)
                return
            }
        }
    }

    deinit {
        close(number)
    }

    /// Reads to the end.
    /// - Throws: `tooLong` as soon as more than `maxBytes` have come: memory never grows past them by more than a chunk.
    func readAll(maxBytes: Int) throws(ReadError) -> [UInt8] {
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(number, $0.baseAddress, $0.count) }
            if count == 0 { return content }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw .system(SystemError("read \(name)"))
            }
            guard content.count + count <= maxBytes else { throw .tooLong(name: name, maxBytes: maxBytes) }
            content += chunk[..<count]
        }
    }

    /// Writes all of `bytes`.
    func writeAll(_ bytes: Span<UInt8>) throws(SystemError) {
        var position = 0
        while position < bytes.count {
            let rest = bytes.extracting(position...)
            let count = unsafe rest.withUnsafeBytes { unsafe write(number, $0.baseAddress, $0.count) }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw SystemError("write to \(name)")
            }
            position += count
        }
    }

    func writeLine(_ text: String) throws(SystemError) {
        let line = Array((text + "\n").utf8)
        try writeAll(line.span)
    }
}
