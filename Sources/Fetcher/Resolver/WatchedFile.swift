internal import Glibc
internal import Platform

/// A file that is read again when it has changed, or was replaced.
struct WatchedFile<Content> {
    private struct Version: Equatable {
        var device: UInt
        var inode: UInt
        var size: Int
        var seconds: Int
        var nanoseconds: Int
    }

    private let path: String
    private let maxBytes: Int
    private let parse: ([UInt8]) -> Content
    /// The content if there is no file; `nil` if that is an error.
    private let absent: Content?
    private var version: Version?
    private var content: Content?

    init(_ path: String, maxBytes: Int, absent: Content? = nil, parse: @escaping ([UInt8]) -> Content) {
        self.path = path
        self.maxBytes = maxBytes
        self.absent = absent
        self.parse = parse
    }

    /// Returns the content, and whether it has changed since the last call.
    mutating func read() throws(ReadError) -> (content: Content, hasChanged: Bool) {
        var status = stat()
        // The call writes one `stat`. A symbolic link is followed.
        guard unsafe stat(path, &status) == 0 else {
            let error = SystemError("read \(path)")
            let hadContent = version != nil
            version = nil
            if let absent, error.code == ENOENT { return (absent, hadContent) }
            throw .system(error)
        }
        let found = Version(
            device: UInt(status.st_dev),
            inode: UInt(status.st_ino),
            size: Int(status.st_size),
            seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec
        )
        if let content, version == found { return (content, false) }
        version = nil
        let file: FileDescriptor
        do throws(SystemError) {
            file = try FileDescriptor.openingRegularFile(path)
        } catch {
            throw .system(error)
        }
        let content = parse(try file.readAll(maxBytes: maxBytes))
        self.content = content
        version = found
        return (content, true)
    }
}
