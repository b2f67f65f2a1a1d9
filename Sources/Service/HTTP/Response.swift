internal import CMicroHTTPD
internal import Glibc
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

extension Response {
    /// Hands the response to the library, the content's memory included.
    /// - Parameter closes: whether the connection ends with this answer.
    consuming func queue(on handle: OpaquePointer, requestID: String, closes: Bool) -> cmhd_verdict {
        let status = UInt32(clamping: self.status)
        let fields = self.fields
        let bytes = unsafe content.take()
        // The library takes the memory over, and releases it with `free`, as it was made for.
        guard let response = unsafe cmhd_response_create(bytes.baseAddress, bytes.count) else { return CMHD_CLOSE }
        var isComplete = unsafe cmhd_response_add(response, "X-Request-ID", requestID) != 0
        for field in fields {
            isComplete = unsafe cmhd_response_add(response, field.name, field.value) != 0 && isComplete
        }
        if closes {
            isComplete = unsafe cmhd_response_add(response, "Connection", "close") != 0 && isComplete
        }
        guard isComplete else {
            // A field that would break the answer's own framing: no answer is better than a forged one.
            unsafe cmhd_response_discard(response)
            return CMHD_CLOSE
        }
        return unsafe cmhd_response_queue(handle, status, response)
    }
}
