import Fetching
import Serialization
import Testing

@testable import Fetcher

@Suite struct HeadReaderTests {
    /// Reads lines, and returns the last progress.
    private func read(_ lines: [String]) throws -> HeadReader.Progress {
        var reader = HeadReader()
        var progress = HeadReader.Progress.incomplete
        for line in lines { progress = try reader.read(Array(line.utf8).span) }
        return progress
    }

    private static func head(_ status: Int, _ fields: [(String, String)] = []) throws -> HeadReader.Progress {
        .head(try FetchHead(status: status, fields: fields.map { HeaderFields.Field(name: $0.0, value: $0.1) }))
    }

    @Test func `reads the status and the fields in their order`() throws {
        let lines = ["HTTP/1.1 203 Fine\r\n", "B: 1\r\n", "a:\t x y \r\n", "B:\r\n", "\r\n"]
        #expect(try read(lines) == Self.head(203, [("B", "1"), ("a", "x y"), ("B", "")]))
    }

    @Test(arguments: ["HTTP/1.0 200 OK", "HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.1 200 a\tb"])
    func `accepts a status line`(line: String) throws {
        #expect(try read([line + "\r\n", "\r\n"]) == Self.head(200))
    }

    @Test(
        arguments: [
            ("HTTP/1.2 200 OK\r\n", .version), ("HTTP/2 200 OK\r\n", .version), ("http/1.1 200 OK\r\n", .version),
            ("HTTP/1.1  200 OK\r\n", .statusLine), ("HTTP/1.1 2000\r\n", .statusLine), ("HTTP/1.1 20\r\n", .statusLine),
            ("HTTP/1.1 +20 OK\r\n", .statusLine), ("HTTP/1.1 099 OK\r\n", .statusLine),
            ("HTTP/1.1 200 \u{1}\r\n", .statusLine), ("ICY 200 OK and more\r\n", .version),
            ("HTTP/1.1 101 Switching Protocols\r\n", .switchingProtocols), ("HTTP/1.1 200 OK\n", .lineBreak),
            ("HTTP/1.1 200 O\rK\r\n", .lineBreak), ("\r\n", .statusLine), ("\n", .lineBreak),
        ] as [(String, HeadError)]
    )
    func `rejects a status line`(line: String, error: HeadError) {
        #expect(throws: error) { try read([line]) }
    }

