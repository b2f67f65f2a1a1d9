import Serialization
import TestSupport
import Testing

@testable import HTTP
@testable import Service

@Suite struct MessageReaderTests {
    private static let ok = "HTTP/1.1 200 OK\r\n"

    private static func read(_ text: String, maxContentBytes: Int = 1 << 20, truncated: Bool = false)
        throws(MessageError)
        -> Message
    {
        let bytes = Array(text.utf8)
        return try MessageReader.read(bytes.span, maxContentBytes: maxContentBytes, allowsTruncation: truncated)
    }

    private static func content(of message: Message, in text: String) -> String {
        switch message.content {
        case .slice(let range): String(decoding: Array(text.utf8)[range], as: UTF8.self)
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    private func expect(_ text: String, content: String, warnings: [Warning.Kind] = [], truncated: Bool = false) throws
    {
        let message = try Self.read(text, truncated: truncated)
        #expect(Self.content(of: message, in: text) == content)
        #expect(message.response.message?.warnings.map(\.kind) == warnings)
    }

    private func expectRejected(_ text: String, _ reason: MessageError.Reason, _ byte: Int, _ line: Int, _ column: Int)
    {
        #expect(throws: MessageError.rejected(reason, at: SourceLocation(byte: byte, line: line, column: column))) {
            try Self.read(text)
        }
    }

    // MARK: Status lines

    @Test(arguments: [
        ("HTTP/1.1 200 OK", 200), ("HTTP/1.1 200", 200), ("HTTP/1.1 200 ", 200), ("HTTP/1.0 404 Not\tFound", 404),
        ("HTTP/2 201", 201), ("HTTP/2 201 ", 201), ("HTTP/2.0 599 x", 599), ("HTTP/3 999", 999),
        ("HTTP/0.9 200 OK", 200),
        ("HTTP/1.1 500 Ori\u{EB}ntatie", 500), ("\r\nHTTP/1.1 200 OK", 200),
    ])
    func `a status line has a version, three digits, and optionally a reason`(line: String, status: Int) throws {
        let message = try Self.read(line + "\r\n\r\n")
        #expect(message.response.status == status)
        #expect(message.response.statusAssumed == false)
    }

    @Test(arguments: [
        ("{\"a\":1}", 0), ("GET / HTTP/1.1", 0), ("HTTPER/1.1 200 OK", 4), ("HTTP/x 200", 5), ("HTTP/1.1  200", 9),
        ("HTTP/1.1 20", 9), ("HTTP/1.1 2000", 12), ("HTTP/1.1 099", 9), ("HTTP/1.1 2x0", 9), ("HTTP/1.1", 8),
        ("HTTP/1.1\t200 OK", 5), ("HTTP/1.1 200 a\u{1}b", 14), ("http/1.1 200 OK", 0), ("ICE/1.1 200 OK", 0),
    ])
    func `any other line is rejected at its first invalid byte`(line: String, offset: Int) throws {
        #expect {
            try Self.read(line + "\r\n\r\n")
        } throws: { error in
            guard case .rejected(let reason, at: let at) = error as? MessageError else { return false }
            switch reason {
            case .invalidStatusLine, .unsupportedVersion: return at.byte == offset
            default: return false
            }
        }
    }

    @Test(arguments: ["1.2", "4", "2.1", "1", "11", "1.10"])
    func `any other version is rejected`(version: String) {
        expectRejected("HTTP/\(version) 200 OK\r\n\r\n", .unsupportedVersion(version), 5, 1, 6)
    }

    // MARK: Field lines

