internal import Batch
internal import HTTP
internal import Platform
internal import Serialization

/// A file of a batch, as the output names it.
struct BatchFile: Sendable {
    /// The member `file` with its comma; empty for standard input.
    let member: SharedBytes

    /// A digest of the name, which distinguishes items of different files.
    private let digest: UInt64

    init(_ source: ContentSource) {
        var member = OutputBuffer(capacity: 64)
        if let path = source.path {
            var writer = JSONWriter(capacity: 64)
            writer.string(path)
            member.append(",\"file\":")
            writer.finish().withBytes { member.append($0) }
        }
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
    private let file: FileDescriptor
    private let progress: BatchProgress

    init(_ source: ContentSource, progress: BatchProgress) throws(BatchInputError) {
        do throws(SystemError) {
            file = try source.open()
        } catch {
            throw .system(error.description)
        }
        self.progress = progress
    }

    mutating func read(_ max: Int, into buffer: inout [UInt8]) throws(BatchInputError) -> Int {
        do throws(SystemError) {
            let count = try file.read(max, into: &buffer)
            progress.note(readBytes: count)
            return count
        } catch {
            throw .system(error.description)
        }
    }
}
