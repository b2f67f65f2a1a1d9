import Foundation
import Yams

/// The parsed `openapi.yaml` of the project.
struct Contract {
    let document: [String: Any]

    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

    /// Returns the content of a file of the project.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Returns the code of a module.
    static func code(of module: String) throws -> String {
        let files = FileManager.default.enumerator(
            at: root.appending(path: "Sources/\(module)"),
            includingPropertiesForKeys: nil
        )
        return try (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    }

    /// Whether tests write the generated files instead of comparing them (`make golden`).
    static let writes = ProcessInfo.processInfo.environment["DECANT_WRITE_GOLDENS"] == "1"

    /// Tests that write the generated files change the document, which otherwise is parsed once.
    init() throws {
        document = try Self.writes ? Self.parse() : Self.parsed.get()
    }

    // The values are never changed.
    nonisolated(unsafe) private static let parsed = Result { try parse() }

    private static func parse() throws -> [String: Any] {
        try Yams.load(yaml: text("openapi.yaml")) as? [String: Any] ?? [:]
    }

    /// Returns the object at `path`, resolving references; an empty object if there is none.
    func object(_ path: String...) -> [String: Any] {
        path.reduce(document) { object, key in resolve(object[key]) }
    }

    func resolve(_ value: Any?) -> [String: Any] {
        guard let object = value as? [String: Any] else { return [:] }
        guard let reference = object["$ref"] as? String else { return object }
        return reference.split(separator: "/").dropFirst().reduce(document) { resolve($0[String($1)]) }
    }

    /// The known values of an open enumeration.
    func knownValues(ofSchema name: String) -> [String] {
        object("components", "schemas", name)["x-extensible-enum"] as? [String] ?? []
    }
}

extension Contract {
    struct Operation {
        let method: String
        let path: String
        let id: String
        let parameters: [[String: Any]]
        let body: [String: Any]
        let responses: [String: Any]

        /// The names of the options.
        var options: [String] {
            parameters.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String }
        }
    }

    var operations: [Operation] {
        object("paths").keys.sorted().flatMap { path in
            let item = object("paths", path)
            return item.keys.filter { $0 != "parameters" }.sorted().map { method in
                let operation = resolve(item[method])
                let parameters = [item, operation].flatMap { $0["parameters"] as? [Any] ?? [] }
                return Operation(
                    method: method.uppercased(),
                    path: path,
                    id: operation["operationId"] as? String ?? "",
                    parameters: parameters.map(resolve),
                    body: resolve(resolve(operation["requestBody"])["content"]),
                    responses: resolve(operation["responses"])
                )
            }
        }
    }

    /// The operation of a request; `nil` if the contract has none.
    func operation(_ method: String, _ path: String) -> Operation? {
        operations.first { operation in
            let pattern = operation.path.replacingOccurrences(of: "{code}", with: "[^/]+")
            return operation.method == method && path.range(of: "^\(pattern)$", options: .regularExpression) != nil
        }
    }

    /// Every schema object in the document, with a description of its location.
    var schemas: [(location: String, schema: [String: Any])] {
        var found: [(String, [String: Any])] = []
        func search(_ value: Any, _ location: String) {
            if let object = value as? [String: Any] {
                let isSchema = !location.hasSuffix("/properties")
                if isSchema, object["type"] != nil || object["oneOf"] != nil || object["enum"] != nil {
                    found.append((location, object))
                }
                for (key, value) in object { search(value, "\(location)/\(key)") }
            } else if let array = value as? [Any] {
                for (index, value) in array.enumerated() { search(value, "\(location)/\(index)") }
            }
        }
        search(document, "")
        return found
    }
}
