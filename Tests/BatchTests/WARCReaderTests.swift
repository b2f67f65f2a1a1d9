import Batch
import TestSupport
import Testing

@Suite struct WARCReaderTests {
    private typealias Builder = WARCBuilder

    private static func error(_ sentence: String, at byte: Int) -> BatchInputError {
        .malformed(BatchFault(sentence, at: byte))
    }

    @Test(arguments: ["", "\r\n", "\n\n\n"]) func `an empty archive has no items`(text: String) {
        for piece in pieces { #expect(Builder.read(text, piece: piece) == Builder.read("")) }
        #expect(Builder.read(text).items.isEmpty && Builder.read(text).error == nil)
    }

    @Test func `responses are items, and other records are counted, whatever the sizes of the reads`() {
        let first = Builder.response("HTTP/1.1 200 OK\r\n\r\n{}")
        let text =
            "\r\n" + first + Builder.request() + Builder.record("WARC-Type: warcinfo\r\n", "")
            + Builder.record("WARC-type:ReSource \r\n", "\0", version: "1.1")
            + Builder.response("x", id: "b", uri: "HTTPS://é/", "Content-Type: application/http;msgtype=response\r\n")
            + Builder.request("")
        let second =
            text.utf8.count - Builder.request("").utf8.count
            - Builder.response("x", id: "b", uri: "HTTPS://é/", "Content-Type: application/http;msgtype=response\r\n")
            .utf8
            .count
        for piece in pieces {
            let found = Builder.read(text, piece: piece)
            #expect(
                found.items == [
                    Builder.item("HTTP/1.1 200 OK\r\n\r\n{}", at: 2),
                    Builder.item("x", at: second, id: "urn:b", uri: "HTTPS://é/"),
                ]
            )
            #expect(found.skipped == ["request": 2, "warcinfo": 1, "resource": 1] && found.error == nil)
        }
    }

    @Test(arguments: [
        ("WARC-Target-URI: <http://a/>\r\n", "http://a/", false),
        ("warc-target-uri:\thttp://a/ \r\n", "http://a/", false),
        ("WARC-Target-URI: http:\r\n //a/\r\n\t?b\r\n", "http: //a/ ?b", false),
        ("WARC-Target-URI: http://a/\r\nWARC-Truncated: length\r\n", "http://a/", true),
        ("WARC-Target-URI: http://a/\r\nWARC-Truncated:\r\n", "http://a/", true),
        ("WARC-Target-URI: http://a/\r\nWARC-Segment-Number: 1\r\n", "http://a/", true),
        ("WARC-Target-URI: http://a/\nX: y\n", "http://a/", false),
        ("WARC-Target-URI: http://a/\r\nX-Folded: a\r\n b: c\r\n", "http://a/", false),
        (
            "WARC-Target-URI: http://a/\r\nContent-Type: Application/HTTP; MsgType=\"Response\"; a=\"b;c\"\r\n",
            "http://a/", false
        ),
        ("WARC-Target-URI: http://a/\r\nContent-Type: application/http;\r\n", "http://a/", false),
        ("WARC-Target-URI: http://a/\r\nWARC-Target-URI: http://a/\r\n", "http://a/", false),
    ])
    func `the fields of a record describe its response`(fields: String, uri: String, isTruncated: Bool) {
        let text = Builder.record("WARC-Type: response\r\n\(fields)", "x")
        for piece in pieces {
            let found = Builder.read(text, piece: piece)
            #expect(found.items == [Builder.item("x", at: 0, uri: uri, isTruncated: isTruncated)])
            #expect(found.error == nil)
        }
    }

    @Test(
        arguments: [
            ("WARC-Target-URI: dns:a\r\n", "response dns"), ("WARC-Target-URI: <FTP://a>\r\n", "response ftp"),
            ("WARC-Target-URI: http\r\n", "response"), ("WARC-Target-URI: \0\r\n", nil),
            ("WARC-Target-URI: http://a/\r\nWARC-Segment-Number: 2\r\n", "continuation"),
        ] as [(String, String?)]
    )
    func `responses that are not items are counted`(fields: String, type: String?) {
        let found = Builder.read(Builder.record("WARC-Type: response\r\n\(fields)", "x"))
        #expect(found.skipped == (type.map { [$0: 1] } ?? [:]))
        #expect(found.items.count == (type == nil ? 1 : 0) && found.error == nil)
    }

