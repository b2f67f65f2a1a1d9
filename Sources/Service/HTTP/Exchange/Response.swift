internal import CMicroHTTPD
internal import Serialization

/// One answer, ready to be sent. `Content-Length`, `Date`, `Connection`, `X-Request-ID` and `X-Content-Type-Options` are
/// added when it is.
struct Response: ~Copyable, Sendable {
    var status: Int

    /// Nil where there is no content to have a type.
    var contentType: StaticString?

    /// How long the decoding took, in nanoseconds: `Server-Timing`.
    var decodingNanoseconds: UInt64?

    /// A name or value with a line break in it costs the client the answer: see ``queue(on:requestID:closes:)``.
    var fields: [HeaderFields.Field]

    var content: OutputBuffer

    init(
        status: Int,
        contentType: StaticString?,
        fields: [HeaderFields.Field] = [],
        content: consuming OutputBuffer
    ) {
        self.status = status
        self.contentType = contentType
        self.fields = fields
        self.content = content
    }
}

extension Response {
    /// Hands the response to the library, the content's memory included.
    ///
    /// Where the library refuses a field, because it would break the answer's own framing, nothing is sent and the
    /// connection closes: no answer is better than a forged one.
    /// - Parameter closes: whether the connection ends with this answer.
    consuming func queue(on handle: OpaquePointer, requestID: RequestID, closes: Bool) -> cmhd_verdict {
        let bytes = unsafe content.take()
        // The library takes the memory over, and releases it with `free`, as it was made for.
        guard let response = unsafe cmhd_response_create(bytes.baseAddress, bytes.count) else { return CMHD_CLOSE }
        var isComplete = unsafe requestID.withCString { unsafe Self.add("X-Request-ID", $0, to: response) }
        // Answers carry text of the upstream's: no browser may guess another type for it.
        isComplete = unsafe Self.add("X-Content-Type-Options", "nosniff", to: response) && isComplete
        if let contentType {
            isComplete = unsafe Self.add("Content-Type", contentType, to: response) && isComplete
        }
        if let decodingNanoseconds {
            let timing = ServerTiming(decodingNanoseconds: decodingNanoseconds)
            let isAdded = unsafe timing.text.span.bytes.withCString {
                unsafe Self.add(ServerTiming.name, $0, to: response)
            }
            isComplete = isAdded && isComplete
        }
        for field in fields {
            let isAdded = unsafe field.name.withCString { name in
                unsafe field.value.withCString { value in unsafe cmhd_response_add(response, name, value) != 0 }
            }
            isComplete = isAdded && isComplete
        }
        if closes {
            isComplete = unsafe Self.add("Connection", "close", to: response) && isComplete
        }
        guard isComplete else {
            unsafe cmhd_response_discard(response)
            return CMHD_CLOSE
        }
        return unsafe cmhd_response_queue(handle, UInt32(clamping: status), response)
    }

    /// The library copies both.
    private static func add(_ name: StaticString, _ value: UnsafePointer<CChar>, to response: OpaquePointer) -> Bool {
        unsafe cmhd_response_add(response, name.cString, value) != 0
    }

    private static func add(_ name: StaticString, _ value: StaticString, to response: OpaquePointer) -> Bool {
        unsafe cmhd_response_add(response, name.cString, value.cString) != 0
    }
}

extension Response {
    /// The response as it is sent where there is no library, in HTTP/1.1. It closes its connection.
    func message(requestID: RequestID) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(ReasonPhrase.of(status))\r\n"
        text += "X-Request-ID: \(requestID.text)\r\nX-Content-Type-Options: nosniff\r\n"
        if let contentType { text += "Content-Type: \(contentType)\r\n" }
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        text += "Content-Length: \(content.count)\r\nConnection: close\r\n\r\n"
        return Array(text.utf8) + content.withBytes { span in span.indices.map { span[$0] } }
    }
}

extension StaticString {
    /// The literal, which ends in a zero byte.
    fileprivate var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
