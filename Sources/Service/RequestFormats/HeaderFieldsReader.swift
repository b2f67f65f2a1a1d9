internal import HTTP
internal import Serialization

/// A reader of a document that contains header fields: `[["content-type","text/xml"],…]`, or
/// `{"content-type":"text/xml","set-cookie":["a=1","b=2"]}`.
protocol HeaderFieldsReader {
    var json: JSONDocumentReader { get set }

    func check(fieldName name: String, at mark: JSONDocumentReader.Mark, in text: Span<UInt8>) throws(JSONDocumentFault)

    /// Reads one value of the field `name`, which is `nil` if the name has a fault.
    mutating func fieldValue(of name: String?, in text: Span<UInt8>) throws(JSONDocumentFault) -> String

    /// Calls `read` at a value. After a fault, either throws it, or records it and skips the value.
    mutating func attempt(
        in text: Span<UInt8>,
        _ read: (inout Self) throws(JSONDocumentFault) -> Void
    ) throws(JSONDocumentFault)
}

extension HeaderFieldsReader {
    /// Reads header fields.
    /// - Returns: the fields, and the names whose arrays of values are empty.
    mutating func headers(
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) -> (fields: HeaderFields, namesWithoutValues: [String]) {
        var fields = HeaderFields()
        var namesWithoutValues: [String] = []
        switch json.kind(in: text) {
        case .array:
            try json.enterArray(in: text)
            while json.nextElement(in: text) {
                try attempt(in: text) { reader throws(JSONDocumentFault) in try reader.pair(in: text, into: &fields) }
            }
        case .object:
            try json.enterObject(in: text)
            var bytes = 0
            while let name = try json.nextName(in: text) {
                try attempt(in: text) { reader throws(JSONDocumentFault) in
                    let count = fields.fields.count
                    try reader.values(of: name, in: text, countingNames: &bytes, into: &fields)
                    if fields.fields.count == count { namesWithoutValues.append(name) }
                }
            }
        case .string, .number, .boolean, .null: throw json.unexpectedKind(["an array of pairs", "an object"], in: text)
        }
        return (fields, namesWithoutValues)
    }

    /// `["content-type","text/xml"]`
    private mutating func pair(in text: Span<UInt8>, into fields: inout HeaderFields) throws(JSONDocumentFault) {
        let start = json.mark(in: text)
        var (name, value): (String?, String?)
        var count = 0
        try json.enterArray(in: text)
        while json.nextElement(in: text) {
            count += 1
            switch count {
            case 1:
                try attempt(in: text) { reader throws(JSONDocumentFault) in
                    let mark = reader.json.mark(in: text)
                    let string = try reader.json.string(in: text)
                    try reader.check(fieldName: string, at: mark, in: text)
                    name = string
                }
            case 2:
                try attempt(in: text) { reader throws(JSONDocumentFault) in
                    value = try reader.fieldValue(of: name, in: text)
                }
            default: _ = json.skip(in: text)
            }
        }
        guard count == 2 else {
            let reason = JSONDocumentFault.Reason.unexpected(
                found: "an array with another number of elements",
                expected: ["a pair of name and value"]
            )
            throw json.fault(reason, at: start, in: text)
        }
        if let name, let value { fields.append(name: name, value: value) }
    }

    /// A string, or an array of strings.
    /// - Parameter bytes: the length of the names, counted with each element. The document contains a name once, and
    ///   the fields contain it with each value.
    private mutating func values(
        of name: String,
        in text: Span<UInt8>,
        countingNames bytes: inout Int,
        into fields: inout HeaderFields
    ) throws(JSONDocumentFault) {
        try check(fieldName: name, at: json.nameMark, in: text)
        switch json.kind(in: text) {
        case .string: fields.append(name: name, value: try fieldValue(of: name, in: text))
        case .array:
            try json.enterArray(in: text)
            while json.nextElement(in: text) {
                bytes += name.utf8.count
                guard bytes <= Envelope.maxMemberBytes else {
                    let reason = JSONDocumentFault.Reason.unexpected(
                        found: "\(bytes)",
                        expected: ["at most \(Envelope.maxMemberBytes) bytes of names, counted with each value"]
                    )
                    throw json.fault(reason, at: json.mark(in: text), in: text)
                }
                try attempt(in: text) { reader throws(JSONDocumentFault) in
                    fields.append(name: name, value: try reader.fieldValue(of: name, in: text))
                }
            }
        case .object, .number, .boolean, .null:
            throw json.unexpectedKind(["a string", "an array of strings"], in: text)
        }
    }
}
