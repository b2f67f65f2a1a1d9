import Serialization
import Testing

@testable import HTTP
@testable import Service

/// A record of a web archive has an end of its own, and crawlers store decoded content with the fields of the transfer.
@Suite struct ArchivedMessageTests {
    private func content(_ text: String, isArchived: Bool = true) throws -> (String, [Warning.Kind]) {
        let bytes = Array(text.utf8)
        let message = try MessageReader.read(
            bytes.span,
            maxContentBytes: 1_000,
            allowsTruncation: false,
            isArchived: isArchived
        )
        let content =
            switch message.content {
            case .slice(let range): String(decoding: bytes[range], as: UTF8.self)
            case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
            }
        return (content, message.response.message?.warnings.map(\.kind) ?? [])
    }

    /// Returns the reason why a message is rejected, and `nil` if it is read.
    private func rejection(of text: String) throws -> MessageError.Reason? {
        do {
            _ = try content(text)
            return nil
        } catch let error as MessageError {
            guard case .rejected(let reason, _) = error else { throw error }
            return reason
        }
    }

    @Test(arguments: ["", "Connection: close\r\n"])
    func `content that is longer than Content-Length is used completely`(fields: String) throws {
        let text = "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 3\r\n\r\n[1,2,3]"
        let (found, warnings) = try content(text)
        #expect(found == "[1,2,3]" && warnings == [.lengthMismatch(declared: 3, received: 7)])
        #expect((try? content(text, isArchived: false).0) == (fields.isEmpty ? "[1," : nil))
    }

    @Test func `line ends after the content are not part of it`() throws {
        let (found, warnings) = try content("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[1]\r\n\r\n")
        #expect(found == "[1]" && warnings == [.messageTrailingBytes(4)])
    }

