import Foundation
import Testing

/// Everything about a serializer is in its row (`ContentSerializer`), so that a new one is one row and one case.
@Suite struct SerializerTableTests {
    /// The file with the kinds, and with the only switch over them.
    private static let table = "Sources/Serialization/Serializers/SerializerKind.swift"

    @Test func `only one switch distinguishes the serializers`() throws {
        let kinds = try Self.kinds()
        #expect(kinds.isSuperset(of: ["http", "json", "xmlDocument", "image"]))
        let sources = Project.root.appendingPathComponent("Sources")
        for file in Project.files(below: sources, suffix: ".swift") where !file.path.hasSuffix(Self.table) {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(Self.switches(over: kinds, in: text) == [], "\(file.lastPathComponent)")
        }
        #expect(Self.switches(over: kinds, in: try Project.text(Self.table)).count == 1)
    }

    @Test(arguments: [
        "switch self {\ncase .json: 1\ncase .xml, .xmlDocument, .plist: 2\ncase .http, .image: 3\n}",
        "switch (rules, kind) {\ncase (.decant, .json): 1\ncase (_, .xmlDocument): 2\ncase (_, nil): 3\n}",
        "switch kind {\ncase .json: 1\ncase .image: 2\ndefault: 3\n}",
        "    switch kind {\n    case .one(.json), .one(.image): 1\n    case .auto: 2\n    }",
    ])
    func `a switch over serializers is found`(text: String) {
        let kinds: Set<String> = ["http", "json", "xml", "xmlDocument", "plist", "image"]
        #expect(Self.switches(over: kinds, in: text).count == 1)
    }

    @Test(arguments: [
        "switch error {\ncase .json(let error): 1\ncase .xml(let error): 2\n}",
        "switch signature {\ncase .json: 1\ncase .xml, .svg: 2\n}",
        "switch route {\ncase .image: 1\ncase .fetch: 2\n}",
        "switch self {\ncase .json: 1\ncase .text: 2\n}\nswitch self {\ncase .image: 1\ncase .fetch: 2\n}",
    ])
    func `a switch over something else is not`(text: String) {
        let kinds: Set<String> = ["http", "json", "xml", "xmlDocument", "plist", "image"]
        #expect(Self.switches(over: kinds, in: text) == [])
    }

    /// The names of the cases of `SerializerKind`.
    private static func kinds() throws -> Set<String> {
        let declaration = try Project.text(table).components(separatedBy: "extension SerializerKind")[0]
        return Set(declaration.matches(of: /\n    case (\w+)/).map { String($0.1) })
    }

    /// Returns the switches that distinguish serializers: those that name a kind whose name nothing else has, or at
    /// least two kinds and nothing else.
    private static func switches(over kinds: Set<String>, in text: String) -> [String] {
        let statements = text.matches(of: /(?ms)^( *)(?:[^\n]*\W)?switch [^\n]*\{\n(.*?)^\1\}/).map {
            String($0.output.2)
        }
        return statements.filter { body in
            let patterns = body.matches(of: /(?m)^ *case ([^:]*(?:\n[^:]*)*?):/).map { String($0.output.1) }
            // A case with a payload belongs to another type, unless the payload is a kind.
            let names = patterns.flatMap { pattern in
                pattern.matches(of: /\.(\w+)(\(let|\(_)?/).filter { $0.output.2 == nil }.map { String($0.output.1) }
            }
            if names.contains("xmlDocument") { return true }
            let others: Set<String> = ["one", "auto", "compound", "decant", "afnetworking", "none", "some"]
            let named = Set(names).subtracting(others)
            return named.isSubset(of: kinds) && named.count > 1
        }
    }
}