    @Test func `faults of field lines have locations`() {
        expectRejected(Self.ok + "A: b\n\r\n", .bareLineFeed, 21, 2, 5)
        expectRejected("HTTP/1.1 200 OK\nA: b\n\n", .bareLineFeed, 15, 1, 16)
        expectRejected(Self.ok + "A: b\r\n c\r\n\r\n", .foldedFieldLine, 23, 3, 1)
        expectRejected(Self.ok + " A: b\r\n\r\n", .foldedFieldLine, 17, 2, 1)
        expectRejected(Self.ok + "A b\r\n\r\n", .fieldLineWithoutColon, 17, 2, 1)
        expectRejected(Self.ok + "A : b\r\n\r\n", .whitespaceBeforeColon(name: "A"), 18, 2, 2)
        expectRejected(Self.ok + "a b: c\r\n\r\n", .invalidFieldName(found: "a space"), 18, 2, 2)
        expectRejected(Self.ok + ": c\r\n\r\n", .invalidFieldName(found: "':'"), 17, 2, 1)
        expectRejected(Self.ok + "A: b\0c\r\n\r\n", .invalidFieldValue(name: "A", byte: 0), 21, 2, 5)
        expectRejected(Self.ok + "A: b\rc\r\n\r\n", .invalidFieldValue(name: "A", byte: 13), 21, 2, 5)
        expectRejected(Self.ok + "A: b\r\r\n\r\n", .invalidFieldValue(name: "A", byte: 13), 21, 2, 5)
    }

    @Test func `fields keep their order and their names`() throws {
        let message = try Self.read(Self.ok + "B:1\r\na:  2\t\r\nB:\r\nX_y: é\r\n\r\n")
        let expected = [("B", "1"), ("a", "2"), ("B", ""), ("X_y", "é")]
        #expect(message.response.fields == HeaderFields(expected.map { .init(name: $0.0, value: $0.1) }))
        #expect(message.response.hasAllFields)
    }

    @Test func `a head has at most 64 KiB and 1000 fields`() throws {
        let maximum = Message.maxHeadBytes - Self.ok.utf8.count - 2 - 4
        let longest = Self.ok + "A:" + String(repeating: "b", count: maximum) + "\r\n\r\n"
        #expect(longest.utf8.count == Message.maxHeadBytes)
        #expect(try Self.read(longest + "x").content == .slice(Message.maxHeadBytes..<(Message.maxHeadBytes + 1)))
        let longer = Self.ok + "A:" + String(repeating: "b", count: maximum + 1) + "\r\n\r\n"
        expectRejected(longer, .headTooLarge, Message.maxHeadBytes, 3, 1)
        let endless = Self.ok + "A:" + String(repeating: "b", count: 1 << 17)
        expectRejected(endless, .headTooLarge, Message.maxHeadBytes, 2, Message.maxHeadBytes - 16)
        func fields(_ count: Int) -> String { Self.ok + String(repeating: "A:\r\n", count: count) + "\r\n" }
        for count in [0, 1, 128, 256, 1_000] {
            #expect(try Self.read(fields(count)).response.fields.fields.count == count)
        }
        expectRejected(fields(1_001), .tooManyFields, 4_017, 1_002, 1)
        expectRejected(fields(4_000), .tooManyFields, 4_017, 1_002, 1)
    }

    // MARK: Framing

    @Test func `content has its declared length, or ends with the message`() throws {
        try expect(Self.ok + "Content-Length: 2\r\n\r\nab", content: "ab")
        try expect(Self.ok + "Content-Length: 0\r\n\r\n", content: "")
        try expect(Self.ok + "content-length:\t2\t\r\n\r\nab", content: "ab")
        try expect(Self.ok + "\r\nab\r\n", content: "ab\r\n")
        try expect("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nHTTP/1.0 200 OK", content: "HTTP/1.0 200 OK")
    }

    @Test(arguments: ["-1", "+1", "1,1", "1, 2", "0x1", "", "1 1", "99999999999999999999", "１"])
    func `a length is one decimal number`(value: String) {
        expectRejected(
            Self.ok + "Content-Length: \(value)\r\n\r\nab",
            .invalidContentLength(value),
            value.isEmpty ? 33 : 33,
            2,
            17
        )
    }

