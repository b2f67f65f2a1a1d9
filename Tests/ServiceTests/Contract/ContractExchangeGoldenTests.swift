import Foundation
import Images
import Logging
import Serialization
import Testing

@testable import HTTP
@testable import Service
@testable import Workers

/// Sends the examples of the contract to a running service. `make golden` writes the responses to `examples/exchanges`.
@Suite struct ContractExchangeGoldenTests {
    @Test(arguments: try ContractExchange.all)
    func `the running service responds to an example as the file specifies`(exchange: ContractExchange) throws {
        let responseContent = try send(exchange, to: exchange.target)
        #expect(responseContent.status == exchange.status)
        #expect(responseContent.fields["content-type"] == exchange.contentType)
        try expectDocumented(responseContent.fields.keys.filter { $0.hasPrefix("decant-") }, of: exchange)
        guard !exchange.contentType.hasPrefix("image/") else {
            // Another version of an image library may write different bytes.
            let example = try [UInt8](#require(Data(base64Encoded: exchange.responseContent)))
            let (facts, expected) = try (ImageHeader.read(responseContent.content.span), ImageHeader.read(example.span))
            #expect(facts.mediaType == expected.mediaType && facts.mediaType == exchange.contentType)
            #expect(facts.width == expected.width && facts.height == expected.height)
            return
        }
        let text = String(decoding: responseContent.content, as: UTF8.self)
        if Contract.writes {
            try exchange.write(responseContent: text)
        } else {
            let (expected, received) = (exchange.responseContent, JSONLayout.minified(text))
            #expect(Self.withoutPixels(received) == Self.withoutPixels(expected), "make golden writes the responses")
        }
    }

    /// Returns a response without the content of its thumbnails, whose bytes depend on the version of an image library.
    private static func withoutPixels(_ json: String) -> String {
        json.replacing(/"bytes":\d+,"base64":"[^"]*"/, with: "")
    }

    @Test(arguments: try ContractExchange.all.filter { $0.status >= 400 })
    func `the change that a problem of an example proposes is accepted`(exchange: ContractExchange) throws {
        guard let change = ProposedChange(in: Array(exchange.responseContent.utf8)) else { return }
        let responseContent = try send(exchange, to: change.applied(to: exchange.target))
        #expect(responseContent.status < 400, "\(String(decoding: responseContent.content, as: UTF8.self))")
    }

    private func send(_ exchange: ContractExchange, to target: String) throws -> ReceivedResponse {
        let service = try RunningService.service(for: exchange).get()
        var request = "\(exchange.method) \(target) HTTP/1.1\r\nHost: decant.test\r\n"
        let content = exchange.content
        request += "X-Request-ID: 0190163d-8694-739b-aea5-966c26f8ad91\r\nContent-Length: \(content.count)\r\n"
        for (name, value) in exchange.fields { request += "\(name): \(value)\r\n" }
        let client = try RawClient(port: service.address.port)
        client.send(Array((request + "\r\n").utf8) + content)
        return try client.readResponse()
    }

    /// Expects that the contract documents the service's own fields. The contract describes `view` in prose; its fields
    /// are those of the path for values.
    private func expectDocumented(_ fields: [String], of exchange: ContractExchange) throws {
        let contract = try Contract()
        let path = exchange.options.contains("view") ? "/v1/normalize/value" : exchange.path
        let operation = try #require(contract.operation(exchange.method, path))
        let response = contract.resolve(operation.responses[String(exchange.status)])
        let documented = contract.resolve(response["headers"]).keys.map { $0.lowercased() }
        #expect(Set(fields).subtracting(documented) == [])
    }
}

/// The service on a free port of this machine, for as long as the tests run.
private enum RunningService {
    static func service(for exchange: ContractExchange) -> Result<HTTPServer, any Error> {
        if exchange.target.hasPrefix("/v1/thumbnail") || exchange.isImage { return withWorkers }
        let example = exchange.name
        if example.hasPrefix("token") { return withTokens }
        if example.hasPrefix("fetched") { return withFetching }
        return example == "no-memory" ? withoutMemory : shared
    }

    private static let shared: Result<HTTPServer, any Error> = Result { try daemon(workers: nil) }

    /// A service without enough memory for a worker, for the example of a probe.
    private static let withoutMemory: Result<HTTPServer, any Error> = Result {
        try daemon(workers: nil, lacksMemory: true)
    }

    /// A service with a file of tokens.
    private static let withTokens: Result<HTTPServer, any Error> = Result {
        try daemon(workers: nil, access: .testing(tokens: [TokenFile.web]))
    }

    /// A service with fetching, whose program that fetches does not exist.
    private static let withFetching: Result<HTTPServer, any Error> = Result {
        let images = try ImageSettings(sizes: #require(ImageSizes(parsing: "64x64,256x256")))
        return try FetchServer(allow: "api.example", executable: "/nowhere", images: images).server
    }

    /// A service with workers, for images. The result of its probe depends on whether the workers
    /// have started.
    private static let withWorkers: Result<HTTPServer, any Error> = Result {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try daemon(workers: WorkerPool(WorkerConfiguration(), log: log))
    }

    private static func daemon(
        workers: WorkerPool?,
        lacksMemory: Bool = false,
        access: AccessControl = .unrestricted
    ) throws -> HTTPServer {
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        return try HTTPServer(
            configuration,
            application: DecantApplication(
                readiness: Readiness(.ready),
                workers: workers,
                lacksMemoryForWorkers: lacksMemory,
                access: access
            ),
            lanes: Lanes(workers: workers)
        )
    }
}
