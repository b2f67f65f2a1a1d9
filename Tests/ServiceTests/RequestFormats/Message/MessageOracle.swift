import Serialization

// Tests/Fuzz/build compiles this file, the oracles and the reader as one module.
#if canImport(Service)
    import FuzzOracles

    @testable import Service
#endif

/// Checks what must be true for every message, whether it is accepted or not.
enum MessageOracle {
    private static let maxContentBytes = 1 << 20

    /// Returns the first violation.
    static func violation(for message: [UInt8]) -> String? {
        let isTruncationAllowed = [false, true]
        for allowsTruncation in isTruncationAllowed {
            let result = read(message, allowsTruncation)
            guard result == read(message, allowsTruncation) else { return "the second result differs" }
            switch result {
            case .success(let read):
                if let violation = violation(read, of: message) { return violation }
            case .failure(.rejected(_, let at)):
                guard 0...message.count ~= at.byte else { return "an error is at \(at.byte) of \(message.count)" }
            case .failure(.contentTooLarge): break
            }
        }
        return nil
    }

    private static func read(_ message: [UInt8], _ allowsTruncation: Bool = false) -> Result<Message, MessageError> {
        // A buffer of the exact size, so that AddressSanitizer notices a read beyond it.
        var exact: [UInt8] = []
        exact.reserveCapacity(message.count)
        exact += message
        do {
            return .success(
                try MessageReader.read(exact.span, maxContentBytes: maxContentBytes, allowsTruncation: allowsTruncation)
            )
        } catch {
            return .failure(error)
        }
    }

    private static func violation(_ read: Message, of message: [UInt8]) -> String? {
        guard let facts = read.response.message else { return "a message has no facts" }
        let content: [UInt8]
        switch read.content {
        case .slice(let range):
            guard range.lowerBound >= 0, range.upperBound <= message.count else { return "content at \(range)" }
            content = Array(message[range])
        case .bytes(let bytes):
            content = bytes
        }
        guard facts.history.count <= MessageFacts.maxHistory else { return "the history is too long" }
        for warning in facts.warnings {
            guard let byte = warning.location?.byte else { continue }
            guard 0...message.count ~= byte else { return "a warning is at \(byte) of \(message.count)" }
        }
        return violation(read.response, facts, content) ?? violationOfChunks(read.response, facts, content, message)
    }

    // MARK: Writing again

    private static let framing = ["content-length", "transfer-encoding", "connection", "trailer"]

    /// Writes the response with a length and in chunks, and expects that both are read as the same response.
    private static func violation(_ response: UpstreamResponse, _ facts: MessageFacts, _ content: [UInt8]) -> String? {
        let fields = response.fields.fields.filter { field in
            !framing.contains { field.name.equalsIgnoringASCIICase($0) }
        }
        var head = "HTTP/1.1 \(response.status)\r\n"
        for field in fields { head += field.name + ": " + field.value + "\r\n" }
        guard fields.count + 1 < Message.maxFields, head.utf8.count < Message.maxHeadBytes - 100 else { return nil }
        let length = "Content-Length: \(content.count)\r\n\r\n"
        if let violation = difference(Array((head + length).utf8) + content, response, fields, content, []) {
            return "with a length, \(violation)"
        }
        guard ![101, 204, 304].contains(response.status) else { return nil }
        var chunks = Array((head + "Transfer-Encoding: chunked\r\n\r\n").utf8)
        var size = 1
        var offset = 0
        while offset < content.count {
            let chunk = content[offset..<min(offset + size, content.count)]
            chunks += Array((String(chunk.count, radix: 16) + ";n=\"\(size)\"\r\n").utf8) + chunk + [13, 10]
            offset = chunk.endIndex
            size = size * 2 + 1
        }
        chunks += Array("0\r\n".utf8)
        for field in facts.trailers.fields { chunks += Array((field.name + ":" + field.value + "\r\n").utf8) }
        chunks += [13, 10]
        return difference(chunks, response, fields, content, facts.trailers.fields).map { "in chunks, \($0)" }
    }

    private static func difference(
        _ message: [UInt8],
        _ response: UpstreamResponse,
        _ fields: [HeaderFields.Field],
        _ content: [UInt8],
        _ trailers: [HeaderFields.Field]
    ) -> String? {
        guard case .success(let read) = read(message), let facts = read.response.message else {
            return "it is rejected: \(read(message))"
        }
        guard facts.warnings.isEmpty, facts.history.isEmpty else { return "it has \(facts.warnings), \(facts.history)" }
        guard read.response.status == response.status else { return "the status is \(read.response.status)" }
        let readFields = read.response.fields.fields.filter { field in
            !framing.contains { field.name.equalsIgnoringASCIICase($0) }
        }
        guard readFields == fields else { return "the fields are \(readFields)" }
        guard facts.trailers.fields == trailers else { return "the trailers are \(facts.trailers)" }
        let readContent =
            switch read.content {
            case .slice(let range): Array(message[range])
            case .bytes(let bytes): bytes
            }
        return readContent == content ? nil : "the content is \(readContent)"
    }

    // MARK: The model

    /// Compares the content of chunks with that of the model of request streams, which shares no code with the reader.
    private static func violationOfChunks(
        _ response: UpstreamResponse,
        _ facts: MessageFacts,
        _ content: [UInt8],
        _ message: [UInt8]
    ) -> String? {
        let isUndone = facts.warnings.contains { warning in
            switch warning.kind {
            case .messageNotChunked, .messageTruncated, .messageWithoutContent: true
            default: false
            }
        }
        guard response.fields.first("transfer-encoding") != nil, !isUndone, facts.history.isEmpty,
            facts.unlistedResponses == 0, ![101, 204, 304].contains(response.status)
        else { return nil }
        var start = 0
        while message[start...].starts(with: [13, 10]) { start += 2 }
        let end = Array("\r\n\r\n".utf8)
        while start < message.count, !message[start...].starts(with: end) { start += 1 }
        let request = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        let model = ModelRequestStream(reading: request + message[min(start + 4, message.count)...])
        guard let modelContent = model.requests.first?.content else { return "the model rejects the chunks" }
        return modelContent == content ? nil : "the model has \(modelContent.count) bytes of \(content.count)"
    }
}
