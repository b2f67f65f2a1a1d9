import Foundation
import Logging
import Serialization
import Testing

@testable import Service
@testable import Workers

@Suite struct ContractTests {
    private let contract: Contract

    init() throws {
        contract = try Contract()
    }

    @Test func `the service gives out the contract as it stands in the project's root`() throws {
        #expect(try String(decoding: Document.openAPI().response().content.bytes, as: UTF8.self) == Contract.text.get())
    }

    @Test func `every problem and no other is in the contract`() {
        #expect(contract.values(ofSchema: "ProblemCode") == ProblemCode.allCases.map(\.rawValue))
    }

    @Test func `every domain, stage and serializer and no other is in the contract`() {
        let link = contract.object("components", "schemas", "ChainLink", "properties")
        #expect(contract.resolve(link["domain"])["enum"] as? [String] == ErrorDomain.allCases.map(\.rawValue))
        #expect(contract.resolve(link["stage"])["enum"] as? [String] == Stage.allCases.map(\.rawValue))
        let answer = contract.object("components", "schemas", "Answer", "properties")
        #expect(contract.resolve(answer["serializer"])["enum"] as? [String] == SerializerKind.allCases.map(\.rawValue))
    }

    @Test func `every warning and no other is in the contract`() {
        #expect(contract.values(ofSchema: "WarningCode") == Self.warnings.map { Warning($0).code })
    }

    /// One of each kind; the compiler cannot list them.
    private static let warnings: [Warning.Kind] = [
        .byteOrderMark(encoding: ""), .transcoded(encoding: ""), .duplicateName("", kept: .last), .lenient(.comments),
        .possiblyTruncatedRecord, .loneSurrogate, .prefix(""), .numberRewritten(from: "", to: ""),
        .declarationMismatch(declared: "", actual: ""),
        .namespace(""), .namedEntity(""), .soapFault,
        .duplicateKey("", kept: .last), .propertyListLoneSurrogate, .imageTypeMismatch(declared: "", actual: ""),
        .imageMetadata(""), .imageProfile, .imageMissingEnd, .imageMissingColorTable, .imageInvalidDate(""),
        .imageWithoutPixels(.truncated), .imageWithoutPixels(.corrupt(part: nil)),
        .imageWithoutPixels(.unsupportedPixels(feature: "")),
        .imageWithoutPixels(.tooLargeToDecode(amount: "", max: 0)), .imageWithoutPixels(.pixelsUnavailable),
        .charsetMismatch(declared: "", actual: ""),
        .contentMismatch(declared: "", looksLike: ""), .malformedContentType(""), .malformedParameters(""),
        .lengthMismatch(declared: 0, received: 0), .unexpectedContent(bytes: 0), .rawFallback, .truncated(count: 0),
    ]

    @Test(arguments: ["/v1/normalize", "/v1/normalize/envelope"])
    func `every option and no other is in the contract, with its values and default`(path: String) throws {
        let operation = try #require(contract.operations.first { $0.path == path })
        let query = operation.parameters.filter { $0["in"] as? String == "query" }
        #expect(query.map { $0["name"] as? String } == OptionName.allCases.map(\.rawValue))
        for (parameter, definition) in zip(query, OptionTable.definitions()) {
            let schema = contract.resolve(parameter["schema"])
            let name = Comment(rawValue: definition.name.rawValue)
            #expect(schema["default"].map { "\($0)" } == definition.defaultValue, name)
            switch definition.values {
            case .oneOf(let values): #expect(schema["enum"] as? [String] == values, name)
            case .list(let values):
                if let listed = schema["enum"] as? [String] {
                    #expect(listed.prefix(values.count) == values[...], name)
                } else {
                    let one = "(\(values.joined(separator: "|")))"
                    #expect(schema["pattern"] as? String == "^\(one)(,\(one))*$", name)
                }
            case .number(let max): #expect(schema["maximum"] as? Int == max && schema["minimum"] as? Int == 1, name)
            case .text: #expect(schema["type"] as? String == "string", name)
            }
        }
    }

