internal import Primitives

/// The head of a frame. Numbers are little-endian:
///
///     u32 length of the rest
///     u64 id
///     u16 status            0: not known, so that 200 is assumed
///     u8  flags             1: there is content, which may be empty
///     u8  reserved          0
///     u32 length of the URL
///     u32 length of the header fields
///     the URL               UTF-8; empty: not known
///     the header fields     lines `Name: value`, each ended by LF or CR LF
///     the content           the rest of the frame
package struct BatchFrame: Equatable, Sendable {
    package var id: UInt64
    package var status: UInt16
    package var hasContent: Bool
    /// The parts of the item's range, as offsets in ``BatchBlock/bytes``.
    package var url: Range<Int>
    package var fields: Range<Int>
    package var content: Range<Int>

    /// The length of the head, after which the URL follows, in bytes.
    package static let headBytes = 24

    package init(id: UInt64, status: UInt16, hasContent: Bool, url: Range<Int>, fields: Range<Int>, content: Range<Int>)
    {
        self.id = id
        self.status = status
        self.hasContent = hasContent
        self.url = url
        self.fields = fields
        self.content = content
    }
}

/// The numbers at the beginning of a frame.
struct FrameHead {
    /// The length of the frame with its head, in bytes.
    var frameBytes: Int
    var id: UInt64
    var status: UInt16
    var hasContent: Bool
    var urlBytes: Int
    var fieldsBytes: Int

    /// The length of the number at the beginning, which does not count itself.
    private static let lengthBytes = 4

    /// Reads the head at the beginning of `bytes`.
    /// - Parameter offset: the offset of the frame in the file.
    /// - Returns: `nil` if it is incomplete.
    init?(parsing bytes: Span<UInt8>, at offset: Int) throws(BatchInputError) {
        guard let length = bytes.number32(0, .little) else { return nil }
        frameBytes = Self.lengthBytes + length
        guard frameBytes >= BatchFrame.headBytes else {
            throw .malformed(BatchFault("a frame of \(length) bytes is shorter than its head", at: offset))
        }
        guard bytes.count >= BatchFrame.headBytes,
            let low = bytes.number32(4, .little), let high = bytes.number32(8, .little),
            let status = bytes.number16(12, .little),
            let urlBytes = bytes.number32(16, .little), let fieldsBytes = bytes.number32(20, .little)
        else { return nil }
        id = UInt64(high) << 32 | UInt64(low)
        self.status = UInt16(status)
        hasContent = bytes[14] == 1
        self.urlBytes = urlBytes
        self.fieldsBytes = fieldsBytes
        guard bytes[14] <= 1 else {
            throw .malformed(BatchFault("a frame has the unknown flags \(bytes[14])", at: offset))
        }
        guard bytes[15] == 0 else {
            throw .malformed(BatchFault("the reserved byte of a frame is \(bytes[15]), not 0", at: offset))
        }
        guard contentBytes >= 0 else {
            throw .malformed(BatchFault("the URL and the fields of a frame are longer than the frame", at: offset))
        }
        guard hasContent || contentBytes == 0 else {
            throw .malformed(BatchFault("a frame without content has \(contentBytes) bytes of it", at: offset))
        }
    }

    /// The length of the parts after the head, in bytes.
    var partBytes: Int { frameBytes - BatchFrame.headBytes }

    // The lengths are 32-bit numbers, so that this cannot overflow.
    private var contentBytes: Int { partBytes - urlBytes - fieldsBytes }

    /// Returns the frame that begins at `start` in its block.
    func frame(at start: Int) -> BatchFrame {
        let url = start + BatchFrame.headBytes..<start + BatchFrame.headBytes + urlBytes
        let fields = url.upperBound..<url.upperBound + fieldsBytes
        let content = fields.upperBound..<start + frameBytes
        return BatchFrame(id: id, status: status, hasContent: hasContent, url: url, fields: fields, content: content)
    }
}
