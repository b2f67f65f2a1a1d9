import Foundation
import Logging
import Platform
import Testing

@testable import Service

@Suite struct LogLineTests {
    private static func line(_ message: String, _ metadata: Logger.Metadata = [:], _ format: LogFormat) -> String {
        let line = LogLine(time: 1_795_335_524_123_456_789, level: .warning, message: message, metadata: metadata)
        return String(decoding: line.bytes(format), as: UTF8.self)
    }

    private static let metadata: Logger.Metadata = [
        "reason": "no such file", "attempts": .stringConvertible(3), "isLast": .stringConvertible(false),
        "count": "3", "rate": .stringConvertible(0.5), "list": ["a", "b"], "nested": ["z": "1", "a": ["b": ""]],
        "empty": "",
    ]

    @Test func `a line in JSON`() {
        #expect(
            Self.line("cannot start", Self.metadata, .json)
                == #"{"time":"2026-11-22T08:18:44.123Z","level":"warning","message":"cannot start","attempts":3,"#
                + #""count":"3","empty":"","isLast":false,"list":["a","b"],"nested":{"a":{"b":""},"z":"1"},"#
                + #""rate":"0.5","reason":"no such file"}\#n"#
        )
    }

    @Test func `a line as text`() {
        #expect(
            Self.line("cannot start", Self.metadata.filter { $0.key != "nested" }, .text)
                == #"2026-11-22T08:18:44.123Z warning cannot start attempts=3 count=3 empty="" isLast=false "#
                + #"list="[\"a\", \"b\"]" rate=0.5 reason="no such file"\#n"#
        )
    }

    @Test func `metadata do not replace the members of a line`() {
        let metadata: Logger.Metadata = [
            "time": "1", "level": "2", "message": "3", "metadata.time": "4", "metadata.x": "5", "metadata": "6",
        ]
        #expect(
            Self.line("a", metadata, .json)
                == #"{"time":"2026-11-22T08:18:44.123Z","level":"warning","message":"a","metadata.level":"2","#
                + #""metadata.message":"3","#
                + #""metadata":"6","metadata.metadata.time":"4","metadata.metadata.x":"5","metadata.time":"1"}\#n"#
        )
    }

    private static let hostile = [
        "\n", "a\r\nb", "\"", "\\", "\",\"level\":\"error", "\u{0}\u{1B}[2J", "\u{7F}", "\u{85}\u{9B}", "\u{2028}",
        "😀=\u{2029}",
    ]

    @Test(arguments: hostile)
    func `hostile text does not break a line in JSON`(text: String) throws {
        let line = Self.line(text, [text: "\(text)"], .json)
        #expect(line.utf8.filter { $0 < 0x20 } == [0x0A])
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
        #expect(
            object == ["time": "2026-11-22T08:18:44.123Z", "level": "warning", "message": text, text: text]
        )
    }

    @Test(arguments: hostile)
    func `hostile text does not break a line of text`(text: String) {
        let line = Self.line(text, [text: "\(text)"], .text)
        #expect(line.hasSuffix("\n"))
        #expect(line.dropLast().unicodeScalars.allSatisfy { !$0.properties.isWhitespace || $0 == " " })
        #expect(line.dropLast().unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }

    @Test func `escapes and quotes in text`() {
        #expect(
            Self.line("a\nb", ["k": "x\"\\\n\u{9B}y", "a b": "c"], .text)
                == #"2026-11-22T08:18:44.123Z warning a\u{a}b "a b"=c k="x\"\\\u{a}\u{9b}y"\#n"#
        )
    }
}

@Suite(.timeLimit(.minutes(5))) struct LineLogHandlerTests {
    private struct Failure: Error, CustomStringConvertible {
        var description: String { "it failed" }
    }

    @Test func `a logger writes lines of its level and above to the queue, with all metadata`() throws {
        let pipe = try LogPipe()
        let queue = try LogQueue(writingTo: pipe.writer) { _ in [] }
        var log = Logger.service(level: .notice, format: .json, queue: queue)
        log[metadataKey: "own"] = "1"
        log.handler.metadataProvider = Logger.MetadataProvider { ["own": "2", "provided": "3"] }
        log.info("not this")
        log.notice("this", metadata: ["provided": "4"])
        let pattern =
            #/
            \{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","level":"notice",
            "message":"this","own":"2","provided":"4"\}\n
            /#
        let line = pipe.line()
        #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
        log.error("failed", error: Failure())
        #expect(pipe.line().contains(#""level":"error","message":"failed","error":"it failed","own":"2""#))
        queue.close(within: .seconds(60))
    }

    @Test(
        arguments: [
            (.json, true, .json), (.json, false, .json), (.text, true, .text), (.text, false, .text),
            (.off, true, .text), (.off, false, .json), (nil, true, .text), (nil, false, .json),
        ] as [(AccessLogMode?, Bool, LogFormat)]
    )
    func `the form of lines follows the setting, or the terminal`(
        mode: AccessLogMode?,
        isTerminal: Bool,
        format: LogFormat
    ) {
        #expect(LogFormat(mode, isTerminal: isTerminal) == format)
    }
}
