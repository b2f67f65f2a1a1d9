internal import Serialization

/// The header fields of one request, in the order they came.
///
/// They lie as they came in a copy of the head; beside it stands where each name and value is. A connection uses the memory
/// of both again for its next request, which is why nobody may copy it, and text is made only of what somebody asks for.
struct RequestFields: ~Copyable, Sendable {
    /// One field: which it is, and where it lies, in bytes from the head's start; ``Daemon`` bounds a head far below 64 KiB.
    struct Place: Sendable {
        let field: FieldName
        private let name: Range<UInt16>
        private let value: Range<UInt16>

        @inline(__always) init(field: FieldName, name: Range<Int>, value: Range<Int>) {
            self.field = field
            self.name = UInt16(name.lowerBound)..<UInt16(name.upperBound)
            self.value = UInt16(value.lowerBound)..<UInt16(value.upperBound)
        }

        var nameRange: Range<Int> { Int(name.lowerBound)..<Int(name.upperBound) }
        var valueRange: Range<Int> { Int(value.lowerBound)..<Int(value.upperBound) }
    }

    /// The head, ``FieldSyntax/slackBytes`` zero bytes, and what is left of longer heads before it.
    private(set) var head: [UInt8] = []

    /// Length of the head in bytes.
    private(set) var headBytes = 0

    /// Room that a head usually takes, in bytes.
    private static let usualHeadBytes = 1 << 10

    private var places: [Place] = []

    init() {}

    init(_ fields: HeaderFields) {
        for field in fields.fields {
            let name = head.count
            head.append(contentsOf: field.name.utf8)
            let value = head.count
            head.append(contentsOf: field.value.utf8)
            let place = Place(field: FieldName(field.name.utf8.span), name: name..<value, value: value..<head.count)
            places.append(place)
        }
        headBytes = head.count
    }

    /// How many fields there are.
    var count: Int { places.count }

    /// Forgets all, keeps the memory, and copies a head, whose fields are still to be found.
    mutating func begin(withHead bytes: UnsafeBufferPointer<UInt8>) {
        places.removeAll(keepingCapacity: true)
        headBytes = bytes.count
        let needed = headBytes + FieldSyntax.slackBytes
        if head.count < needed { head = [UInt8](repeating: 0, count: max(needed, Self.usualHeadBytes)) }
        unsafe head.withUnsafeMutableBytes { memory in
            // There is room for both, and the head is lent for the time of this call.
            unsafe memory.copyMemory(from: UnsafeRawBufferPointer(bytes))
            unsafe memory.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt64.self)
        }
    }

    mutating func append(_ place: Place) {
        places.append(place)
    }

    /// All values of `name`, in order; names compare without case (RFC 9110 §5.1).
    func values(of name: String) -> [String] {
        var values: [String] = []
        forEach { _, fieldName, value in
            guard fieldName.equalsIgnoringASCIICase(name.utf8.span) else { return }
            values.append(String(ascii: value, 0..<value.count))
        }
        return values
    }

    /// The values of `name` joined by ", " as RFC 9110 §5.3 allows, or nil where there is none.
    func combined(_ name: String) -> String? {
        let values = values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Every field as text.
    var all: HeaderFields {
        var fields = HeaderFields()
        forEach { _, name, value in
            fields.append(name: String(ascii: name, 0..<name.count), value: String(ascii: value, 0..<value.count))
        }
        return fields
    }

    /// Calls `body` with each field, its name and its value, in order; nothing is allocated.
    @inline(__always) func forEach<Failure: Error>(
        _ body: (_ field: FieldName, _ name: Span<UInt8>, _ value: Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let bytes = head.span
        let places = places.span
        for index in places.indices {
            let place = places[index]
            try body(place.field, bytes.extracting(place.nameRange), bytes.extracting(place.valueRange))
        }
    }
}
