internal import Glibc
internal import Platform

/// A file that is read again when it has changed, or was replaced.
struct WatchedFile<Content> {
    private let path: String
    private let maxBytes: Int
    private let parse: ([UInt8]) -> Content
    /// The content if there is no file; `nil` if that is an error.
    private let absent: Content?
    /// The status of the file that `content` is from; `nil` if it must be read again.
    private var status: FileStatus?
    private var content: Content?

    init(_ path: String, maxBytes: Int, absent: Content? = nil, parse: @escaping ([UInt8]) -> Content) {
        self.path = path
        self.maxBytes = maxBytes
        self.absent = absent
        self.parse = parse
    }

    /// Returns the content, and whether it has changed since the last call.
    mutating func read() throws(ReadError) -> (content: Content, hasChanged: Bool) {
        let previous = status.take()
        let found: FileStatus
        let file: FileDescriptor
        do throws(SystemError) {
            guard let status = try FileStatus.of(path) else {
                guard let absent else { throw SystemError("read \(path)", code: ENOENT) }
                return (absent, previous != nil)
            }
            found = status
            if let content, found == previous {
                self.status = found
                return (content, false)
            }
            file = try FileDescriptor.openingRegularFile(path)
        } catch { throw .system(error) }
        let content = parse(try file.readAll(maxBytes: maxBytes))
        self.content = content
        status = found
        return (content, true)
    }
}
