internal import Serialization

/// One answer, ready to be sent. `Content-Length`, `Date`, `Connection` and `X-Request-ID` are added by the exchange.
struct Response: ~Copyable, Sendable {
    var status: Int
    var fields: [HeaderFields.Field]
    var content: OutputBuffer

    init(status: Int, contentType: String?, fields: [HeaderFields.Field] = [], content: consuming OutputBuffer) {
        self.status = status
        self.fields = fields
        if let contentType {
            self.fields.append(HeaderFields.Field(name: "Content-Type", value: contentType))
        }
        self.content = content
    }
}
