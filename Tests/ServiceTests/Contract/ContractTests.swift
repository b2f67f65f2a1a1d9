import Foundation
import Serialization
import Testing

@testable import HTTP
@testable import Service

@Suite struct ContractTests {
    private let contract: Contract

    init() throws {
        contract = try Contract()
    }

    @Test func `the service returns the contract from the project's root`() throws {
        let yaml = Document.openAPI()
        #expect("\(yaml.contentType)" == "application/yaml")
        let isCurrent =
            try String(decoding: yaml.response().content.bytes, as: UTF8.self) == Contract.text("openapi.yaml")
        #expect(isCurrent, "the program contains the contract that it was built with: build again")
        let json = Document.openAPIInJSON()
        #expect("\(json.contentType)" == "application/json")
        let isJSONCurrent =
            try String(decoding: json.response().content.bytes, as: UTF8.self) == Contract.text("openapi.json")
        #expect(isJSONCurrent, "the program contains the contract that it was built with: build again")
    }

    @Test func `the contract contains exactly the existing warnings`() {
        #expect(contract.knownValues(ofSchema: "WarningCode") == Self.warnings.map { Warning($0).code })
    }

    /// One warning of each kind. The compiler cannot list them.
    private static let warnings: [Warning.Kind] = [
        .byteOrderMark(encoding: ""), .transcoded(encoding: ""), .duplicateName("", kept: .last), .lenient(.comments),
        .lenient(.bareAmpersands),
        .possiblyTruncatedRecord, .loneSurrogate, .prefix(""), .numberRewritten(from: "", to: ""), .graphQLNulls,
        .declarationMismatch(declared: "", actual: ""),
        .namespace(""), .namedEntity(""), .soapFault, .formEscape,
        .eventsUnknownField(""), .eventsInvalidID, .eventsInvalidRetry(""), .eventsWithoutData, .eventsDataNotJSON,
        .eventsUnfinished,
        .csvUnfinished, .csvSeparatorLine, .csvDuplicateName("", ""), .csvEmptyName(""), .csvBareQuote, .csvBlankLine,
        .lenient(.ragged), .feedInvalidDate(""), .feedBaseTooLong(max: 0),
        .feedUnexpectedNamespace(""),
        .duplicateKey("", kept: .last), .propertyListLoneSurrogate, .propertyListNumberRounded(from: "", to: ""),
        .imageTypeMismatch(declared: "", actual: ""),
        .imageMetadata(""), .imageProfile, .imageMissingEnd, .imageMissingColorTable, .imageInvalidDate(""),
        .imageWithoutPixels(.truncated), .imageWithoutPixels(.corrupt(part: nil)),
        .imageWithoutPixels(.unsupportedPixels(feature: "")),
        .imageWithoutPixels(.tooLargeToDecode(amount: "", max: 0)), .imageWithoutPixels(.pixelsUnavailable),
        .notEncoded(.gzip), .trailingBytes(.gzip, count: nil), .missingTrailer(.gzip), .truncatedCoding(.gzip),
        .charsetMismatch(declared: "", actual: ""), .charsetReplaced(declared: nil, used: ""),
        .contentMismatch(declared: "", looksLike: ""), .malformedContentType(""), .malformedParameters(""),
        .invalidField(""), .lengthMismatch(declared: 0, received: 0), .unexpectedContent(bytes: 0),
        .messageNotChunked(mayBeSize: false),
        .messageTrailingBytes(0), .messageWithoutContent(declared: nil), .messageTruncated(declared: nil, received: 0),
        .messageHistoryTruncated(count: 0), .rawFallback, .truncated(count: 0),
    ]

    // MARK: Options

    @Test(arguments: [
        ("/v1/normalize", OptionName.allCases), ("/v1/normalize/envelope", OptionName.allCases),
        ("/v1/normalize/message", OptionName.allCases),
        ("/v1/normalize/value", OptionParser.namesForValue), ("/v1/thumbnail", OptionParser.namesForThumbnail),
    ])
    func `the contract contains exactly the existing options`(path: String, options: [OptionName]) throws {
        let operation = try #require(contract.operation("POST", path))
        // `view` is described in prose, and `serializer` has a single value for a thumbnail.
        let inProse: Set<OptionName> = path == "/v1/thumbnail" ? [.view, .serializer] : [.view]
        #expect(operation.options == options.filter { !inProse.contains($0) }.map(\.rawValue))
    }

