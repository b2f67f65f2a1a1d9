internal import Primitives

/// The header fields of one request, in the order in which they were received.
///
/// The value contains a copy of the head, and a list of the offsets of each name and value. The memory of both is
/// reused for the next request, and therefore the value cannot be copied. Strings are created only for fields
/// that are read.
package struct RequestFields: ~Copyable, Sendable {
    /// One field: its name, and the offsets of its name and value in the head. ``HeadParser/maxHeadBytes`` limits the
    /// offsets to less than 64 KiB.
    package struct Entry: Sendable {
        package let field: FieldName
        @usableFromInline let name: Range<UInt16>
        @usableFromInline let value: Range<UInt16>

        @inline(__always) init(field: FieldName, name: Range<Int>, value: Range<Int>) {
            self.field = field
            self.name = UInt16(name.lowerBound)..<UInt16(name.upperBound)
            self.value = UInt16(value.lowerBound)..<UInt16(value.upperBound)
        }

        @inlinable var nameRange: Range<Int> { Int(name.lowerBound)..<Int(name.upperBound) }
        @inlinable package var valueRange: Range<Int> { Int(value.lowerBound)..<Int(value.upperBound) }
    }

    /// The head, followed by unused bytes of longer heads that were read before.
    @usableFromInline package private(set) var head: [UInt8] = []

    /// The number of bytes in the head.
    private(set) var headBytes = 0

    /// The size of most heads, in bytes.
    private static let usualHeadBytes = 1 << 10

    @usableFromInline private(set) var entries: [Entry] = []

    init() {}

    /// The number of fields.
    package var count: Int { entries.count }

    /// Removes all fields, and keeps the memory.
    mutating func begin() {
        entries.removeAll(keepingCapacity: true)
        headBytes = 0
    }

    /// Copies the head whose fields were appended.
    mutating func end(head bytes: Span<UInt8>) {
        headBytes = bytes.count
        if head.count < headBytes { head = [UInt8](repeating: 0, count: max(headBytes, Self.usualHeadBytes)) }
        unsafe head.withUnsafeMutableBytes { memory in
            unsafe bytes.withUnsafeBytes { bytes in
                // The line above ensures that the array is at least as long as the head.
                unsafe memory.copyMemory(from: bytes)
            }
        }
    }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Returns all values of `name`, in order. Names are case-insensitive (RFC 9110 §5.1).
    package func values(of name: String) -> [String] {
        var values: [String] = []
        forEach { _, fieldName, value in
            guard fieldName.equalsIgnoringASCIICase(name.utf8.span) else { return }
            values.append(value.text)
        }
        return values
    }

    /// Returns the values of `name` joined by ", " as RFC 9110 §5.3 allows, or `nil` if there is none.
    package func combined(_ name: String) -> String? {
        let values = values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Returns the offsets of the first field with this name, or `nil` if there is none.
    @inlinable package func entry(of field: FieldName) -> Entry? { entries.first { $0.field == field } }

    /// Returns the offsets of the first field with this name, and whether there are several.
    @inlinable package func onlyEntry(of field: FieldName) -> (entry: Entry?, isRepeated: Bool) {
        guard let first = entries.firstIndex(where: { $0.field == field }) else { return (nil, false) }
        return (entries[first], entries[(first + 1)...].contains { $0.field == field })
    }

    /// Calls `body` with each field, its name and its value, in order, without allocating memory.
    @inlinable @inline(__always) package func forEach<Failure: Error>(
        _ body: (_ field: FieldName, _ name: Span<UInt8>, _ value: Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let bytes = head.span
        let entries = entries.span
        for index in entries.indices {
            let entry = entries[index]
            try body(entry.field, bytes.extracting(entry.nameRange), bytes.extracting(entry.valueRange))
        }
    }
}