    @Test func `contradictory framing is rejected`() {
        expectRejected(Self.ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nab", .repeatedContentLength, 36, 3, 1)
        for fields in [
            "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
        ] {
            #expect {
                try Self.read(Self.ok + fields + "\r\n0\r\n\r\n")
            } throws: {
                guard case .rejected(.contentLengthWithTransferEncoding, at: let at) = $0 as? MessageError else {
                    return false
                }
                return at.line == 3
            }
        }
        for line in ["HTTP/1.0 200 OK", "HTTP/2 200", "HTTP/0.9 200"] {
            expectRejected(
                line + "\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                .transferEncodingInOtherVersion,
                line.utf8.count + 2,
                2,
                1
            )
        }
        for coding in [
            "gzip, chunked", "chunked, chunked", "identity", "chunked, deflate", "chunkedchunked", "xchunked", "",
        ] {
            expectRejected(
                Self.ok + "Transfer-Encoding: \(coding)\r\n\r\n0\r\n\r\n",
                .unsupportedTransferEncoding(coding),
                36,
                2,
                20
            )
        }
        expectRejected(
            Self.ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            .unsupportedTransferEncoding("chunked"),
            64,
            3,
            20
        )
    }

    @Test func `a message that ends early is rejected, unless truncation is allowed`() throws {
        expectRejected("", .empty, 0, 1, 1)
        expectRejected("\r\n\r\n", .empty, 4, 3, 1)
        expectRejected("HTTP", .endsInHead, 4, 1, 5)
        expectRejected("HTTP/1.1 200 OK\r\nA: b", .endsInHead, 21, 2, 5)
        expectRejected("HTTP/1.1 200 OK\r\nA: b\r\n", .endsInHead, 23, 3, 1)
        expectRejected("HTTP/1.1 100 Continue\r\n\r\n", .endsBeforeFinalResponse, 25, 3, 1)
        let short = Self.ok + "Content-Length: 5\r\n\r\nabc"
        expectRejected(short, .endsInContent(declared: 5, received: 3), 41, 4, 4)
        try expect(short, content: "abc", warnings: [.messageTruncated(declared: 5, received: 3)], truncated: true)
        let chunks = Self.ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n5\r\nde"
        expectRejected(chunks, .endsInContent(declared: nil, received: 5), 60, 7, 3)
        try expect(chunks, content: "abcde", warnings: [.messageTruncated(declared: nil, received: 5)], truncated: true)
    }

    @Test func `bytes after the response are a warning, or an error if the connection was closed`() throws {
        let length = "Content-Length: 3\r\n"
        let next = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
        try expect(
            Self.ok + length + "\r\nabc" + next,
            content: "abc",
            warnings: [.messageTrailingBytes(next.utf8.count)]
        )
        try expect(
            Self.ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nx",
            content: "abc",
            warnings: [.messageTrailingBytes(1)]
        )
        expectRejected(Self.ok + length + "Connection: close\r\n\r\nabcd", .bytesAfterClose(1), 60, 5, 4)
        expectRejected("HTTP/1.0 200 OK\r\n" + length + "\r\nabcd", .bytesAfterClose(1), 41, 4, 4)
        try expect(
            Self.ok + length + "Connection: close\r\n\r\nabc\r\n",
            content: "abc",
            warnings: [.messageTrailingBytes(2)]
        )
        for status in ["204 No Content", "304 Not Modified", "101 Switching Protocols"] {
            try expect("HTTP/1.1 \(status)\r\n\r\nabc", content: "", warnings: [.messageTrailingBytes(3)])
        }
        expectRejected("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\nabc", .bytesAfterClose(3), 46, 4, 1)
    }

    @Test func `a head that announces content, at the end of the message, is the response to HEAD`() throws {
        try expect(Self.ok + "Content-Length: 5\r\n\r\n", content: "", warnings: [.messageWithoutContent(declared: 5)])
        try expect(
            Self.ok + "Transfer-Encoding: chunked\r\n\r\n",
            content: "",
            warnings: [.messageWithoutContent(declared: nil)]
        )
    }

    @Test func `content is limited after its transfer coding is decoded`() throws {
        let chunks = Self.ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        #expect(try Self.read(chunks, maxContentBytes: 5).content == .bytes(Array("abcde".utf8)))
        #expect(throws: MessageError.contentTooLarge(max: 4)) { try Self.read(chunks, maxContentBytes: 4) }
        #expect(throws: MessageError.contentTooLarge(max: 0)) { try Self.read(Self.ok + "\r\na", maxContentBytes: 0) }
        #expect(try Self.read(Self.ok + "\r\n", maxContentBytes: 0).content == .slice(19..<19))
    }