    @Test func `a request for an image has the options of a thumbnail, and the parameters of a fetch`() throws {
        func options(_ method: String, _ path: String) throws -> [String] {
            try #require(contract.operation(method, path)).options
        }
        let own = ["fallback", "fallback-on", "fallback-status"]
        let fetch = try options("GET", "/v1/fetch").filter { OptionName(rawValue: $0) == nil }
        let thumbnail = try options("POST", "/v1/thumbnail")
        #expect(try Set(options("GET", "/v1/image")) == Set(own + fetch + thumbnail))
    }

    @Test func `the contract contains exactly the parameters of a fetch`() throws {
        func members(_ schema: String) -> Set<String> {
            Set(contract.object("components", "schemas", schema, "properties").keys)
        }
        #expect(members("FetchRequest") == Set(FetchParameter.allCases.map(\.rawValue)))
        #expect(members("ProfileFetchOptions") == Set(FetchParameter.preferences.map(\.parameter.rawValue)))
        let query = try #require(contract.operation("GET", "/v1/fetch")).options
        #expect(Set(query.filter { OptionName(rawValue: $0) == nil }) == Set(FetchParameter.queryNames + [Shard.name]))
    }

    @Test func `the pattern of csv-delimiter allows the characters that the service accepts`() throws {
        let schema = contract.resolve(contract.object("components", "parameters", "CsvDelimiter")["schema"])
        let pattern = try #require(schema["pattern"] as? String)
        for scalar in (0..<0x180).compactMap({ Unicode.Scalar($0 as UInt32) }) {
            let text = String(scalar)
            let isAllowed = text.range(of: pattern, options: .regularExpression) != nil
            #expect(isAllowed == (CSVDelimiter(parsing: text) != nil), "\(scalar.escaped(asASCII: true))")
        }
    }

    // MARK: Requirements of client generators

    @Test func `no parameter has a default, because generated clients would send it`() {
        let withDefault = contract.schemas.filter { $0.schema["default"] != nil }.map(\.location)
        #expect(withDefault == [])
    }

    @Test func `no description contains the end of a comment`() throws {
        let text = try Contract.text("openapi.yaml").replacing("'*/*'", with: "")
        #expect(!text.contains("*/"))
    }

    @Test func `every request body is binary or JSON`() {
        for operation in contract.operations {
            for (type, content) in operation.body {
                let schema = contract.resolve(contract.resolve(content)["schema"])
                let isBinary = schema["type"] as? String == "string" && schema["format"] as? String == "binary"
                #expect(isBinary || type == "application/json", "\(operation.id): \(type)")
            }
        }
    }

    @Test func `a response may have members and values that this version does not have`() {
        let requests: Set<String> = ["Envelope", "FetchRequest", "TextBody", "Base64Body", "JSONBody"]
        for (name, schema) in contract.object("components", "schemas") {
            let schema = contract.resolve(schema)
            guard !requests.contains(name), !name.hasSuffix("Option") else { continue }
            if schema["type"] as? String == "object" {
                #expect(schema["additionalProperties"] as? Bool == true, "\(name)")
            }
        }
        let closed = contract.schemas.filter { location, schema in
            schema["enum"] != nil && !location.hasSuffix("Option")
        }
        #expect(closed.map(\.location) == [])
    }

