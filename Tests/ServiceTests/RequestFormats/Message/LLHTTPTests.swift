import Foundation
import Serialization
import TestSupport
import Testing

@testable import Service

/// The responses of llhttp's own tests. Those that its strict mode rejects are rejected, and the
/// others are accepted, except for the listed ones.
@Suite struct LLHTTPTests {
    struct Fixture: CustomTestStringConvertible, Sendable {
        var name: String
        var message: [UInt8]
        var isRejected: Bool

        var testDescription: String { name }
    }

    /// The responses that llhttp accepts and the reader rejects (docs/decisions/0021-messages-use-the-http-parsers.md).
    private static let deviations: [String: ProblemCode] = [
        // The end of the content is missing in the fixture. llhttp waits for it.
        "HTTP 103 first, then 200": .messageTruncated,
        "Chunk extensions quoting": .messageTruncated,
        "Google 301": .messageTruncated,
        // The test's client knows that there is no content.
        "Content-Length reset when no body is received": .messageTruncated,
        // Other protocols.
        "RTSP response": .messageInvalidStatusLine,
        "ICE response": .messageInvalidStatusLine,
        // llhttp reads the content to its end, but the content has a transfer coding that cannot be decoded.
        "`chunked` before other transfer-encoding": .messageUnsupportedTransferCoding,
        "multiple transfer-encoding where chunked is not the last one": .messageUnsupportedTransferCoding,
        "`chunkedchunked` transfer-encoding does not enable chunked enconding": .messageUnsupportedTransferCoding,
    ]

    @Test(.needs("http/llhttp"), arguments: try fixtures())
    func `the result is that of llhttp's strict mode`(fixture: Fixture) {
        var verdict: ProblemCode?
        do {
            _ = try MessageReader.read(fixture.message.span, maxContentBytes: 1 << 20, allowsTruncation: false)
        } catch {
            guard case .rejected(let reason, at: _) = error else { return }
            verdict = reason.diagnostic.code
        }
        if let deviation = Self.deviations[fixture.name] {
            #expect(!fixture.isRejected && verdict == deviation)
        } else {
            #expect((verdict != nil) == fixture.isRejected, "\(verdict?.rawValue ?? "accepted")")
        }
    }

    /// The fixtures are sections of Markdown: metadata, a block with the message, and a block with the parser's log.
    private static func fixtures() throws -> [Fixture] {
        try Suites.files(in: "http/llhttp/test/response").flatMap { file -> [Fixture] in
            let text = try String(contentsOf: file, encoding: .utf8)
            let section =
                #/
                (?s)\n\#\#\ ([^\n]*)\n(?:(?!\n\#\#\ ).)*?
                <!--\ meta=\{"type":\ *"([^"]*)".*?
                ```http\n(.*?)```.*?```log\n(.*?)```
                /#
            return ("\n" + text).matches(of: section).filter { !$0.2.contains("lenient") }.map { match in
                // The parser pauses after an upgrade, which is not a rejection.
                let isRejected = match.4.split(separator: "\n").contains {
                    $0.contains("error code=") && !$0.contains("error code=22 ")
                }
                return Fixture(name: String(match.1), message: message(String(match.3)), isRejected: isRejected)
            }
        }
    }

    /// Line feeds of a block represent CRLF, except for the last one, and for those after a backslash.
    private static func message(_ block: String) -> [UInt8] {
        var text = block.hasSuffix("\n") ? String(block.dropLast()) : block
        text = text.replacingOccurrences(of: "\\\n", with: "").replacingOccurrences(of: "\n", with: "\r\n")
        for (escape, character) in [("\\r", "\r"), ("\\n", "\n"), ("\\t", "\t"), ("\\f", "\u{C}")] {
            text = text.replacingOccurrences(of: escape, with: character)
        }
        return Array(text.utf8)
    }
}