    @Test(arguments: [204, 304]) func `the content of a response that has none is removed`(status: Int) throws {
        let (found, warnings) = try content("HTTP/1.1 \(status)\r\nContent-Length: 3\r\n\r\n[1]")
        #expect(found == "" && warnings == [.messageTrailingBytes(3)])
        #expect(
            try rejection(of: "HTTP/1.1 \(status)\r\nConnection: close\r\n\r\n[1]") == .bytesAfterClose(3)
        )
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\ncontent-length: 3\r\n\r\n[1]",
        "HTTP/1.1 200 OK\r\nContent-Length: 3, 3 ,3\r\nContent-Length: 3\r\n\r\n[1]",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n[1]\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: -1\r\n\r\n3\r\n[1]\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3\r\n[1]\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n[1]\r\n0\r\n\r\n",
    ])
    func `fields of the transfer that have an order of precedence may contradict each other`(text: String) throws {
        let (found, warnings) = try content(text)
        #expect(found == "[1]" && warnings == [])
        #expect(throws: MessageError.self) { try content(text, isArchived: false) }
    }

    @Test(arguments: [
        ("Content-Length: 3\r\nContent-Length: 4\r\n", MessageError.Reason.repeatedContentLength),
        ("Content-Length: -1\r\n", .invalidContentLength("-1")),
        ("Content-Length: 3\r\nContent-Length: x\r\n", .repeatedContentLength),
        ("Content-Length: 3, 4\r\n", .invalidContentLength("3, 4")),
        ("Content-Length: 3,\r\n", .invalidContentLength("3,")),
        ("Content-Length: 4, 4\r\n", .endsInContent(declared: 4, received: 3)),
        ("Content-Length: 4\r\n", .endsInContent(declared: 4, received: 3)),
    ])
    func `other contradictions are errors`(fields: String, reason: MessageError.Reason) throws {
        #expect(try rejection(of: "HTTP/1.1 200 OK\r\n\(fields)\r\n[1]") == reason)
    }

    /// GNU Wget stores one line after that of the last chunk, whether it is the empty one or a trailer.
    @Test(arguments: [
        ("", []), ("\r", []), ("A", []), ("A: b\r", []), ("A: b\r\n", ["A=b"]), ("A: b\r\nB: c\r\nC", ["A=b", "B=c"]),
    ])
    func `chunks are complete if the message ends in the trailer section`(rest: String, trailers: [String]) throws {
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n[1]\r\n0\r\n\(rest)"
        let message = try MessageReader.read(
            Array(text.utf8).span,
            maxContentBytes: 100,
            allowsTruncation: false,
            isArchived: true
        )
        let fields = message.response.message?.trailers.fields ?? []
        #expect(fields.map { "\($0.name)=\($0.value)" } == trailers)
        let (found, warnings) = try content(text)
        #expect(found == "[1]" && warnings == [])
        #expect(throws: MessageError.self) { try content(text, isArchived: false) }
    }

    @Test(arguments: ["3\r\n[1]\r\n0\r", "3\r\n[1]\r\n", "3\r\n[1"])
    func `chunks without the line of the last one are truncated`(chunks: String) throws {
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)"
        let bytes = chunks.hasSuffix("[1") ? 2 : 3
        #expect(try rejection(of: text) == .endsInContent(declared: nil, received: bytes))
    }

    @Test func `the heads before the response are read like it`() throws {
        let text =
            "HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n[]"
        #expect(try content(text).0 == "[]")
    }

    /// curl(1) omits the content of such a response, and the next one follows.
    @Test(arguments: [(302, "Location: /x\r\n"), (401, ""), (407, "Content-Length: 3\r\n"), (417, ""), (200, "")])
    func `content that looks like a response does not replace that of the record`(status: Int, fields: String) throws {
        let content = "HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\n\r\n{\"a\":1}"
        for interim in ["", "HTTP/1.1 100 Continue\r\n\r\n"] {
            let text = "\(interim)HTTP/1.1 \(status) Status\r\n\(fields)\r\n\(content)"
            let response = { (isArchived: Bool) throws in
                try MessageReader.read(
                    Array(text.utf8).span,
                    maxContentBytes: 100,
                    allowsTruncation: false,
                    isArchived: isArchived
                ).response
            }
            let archived = try response(true)
            #expect(archived.status == status && archived.message?.history.count == (interim.isEmpty ? 0 : 1))
            #expect(try self.content(text).0 == content)
            #expect(try response(false).status == 202)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\nContent-Length: 3\n\n[1]", "HTTP/1.1 200 OK\nContent-Length: 3\r\n\n[1]",
        "HTTP/1.1 200 OK\r\nA: b\nContent-Length: 3\n\r\n[1]", "\n\r\nHTTP/1.1 200\n\n[1]",
        "HTTP/1.1 100 Continue\n\n\nHTTP/1.1 103 Early Hints\nA: b\n\nHTTP/1.1 200 OK\n\n[1]",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3\r\n[1]\r\n0\r\n\r\n",
    ])
    func `a line of a head may end with a bare line feed`(text: String) throws {
        #expect(try content(text).0 == "[1]")
        #expect(throws: MessageError.self) { try content(text, isArchived: false) }
    }

    @Test func `the fields of lines that end with a bare line feed are those of the response`() throws {
        let text = "HTTP/1.1 200 OK\nA: b \r\nB:\n\r\n\n[1]"
        let message = try MessageReader.read(
            Array(text.utf8).span,
            maxContentBytes: 100,
            allowsTruncation: false,
            isArchived: true
        )
        #expect(message.response.fields.fields.map { "\($0.name)=\($0.value)" } == ["A=b", "B="])
        #expect(try content(text).0 == "\n[1]")
    }

    @Test(arguments: [
        ("A: b\n c\n\n", MessageError.Reason.foldedFieldLine), ("A: b\n\tc: d\n\n", .foldedFieldLine),
        ("A: b\nc\n\n", .fieldLineWithoutColon), ("A: b\rc: d\n\n", .invalidFieldValue(name: "A", byte: 0x0D)),
        ("A: b\r\r\n\n", .invalidFieldValue(name: "A", byte: 0x0D)), ("A: b\n\r\r\n", .fieldLineWithoutColon),
        ("A: b\n", .endsInHead),
    ])
    func `a bare line feed is only an end of a line`(fields: String, reason: MessageError.Reason) throws {
        #expect(try rejection(of: "HTTP/1.1 200 OK\n\(fields)") == reason)
    }
}
