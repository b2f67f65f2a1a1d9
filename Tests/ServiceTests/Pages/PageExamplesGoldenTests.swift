import Foundation
import Testing

@testable import Service

/// The examples on the page at `/`, which are requests of `examples/exchanges`. `make golden` writes them.
@Suite struct PageExamplesGoldenTests {
    /// The examples in their order: the label of the button, and the name of the file.
    private static let examples = [
        ("JSON", "partner-json"), ("Missing comma", "missing-comma"), ("Comments", "commented"),
        ("Windows-1252", "windows-1252"), ("Sign-in page", "type-contradicted"), ("Broken feed", "broken-feed"),
        ("SOAP fault", "soap-fault"), ("Property list", "property-list"), ("curl -iL", "message"), ("Photo", "photo"),
    ]

    @Test func `the examples of the page are requests of the exchanges`() throws {
        let file = Contract.root.appending(path: "Sources/CDocuments/site/examples.json")
        let lines = try Self.examples.map { title, name in
            let exchange = try Data(contentsOf: Contract.root.appending(path: "examples/exchanges/\(name).json"))
            let object = try #require(JSONSerialization.jsonObject(with: exchange) as? [String: Any])
            let example = ["title": title, "name": name, "request": try #require(object["request"])]
            let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
            let json = try JSONSerialization.data(withJSONObject: example, options: options)
            // In an HTML document, `</script>` would end the element.
            return String(decoding: json, as: UTF8.self).replacingOccurrences(of: "<", with: "\\u003c")
        }
        let text = "[\n\(lines.joined(separator: ",\n"))\n]"
        if Contract.writes {
            try text.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(try String(contentsOf: file, encoding: .utf8) == text, "make golden writes the examples")
            let embedded = unsafe String(decoding: EmbeddedFile.pageExamples, as: UTF8.self)
            #expect(embedded == text, "build again after make golden")
        }
    }
}
