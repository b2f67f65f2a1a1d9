internal import CMicroHTTPD
package import Primitives

/// A response that is ready to be sent. `Content-Length`, `Date`, `Connection`, `X-Request-ID`,
/// `X-Content-Type-Options` and `Server-Timing` are added when it is sent.
package struct Response: ~Copyable, Sendable {
    package var status: Int

    /// The value of `Content-Type`; `nil` if there is no content. It is not sent with 304.
    package var contentType: StaticString?

    /// The other fields. If a name or value contains a line break, the response is not sent: see
    /// ``queue(on:requestID:timing:closes:)``.
    package var fields: [HeaderFields.Field]

    package var content: ResponseContent

    /// What the application knows about the response when the exchange is complete.
    package var note = ApplicationNote()

    /// Whether the content and the fields are the representation that the request wants (``ResponseRepresentation``).
    var hasRepresentation = false

    /// Whether `fields` contain `Server-Timing`.
    package var hasTiming = false

    /// How the memory of the content is charged.
    package var charge: ResponseCharge

    package init(
        status: Int,
        contentType: StaticString?,
        fields: [HeaderFields.Field] = [],
        content: consuming ResponseContent
    ) {
        self.status = status
        self.contentType = contentType
        self.fields = fields
        charge = content.isShared ? .once : .pending
        self.content = content
    }

    package init(
        status: Int,
        contentType: StaticString?,
        fields: [HeaderFields.Field] = [],
        content: consuming OutputBuffer
    ) {
        self.init(status: status, contentType: contentType, fields: fields, content: .buffer(content))
    }
}

extension Response {
    /// Passes the response to the library, which takes ownership of the content, or retains a reference to it.
    ///
    /// If the library rejects a field, because it would break the framing of the response, nothing is sent and the
    /// connection is closed. This prevents response splitting.
    /// - Parameters:
    ///   - timing: the value of `Server-Timing`; `nil` if there is none.
    ///   - closes: whether the connection is closed after this response.
    consuming func queue(
        on handle: OpaquePointer,
        requestID: RequestID,
        timing: ServerTiming?,
        closes: Bool
    ) -> cmhd_verdict {
        let (status, contentType, fields) = (status, contentType, fields)
        guard let response = unsafe Self.create(content) else { return CMHD_CLOSE }
        var isComplete = unsafe requestID.withCString { unsafe Self.add("X-Request-ID", $0, to: response) }
        // The response contains text of the upstream. A browser must not guess its type.
        isComplete = unsafe Self.add("X-Content-Type-Options", "nosniff", to: response) && isComplete
        if let contentType, status != 304 {
            isComplete = unsafe Self.add("Content-Type", contentType, to: response) && isComplete
        }
        if let timing {
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

    private static func create(_ content: consuming ResponseContent) -> OpaquePointer? {
        switch consume content {
        case .buffer(let buffer):
            let bytes = unsafe buffer.take()
            // The library takes ownership of the memory, which was allocated with `malloc`, and releases it with
            // `free`.
            return unsafe cmhd_response_create(bytes.baseAddress, bytes.count)
        case .shared(let content): return unsafe content.makeResponse()
        }
    }

    /// Adds a field. The library copies the name and the value.
    private static func add(_ name: StaticString, _ value: UnsafePointer<CChar>, to response: OpaquePointer) -> Bool {
        // A literal is terminated by a zero byte. C does not distinguish the two types of its bytes.
        unsafe cmhd_response_add(response, name.utf8Start, value) != 0
    }

    private static func add(_ name: StaticString, _ value: StaticString, to response: OpaquePointer) -> Bool {
        unsafe cmhd_response_add(response, name.utf8Start, value.utf8Start) != 0
    }
}

extension Response {
    /// Appends fields. A value of `Vary` is appended to the one that is there.
    package mutating func append(_ added: [HeaderFields.Field]) {
        for field in added {
            if field.name == "Vary", let index = fields.firstIndex(where: { $0.name == "Vary" }) {
                fields[index].value += ", " + field.value
            } else {
                fields.append(field)
            }
        }
    }

    /// Returns the content. Other modules cannot consume a single property.
    package consuming func takeContent() -> ResponseContent { content }

    /// Returns the response as an HTTP/1.1 message that closes its connection, for a connection that the library does
    /// not handle. The content is included only if it is a buffer.
    func message(requestID: RequestID) -> [UInt8] {
        var content: [UInt8] = []
        switch self.content {
        case .buffer(let buffer): content = [UInt8](buffer)
        case .shared: break
        }
        var text = "HTTP/1.1 \(status) \(ReasonPhrase.of(status))\r\n"
        text += "X-Request-ID: \(requestID.text)\r\nX-Content-Type-Options: nosniff\r\n"
        if let contentType { text += "Content-Type: \(contentType)\r\n" }
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        text += "Content-Length: \(content.count)\r\nConnection: close\r\n\r\n"
        return Array(text.utf8) + content
    }
}
