import Foundation
import Serialization
import SerializationSupport
import Testing

/// Complete documents of the kinds that services receive, written for these tests, each next to its expected answer.
///
/// `make golden` rewrites the answers; changes are reviewed like code.
@Suite struct XMLGoldenTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Goldens/XML")

    private static let names: [String] = {
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "xml" }.map { $0.deletingPathExtension().lastPathComponent }
            .sorted()
    }()

    /// Whether the answers are written instead of compared.
    private static let writes = ProcessInfo.processInfo.environment["DECANT_WRITE_GOLDENS"] == "1"

    @Test(arguments: names)
    func `a document has the expected answer`(name: String) throws {
        for kind in [SerializerKind.xml, .xmlDocument] {
            let answer = Self.answer(to: try Self.text("\(name).xml"), kind) + "\n"
            let file = "\(name).\(kind.rawValue).json"
            if Self.writes {
                try answer.write(to: Self.folder.appending(path: file), atomically: true, encoding: .utf8)
            } else {
                #expect(answer == (try? Self.text(file)), "make golden writes what it is now")
            }
        }
    }

    /// In each pair, the value of one element has the structure of the value of many: an array in one is an array in
    /// the other.
    @Test(arguments: names.filter { $0.hasSuffix("-one") })
    func `one element has the structure of many`(name: String) throws {
        let one = try Self.shape(of: name)
        let many = try Self.shape(of: String(name.dropLast(3)) + "many")
        #expect(one.values.contains("array"))
        for (path, kind) in one {
            if let other = many[path] { #expect(other == kind, "\(path)") }
        }
        // They differ only in the number of elements.
        #expect(Set(one.keys).isSubset(of: many.keys))
    }

    private static func text(_ file: String) throws -> String {
        try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    }

    private static func answer(to text: String, _ kind: SerializerKind) -> String {
        let result = serialize(type: "application/xml", text) { $0.serializer = .one(kind) }
        return result.json ?? "\(result.chain)"
    }

    /// Returns the type of each path, with elements of arrays under one path: `object`, `array` or `string`.
    private static func shape(of name: String) throws -> [String: String] {
        let answer = Data(answer(to: try text("\(name).xml"), .xml).utf8)
        let value = (try JSONSerialization.jsonObject(with: answer) as? [String: Any])?["value"]
        var shape: [String: String] = [:]
        func add(_ value: Any?, at path: String) {
            switch value {
            case let object as [String: Any]:
                shape[path] = "object"
                for (name, value) in object { add(value, at: path + "/" + name) }
            case let array as [Any]:
                shape[path] = "array"
                for value in array { add(value, at: path + "/*") }
            default:
                // An element without attributes and children is a string; with them, an object.
                shape[path] = shape[path] ?? "string"
            }
        }
        add(value, at: "")
        return shape
    }
}
