/// Header fields in the order they came; names compare without case (RFC 9110 §5.1).
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

    /// The only field of most responses; made once, it costs no memory.
    package static let plainJSON = HeaderFields([Field(name: "Content-Type", value: "application/json")])

    /// Whether this is ``plainJSON`` itself, so that the fields need not be read. The same fields made elsewhere are not.
    var isPlainJSON: Bool {
        let plain = Self.plainJSON
        return fields.span.isIdentical(to: plain.fields.span)
    }

    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    public var isEmpty: Bool { fields.isEmpty }

    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The first value of `name`; nothing is allocated.
    public func first(_ name: String) -> String? {
        index(of: name).map { fields[$0].value }
    }

    /// Where the next field `name` stands, from `start` on.
    func index(of name: String, from start: Int = 0) -> Int? {
        // Over a span, because an iterator would retain and release two strings a field.
        let span = fields.span
        var index = start
        while index < span.count {
            if span[index].name.equalsIgnoringASCIICase(name) { return index }
            index += 1
        }
        return nil
    }

    /// All values of `name`, in order.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// The values of `name` joined by ", " as RFC 9110 §5.3 allows, or nil where there is none.
    public func combined(_ name: String) -> String? {
        let values = values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

extension String {
    /// Equality that ignores the case of the letters A to Z only.
    package func equalsIgnoringASCIICase(_ other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.span.equalsIgnoringASCIICase(other.utf8.span)
    }
}
