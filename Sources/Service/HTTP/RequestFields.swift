internal import Serialization

/// The header fields of one request, in the order they came.
///
/// They lie as they came in a copy of the head; beside it stands where each name and value is. A connection uses the memory
/// of both again for its next request, which is why nobody may copy it, and text is made only of what somebody asks for.
struct RequestFields: ~Copyable, Sendable {
    /// Where one field lies, in bytes from the head's start; ``Daemon`` bounds a head far below 64 KiB.
    struct Place: Sendable {
        let name: Range<UInt16>
        let value: Range<UInt16>
    }

    /// The head, and ``FieldSyntax/slackBytes`` zero bytes.
    private(set) var head: [UInt8] = []

    private(set) var places: [Place] = []

    init() {}

    init(_ fields: HeaderFields) {
        for field in fields.fields {
            let name = head.count
            head.append(contentsOf: field.name.utf8)
            let value = head.count
            head.append(contentsOf: field.value.utf8)
            places.append(Place(name: name..<value, value: value..<head.count))
        }
    }

    /// How many fields there are.
    var count: Int { places.count }

    /// Forgets all, and keeps the memory.
    mutating func removeAll() {
        head.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    mutating func append(_ place: Place) {
        places.append(place)
    }

    /// Takes the white space around a value off.
    mutating func trim(to value: Range<Int>, at index: Int) {
        places[index] = Place(name: places[index].nameRange, value: value)
    }

    /// Copies the head that the places are in.
    mutating func copy(_ bytes: UnsafeBufferPointer<UInt8>) {
        head.reserveCapacity(bytes.count + FieldSyntax.slackBytes)
        unsafe head.append(contentsOf: bytes)
        head.append(contentsOf: repeatElement(0, count: FieldSyntax.slackBytes))
    }

    /// All values of `name`, in order; names compare without case (RFC 9110 §5.1).
    func values(of name: String) -> [String] {
        var values: [String] = []
        forEach { fieldName, value in
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
        forEach { name, value in
            fields.append(name: String(ascii: name, 0..<name.count), value: String(ascii: value, 0..<value.count))
        }
        return fields
    }

    /// Calls `body` with the name and the value of each field, in order; nothing is allocated.
    func forEach<Failure: Error>(
        _ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let bytes = head.span
        let places = places.span
        for index in places.indices {
            try body(bytes.extracting(places[index].nameRange), bytes.extracting(places[index].valueRange))
        }
    }
}

extension RequestFields.Place {
    init(name: Range<Int>, value: Range<Int>) {
        precondition(max(name.upperBound, value.upperBound) <= UInt16.max, "a head is shorter than 64 KiB")
        self.name = UInt16(name.lowerBound)..<UInt16(name.upperBound)
        self.value = UInt16(value.lowerBound)..<UInt16(value.upperBound)
    }

    var nameRange: Range<Int> { Int(name.lowerBound)..<Int(name.upperBound) }
    var valueRange: Range<Int> { Int(value.lowerBound)..<Int(value.upperBound) }
}
