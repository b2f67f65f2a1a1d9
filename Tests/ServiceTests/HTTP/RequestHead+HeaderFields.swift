import Serialization

@testable import HTTP

// Heads that no parser has read, and the fields of a head as text.

extension RequestHead {
    init(method: String, target: RequestTarget, fields: HeaderFields, declaredContentBytes: Int?, requestID: RequestID)
    {
        self.init(
            method: method,
            target: target,
            fields: RequestFields(fields),
            declaredContentBytes: declaredContentBytes,
            requestID: requestID
        )
    }
}

extension RequestFields {
    init(_ fields: HeaderFields) {
        self.init()
        var head: [UInt8] = []
        for field in fields.fields {
            let name = head.count
            head += field.name.utf8
            let value = head.count
            head += field.value.utf8
            append(Entry(field: FieldName(field.name.utf8.span), name: name..<value, value: value..<head.count))
        }
        end(head: head.span)
    }

    /// Every field as text.
    var all: HeaderFields {
        var fields = HeaderFields()
        forEach { _, name, value in fields.append(name: name.text, value: value.text) }
        return fields
    }
}
