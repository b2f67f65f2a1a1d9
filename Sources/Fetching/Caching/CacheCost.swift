/// The size of an entry of a cache, as it is charged.
package enum CacheCost {
    /// The bytes of the structures around a value: the node, its key and its part of the tables.
    package static let overheadBytes = 512

    /// Returns the bytes of a response or a rendition.
    /// - Parameters:
    ///   - contentBytes: the usable sizes of the buffers (`malloc_usable_size`).
    ///   - fieldBytes: the bytes of names and values of fields.
    package static func bytes(contentBytes: [Int], fieldBytes: Int) -> Int {
        contentBytes.reduce(fieldBytes + overheadBytes, +)
    }
}
