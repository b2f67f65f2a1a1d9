import Flights
import Foundation
import Logging
import Serialization
import Testing

@testable import HTTP
@testable import Service
@testable import Workers

/// The examples on the pages of problems. `make golden` records them from a running service.
@Suite(.serialized) struct ProblemExampleGoldenTests {
    /// The codes that no test provokes reliably: they depend on the load, on a signal, or on a defect, need gigabytes,
    /// or need a system without seccomp; and those of `decant batch`, which no request provokes.
    private static let unprovoked: Set<ProblemCode> = [
        .plistTooManyObjects, .csvExpansionTooLarge, .decodeTime, .decoderCrashed, .sandboxUnavailable, .saturated,
        .queueTimeout, .draining, .internal, .invalidBatchItem, .unreadableBatchInput,
    ]

    private static let file = "Sources/CDocuments/problem-examples.txt"

    @Test func `every code has an example, except for the listed ones`() {
        let provoked = ProvokedProblem.all.map(\.code) + ProvokedFetch.codes
        #expect(Set(provoked).count == provoked.count)
        #expect(Set(provoked).isDisjoint(with: Self.unprovoked))
        #expect(Set(provoked).union(Self.unprovoked) == Set(ProblemCode.allCases))
    }

    @Test func `the running service rejects each request as its page shows`() throws {
        let withoutWorkers = try Self.service(workers: nil)
        let withWorkers = try Self.service(workers: Self.workers())
        let images = try ImageSettings(sizes: #require(ImageSizes(parsing: "64x64,256x256")))
        let withFetching = try FetchServer(allow: "api.example,10.0.0.1", executable: "/nowhere", images: images).server
        let withPurging = try FetchServer(allow: "api.example", executable: "/nowhere") { $0.cache.allowsPurge = true }
            .server
        let withTokens = try Self.service(workers: nil, access: .testing(tokens: [TokenFile.web]))
        var text = ""
        for problem in ProvokedProblem.all {
            let service =
                problem.needsWorkers
                ? withWorkers
                : problem.needsTokens
                    ? withTokens
                    : problem.code == .cacheNotFound
                        ? withPurging : problem.needsFetching ? withFetching : withoutWorkers
            let client = try RawClient(port: service.address.port)
            client.send(problem.bytes)
            let response = try client.readResponse()
            // If the head is malformed, X-Request-ID is ignored, and the instance is random.
            let content = String(decoding: response.content, as: UTF8.self)
                .replacing(/urn:uuid:[0-9a-f-]{36}/, with: "urn:uuid:0190163d-8694-739b-aea5-966c26f8ad91")
            #expect(content.contains(#""code":"\#(problem.code.rawValue)""#), "\(problem.code): \(content)")
            #expect(response.status == problem.code.definition.type.status)
            text += Self.example(problem, response, content)
            if let change = ProposedChange(in: response.content) {
                let client = try RawClient(port: service.address.port)
                let target = change.applied(to: problem.target)
                client.send(
                    problem.bytes { $0.replacing(problem.target + " ", with: target + " ", maxReplacements: 1) }
                )
                let changed = try client.readResponse()
                #expect(changed.status < 400, "\(problem.code): \(String(decoding: changed.content, as: UTF8.self))")
            }
        }
        for code in ProvokedFetch.codes {
            guard let (problem, response) = try ProvokedFetch.provoke(code) else {
                // The programs that the origin needs are missing.
                text += "\(ProblemExamples.heading)\(code.rawValue)\n\(ProblemExamples.recorded[code] ?? "")"
                continue
            }
            #expect(response.content.contains(#""code":"\#(code.rawValue)""#), "\(code): \(response.content)")
            #expect(response.response.status == code.definition.type.status, "\(code)")
            text += Self.example(problem, response.response, response.content)
        }
        if Contract.writes {
            try text.write(to: Contract.root.appending(path: Self.file), atomically: true, encoding: .utf8)
        } else {
            let recorded = try Contract.text(Self.file)
            for (example, expected) in zip(Self.examples(in: text), Self.examples(in: recorded)) {
                #expect(example == expected, "make golden writes \(Self.file)")
            }
            #expect(recorded == text, "make golden writes \(Self.file)")
        }
    }

    private static func examples(in text: String) -> [Substring] {
        text.split(separator: ProblemExamples.heading)
    }

    private static func example(_ problem: ProvokedProblem, _ response: ReceivedResponse, _ content: String) -> String {
        """
        \(ProblemExamples.heading)\(problem.code.rawValue)
        \(problem.text)

        HTTP/1.1 \(response.status)
        Content-Type: \(response.fields["content-type"] ?? "")

        \(JSONLayout.pretty(content))
        """
    }

    private static func service(workers: WorkerPool?, access: AccessControl = .unrestricted) throws -> HTTPServer {
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        return try HTTPServer(
            configuration,
            application: DecantApplication(readiness: Readiness(.ready), workers: workers, access: access),
            lanes: Lanes(workers: workers)
        )
    }

    private static func workers() throws -> WorkerPool {
        var configuration = WorkerConfiguration()
        configuration.workers = 1
        return try WorkerPool(configuration, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The program contains the examples that were written before it was built.
    @Test(.disabled(if: Contract.writes, "the examples are being written"), arguments: ProblemCode.allCases)
    func `a page shows the example of its code`(code: ProblemCode) throws {
        let page = String(decoding: ProblemPages(refersToPages: true).page(for: code).content.bytes, as: UTF8.self)
        #expect(page.contains("code&quot;: &quot;\(code.rawValue)&quot;"))
        let isRecorded = ProblemExamples.recorded[code] != nil
        #expect(
            isRecorded != Self.unprovoked.contains(code),
            "add a request to ProvokedProblem, run make golden, and build again"
        )
        #expect(page.contains("HTTP/1.1 \(code.definition.type.status)") == isRecorded)
    }
}
