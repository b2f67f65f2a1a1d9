internal import Batch
internal import HTTP
internal import Platform
internal import Serialization

/// A file of a batch, as the output names it.
struct BatchFile: Sendable {
    /// The name as JSON; `nil` for standard input.
    let name: String?

    /// The member `file` with its comma; empty for standard input.
    let member: SharedBytes

    /// A digest of the name, which distinguishes items of different files.
    private let digest: UInt64

    init(_ source: ContentSource) {
        name = source.path.map { path in
            var writer = JSONWriter(capacity: 64)
            writer.string(path)
            return writer.finish().withBytes { $0.text }
        }
        var member = OutputBuffer(capacity: 64)
        if let name { member.append(",\"file\":\(name)".utf8.span) }
        self.member = SharedBytes(member)
        let digest = SHA256.state(of: (source.path ?? "").utf8.span)
        self.digest = UInt64(digest[0]) << 32 | UInt64(digest[1])
    }

    /// Returns the identifier of the item at `byte`, from which the URN of its problem is made: the same item always
    /// has the same identifier. It is a UUID of version 8 (RFC 9562 §5.8).
    func requestID(at byte: Int) -> RequestID {
        .made(digest & ~0xF000 | 0x8000, 0b10 << 62 | UInt64(byte) & ~(0b11 << 62))
    }
}

/// The bytes of an open file.
struct BatchSource: ~Copyable, ByteSource {
    private let path: String?
    private let file: FileDescriptor
    private let progress: BatchProgress
    let inputBytes: Int?
    /// The number of bytes that are at least expected: what a regular file had when it was opened.
    private var missingBytes: Int

    init(_ source: ContentSource, progress: BatchProgress) throws(BatchInputError) {
        let length = try Self.length(of: source)
        do throws(SystemError) {
            file = try source.open()
        } catch { throw .system(error.description) }
        path = source.path
        // The files of /proc have the length 0.
        inputBytes = length > 0 ? length : nil
        missingBytes = length
        self.progress = progress
    }

    /// The length of a regular file, in bytes; 0 if it is not known. Standard input may have been read in part.
    private static func length(of source: ContentSource) throws(BatchInputError) -> Int {
        guard source.path != nil else { return 0 }
        do throws(SystemError) {
            return try source.status?.bytes ?? 0
        } catch { throw .system(error.description) }
    }

    mutating func read(_ max: Int, into buffer: inout [UInt8]) throws(BatchInputError) -> Int {
        let count: Int
        do throws(SystemError) {
            count = try file.read(max, into: &buffer)
        } catch { throw .system(error.description) }
        progress.note(readBytes: count)
        missingBytes -= count
        guard count > 0 || missingBytes <= 0 else {
            throw .system("\(path ?? "the input") has become shorter while it was read")
        }
        return count
    }
}
