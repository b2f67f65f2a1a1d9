extension Span<UInt8> {
    /// The text of all bytes. Invalid UTF-8 is replaced.
    @inlinable package var text: String {
        // The bytes are copied within the call.
        unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the text of `range`. Invalid UTF-8 is replaced.
    @inlinable package func text(_ range: Range<Int>) -> String { slice(range) { $0.text } ?? "" }

    /// Returns the text of `range`, with A to Z in lower case. Invalid UTF-8 is replaced.
    package func lowercasedText(_ range: Range<Int>) -> String {
        let bytes = extracting(first: range.upperBound).extracting(droppingFirst: range.lowerBound)
        // The capacity is the number of bytes, each of which is written once. Short text needs no memory of the heap.
        return unsafe String(unsafeUninitializedCapacity: bytes.count) { buffer in
            for index in bytes.indices { unsafe buffer[index] = bytes[index].asciiLowercased }
            return bytes.count
        }
    }
}

extension [UInt8] {
    /// Appends all bytes of a span.
    @inlinable package mutating func append(_ bytes: Span<UInt8>) {
        // The bytes are copied within the call.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Appends the bytes of `range`.
    package mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) { bytes.slice(range) { append($0) } }

    /// Appends the bytes of `text`.
    package mutating func append(_ text: String) { append(text.utf8.span) }
}
