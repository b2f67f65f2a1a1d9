internal import Primitives

/// The bytes of an input from the first one that belongs to no block yet.
struct InputBuffer: Sendable {
    private(set) var bytes: [UInt8] = []

    /// The offset in the file of the first of ``bytes``.
    private(set) var start = 0

    /// Whether no bytes follow ``bytes``.
    private(set) var isComplete = false

    /// The maximum number of bytes that one read adds.
    static let readBytes = 64 << 10

    var count: Int { bytes.count }

    /// Waits for further bytes.
    /// - Parameter expected: the number of bytes that the buffer will contain, if it is known; memory is reserved as
    ///   they arrive.
    /// - Returns: whether there are any.
    mutating func read<Source: ByteSource & ~Copyable>(
        from source: inout Source,
        expected: Int = .max
    ) throws(BatchInputError) -> Bool {
        guard !isComplete else { return false }
        // A source may reserve exactly what it appends. Reserving twice as much each time keeps the cost linear.
        let needed = bytes.count + Self.readBytes
        if needed > bytes.capacity {
            bytes.reserveCapacity(max(needed, min(2 * bytes.count, expected)))
        }
        let count = try source.read(Self.readBytes, into: &bytes)
        isComplete = count == 0
        return count > 0
    }

    /// Adds bytes that come from elsewhere.
    mutating func append(_ added: Span<UInt8>) { bytes.append(added) }

    /// Removes the first `count` bytes.
    mutating func drop(_ count: Int) {
        start += count
        if count == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 4 * Self.readBytes)
        } else {
            bytes.removeFirst(count)
        }
    }

    /// Removes the first `count` bytes, and returns them. Bytes that fill most of the memory are not copied.
    mutating func take(_ count: Int) -> [UInt8] {
        start += count
        if count < bytes.capacity / 2 {
            let taken = Array(bytes[..<count])
            bytes.removeFirst(count)
            return taken
        }
        let rest = Array(bytes[count...])
        var taken = rest
        swap(&taken, &bytes)
        taken.removeLast(taken.count - count)
        return taken
    }
}

extension Span<UInt8> {
    /// Returns whether the bytes begin with a byte order mark of UTF-8.
    var hasByteOrderMark: Bool { count >= 3 && self[0] == 0xEF && self[1] == 0xBB && self[2] == 0xBF }
}
