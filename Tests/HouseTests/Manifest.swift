import Foundation

/// The modules that `Package.swift` declares, read from its text: evaluating the manifest takes seconds, and blocks a
/// build.
struct Manifest {
    struct Module {
        var name: String
        /// The comment above the declaration.
        var summary: String
        /// The modules and products that it may import, in the order of the declaration.
        var dependencies: [String]
        /// The libraries of the system with which it is linked.
        var libraries: [String]
        /// The name of its settings for Swift; `nil` if there are none.
        var swiftSettings: String?
        /// The folder, relative to the project.
        var path: String

        /// Whether the module is a wrapper around a library in C.
        var isWrapper: Bool { name.hasPrefix("C") && name.dropFirst().first?.isUppercase == true }
    }

    let modules: [Module]

    /// The modules of `Sources`, in alphabetical order.
    var sources: [Module] {
        modules.filter { $0.path.hasPrefix("Sources/") }.sorted { $0.name.lowercased() < $1.name.lowercased() }
    }

    init() throws {
        self.init(parsing: try Project.text("Package.swift"))
    }

    init(parsing text: String) {
        let declaration =
            /(?<comment>(?:^ *\/\/[^\n]*\n)*)^ *\.(?<kind>target|executableTarget|systemLibrary|testTarget)(?<rest>\()/
            .anchorsMatchLineEndings()
        modules = text.matches(of: declaration).compactMap { match in
            let body = Self.balanced(text[match.rest.startIndex...])
            guard let name = body.firstMatch(of: /name: "(\w+)"/)?.1 else { return nil }
            let list = body.firstMatch(of: /dependencies: (\[[^\]]*\])/)?.1 ?? ""
            let folder = match.kind == "testTarget" ? "Tests" : "Sources"
            return Module(
                name: String(name),
                summary: match.comment.split(separator: "\n").map { line in
                    line.trimmingCharacters(in: CharacterSet(charactersIn: " /"))
                }.joined(separator: " "),
                dependencies: list.replacing(/package: "[^"]*"/, with: "").matches(of: /"([^"]+)"/).map {
                    String($0.1)
                },
                libraries: body.matches(of: /(?:linkedLibrary\(|pkgConfig: )"(?:lib)?([^"]+)"/).map { String($0.1) },
                swiftSettings: body.firstMatch(of: /swiftSettings: (\w+)/).map { String($0.1) },
                path: body.firstMatch(of: /path: "([^"]+)"/).map { String($0.1) } ?? "\(folder)/\(name)"
            )
        }
    }

    /// Returns the text from an opening parenthesis to the closing one.
    private static func balanced(_ text: Substring) -> Substring {
        var depth = 0
        for index in text.indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return text[...index] }
        }
        return text
    }
}
