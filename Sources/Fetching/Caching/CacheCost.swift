internal import Primitives

/// The size of an entry of a cache, as it is charged.
package enum CacheCost {
    /// The bytes of the structures around a response: the node, the group of its index key, its parts of the tables,
    /// the charge, and the objects and headers of blocks that a value of the service has. `Benchmarks/bench-cache
    /// DECANT accounting` measures it.
    static let responseOverheadBytes = 960

    /// The bytes of the structures around a rendition. They contain 320 for the serializer, which has 400 and is shared
    /// by all requests without options.
    static let renditionOverheadBytes = 992

    /// The bytes of the object `upstream` that a rendition keeps, without its fields.
    package static let upstreamBytes = 496

    /// Returns the bytes of a response.
    /// - Parameters:
    ///   - contentBytes: the usable sizes of the buffers (`malloc_usable_size`).
    ///   - fieldBytes: the bytes of fields, of the URL and of the texts in the key.
    package static func responseBytes(contentBytes: [Int], fieldBytes: Int) -> Int {
        contentBytes.reduce(fieldBytes + responseOverheadBytes, +)
    }

    /// Returns the bytes of a rendition.
    /// - Parameter contentBytes: the usable sizes of the buffers (`malloc_usable_size`).
    package static func renditionBytes(contentBytes: [Int]) -> Int { contentBytes.reduce(renditionOverheadBytes, +) }
}

extension [HeaderFields.Field] {
    /// The memory of an array of fields, in bytes: two strings per field, of which those above 15 bytes have a block of
    /// their own.
    package var heapBytes: Int {
        func block(_ textBytes: Int) -> Int { textBytes > 15 ? (textBytes + 56) & ~15 : 0 }
        return indices.reduce(48 + 32 * capacity) { bytes, index in
            bytes + block(self[index].name.utf8.count) + block(self[index].value.utf8.count)
        }
    }
}