    @Test(
        arguments: [
            ([" a: b"], .folded), (["a: b", "\tc"], .folded), (["a"], .fieldName), (["a : b"], .fieldName),
            ([": b"], .fieldName), (["a\u{0}: b"], .fieldName), (["é: b"], .fieldName), (["a: b\u{0}c"], .fieldValue),
            (["a: \u{7F}"], .fieldValue), (["a: \u{1B}[0m"], .fieldValue),
            (["Content-Length: -1"], .contentLength), (["Content-Length: +1"], .contentLength),
            (["Content-Length: 1 1"], .contentLength), (["Content-Length: 5, 5"], .contentLength),
            (["Content-Length:"], .contentLength), (["Content-Length: 0x5"], .contentLength),
            (["Content-Length: 9999999999999999999"], .contentLength),
            (["Content-Length: 5", "content-length: 5"], .repeatedContentLength),
            (["Content-Length: 5", "Content-Length: 6"], .repeatedContentLength),
            (["Content-Length: 5", "Transfer-Encoding: chunked"], .lengthAndTransferCoding),
            (["Transfer-Encoding: chunked", "Content-Length: 5"], .lengthAndTransferCoding),
            (["Transfer-Encoding: gzip"], .transferCoding), (["Transfer-Encoding: gzip, chunked"], .transferCoding),
            (["Transfer-Encoding: identity"], .transferCoding), (["Transfer-Encoding: chunked;q=1"], .transferCoding),
            (["Transfer-Encoding:"], .transferCoding), (["TRANSFER-ENCODING: xchunked"], .transferCoding),
            (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], .transferCoding),
        ] as [([String], HeadError)]
    )
    func `rejects fields that programs read differently`(fields: [String], error: HeadError) {
        #expect(throws: error) { try read(["HTTP/1.1 200 OK\r\n"] + fields.map { $0 + "\r\n" } + ["\r\n"]) }
    }

    @Test func `rejects a transfer coding of HTTP 1_0`() {
        #expect(throws: HeadError.transferCoding) {
            try read(["HTTP/1.0 200 OK\r\n", "Transfer-Encoding: chunked\r\n", "\r\n"])
        }
    }

    @Test func `rejects a field that ends with a line feed alone`() {
        #expect(throws: HeadError.lineBreak) { try read(["HTTP/1.1 200 OK\r\n", "a: b\n"]) }
        #expect(throws: HeadError.lineBreak) { try read(["HTTP/1.1 200 OK\r\n", "a: b\rc: d\r\n"]) }
        #expect(throws: HeadError.lineBreak) { try read(["HTTP/1.1 200 OK\r\n", "\n"]) }
    }

    @Test(arguments: ["chunked", "Chunked", "CHUNKED"])
    func `accepts the coding chunked`(coding: String) throws {
        let lines = ["HTTP/1.1 200 OK\r\n", "Transfer-Encoding: \(coding)\r\n", "\r\n"]
        #expect(try read(lines) == Self.head(200, [("Transfer-Encoding", coding)]))
    }

    @Test func `replaces bytes that are not UTF-8`() throws {
        var reader = HeadReader()
        _ = try reader.read(Array("HTTP/1.1 200 \u{FC}\r\n".utf8).span)
        _ = try reader.read((Array("a: b".utf8) + [0xFF, 0x0D, 0x0A]).span)
        #expect(try reader.read([0x0D, 0x0A].span) == Self.head(200, [("a", "b\u{FFFD}")]))
    }

    @Test func `skips interim responses with their fields`() throws {
        let interim = ["HTTP/1.1 103 Early Hints\r\n", "Content-Length: 5\r\n", "Link: x\r\n", "\r\n"]
        let final = ["HTTP/1.1 200 OK\r\n", "Content-Length: 7\r\n", "\r\n"]
        #expect(try read(interim + interim + final) == Self.head(200, [("Content-Length", "7")]))
    }

    @Test func `a head has at most 1000 fields, and so has each interim head`() throws {
        let lines = ["HTTP/1.1 200 OK\r\n"] + (0..<1_000).map { "f\($0):\r\n" }
        let interim = ["HTTP/1.1 103 Early Hints\r\n"] + lines.dropFirst() + ["\r\n"]
        #expect(try read(interim + lines + ["\r\n"]) != .incomplete)
        for lines in [lines, interim.dropLast()] {
            #expect(throws: HeadError.tooManyFields(max: 1_000)) { try read(lines + ["g:\r\n"]) }
        }
    }

    @Test func `the limit of a head is inclusive`() throws {
        let start = ["HTTP/1.1 200 OK\r\n"]
        let rest = HeadReader.maxHeadBytes - 17 - 2 - 5
        #expect(try read(start + ["a: \(String(repeating: "x", count: rest))\r\n", "\r\n"]) != .incomplete)
        #expect(throws: HeadError.headTooLong(max: HeadReader.maxHeadBytes)) {
            try read(start + ["a: \(String(repeating: "x", count: rest + 1))\r\n", "\r\n"])
        }
    }

    @Test func `interim heads are limited together, and trailers are`() throws {
        var reader = HeadReader()
        let lines = ["HTTP/1.1 103 Early Hints\r\n", "a: \(String(repeating: "x", count: 1_000))\r\n", "\r\n"]
        #expect(throws: HeadError.interimTooLong(max: HeadReader.maxInterimBytes)) {
            for line in (0..<100).flatMap({ _ in lines }) { _ = try reader.read(Array(line.utf8).span) }
        }
        var second = HeadReader()
        for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] { _ = try second.read(Array(line.utf8).span) }
        #expect(throws: HeadError.trailerTooLong(max: HeadReader.maxTrailerBytes)) {
            for _ in 0..<100 { _ = try second.read(Array(lines[1].utf8).span) }
        }
    }
}
