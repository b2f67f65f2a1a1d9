/// Header fields in the order of the message. Names compare case-insensitively (RFC 9110 §5.1).
public struct HeaderFields: Equatable, Sendable {
    public struct Field: Equatable, Sendable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public private(set) var fields: [Field]

    /// The only field of most responses. It is created once, so it costs no allocation.
    package static let plainJSON = HeaderFields([Field(name: "Content-Type", value: "application/json")])

    /// Whether this is the instance ``plainJSON``, so that the fields need not be parsed. Equal fields created
    /// elsewhere do not count.
    package var isPlainJSON: Bool {
        let plain = Self.plainJSON
        return fields.span.isIdentical(to: plain.fields.span)
    }

    public init(_ fields: [Field] = []) { self.fields = fields }

    public var isEmpty: Bool { fields.isEmpty }

    public mutating func append(name: String, value: String) { fields.append(Field(name: name, value: value)) }

    /// Replaces all fields `name` by one.
    package mutating func set(_ name: String, to value: String) {
        fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
        append(name: name, value: value)
    }

    /// Returns the first value of `name`. Allocates nothing.
    public func first(_ name: String) -> String? { index(of: name).map { fields[$0].value } }

    /// Returns the index of the first field `name` at or after `start`, or `nil` if there is none.
    package func index(of name: String, from start: Int = 0) -> Int? {
        // A span, because an iterator would retain and release two strings per field.
        let span = fields.span
        var index = start
        while index < span.count {
            if span[index].name.equalsIgnoringASCIICase(name) { return index }
            index += 1
        }
        return nil
    }

    /// Returns all values of `name`, in order.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// Returns the values of `name`, joined by ", " as RFC 9110 §5.3 allows, or `nil` if there are none.
    public func combined(_ name: String) -> String? {
        let values = values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

extension String {
    /// Returns whether the strings are equal if the case of the letters A to Z is ignored.
    package func equalsIgnoringASCIICase(_ other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.span.equalsIgnoringASCIICase(other.utf8.span)
    }
}
