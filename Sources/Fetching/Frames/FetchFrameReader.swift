/// Splits a stream of bytes into frames, however the bytes are received.
///
///     var reader = FetchFrameReader(receiving: .toService)
///     reader.append(received)
///     while let frame = try reader.next() { … }
///
/// It buffers at most one frame and what one call of ``append(_:)`` adds, if all frames are taken in between. An error
/// is final: every further call throws it again.
package struct FetchFrameReader: Sendable {
    private let direction: FetchFrame.Direction
    private let maxContentBytes: Int
    private var buffer: [UInt8] = []
    /// The offset of the next frame in `buffer`.
    private var frameOffset = 0
    private var error: FetchFrameError?

    /// - Parameters:
    ///   - direction: The direction of the frames that are received.
    ///   - maxContentBytes: The maximum length of the content of a request, in bytes. Only `start` frames contain one.
    package init(receiving direction: FetchFrame.Direction, maxContentBytes: Int = 0) {
        self.direction = direction
        self.maxContentBytes = maxContentBytes
    }

    /// The number of bytes that have been received but not returned.
    package var bufferedBytes: Int { buffer.count - frameOffset }

    package mutating func append(_ bytes: Span<UInt8>) {
        guard error == nil else { return }
        if frameOffset == buffer.count {
            // The capacity of a long frame is returned.
            buffer.removeAll(keepingCapacity: buffer.capacity <= 16 * FetchFrame.maxDataBytes)
            frameOffset = 0
        } else if frameOffset > FetchFrame.maxDataBytes {
            buffer.removeFirst(frameOffset)
            frameOffset = 0
        }
        // The bytes are copied within the call, for the duration of which they are valid.
        unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
    }

    /// Returns the next frame, or `nil` if it has not been received completely.
    package mutating func next() throws(FetchFrameError) -> FetchFrame? {
        if let error { throw error }
        do throws(FetchFrameError) {
            return try read()
        } catch {
            self.error = error
            buffer = []
            frameOffset = 0
            throw error
        }
    }

    private mutating func read() throws(FetchFrameError) -> FetchFrame? {
        guard bufferedBytes >= FetchFrame.headerBytes else { return nil }
        let length: UInt32 = integer(at: frameOffset)
        let number: UInt16 = integer(at: frameOffset + 4)
        let flags: UInt16 = integer(at: frameOffset + 6)
        guard let kind = FetchFrame.Kind(rawValue: number) else { throw .unknownKind(number) }
        guard kind.direction == direction else { throw .wrongDirection(kind) }
        guard flags == 0 else { throw .reservedFlags(flags, kind) }
        let allowed = kind.payloadBytes(maxContentBytes: maxContentBytes)
        guard allowed ~= Int(length) else { throw .payloadLength(kind, bytes: Int(length), allowed: allowed) }

        let start = frameOffset + FetchFrame.headerBytes
        guard buffer.count - start >= Int(length) else {
            // An array that grows step by step has twice the capacity that it needs.
            if Int(length) > FetchFrame.maxDataBytes { buffer.reserveCapacity(start + Int(length)) }
            return nil
        }
        let id: UInt64 = integer(at: frameOffset + 8)
        frameOffset = start + Int(length)
        return FetchFrame(kind: kind, id: id, payload: Array(buffer[start..<frameOffset]))
    }

    private func integer<Integer: FixedWidthInteger>(at offset: Int) -> Integer {
        (0..<Integer.bitWidth / 8).reduce(0) {
            $0 | Integer(truncatingIfNeeded: buffer[offset + $1]) << Integer($1 * 8)
        }
    }
}
