internal import CMicroHTTPD
internal import Serialization

/// One answer, ready to be sent. `Content-Length`, `Date`, `Connection` and `X-Request-ID` are added by the exchange.
struct Response: ~Copyable, Sendable {
    var status: Int

    /// A name or value with a line break in it costs the client the answer: see ``queue(on:requestID:closes:)``.
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
    ///
    /// Where the library refuses a field, because it would break the answer's own framing, nothing is sent and the
    /// connection closes: no answer is better than a forged one.
    /// - Parameter closes: whether the connection ends with this answer.
    consuming func queue(on handle: OpaquePointer, requestID: String, closes: Bool) -> cmhd_verdict {
        let status = UInt32(clamping: self.status)
        let fields = self.fields
        let bytes = unsafe content.take()
        // The library takes the memory over, and releases it with `free`, as it was made for.
        guard let response = unsafe cmhd_response_create(bytes.baseAddress, bytes.count) else { return CMHD_CLOSE }
        var isComplete = unsafe Self.add("X-Request-ID", requestID, to: response)
        for field in fields {
            isComplete = unsafe Self.add(field.name, field.value, to: response) && isComplete
        }
        if closes {
            isComplete = unsafe Self.add("Connection", "close", to: response) && isComplete
        }
        guard isComplete else {
            unsafe cmhd_response_discard(response)
            return CMHD_CLOSE
        }
        return unsafe cmhd_response_queue(handle, status, response)
    }

    /// The library copies both. `withCString` lends a string's own bytes, where passing the string would copy them twice.
    private static func add(_ name: String, _ value: String, to response: OpaquePointer) -> Bool {
        unsafe name.withCString { name in
            unsafe value.withCString { value in unsafe cmhd_response_add(response, name, value) != 0 }
        }
    }
}
