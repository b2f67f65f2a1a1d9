import Foundation
import Yams

/// `openapi.yaml` in the project's root, read.
struct Contract {
    let document: [String: Any]

    /// The file as it stands.
    static let text: Result<String, any Error> = Result {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        return try String(contentsOf: root.appending(path: "openapi.yaml"), encoding: .utf8)
    }

    init() throws {
        document = try Yams.load(yaml: Self.text.get(), .default, Self.constructor) as? [String: Any] ?? [:]
    }

    /// Keeps the text of numbers that are no integers: `1.10` is another answer than `1.1`.
    private static var constructor: Constructor {
        var scalars = Constructor.defaultScalarMap
        scalars[.float] = { numberMark + $0.string }
        return Constructor(scalars)
    }

    /// Begins what stands for a number. No text of the contract has it.
    static let numberMark = "\u{1}"

    /// What stands at `path`, references followed on the way; an empty object where nothing does.
    func object(_ path: String...) -> [String: Any] {
        path.reduce(document) { object, key in resolve(object[key]) }
    }

    func resolve(_ value: Any?) -> [String: Any] {
        guard let object = value as? [String: Any] else { return [:] }
        guard let reference = object["$ref"] as? String else { return object }
        return reference.split(separator: "/").dropFirst().reduce(document) { resolve($0[String($1)]) }
    }

    /// The values of an enumerated schema.
    func values(ofSchema name: String) -> [String] {
        object("components", "schemas", name)["enum"] as? [String] ?? []
    }
}

extension Contract {
    struct Operation {
        let method: String
        let path: String
        let parameters: [[String: Any]]
        let body: [String: Any]
        let responses: [String: Any]
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
                    parameters: parameters.map(resolve),
                    body: resolve(resolve(operation["requestBody"])["content"]),
                    responses: resolve(operation["responses"])
                )
            }
        }
    }
}