    @Test func `every alternative and every object has a title`() {
        for (name, schema) in contract.object("components", "schemas") {
            let schema = contract.resolve(schema)
            if schema["type"] as? String == "object" { #expect(schema["title"] as? String == name) }
            for alternative in schema["oneOf"] as? [Any] ?? [] {
                #expect(contract.resolve(alternative)["title"] is String, "\(name)")
            }
        }
        let anonymous = contract.schemas.filter { location, schema in
            let isComponent = location.wholeMatch(of: /\/components\/schemas\/\w+/) != nil
            return !isComponent
                && (schema["oneOf"] != nil || schema["anyOf"] != nil
                    || schema["properties"] is [String: [String: Any]] && schema["type"] as? String == "object")
        }
        #expect(anonymous.map(\.location) == [])
    }

    @Test func `every constant of an option has a unique name`() {
        let names = contract.object("components", "schemas").values.flatMap {
            contract.resolve($0)["x-enum-varnames"] as? [String] ?? []
        }
        #expect(!names.isEmpty && Set(names).count == names.count)
    }

    // MARK: Paths and examples

    @Test func `the contract describes every path with its methods, and no others`() {
        let operations = contract.operations.map { "\($0.method) \($0.path)" }
        let supported = Endpoint.allCases.map(\.row).flatMap { row in
            row.paths.flatMap { path in row.methods.map { "\($0) \(path)" } }
        }
        #expect(Set(operations) == Set(supported))
    }

    @Test(arguments: try ContractExchange.all)
    func `every example is an exchange that the contract describes`(exchange: ContractExchange) throws {
        let operation = try #require(contract.operation(exchange.method, exchange.path))
        // The example of an unknown option is rejected.
        let isRejected = exchange.status == 400
        #expect(isRejected || Set(exchange.options).subtracting(operation.options + ["view"]) == [])
        let response = contract.resolve(operation.responses[String(exchange.status)])
        let content = contract.resolve(contract.resolve(response["content"])[exchange.contentType])
        #expect(!content.isEmpty)
        guard exchange.contentType.hasSuffix("json"), !exchange.options.contains("view") else { return }
        let value = try JSONSerialization.jsonObject(
            with: Data(exchange.responseContent.utf8),
            options: .fragmentsAllowed
        )
        let validator = SchemaValidator(contract: contract)
        #expect(validator.faults(of: value, content["schema"]) == [])
        if let object = value as? [String: Any], object["serializer"] as? String == "image" {
            #expect(validator.faults(of: object["value"] ?? "", ["$ref": "#/components/schemas/ImageValue"]) == [])
        }
        if exchange.path.hasSuffix("/envelope"), exchange.status == 200 {
            let envelope = try JSONSerialization.jsonObject(with: Data(exchange.content))
            let schema = contract.resolve(contract.resolve(operation.body["application/json"])["schema"])
            // `headers` as an object is described in prose.
            let usesPairs = (envelope as? [String: Any])?["headers"] is [Any]
            if usesPairs { #expect(validator.faults(of: envelope, schema) == []) }
        }
    }

    @Test func `the validator detects errors`() {
        let validator = SchemaValidator(contract: contract)
        let schema = ["$ref": "#/components/schemas/Envelope"]
        #expect(validator.faults(of: ["status": 200], schema) == [])
        #expect(validator.faults(of: ["status": 42], schema) == ["/status"])
        #expect(validator.faults(of: ["status": true], schema) == ["/status: not of type integer"])
        #expect(validator.faults(of: ["content": "x"], schema) == [": unknown member content"])
        #expect(validator.faults(of: ["body": ["text": "", "json": ""]], schema).count == 1)
        #expect(validator.faults(of: ["headers": [["a"]]], schema).count == 1)
    }

    @Test func `there are examples of every kind of response`() throws {
        let exchanges = try ContractExchange.all
        #expect(Set(exchanges.map(\.status)) == [200, 400, 401, 403, 404, 413, 415, 422])
        let paths: Set = [
            "/v1/normalize", "/v1/normalize/value", "/v1/normalize/message", "/v1/normalize/envelope", "/v1/thumbnail",
            "/v1/profiles", "/v1/image",
        ]
        #expect(paths.subtracting(exchanges.map(\.path)) == [])
    }

    @Test func `changing the layout of JSON keeps the text of strings and numbers`() {
        let text = #"{"a": [1.10, "\u0061 {,}", true, {}, []], "b": "x"}"#
        #expect(JSONLayout.minified(text) == #"{"a":[1.10,"\u0061 {,}",true,{},[]],"b":"x"}"#)
        #expect(JSONLayout.pretty(text) == text + "\n")
        let long = "[\(Array(repeating: "1.0", count: 40).joined(separator: ","))]"
        #expect(JSONLayout.minified(JSONLayout.pretty(long)) == long)
        #expect(JSONLayout.pretty(long).hasPrefix("[\n  1.0,\n"))
    }
}
