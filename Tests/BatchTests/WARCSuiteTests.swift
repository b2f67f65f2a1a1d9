import Batch
import Foundation
import TestSupport
import Testing

/// The files of warcio.
@Suite(.needs("http/warc")) struct WARCSuiteTests {
    private struct Outcome {
        var responses: [Int]
        var rejected: [Int] = []
        var skipped: [String: Int] = [:]
        var error: BatchInputError?
    }

    private static let outcomes: [String: Outcome] = [
        "example.warc": Outcome(responses: [1197], skipped: ["warcinfo": 2, "request": 2, "revisit": 1]),
        "example.warc.gz": Outcome(responses: [784], skipped: ["warcinfo": 2, "request": 2, "revisit": 1]),
        "example-bad-non-chunked.warc.gz": Outcome(
            responses: [0],
            skipped: ["warcinfo": 2, "request": 2, "revisit": 1]
        ),
        "example-bad.warc.gz.bad": Outcome(responses: [0, 0], skipped: ["warcinfo": 1, "request": 2, "revisit": 1]),
        "example-digest.warc": Outcome(responses: [], skipped: ["request": 4]),
        "example-iana.org-chunked.warc": Outcome(responses: [405], skipped: ["warcinfo": 1, "request": 1]),
        "example-resource.warc.gz": Outcome(responses: [], skipped: ["warcinfo": 2, "resource": 1]),
        "example-space-in-target-uri.warc.gz": Outcome(responses: [], skipped: ["warcinfo": 1, "resource": 1]),
        // The length of the response is two bytes too short.
        "example-trunc.warc": Outcome(responses: [], rejected: [1197], skipped: ["warcinfo": 2, "request": 1]),
        "example-wget-bad-target-uri.warc.gz": Outcome(
            responses: [824],
            skipped: ["warcinfo": 1, "request": 1, "metadata": 1, "resource": 2]
        ),
        // A record continues in the next member.
        "example-wrong-chunks.warc.gz": Outcome(responses: [], rejected: [0, 516], skipped: ["request": 1]),
        "post-test.warc.gz": Outcome(responses: [0, 1196, 2395], skipped: ["request": 3]),
        "bad.arc": Outcome(responses: [], error: noRecord(at: 0)),
        "example.arc": Outcome(responses: [], error: noRecord(at: 0)),
        "example-space-in-url.arc": Outcome(responses: [], error: noRecord(at: 0)),
        "example.arc.gz": Outcome(
            responses: [],
            error: .unsupported(
                "gzip is supported only for web archives (WARC): decompress other content first, "
                    + "for example with `gzip -dc`"
            )
        ),
    ]

    private static func noRecord(at byte: Int) -> BatchInputError {
        .malformed(BatchFault("there is something other than a record of a web archive (WARC)", at: byte))
    }

    @Test func `every file has its items or its error, whatever the sizes of the reads`() throws {
        let files = Suites.files(in: "http/warc/test/data")
        #expect(Set(files.map(\.lastPathComponent)) == Set(Self.outcomes.keys))
        for file in files {
            let name = file.lastPathComponent
            let bytes = try Array(Data(contentsOf: file))
            let expected = try #require(Self.outcomes[name])
            for piece in [1, 100, .max] {
                let found = WARCBuilder.read(bytes, piece: piece)
                let (responses, rejected) = found.items.reduce(into: ([Int](), [Int]())) { lists, item in
                    if case .message = item.form { lists.0.append(item.byte) } else { lists.1.append(item.byte) }
                }
                #expect(responses == expected.responses, "\(name)")
                #expect(rejected == expected.rejected, "\(name)")
                #expect(found.skipped == expected.skipped, "\(name)")
                #expect(found.error == expected.error, "\(name)")
                for item in found.items where !item.content.isEmpty {
                    #expect(item.content.hasPrefix("HTTP/1."), "\(name)")
                }
            }
        }
    }

    @Test func `angle brackets are not a part of a target`() throws {
        let url = Suites.url("http/warc/test/data/example-wget-bad-target-uri.warc.gz")
        let found = try WARCBuilder.read(Array(Data(contentsOf: url)))
        let record = WARCRecord(
            id: "urn:uuid:FD8A6D04-AF8A-4A36-A889-8094487CDF2D",
            targetURI: "http://example.com/",
            isTruncated: false
        )
        #expect(found.items.map(\.form) == [.message(record)])
    }
}
