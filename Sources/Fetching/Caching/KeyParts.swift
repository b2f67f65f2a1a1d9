internal import Primitives

/// Parts of a key, each after its length in four bytes. So no two lists of parts have the same bytes.
package struct KeyParts {
    package private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: The expected length of the key, in bytes.
    package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// Adds a number without a part.
    package mutating func add(count: Int) {
        bytes.append(UInt8(truncatingIfNeeded: count >> 24))
        bytes.append(UInt8(truncatingIfNeeded: count >> 16))
        bytes.append(UInt8(truncatingIfNeeded: count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: count))
    }

    package mutating func add(_ part: Span<UInt8>) {
        add(count: part.count)
        bytes.append(part, 0..<part.count)
    }

    package mutating func add(_ part: String) { add(part.utf8.span) }
}

/// Bytes with their hash, which is computed once. They are compared and hashed as a whole: the default would do both
/// byte by byte.
package struct HashedBytes: Hashable, Sendable {
    package let bytes: [UInt8]
    let hash: Int

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var hasher = Hasher()
        // The bytes are read within the call.
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        hash = hasher.finalize()
    }

    package static func == (one: HashedBytes, other: HashedBytes) -> Bool {
        one.hash == other.hash && one.bytes.span.equals(other.bytes.span)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