    @Test func `every option for a thumbnail and no other is in the contract`() throws {
        let operation = try #require(contract.operations.first { $0.path == "/v1/thumbnail" })
        let query = operation.parameters.filter { $0["in"] as? String == "query" }
        #expect(query.map { $0["name"] as? String } == OptionParser.namesForThumbnail.map(\.rawValue))
    }

    @Test func `every path leads somewhere, with its methods`() throws {
        for operation in contract.operations {
            let route = try #require(Route(path: operation.path.replacing("{code}", with: "internal")))
            #expect(route.methods.contains(operation.method))
        }
        #expect(PlannedPath.allCases.allSatisfy { contract.object("paths")[$0.rawValue] == nil })
    }

    @Test(arguments: try Contract().exchanges)
    func `the running service answers an example as the contract says`(exchange: ContractExchange) throws {
        let needsPixels = exchange.target.hasPrefix("/v1/thumbnail")
        let service = try RunningService.service(needsPixels: needsPixels, example: exchange.name).get()
        var request = "\(exchange.method) \(exchange.target) HTTP/1.1\r\nHost: decant.test\r\n"
        request += "X-Request-ID: 0190163d-8694-739b-aea5-966c26f8ad91\r\nContent-Length: \(exchange.content.count)\r\n"
        for (name, value) in exchange.fields { request += "\(name): \(value)\r\n" }
        let client = try RawClient(port: service.address.port)
        client.send(Array((request + "\r\n").utf8) + Array(exchange.content))
        let answer = try client.readAnswer()
        #expect(answer.status == exchange.status)
        #expect(answer.fields["content-type"] == exchange.contentType)
        guard !exchange.contentType.hasPrefix("image/") else {
            // Another version of an image library may write other bytes.
            let example = try [UInt8](#require(Data(base64Encoded: exchange.answer.filter { $0 != "\"" })))
            let (facts, expected) = try (ImageHeader.read(answer.content.span), ImageHeader.read(example.span))
            #expect(facts.mediaType == expected.mediaType && facts.mediaType == exchange.contentType)
            #expect(facts.width == expected.width && facts.height == expected.height)
            return
        }
        let text = try Contract.canonical(json: String(decoding: answer.content, as: UTF8.self))
        #expect(text == exchange.answer)
    }

    @Test func `the text of a number is compared`() throws {
        #expect(try Contract.canonical(["price": Contract.numberMark + "1.10"]) == #"{"price":1.10}"#)
        #expect(try Contract.canonical(json: #"{"price": 1.1}"#) == #"{"price":1.1}"#)
        #expect(try contract.exchanges.contains { $0.answer.contains("1.10") })
    }

    @Test func `the contract has examples of every kind of answer`() throws {
        let statuses = try Set(contract.exchanges.map(\.status))
        #expect(statuses == [200, 400, 404, 413, 415, 422])
    }
}

/// The service on a free port of this machine, for as long as the tests run.
private enum RunningService {
    static func service(needsPixels: Bool, example: String) -> Result<HTTPServer, any Error> {
        if needsPixels { return withWorkers }
        return example == "no-memory" ? withoutMemory : shared
    }

    private static let shared: Result<HTTPServer, any Error> = Result { try daemon(workers: nil) }

    /// For the example of a probe of a service that has not enough memory for a worker.
    private static let withoutMemory: Result<HTTPServer, any Error> = Result {
        try daemon(workers: nil, lacksMemory: true)
    }

    /// For what needs pixels; its probe would tell of workers that have started or not.
    private static let withWorkers: Result<HTTPServer, any Error> = Result {
        var configuration = WorkerConfiguration()
        configuration.executable =
            URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("decant").path
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try daemon(workers: WorkerPool(configuration, log: log))
    }

    private static func daemon(workers: WorkerPool?, lacksMemory: Bool = false) throws -> HTTPServer {
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        return try HTTPServer(
            configuration,
            application: DecantApplication(
                readiness: Readiness(.ready),
                workers: workers,
                lacksMemoryForWorkers: lacksMemory
            ),
            lanes: Lanes(workers: workers)
        )
    }
}
