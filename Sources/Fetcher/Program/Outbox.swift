internal import Fetching

/// The bytes of frames that have not been sent.
///
/// Content that follows other content of the same transfer is added to its frame, so that a fast origin costs few
/// frames.
struct Outbox {
    /// The number of bytes above which transfers pause.
    static let pauseBytes = 4 << 20

    /// The number of bytes below which transfers continue.
    static let resumeBytes = 2 << 20

    private var bytes: [UInt8] = []
    /// The offset of the first byte that has not been sent.
    private var unsentOffset = 0
    /// The last frame, if it is `data`: its offset, transfer and length of content.
    private var lastData: (offset: Int, id: UInt64, count: Int)?

    /// The number of bytes that have not been sent.
    var count: Int { bytes.count - unsentOffset }

    var isEmpty: Bool { unsentOffset == bytes.count }

    mutating func append(_ reply: FetchReply) {
        bytes += reply.frame.bytes
        lastData = nil
    }

    /// Appends content of a transfer as one or more `data` frames.
    mutating func append(content: Span<UInt8>, of id: UInt64) {
        var start = 0
        while start < content.count {
            if let last = lastData, last.id == id, last.offset >= unsentOffset, last.count < FetchFrame.maxDataBytes {
                let count = min(content.count - start, FetchFrame.maxDataBytes - last.count)
                append(content.extracting(start..<(start + count)))
                lastData = (last.offset, id, last.count + count)
                // The length is the first part of a header.
                for (index, byte) in FetchFrame.dataHeader(id: id, contentBytes: last.count + count).enumerated() {
                    bytes[last.offset + index] = byte
                }
                start += count
            } else {
                let count = min(content.count - start, FetchFrame.maxDataBytes)
                lastData = (bytes.count, id, count)
                bytes += FetchFrame.dataHeader(id: id, contentBytes: count)
                append(content.extracting(start..<(start + count)))
                start += count
            }
        }
    }

    private mutating func append(_ content: Span<UInt8>) {
        // The bytes are copied within the call, for the duration of which they are valid.
        unsafe content.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Sends bytes with `send`, which returns the number of bytes that were accepted, until it accepts none.
    mutating func flush(_ send: (Span<UInt8>) -> Int) {
        while unsentOffset < bytes.count {
            let count = send(bytes.span.extracting(unsentOffset..<bytes.count))
            guard count > 0 else { break }
            unsentOffset += count
            // The header of a frame whose beginning was sent cannot be changed: `lastData` is compared with
            // `unsentOffset`.
        }
        if unsentOffset == bytes.count {
            // The capacity of a burst is returned.
            bytes.removeAll(keepingCapacity: bytes.capacity <= 256 << 10)
            unsentOffset = 0
            lastData = nil
        } else if unsentOffset > Self.pauseBytes / 4 {
            bytes.removeFirst(unsentOffset)
            if let last = lastData {
                lastData = last.offset >= unsentOffset ? (last.offset - unsentOffset, last.id, last.count) : nil
            }
            unsentOffset = 0
        }
    }
}