    @Test func `the number of counted types is bounded`() {
        let names = (0..<4_000).map { "t\($0)" } + [String(repeating: "x", count: 41), "a,b", ""]
        let found = Builder.read(names.map { Builder.record("WARC-Type: \($0)\r\n", "") }.joined())
        #expect(found.skipped.count == 65 && found.skipped["t63"] == 1 && found.skipped["other"] == 3_939)
    }

    @Test(arguments: [
        ("", "the record has no WARC-Type"), ("WARC-Type: response\r\n", "the response has no WARC-Target-URI"),
        ("WARC-Type: response\r\nWARC-Target-URI: <>\r\n", "the response has no WARC-Target-URI"),
        ("WARC-Type: response\r\nWARC-Type: request\r\n", "the field WARC-Type of a record has two values"),
        ("WARC-Type: response\r\nnonsense\r\n", "the head of the record has a line that is not a field"),
        ("WARC-Type: response\r\na b: c\r\n", "the head of the record has a line that is not a field"),
        (
            "WARC-Type: response\r\nWARC-Target-URI: http://a\u{7F}\r\n",
            "the field WARC-Target-URI of the record is not UTF-8 without control characters"
        ),
        (
            "WARC-Type: response\r\nWARC-Target-URI: http://a/\r\nWARC-Segment-Number: x\r\n",
            "the WARC-Segment-Number of the record is not a number from 1"
        ),
        (
            "WARC-Type: response\r\nWARC-Target-URI: http://a/\r\nWARC-Segment-Number: 0\r\n",
            "the WARC-Segment-Number of the record is not a number from 1"
        ),
        (
            "WARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Type: text/html\r\n",
            "the block of the response has the type 'text/html', not application/http"
        ),
        (
            "WARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Type: application/http; msgtype=request\r\n",
            "the block of the response has the type 'application/http; msgtype=request', not application/http"
        ),
        (
            "WARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Type: application/http; msgtype\r\n",
            "the block of the response has the type 'application/http; msgtype', not application/http"
        ),
    ])
    func `a record with a fault is rejected, and the next one is read`(fields: String, sentence: String) {
        let broken = Builder.record(fields, "WARC/1.0")
        for piece in pieces {
            let found = Builder.read(broken + Builder.response("x"), piece: piece)
            #expect(
                found.items == [Builder.rejected(sentence, at: 0), Builder.item("x", at: broken.utf8.count)],
                "\(piece)"
            )
            #expect(found.error == nil)
        }
    }

    @Test(arguments: [
        ("WARC/1.2\r\nContent-Length: 0\r\n\r\n", "the version of a record is 'WARC/1.2', not 1.0, 1.1, 0.17 or 0.18"),
        (
            "WARC/1.0 \r\nContent-Length: 0\r\n\r\n",
            "the version of a record is 'WARC/1.0 ', not 1.0, 1.1, 0.17 or 0.18"
        ),
        ("WARC/0.16\r\n\r\n", "the version of a record is 'WARC/0.16', not 1.0, 1.1, 0.17 or 0.18"),
        ("WARC/0.18\r\n\r\n", "a record has no Content-Length"),
        ("x", "there is something other than a record of a web archive (WARC)"),
        ("WARC/1.0\r\n\r\n", "a record has no Content-Length"),
        ("WARC/1.0\r\nContent-Length: -1\r\n\r\n", "the Content-Length of a record is '-1', which is not a length"),
        ("WARC/1.0\r\nContent-Length:\r\n\r\n", "the Content-Length of a record is '', which is not a length"),
        (
            "WARC/1.0\r\nContent-Length: 1\r\n 2\r\n\r\n",
            "the Content-Length of a record is '1 2', which is not a length"
        ),
        (
            "WARC/1.0\r\nContent-Length: 9223372036854775808\r\n\r\n",
            "the Content-Length of a record is '9223372036854775808', which is not a length"
        ),
        (
            "WARC/1.0\r\nContent-Length: 1\r\ncontent-length: 2\r\n\r\n",
            "the field content-length of a record has two values"
        ),
        (
            "WARC/1.0\r\n" + String(repeating: "a: b\n", count: 20_000),
            "the head of a record is longer than 65536 bytes"
        ),
        (
            "WARC/1.0\r\nContent-Length: 0\r\nA: " + String(repeating: "x", count: 65_501) + "\r\n\r\n",
            "the head of a record is longer than 65536 bytes"
        ),
    ])
    func `a fault that hides the next record ends the input`(text: String, sentence: String) {
        let first = Builder.response("x")
        for piece in [1, 64, 65_536, .max] {
            let found = Builder.read(first + text, piece: piece)
            #expect(found.items == [Builder.item("x", at: 0)])
            #expect(found.error == Self.error(sentence, at: first.utf8.count), "\(piece)")
        }
    }

    @Test func `a head of the maximum length is read`() {
        let length = WARCBuilder.response("x", "A: \r\n").utf8.count - "x\r\n\r\n".utf8.count
        let text = WARCBuilder.response("x", "A: " + String(repeating: "x", count: (64 << 10) - length) + "\r\n")
        #expect(Builder.read(text).items == [Builder.item("x", at: 0)])
        #expect(Builder.read(text, piece: 1_000).items == [Builder.item("x", at: 0)])
    }

    @Test func `a response has an identifier of at most 1 KiB`() {
        let id = String(repeating: "a", count: BatchLimits.maxIDBytes - "urn:".utf8.count)
        #expect(Builder.read(Builder.response("x", id: id)).items == [Builder.item("x", at: 0, id: "urn:\(id)")])
        let text = Builder.response("x", id: id + "a")
        let sentence = "the WARC-Record-ID of the response is longer than 1024 bytes"
        let found = Builder.read(text + Builder.response("y"))
        #expect(found.items == [Builder.rejected(sentence, at: 0, id: nil), Builder.item("y", at: text.utf8.count)])
    }

    /// Otherwise the output would repeat it.
    @Test func `a longer identifier is not that of a record that is rejected for another reason`() {
        let id = String(repeating: "a", count: BatchLimits.maxIDBytes)
        let found = Builder.read(Builder.record("WARC-Type: response\r\n", "x", id: id))
        #expect(found.items == [Builder.rejected("the response has no WARC-Target-URI", at: 0, id: nil)])
    }

    @Test(arguments: [Int.max, 1 << 62, 1 << 32, 9]) func `a block that is longer than the maximum is rejected`(
        length: Int
    ) {
        let head = "WARC/1.0\r\nContent-Length: \(length)\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/\r\n\r\n"
        for piece in [1, .max] {
            let found = Builder.read(head + "123456789\r\n\r\n" + Builder.response("12345678"), max: 8, piece: piece)
            let isLonger = length > 9
            let error = BatchItemError.malformed(BatchFault("the input ends in a record", at: 0))
            #expect(found.items.first?.form == .rejected(isLonger ? error : .tooLong(maxBytes: 8), id: nil))
            #expect(found.items.count == 2 && found.contents.last == "12345678" && found.error == nil)
        }
    }

    @Test func `lengths near the largest number are compared without an overflow`() {
        let head = "WARC/1.0\r\nContent-Length: \(Int.max)\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/\r\n\r\n"
        for input in [Array(head.utf8), WARCBuilder.gzip(Builder.response("1") + head)] {
            let found = Builder.read(input, max: .max, piece: 50)
            #expect(found.error != nil || found.items.count == 2)
        }
    }

    @Test func `an archive that is cut off has the responses before its end`() {
        let first = Builder.response("x")
        let text = first + Builder.response("yz", id: "b")
        for count in first.utf8.count - 3..<text.utf8.count - 4 {
            for piece in [1, .max] {
                let found = Builder.read(String(text.utf8.prefix(count))!, piece: piece)
                #expect(found.items == [Builder.item("x", at: 0)])
                let isInRecord = count > first.utf8.count
                #expect(
                    found.error == (isInRecord ? Self.error("the input ends in a record", at: first.utf8.count) : nil)
                )
            }
        }
    }

    @Test func `blocks that are skipped are not stored`() {
        let long = String(repeating: "x", count: 8 << 20)
        let text = Builder.response("1") + Builder.record("WARC-Type: resource\r\n", long) + Builder.response("2")
        let found = Builder.read(text)
        #expect(found.contents == ["1", "2"] && found.maxBlockBytes <= 3 << 16)
    }

    @Test func `a block ends when the next record would have to wait for more bytes`() throws {
        let text = Builder.response("1") + Builder.request()
        var reader = WARCReader(limits: BatchLimits(maxItemBytes: 100))
        var source = PieceSource(Array((text + Builder.response("2")).utf8), piece: text.utf8.count + 5)
        let block = try #require(try reader.next(from: &source))
        #expect(block.items.count == 1 && block.skipped == ["request": 1])
        #expect(source.readBytes == text.utf8.count + 5)
        #expect(try reader.next(from: &source)?.items.count == 1)
        #expect(try reader.next(from: &source) == nil)
    }
}
