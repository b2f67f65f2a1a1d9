/// Writes the parts of a payload: integers little-endian, texts and contents after their length.
struct FrameWriter {
    private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: the number of bytes for which memory is allocated at once.
    init(capacity: Int = 64) { bytes.reserveCapacity(capacity) }

    mutating func integer<Integer: FixedWidthInteger>(_ value: Integer) {
        // The bytes of the value are copied within the call.
        unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Writes `content` after its length in 16 bits, which it has been checked to have.
    mutating func short(_ content: some Collection<UInt8>) {
        integer(UInt16(clamping: content.count))
        bytes += content
    }

    /// Writes `content` after its length in 32 bits, which it has been checked to have.
    mutating func long(_ content: some Collection<UInt8>) {
        integer(UInt32(clamping: content.count))
        bytes += content
    }
}

/// Reads the parts of a payload that another process wrote.
struct FrameCursor {
    private let payload: [UInt8]
    private var offset = 0

    init(_ payload: [UInt8]) { self.payload = payload }

    mutating func integer<Integer: FixedWidthInteger>(_ part: FramePart) throws(FetchFrameError) -> Integer {
        let bytes = try take(Integer.bitWidth / 8, part)
        return bytes.reversed().reduce(0) { $0 << 8 | Integer(truncatingIfNeeded: $1) }
    }

    /// Reads bytes after their length in 16 bits.
    mutating func short(_ part: FramePart) throws(FetchFrameError) -> ArraySlice<UInt8> {
        let length: UInt16 = try integer(part)
        return try take(Int(length), part)
    }

    /// Reads bytes after their length in 32 bits.
    mutating func long(_ part: FramePart) throws(FetchFrameError) -> ArraySlice<UInt8> {
        let length: UInt32 = try integer(part)
        return try take(Int(length), part)
    }

    /// Reads UTF-8 after its length in 16 bits.
    mutating func text(_ part: FramePart) throws(FetchFrameError) -> String {
        guard let text = String(validating: try short(part), as: UTF8.self) else { throw .invalid(part) }
        return text
    }

    private mutating func take(_ count: Int, _ part: FramePart) throws(FetchFrameError) -> ArraySlice<UInt8> {
        guard count <= payload.count - offset else { throw .truncated(part) }
        offset += count
        return payload[offset - count..<offset]
    }

    /// Rejects a payload that continues.
    func end(of kind: FetchFrame.Kind) throws(FetchFrameError) {
        guard offset == payload.count else { throw .trailing(kind, bytes: payload.count - offset) }
    }
}
