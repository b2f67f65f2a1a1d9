internal import Serialization

/// The header fields of one request, in the order they came.
///
/// All of them lie in one buffer, each as two lengths (two bytes, the low one first) and the bytes of its name and value:
/// a request costs one allocation whatever its fields are, and text is made only of what somebody asks for.
struct RequestFields: Sendable {
    private var storage: [UInt8] = []

    /// How many fields there are.
    private(set) var count = 0

    /// - Parameter capacity: what the fields are expected to take, in bytes.
    init(capacity: Int = 0) {
        storage.reserveCapacity(capacity)
    }

    init(_ fields: HeaderFields) {
        for field in fields.fields {
            append(name: field.name.utf8.span, value: field.value.utf8.span)
        }
    }

    /// Adds one field. Both parts come from a head, whose length ``Daemon`` bounds far below 64 KiB.
    mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        precondition(max(name.count, value.count) <= UInt16.max, "a field is shorter than the head that it came in")
        storage.append(UInt8(truncatingIfNeeded: name.count))
        storage.append(UInt8(truncatingIfNeeded: name.count >> 8))
        storage.append(UInt8(truncatingIfNeeded: value.count))
        storage.append(UInt8(truncatingIfNeeded: value.count >> 8))
        unsafe name.withUnsafeBufferPointer { unsafe storage.append(contentsOf: $0) }
        unsafe value.withUnsafeBufferPointer { unsafe storage.append(contentsOf: $0) }
        count += 1
    }

    /// All values of `name`, in order; names compare without case (RFC 9110 §5.1).
    func values(of name: String) -> [String] {
        var values: [String] = []
        visit { fieldName, value in
            if matches(fieldName, name) { values.append(text(value)) }
        }
        return values
    }

    /// The values of `name` joined by ", " as RFC 9110 §5.3 allows, or nil where there is none.
    func combined(_ name: String) -> String? {
        var combined: String?
        visit { fieldName, value in
            guard matches(fieldName, name) else { return }
            if let earlier = combined {
                combined = earlier + ", " + text(value)
            } else {
                combined = text(value)
            }
        }
        return combined
    }

    /// Every field as text.
    var all: HeaderFields {
        var fields = HeaderFields()
        visit { name, value in fields.append(name: text(name), value: text(value)) }
        return fields
    }

    /// Calls `body` with the name and the value of each field, in order; nothing is allocated.
    func forEach<Failure: Error>(
        _ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var failure: Failure?
        let bytes = storage.span
        visit { name, value in
            guard failure == nil else { return }
            do throws(Failure) {
                try body(bytes.extracting(name), bytes.extracting(value))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Calls `body` with where each field's name and value lie in `storage`.
    private func visit(_ body: (_ name: Range<Int>, _ value: Range<Int>) -> Void) {
        var position = 0
        while position < storage.count {
            let name = position + 4
            let value = name + (Int(storage[position]) | Int(storage[position + 1]) << 8)
            let end = value + (Int(storage[position + 2]) | Int(storage[position + 3]) << 8)
            body(name..<value, value..<end)
            position = end
        }
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: storage[range], as: UTF8.self)
    }

    private func matches(_ range: Range<Int>, _ name: String) -> Bool {
        guard range.count == name.utf8.count else { return false }
        var index = range.lowerBound
        for byte in name.utf8 {
            guard storage[index].asciiLowercased == byte.asciiLowercased else { return false }
            index += 1
        }
        return true
    }
}
