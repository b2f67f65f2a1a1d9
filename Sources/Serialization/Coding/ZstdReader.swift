internal import CZstd

/// Decodes `zstd` (RFC 8878) with libzstd: one or more frames, whose contents are concatenated. Skippable frames are
/// skipped.
@safe final class ZstdReader: CodingReader {
    private let library: OpaquePointer?
    private var isBetweenFrames = true
    private var isFirstFrame = true

    /// The memory of the decoder in addition to its window, in bytes: its tables, and a block of input and of output.
    private static let tableBytes = 512 << 10

    private(set) var windowBytes = ZstdReader.tableBytes

    init() { unsafe library = czstd_open() }

    deinit { if let library = unsafe library { unsafe czstd_close(library) } }

    /// Returns whether content begins with the magic number of a frame, or is the beginning of one.
    static func begins(_ content: Span<UInt8>) -> Bool {
        guard !content.isEmpty else { return false }
        let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
        let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18]
        let indices = 0..<min(content.count, 4)
        return indices.allSatisfy { content[$0] == frame[$0] }
            || indices.allSatisfy { ($0 == 0 ? content[0] & 0xF0 : content[$0]) == skippable[$0] }
    }

    func read(_ input: Span<UInt8>, isLast: Bool, into output: inout OutputBuffer, room: Int) -> CodingStep {
        guard let library = unsafe library else { return CodingStep(0, .failed(.outOfMemory)) }
        var used = 0
        var room = room
        while true {
            let rest = input.extracting(droppingFirst: used)
            if isBetweenFrames {
                guard rest.count >= Self.maxHeadBytes || isLast else { return CodingStep(used, .more) }
                // The first frame has already been recognized, and may end inside its magic number.
                guard Self.begins(rest), isFirstFrame || rest.count >= ContentCoding.signatureBytes else {
                    return CodingStep(used, .end(lacksTrailer: false))
                }
                isFirstFrame = false
                if let bytes = Self.skippableBytes(rest) {
                    used += bytes
                    continue
                }
                isBetweenFrames = false
                if let bytes = Self.windowBytes(rest) {
                    guard bytes <= ContentCoding.maxWindowBytes else {
                        return CodingStep(used, .failed(.windowTooLarge(bytes: bytes)))
                    }
                    if Self.tableBytes + bytes > windowBytes {
                        windowBytes = Self.tableBytes + bytes
                        // Returns first, so that the caller can charge the window before it is allocated.
                        return CodingStep(used, .more)
                    }
                }
            }
            guard room > 0 else { return CodingStep(used, .more) }
            // The output has `room` bytes.
            let (consumed, written, outcome) = unsafe output.append(decoding: rest, room: room) {
                unsafe czstd_decode(library, $0, $1, &$2, $3, room, &$4)
            }
            used += consumed
            switch outcome {
            case CZSTD_MORE:
                let isTruncated = isLast && used == input.count && written < room
                return CodingStep(used, isTruncated ? .failed(.truncated) : .more)
            case CZSTD_END:
                isBetweenFrames = true
                room -= written
            case CZSTD_WINDOW: return CodingStep(used, .failed(.windowTooLarge(bytes: windowBytes)))
            case CZSTD_DICTIONARY: return CodingStep(used, .failed(.dictionary))
            case CZSTD_NO_MEMORY: return CodingStep(used, .failed(.outOfMemory))
            default: return CodingStep(used, .failed(.corrupt(part: .data)))
            }
        }
    }

    /// Returns the length of a skippable frame (RFC 8878 §3.1.2), in bytes; `nil` if the content begins with another
    /// frame, or with a part of one.
    private static func skippableBytes(_ content: Span<UInt8>) -> Int? {
        guard content.count >= 8, content[0] & 0xF0 == 0x50, let bytes = content.number32(4, .little),
            bytes <= content.count - 8
        else { return nil }
        return 8 + bytes
    }

    /// The maximum length of the header of a frame, in bytes.
    private static let maxHeadBytes = 18

    /// Returns the window that a frame needs, in bytes (RFC 8878 §3.1.1.1); `nil` for a skippable frame, or if the
    /// header is incomplete.
    static func windowBytes(_ frame: Span<UInt8>) -> Int? {
        guard frame.count > 5, frame[0] == 0x28 else { return nil }
        let descriptor = frame[4]
        let isSingleSegment = descriptor & 0x20 != 0
        guard isSingleSegment else {
            let base = 1 << (10 + Int(frame[5] >> 3))
            return base + base / 8 * Int(frame[5] & 7)
        }
        // Single segment: the window is the complete content.
        let dictionaryBytes = [0, 1, 2, 4][Int(descriptor & 3)]
        let offset = 5 + dictionaryBytes
        switch descriptor >> 6 {
        case 0: return frame.byte(offset)
        case 1: return frame.number16(offset, .little).map { $0 + 256 }
        case 2: return frame.number32(offset, .little)
        default: return offset + 8 <= frame.count ? frame.number64(offset, .little) ?? .max : nil
        }
    }
}
