import Foundation
import Testing
import Yams

/// Tests the files that are generated from the tables of options, settings, problem codes, serializers and other
/// enumerations, and from `openapi.yaml`. `make golden` writes them.
@Suite(.serialized) struct ContractGoldenTests {
    @Test(arguments: ["openapi.yaml", "docs/options.md", "docs/command-line.md", "docs/decant.1"])
    func `the generated parts agree with the tables`(file: String) throws {
        let text = try Contract.text(file)
        let renewed = GeneratedText.renewed(text)
        #expect(!renewed.contains("There is no generated part"))
        if Contract.writes {
            try renewed.write(to: Contract.root.appending(path: file), atomically: true, encoding: .utf8)
        } else {
            #expect(text == renewed, "make golden writes \(file)")
        }
    }

    @Test func `the contract in JSON equals that in YAML`() throws {
        let node = try #require(try Yams.compose(yaml: Contract.text("openapi.yaml")))
        let json = JSONLayout.pretty(try Self.json(node))
        if Contract.writes {
            try json.write(to: Contract.root.appending(path: "openapi.json"), atomically: true, encoding: .utf8)
        } else {
            #expect(try Contract.text("openapi.json") == json, "make golden writes openapi.json")
        }
    }

    /// Returns the node as JSON, with its members in their order.
    private static func json(_ node: Node) throws -> String {
        switch node {
        case .mapping(let mapping):
            let members = try mapping.map { "\(quoted($0.key.string ?? "")):\(try json($0.value))" }
            return "{\(members.joined(separator: ","))}"
        case .sequence(let sequence):
            return "[\(try sequence.map(json).joined(separator: ","))]"
        case .scalar(let scalar):
            let isPlain = scalar.style == .plain || scalar.style == .any
            let isLiteral = scalar.string.wholeMatch(of: /true|false|-?\d+(\.\d+)?/) != nil
            return isPlain && isLiteral ? scalar.string : quoted(scalar.string)
        case .alias:
            throw CocoaError(.coderInvalidValue)
        }
    }

    private static func quoted(_ text: String) -> String {
        let data = try? JSONSerialization.data(
            withJSONObject: text,
            options: [.fragmentsAllowed, .withoutEscapingSlashes]
        )
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
}
