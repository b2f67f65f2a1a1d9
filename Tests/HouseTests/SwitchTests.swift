import Foundation
import Testing

/// What distinguishes the cases of an enumeration is one row for each, so that a new case is one row. Only the listed
/// switches return rows.
@Suite struct SwitchTests {
    /// An enumeration, and the files with a switch over it.
    struct Enumeration: Sendable {
        /// The file with the declaration.
        let file: String
        let name: String
        let switches: [String]
        /// The cases whose names no other enumeration has.
        let ownCases: Set<String>
        /// Whether other enumerations have the names of the other cases, so that only ``ownCases`` identify a switch.
        var sharesNames = false

        static let serializers = Enumeration(
            file: "Sources/Serialization/Serializers/SerializerKind.swift",
            name: "SerializerKind",
            switches: ["Sources/Serialization/Serializers/SerializerKind.swift"],
            ownCases: ["xmlDocument"]
        )

        /// `Fetching` knows no codes of problems, which are in a second row.
        static let fetchFailures = Enumeration(
            file: "Sources/Fetching/Attempts/FetchFailure.swift",
            name: "FetchFailure",
            switches: ["Sources/Fetching/Attempts/FetchFailure.swift", "Sources/Service/Fetch/Problem+Fetch.swift"],
            ownCases: ["resolveFailed", "connectionLost", "tlsFailed", "certificateUntrusted", "proxyFailed"]
        )

        /// The second switch selects the object that handles the request.
        static let endpoints = Enumeration(
            file: "Sources/Service/Routing/Endpoint.swift",
            name: "Endpoint",
            switches: ["Sources/Service/Routing/Endpoint.swift", "Sources/Service/Routing/DecantApplication.swift"],
            ownCases: ["openAPI"],
            sharesNames: true
        )

        static let all = [serializers, fetchFailures, endpoints]

        /// The names of the cases.
        func cases() throws -> Set<String> {
            let declaration = try Project.text(file).components(separatedBy: "extension \(name)")[0]
            return Set(declaration.matches(of: /\n    case (\w+)/).map { String($0.1) })
        }
    }

    @Test(arguments: Enumeration.all)
    func `only the listed switches distinguish the cases`(enumeration: Enumeration) throws {
        let cases = try enumeration.cases()
        #expect(cases.isStrictSuperset(of: enumeration.ownCases))
        let identifying = enumeration.sharesNames ? enumeration.ownCases : cases
        let sources = Project.root.appendingPathComponent("Sources")
        for file in Project.files(below: sources, suffix: ".swift") {
            let expected = enumeration.switches.filter { file.path.hasSuffix($0) }.count
            let text = try String(contentsOf: file, encoding: .utf8)
            let switches = Self.switches(over: identifying, enumeration.ownCases, in: text)
            #expect(switches.count == expected, "\(file.lastPathComponent)")
        }
    }

    @Test(arguments: [
        "switch self {\ncase .json: 1\ncase .xml, .xmlDocument, .plist: 2\ncase .http, .image: 3\n}",
        "switch (rules, kind) {\ncase (.decant, .json): 1\ncase (_, .xmlDocument): 2\ncase (_, nil): 3\n}",
        "switch kind {\ncase .json: 1\ncase .image: 2\ndefault: 3\n}",
        "    switch kind {\n    case .one(.json), .one(.image): 1\n    case .auto: 2\n    }",
    ])
    func `a switch over serializers is found`(text: String) {
        let kinds: Set<String> = ["http", "json", "xml", "xmlDocument", "plist", "image"]
        #expect(Self.switches(over: kinds, ["xmlDocument"], in: text).count == 1)
    }

    @Test(arguments: [
        "switch error {\ncase .json(let error): 1\ncase .xml(let error): 2\n}",
        "switch signature {\ncase .json: 1\ncase .xml, .svg: 2\n}",
        "switch route {\ncase .image: 1\ncase .fetch: 2\n}",
        "switch self {\ncase .json: 1\ncase .text: 2\n}\nswitch self {\ncase .image: 1\ncase .fetch: 2\n}",
    ])
    func `a switch over something else is not`(text: String) {
        let kinds: Set<String> = ["http", "json", "xml", "xmlDocument", "plist", "image"]
        #expect(Self.switches(over: kinds, ["xmlDocument"], in: text) == [])
    }

    @Test(arguments: [
        "switch failure {\ncase .tlsFailed: 1\ncase .timedOut, .connectFailed: 2\ndefault: 3\n}",
        "switch outcome {\ncase .failed(_, hasHead: true): 1\ncase .failed(.proxyFailed, hasHead: false): 2\n}",
    ])
    func `a switch over failures is found`(text: String) throws {
        let failures = Enumeration.fetchFailures
        #expect(Self.switches(over: try failures.cases(), failures.ownCases, in: text).count == 1)
    }

    /// Returns the switches that distinguish the cases: those that name a case whose name nothing else has, or at least
    /// two cases and nothing else.
    private static func switches(over cases: Set<String>, _ own: Set<String>, in text: String) -> [String] {
        let lines = text.components(separatedBy: "\n")
        let statements = lines.indices.compactMap { start -> String? in
            guard lines[start].contains("switch "), lines[start].hasSuffix("{") else { return nil }
            let end = lines[start].prefix { $0 == " " } + "}"
            return lines[(start + 1)...].prefix { !$0.hasPrefix(end) }.joined(separator: "\n")
        }
        return statements.filter { body in
            let patterns = body.matches(of: /(?m)^ *case ([^:]*(?:\n[^:]*)*?):/).map { String($0.output.1) }
            // A case with a payload belongs to another type, unless the payload is a case.
            let names = patterns.flatMap { pattern in
                pattern.matches(of: /\.(\w+)(\(let|\(_)?/).filter { $0.output.2 == nil }.map { String($0.output.1) }
            }
            if !own.isDisjoint(with: names) { return true }
            let others: Set<String> = ["one", "auto", "compound", "decant", "afnetworking", "none", "some"]
            let named = Set(names).subtracting(others)
            return named.isSubset(of: cases) && named.count > 1
        }
    }
}
