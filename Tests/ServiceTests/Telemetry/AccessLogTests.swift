import Foundation
import Platform
import Serialization
import Testing

@testable import HTTP
@testable import Service

@Suite struct AccessLogTests {
    private static func line(_ format: LogFormat, _ record: RequestRecord = .example) -> String {
        var log = AccessLog(format: format, clock: .example)
        var buffer = OutputBuffer()
        log.append(record, to: &buffer)
        return String(decoding: Array(buffer), as: UTF8.self)
    }

    private static func line(_ format: LogFormat, _ change: (inout RequestRecord) -> Void) -> String {
        var record = RequestRecord.example
        change(&record)
        return line(format, record)
    }

    // MARK: Whole lines

    @Test func `a usual request in JSON`() {
        #expect(
            Self.line(.json)
                == #"{"time":"2026-11-22T08:18:44.123Z","level":"info","message":"request","#
                + #""request":"0123456789abcdeffedcba9876543210","method":"POST","path":"/v1/normalize","#
                + #""endpoint":"normalize","status":200,"serializer":"json","lane":"inline","bytesIn":1024,"#
                + #""bytesOut":1311,"#
                + #""durations":{"receive":0.012,"decode":0.034,"send":1.051,"total":12345.103},"end":"kept"}\#n"#
        )
    }

    @Test func `a usual request as text`() {
        #expect(
            Self.line(.text)
                == "2026-11-22T08:18:44.123Z info request POST /v1/normalize 200 endpoint=normalize serializer=json "
                + "lane=inline in=1024 out=1311 receive=0.012ms decode=0.034ms send=1.051ms total=12345.103ms end=kept "
                + "request=0123456789abcdeffedcba9876543210\n"
        )
    }

    /// A record with all values.
    private static var full: RequestRecord {
        var record = RequestRecord.example
        record.request.id = .given("caller-7_A")
        record.request.trace = TraceContext(
            traceID: (0x0af7_6519_16cd_43dd, 0x8448_eb21_1c80_319c),
            parentID: 0xb7ad_6b71_6920_3331,
            spanID: 1
        )
        record.request.endpoint = .thumbnail
        record.request.path = "/v1/thumbnail"
        record.response.status = 504
        record.response.problem = .decodeTime
        record.response.serializer = .xmlDocument
        record.response.lane = .pixels
        record.durations = StageDurations(
            receiving: 1,
            waitingForCompute: 1_000,
            waitingForWorker: 999_999,
            decoding: 10_000_000_000,
            sending: 100_100_000,
            total: .max
        )
        record.end = .clientGone
        return record
    }

    @Test func `a request with everything in JSON`() {
        #expect(
            Self.line(.json, Self.full)
                == #"{"time":"2026-11-22T08:18:44.123Z","level":"info","message":"request","request":"caller-7_A","#
                + #""trace":"0af7651916cd43dd8448eb211c80319c","parent":"b7ad6b7169203331","span":"0000000000000001","#
                + #""method":"POST","path":"/v1/thumbnail","endpoint":"thumbnail","status":504,"#
                + #""code":"limit.decode_time","serializer":"xml-document","lane":"isolated","bytesIn":1024,"#
                + #""bytesOut":1311,"durations":{"receive":0.000,"computeQueue":0.001,"workerQueue":0.999,"#
                + #""decode":10000.000,"send":100.100,"total":18446744073709.551},"end":"client_gone"}\#n"#
        )
    }

    @Test func `a request with everything as text`() {
        #expect(
            Self.line(.text, Self.full)
                == "2026-11-22T08:18:44.123Z info request POST /v1/thumbnail 504 endpoint=thumbnail "
                + "code=limit.decode_time serializer=xml-document lane=isolated in=1024 out=1311 receive=0.000ms "
                + "computeQueue=0.001ms workerQueue=0.999ms decode=10000.000ms send=100.100ms "
                + "total=18446744073709.551ms end=client_gone request=caller-7_A "
                + "trace=0af7651916cd43dd8448eb211c80319c parent=b7ad6b7169203331 span=0000000000000001\n"
        )
    }

    /// The record of a connection that ended before there was a response.
    private static var empty: RequestRecord {
        var record = RequestRecord.example
        (record.request.method, record.request.path, record.request.endpoint) = ("", "", .none)
        (record.response.status, record.response.serializer) = (nil, nil)
        (record.receivedBytes, record.response.sentBytes) = (0, 0)
        record.durations = StageDurations()
        record.end = .timedOut
        return record
    }

    @Test func `a request without anything in JSON`() {
        #expect(
            Self.line(.json, Self.empty)
                == #"{"time":"2026-11-22T08:18:44.123Z","level":"info","message":"request","#
                + #""request":"0123456789abcdeffedcba9876543210","method":"","path":"","endpoint":"none","#
                + #""lane":"inline","bytesIn":0,"bytesOut":0,"durations":{"total":0.000},"end":"timed_out"}\#n"#
        )
    }

    @Test func `a request without anything as text`() {
        #expect(
            Self.line(.text, Self.empty)
                == "2026-11-22T08:18:44.123Z info request - - - endpoint=none lane=inline in=0 out=0 total=0.000ms "
                + "end=timed_out request=0123456789abcdeffedcba9876543210\n"
        )
    }

    @Test(arguments: [
        0, 9, 10, 99, 100, 1_000, 9_999, 10_000, 10_001, 12_345, 100_000_000, 100_010_203, 999_999_999, 1_000_000_000,
        .max,
    ])
    func `numbers of all lengths are written in decimal`(number: Int) {
        let line = Self.line(.json) { ($0.receivedBytes, $0.response.sentBytes) = (number, number) }
        #expect(line.contains(#""bytesIn":\#(number),"bytesOut":\#(number),"#))
    }

    @Test func `lines of several requests follow each other`() {
        var log = AccessLog(format: .json, clock: .example)
        var buffer = OutputBuffer()
        var record = RequestRecord.example
        log.append(record, to: &buffer)
        record.time = record.time.advanced(byNanoseconds: 876_999_999)
        log.append(record, to: &buffer)
        record.time = record.time.advanced(byNanoseconds: 1)
        log.append(record, to: &buffer)
        let times = String(decoding: Array(buffer), as: UTF8.self).split(separator: "\n").map {
            $0.dropFirst(9).prefix(24)
        }
        #expect(times == ["2026-11-22T08:18:44.123Z", "2026-11-22T08:18:44.999Z", "2026-11-22T08:18:45.000Z"])
    }

    @Test(arguments: SerializerKind.allCases)
    func `a serializer has the name of the contract`(serializer: SerializerKind) {
        #expect(
            Self.line(.json) { $0.response.serializer = serializer }.contains(
                #""serializer":"\#(serializer.rawValue)","#
            )
        )
    }

    @Test func `a request with a token has its name`() {
        let json = Self.line(.json) { $0.request.tokenName = "web" }
        #expect(json.contains(#""endpoint":"normalize","token":"web","status":200,"#))
        #expect(
            Self.line(.text) { $0.request.tokenName = "web" }.contains(" endpoint=normalize token=web serializer=json ")
        )
    }

    // MARK: Text that comes from a client

    private static let hostile = [
        "/\"},{\"time\":\"", "/\\", "/\n{\"level\":\"error\"}\n", "/\r\n", "/\u{0}\u{1}\u{1F}\u{7F}", "/\u{1B}[2J",
        "/\u{85}\u{9B}31m", "/\u{2028}\u{2029}", "/\u{FFFD}", "/ü€😀", "/a b=c \"d\"", "-", "/\u{202E}", "…",
        String(decoding: [0x2F, 0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80], as: UTF8.self),
    ]

    @Test(arguments: hostile)
    func `hostile text does not escape from its JSON string`(text: String) throws {
        let line = Self.line(.json) { ($0.request.method, $0.request.path, $0.request.id) = (text, text, .given(text)) }
        #expect(line.utf8.filter { $0 < 0x20 } == [0x0A])
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?.count == 14)
        for name in ["method", "path", "request"] { #expect(object?[name] as? String == text, "\(name)") }
    }

    @Test(arguments: hostile)
    func `hostile text does not escape from its word`(text: String) {
        let line = Self.line(.text) { ($0.request.method, $0.request.path, $0.request.id) = (text, text, .given(text)) }
        #expect(line.utf8.allSatisfy { 0x20...0x7E ~= $0 || $0 == 0x0A })
        #expect(line.utf8.count { $0 == 0x0A } == 1)
        let words = line.dropLast().split(separator: " ", omittingEmptySubsequences: false)
        #expect(words.count == 17)
        let escaped = text.utf8.map { byte in
            0x21...0x7E ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                ? String(UnicodeScalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        #expect(
            [words[3], words[4], words[16].dropFirst("request=".count)]
                == [Substring](repeating: escaped[...], count: 3)
        )
    }

    @Test(arguments: [
        (256, String(repeating: "a", count: 256)), (257, String(repeating: "a", count: 256) + "…"),
        (16_000, String(repeating: "a", count: 256) + "…"),
    ])
    func `a long path is truncated`(length: Int, logged: String) {
        let path = String(repeating: "a", count: length)
        #expect(Self.line(.json) { $0.request.path = path }.contains(#""path":"\#(logged)","#))
        #expect(Self.line(.text) { $0.request.path = path }.contains(" \(logged) 200 "))
    }

    /// A character of four bytes begins at offsets 252 to 256.
    @Test(arguments: 252...256)
    func `a path is truncated between characters`(offset: Int) {
        let path = String(repeating: "a", count: offset) + "😀b"
        let end = offset == 252 ? "😀…" : "…"
        let start = String(repeating: "a", count: offset)
        #expect(Self.line(.json) { $0.request.path = path }.contains(#""path":"\#(start)\#(end)","#))
    }

    @Test func `the longest line fits`() throws {
        var record = Self.full
        let text = String(repeating: "\u{1}", count: 1000)
        (record.request.method, record.request.path, record.request.id) = (text, text, .given(text))
        (record.response.status, record.receivedBytes, record.response.sentBytes) = (.max, .max, .max)
        let (all, most) = (UInt64.max, ProblemCode.allCases.max { $0.rawValue.count < $1.rawValue.count })
        record.response.problem = most
        record.request.tokenName = String(repeating: "a", count: NameSyntax.maxBytes)
        record.durations = StageDurations(
            receiving: all,
            waitingForCompute: all,
            waitingForWorker: all,
            decoding: all,
            sending: all,
            total: all
        )
        let object = try JSONSerialization.jsonObject(with: Data(Self.line(.json, record).utf8)) as? [String: Any]
        #expect((object?["method"] as? String)?.utf8.count == AccessLog.maxMethodBytes + 3)
        #expect((object?["request"] as? String)?.utf8.count == AccessLog.maxRequestIDBytes + 3)
        #expect(Self.line(.text, record).hasSuffix("span=0000000000000001\n"))
    }
}