    // MARK: Chunks

    private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"

    @Test func `a single chunk is not copied, and trailers are kept`() throws {
        let text = Self.chunked + "3;a=\"b;\\\"\";c\r\nabc\r\n000\r\nX-T: 1\r\nx-u:2\r\n\r\n"
        let message = try Self.read(text)
        guard case .slice = message.content else {
            Issue.record("the content was copied")
            return
        }
        #expect(Self.content(of: message, in: text) == "abc")
        let expected = HeaderFields([.init(name: "X-T", value: "1"), .init(name: "x-u", value: "2")])
        #expect(message.response.message?.trailers == expected)
        let empty = try Self.read(Self.chunked + "0\r\nX-T: 1\r\n\r\n")
        #expect(empty.response.message?.trailers.fields.count == 1)
        #expect(try Self.read(Self.chunked + "0\r\n\r\n").response.message?.trailers.isEmpty == true)
    }

    @Test(arguments: [
        "5\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n", "5;a\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n",
        "5\r\nhello\r\n0\n\r\n",
        "5\r\nhello\r\n0\r\n\n", "5;\0\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\nX : y\r\n\r\n",
        "5\r\nhello\r\n0\r\nX: y\r\n z\r\n\r\n", "5\r\nhello\r\n0\r\nX: \u{01}\r\n\r\n", "zz\r\nhello\r\n0\r\n\r\n",
        "\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "5 \r\nhello\r\n0\r\n\r\n",
        "5\rhello\r0\r\r", "5\r\nhelloXX0\r\n\r\n", "5\r\nhello\r\n0\r\nnocolon\r\n\r\n",
        "fffffffffffffffff\r\nhello\r\n0\r\n\r\n", "00000000000000005\r\nhello\r\n0\r\n\r\n",
        "8000000000000000\r\nhello\r\n0\r\n\r\n", "2;\r\naa\r\n0\r\n\r\n", "2;a=\r\naa\r\n0\r\n\r\n",
        "2;a=\"b\r\naa\r\n0\r\n\r\n",
        "2;a=\"b\"c\r\naa\r\n0\r\n\r\n", "2;a b\r\naa\r\n0\r\n\r\n", "2;;\r\naa\r\n0\r\n\r\n",
        "2;a=\"\\\r\naa\r\n0\r\n\r\n",
        "2 x\r\naa\r\n0 x\r\n\r\n", "5\r\nhello\r\n5;=\r\nhello\r\n0\r\n\r\n",
    ])
    func `malformed chunks are rejected`(chunks: String) {
        #expect {
            try Self.read(Self.chunked + chunks)
        } throws: { error in
            guard case .rejected(.malformedChunk, at: let at) = error as? MessageError else { return false }
            return at.byte >= Self.chunked.utf8.count
        }
    }

    @Test func `an error of a chunk names what was expected, and its location`() {
        let start = Self.chunked.utf8.count
        expectRejected(
            Self.chunked + "3\r\nabcd\r\n",
            .malformedChunk(expected: ["CRLF after a chunk"], found: "'d'"),
            start + 6,
            5,
            4
        )
        expectRejected(
            Self.chunked + "3\r\nabc\r\nx\r\n",
            .malformedChunk(expected: ["a chunk size in hexadecimal digits"], found: "'x'"),
            start + 8,
            6,
            1
        )
    }

    @Test(arguments: [
        "2;a\r\naa\r\n0\r\n\r\n", "2; a = b ; c\r\naa\r\n0\r\n\r\n", "2;a=\"\\\"\u{80}\"\r\naa\r\n0;x=y\r\n\r\n",
        "02\r\naa\r\n0\r\n\r\n",
    ])
    func `extensions with the standard's syntax are accepted`(chunks: String) throws {
        try expect(Self.chunked + chunks, content: "aa")
    }

    @Test func `extensions and trailers together have at most 64 KiB`() throws {
        func chunks(_ count: Int) -> String { "2;" + String(repeating: "a", count: count) + "\r\naa\r\n0\r\n\r\n" }
        try expect(Self.chunked + chunks(Message.maxHeadBytes - 1), content: "aa")
        #expect {
            try Self.read(Self.chunked + chunks(Message.maxHeadBytes))
        } throws: {
            guard case .rejected(.headTooLarge, at: _) = $0 as? MessageError else { return false }
            return true
        }
    }

    @Test(arguments: [
        "{\"a\":1}", "<a/>", "hello\r\n", "Dear all,\n", "a b c", "[]\r\n\r\n", "BM\u{1}\u{2}", "\u{1F}\u{8B}",
    ])
    func `content whose chunks are decoded is used as it is`(content: String) throws {
        try expect(Self.chunked + content, content: content, warnings: [.messageNotChunked(mayBeSize: false)])
    }

    /// Hexadecimal digits alone may be a size without the rest of its line, which the warning says. Content of more
    /// digits is no size.
    @Test(arguments: ["0", "42", "1000000000000000", "abc", "00"])
    func `content of hexadecimal digits is used as it is`(content: String) throws {
        try expect(Self.chunked + content, content: content, warnings: [.messageNotChunked(mayBeSize: true)])
        let many = content + "0123456789abcdef"
        try expect(Self.chunked + many, content: many, warnings: [.messageNotChunked(mayBeSize: false)])
    }

    @Test(arguments: ["5;a", "5;", "42\r", "42\r\n", "5;a\r"])
    func `content that may be the beginning of a chunk is not used`(content: String) {
        let end = Self.chunked.utf8.count + content.utf8.count
        // A carriage return ends a line, too.
        let line = content.utf8.last == 0x0A || content.utf8.last == 0x0D ? 5 : 4
        expectRejected(
            Self.chunked + content,
            .endsInContent(declared: nil, received: 0),
            end,
            line,
            line == 5 ? 1 : content.unicodeScalars.count + 1
        )
    }

    @Test func `every beginning of a chunked message is rejected, except for its head, and the first size`() throws {
        let text = Self.chunked + "3;x\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nT: 1\r\n\r\n"
        let bytes = Array(text.utf8)
        let head = Self.chunked.utf8.count
        for count in 0..<bytes.count where count != head && count != head + 1 {
            #expect(throws: MessageError.self, "\(count)") {
                try MessageReader.read(bytes.span.extracting(0..<count), maxContentBytes: 100, allowsTruncation: false)
            }
        }
    }

    /// Each of the 16 names was compared at each offset: 64 KiB cost 110 million instructions.
    @Test func `announced trailers are searched for at colons, and only in tokens`() throws {
        let names = (0..<16).map { "x-long-name-\($0)" }.joined(separator: ",")
        func message(_ content: String, announcing names: String) -> String {
            "HTTP/2 200\r\ntrailer: \(names)\r\n\r\n" + content + "\r\n"
        }
        for part in [":", "x:", "x", "x-long-name-16:", "x-long-name-1 :"] {
            let content = String(repeating: part, count: 60_000 / part.utf8.count)
            let one = try processorTime { _ = try Self.read(message(content, announcing: "y")) }
            let many = try processorTime { _ = try Self.read(message(content, announcing: names)) }
            #expect(many < one * 8 + .milliseconds(20), "\(part)")
        }
        let found = try Self.read(message("{}x-long-name-3: 1\r\nx-long-name-15: a: b:", announcing: names))
        #expect(found.response.message?.trailers.fields.map(\.value) == ["1", "a: b:"])
    }

    /// The names are those of the first 16 elements that are names.
    @Test func `further announced names are ignored`() throws {
        let names = ", ,a b," + (0..<16).map { "x-\($0)" }.joined(separator: " , ")
        for (last, count) in [(15, 1), (16, 0)] {
            let text = "HTTP/2 200\r\ntrailer: \(names)\r\nTrailer: x-16\r\n\r\n{}X-\(last): 1\r\n"
            #expect(try Self.read(text).response.message?.trailers.fields.count == count)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nA: \(String(repeating: "b", count: 8_168))\r\n\r\n{}", true),
        ("HTTP/1.1 200 OK\r\nA: \(String(repeating: "b", count: 8_169))\r\n\r\n{}", false),
        (String(repeating: "HTTP/1.1 100 C\r\n\r\n", count: 500) + "HTTP/1.1 200 OK\r\n\r\n{}", false),
        ("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "1", count: 100_000), true),
        (chunked + String(repeating: "1\r\n1\r\n", count: 2_700) + "0\r\n\r\n", true),
        (chunked + String(repeating: "1\r\n1\r\n", count: 2_800) + "0\r\n\r\n", false),
        ("HTTP/2 200\r\nTrailer: a\r\n\r\n" + String(repeating: "1", count: 4_097), false),
    ])
    func `an HTTP thread reads only short heads, trailer sections and chunks`(text: String, isShort: Bool) throws {
        let short = try MessageReader.readShort(text.utf8Span.span, maxContentBytes: 1 << 20, allowsTruncation: false)
        #expect(try short == (isShort ? Self.read(text) : nil))
    }

    @Test func `trailers that curl prints after content are not content`() throws {
        let fields = "Transfer-Encoding: chunked\r\nTrailer: X-A, x-b\r\n\r\n"
        for (rest, content, names) in [
            ("{}X-A: 1\r\n", "{}", ["X-A"]), ("{}X-B: 1\r\nOther: 2\r\n", "{}", ["X-B", "Other"]),
            ("{}x-a: 1\r\nX-B:\r\n", "{}", ["x-a", "X-B"]), ("{}\r\nX-A: 1\r\n", "{}\r\n", ["X-A"]),
            ("{}Other: 2\r\n", "{}Other: 2\r\n", []), ("{}X-A: 1\r\n\r\n", "{}X-A: 1\r\n\r\n", []),
            ("{}X-A: 1\n", "{}X-A: 1\n", []), ("{}X-A: 1", "{}X-A: 1", []),
            ("X-A: 1\r\n{}\r\n", "X-A: 1\r\n{}\r\n", []),
        ] {
            let text = Self.ok + fields + rest
            let message = try Self.read(text)
            #expect(Self.content(of: message, in: text) == content)
            #expect(message.response.message?.trailers.fields.map(\.name) == names)
        }
        let text = "HTTP/2 200\r\ntrailer: x-a\r\ncontent-length: 2\r\n\r\n{}x-a: 1\r\n"
        let message = try Self.read(text)
        #expect(Self.content(of: message, in: text) == "{}")
        #expect(message.response.message?.warnings == [])
        try expect(Self.ok + "Trailer: x-a\r\n\r\n{}x-a: 1\r\n", content: "{}x-a: 1\r\n")
    }

    // MARK: Content codings

    @Test func `the length of encoded content is not that of decoded content`() throws {
        let head = Self.ok + "Content-Encoding: gzip\r\nContent-Length: 7\r\n\r\n"
        try expect(head + "{}", content: "{}", warnings: [.lengthMismatch(declared: 7, received: 2)])
        try expect(head + "[1,2,3,4,5]", content: "[1,2,3,4,5]", warnings: [.lengthMismatch(declared: 7, received: 11)])
        // The signature of gzip: the content is truncated.
        #expect(throws: MessageError.self) {
            let bytes = Array(head.utf8) + [0x1F, 0x8B, 8]
            _ = try MessageReader.read(bytes.span, maxContentBytes: 100, allowsTruncation: false)
        }
        for (coding, prefix) in [
            ("br", [0x0B, 0x02, 0x80]), ("zstd", [0x28, 0xB5, 0x2F]), ("deflate", [0x78, 0x9C]),
        ] {
            let head = Self.ok + "Content-Encoding: \(coding)\r\nContent-Length: 7\r\n\r\n"
            try expect(head + "{}", content: "{}", warnings: [.lengthMismatch(declared: 7, received: 2)])
            #expect(throws: MessageError.self) {
                let bytes = Array(head.utf8) + prefix.map { UInt8($0) }
                _ = try MessageReader.read(bytes.span, maxContentBytes: 100, allowsTruncation: false)
            }
        }
    }

    // MARK: History

    @Test func `responses before the final one are its history`() throws {
        let text =
            "HTTP/1.0 200 Connection established\r\nProxy-Agent: p\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n\r\n"
            + "HTTP/1.1 401 Unauthorized\r\nContent-Length: 6\r\n\r\nHTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n"
            + "HTTP/2 200\r\n\r\n{}"
        let message = try Self.read(text)
        #expect(Self.content(of: message, in: text) == "{}")
        #expect(message.response.status == 200)
        let history = try #require(message.response.message?.history)
        #expect(history.map(\.status) == [200, 100, 401, 302])
        #expect(history[3].fields == HeaderFields([.init(name: "Location", value: "/x")]))
    }

    @Test(arguments: [
        // A response without Content-Type whose content is not a complete head.
        "HTTP/1.1 200 OK\r\n\r\n|HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\n\r\n|HTTP/1.1 200 OK\r\nA: b",
        // The media type indicates content.
        "HTTP/1.1 200 OK\r\nContent-Type: message/http\r\n\r\n|HTTP/1.1 200 OK\r\n\r\n{}",
        // The length indicates content.
        "HTTP/1.1 200 OK\r\nContent-Length: 21\r\n\r\n|HTTP/1.1 200 OK\r\n\r\n{}",
        "HTTP/1.1 302 Found\r\nContent-Length: 21\r\n\r\n|HTTP/1.1 200 OK\r\n\r\n{}",
        // It is not a status line.
        "HTTP/1.1 302 Found\r\n\r\n|HTTP/1.1 is a protocol\r\n\r\n", "HTTP/1.1 302 Found\r\n\r\n|HTTP/1.1 200 OK",
        // curl does not send another request.
        "HTTP/1.1 404 Not Found\r\n\r\n|HTTP/1.1 200 OK\r\n\r\n{}", "HTTP/1.1 503 No\r\n\r\n|HTTP/1.1 200 OK\r\n\r\n{}",
    ])
    func `content that begins like a response is content`(text: String) throws {
        let parts = text.split(separator: "|").map(String.init)
        let message = try Self.read(parts[0] + parts[1])
        #expect(Self.content(of: message, in: parts[0] + parts[1]) == parts[1])
        #expect(message.response.message?.history == [])
        #expect(message.response.message?.warnings == [])
    }

    @Test func `faults of later heads have locations in the message`() {
        expectRejected("HTTP/1.1 302 F\r\n\r\nHTTP/1.1 200 OK\r\nA b\r\n\r\n", .fieldLineWithoutColon, 35, 4, 1)
        expectRejected("HTTP/1.1 100 C\r\n\r\nHello\r\n\r\n", .invalidStatusLine(found: "Hello"), 19, 3, 2)
    }

    @Test func `a history of any length is read, and twenty responses are listed`() throws {
        for count in [0, 1, 19, 20, 21, 4_000] {
            let text = String(repeating: "HTTP/1.1 100 Continue\r\nA: b\r\n\r\n", count: count) + Self.ok + "\r\n{}"
            let message = try Self.read(text)
            #expect(Self.content(of: message, in: text) == "{}")
            #expect(message.response.message?.history.count == min(count, 20))
            let warnings: [Warning.Kind] = count > 20 ? [.messageHistoryTruncated(count: count - 20)] : []
            #expect(message.response.message?.warnings.map(\.kind) == warnings)
        }
        let large = "HTTP/1.1 100 C\r\nA: " + String(repeating: "b", count: 40_000) + "\r\n\r\n"
        let message = try Self.read(large + large + Self.ok + "\r\n")
        #expect(message.response.message?.history.count == 1)
        #expect(message.response.message?.unlistedResponses == 1)
    }

    @Test func `a million chunks of one byte are content of a million bytes`() throws {
        let text = Self.chunked + String(repeating: "1\r\na\r\n", count: 1_000_000) + "0\r\n\r\n"
        let message = try Self.read(text)
        #expect(message.content.decodedBytes == 1_000_000)
    }
}
