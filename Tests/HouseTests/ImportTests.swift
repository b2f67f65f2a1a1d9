import Foundation
import Testing

/// Who may import whom. Foundation is in no list: it would double the size of the service and bring parsers that the
/// project exists to replace.
@Suite struct ImportTests {
    private static let allowed: [String: Set<String>] = [
        "Fetcher": ["CCares", "CCurl", "Fetching", "Glibc", "Platform", "Primitives"],
        "Fetching": ["Primitives", "Synchronization"],
        "HTTP": ["CDeflate", "CMicroHTTPD", "Glibc", "Platform", "Primitives", "Synchronization"],
        "Platform": ["CEvents", "CMalloc", "CSandbox", "CScheduler", "Glibc", "Synchronization"],
        "Primitives": ["Glibc"],
        "Serialization": [
            "CBrotli", "CDeflate", "CIconv", "CJPEG", "CLCMS", "CPixels", "CPNG", "CTIFF", "CVector", "CWebP", "CXML",
            "CZlib", "CZstd", "Glibc", "Primitives",
        ],
        "Service": [
            "ArgumentParser", "CDocuments", "Fetching", "Glibc", "HTTP", "Logging", "Platform", "Serialization",
            "Synchronization",
            "Workers",
        ],
        "Workers": ["Glibc", "Logging", "Platform", "Serialization", "Synchronization"],
    ]

    @Test(arguments: allowed.keys.sorted())
    func `a module imports only what it may`(module: String) throws {
        let files = Project.files(below: Project.root.appendingPathComponent("Sources/\(module)"), suffix: ".swift")
        #expect(!files.isEmpty)
        for file in files {
            let imported = try Self.imports(in: String(contentsOf: file, encoding: .utf8))
            #expect(imported.subtracting(Self.allowed[module] ?? []) == [], "\(file.lastPathComponent)")
        }
    }

    /// What is unsafe stays behind one file.
    @Test func `a file of Serialization has each C library to itself`() throws {
        let files = Project.files(below: Project.root.appendingPathComponent("Sources/Serialization"), suffix: ".swift")
        let imports = try files.flatMap { try Self.imports(in: String(contentsOf: $0, encoding: .utf8)) }
        let shims = imports.filter { $0.hasPrefix("C") }
        #expect(shims.count == Set(shims).count)
    }

    /// Decoding pixels will move to a module of its own; until then, no other module begins to do it.
    private static let imageShims: Set<String> = ["CJPEG", "CLCMS", "CPNG", "CTIFF", "CWebP"]

    /// The modules that may import the wrappers around image libraries. The list can only become shorter.
    private static let imageModules: Set<String> = ["Serialization"]

    @Test func `only the listed modules may import the wrappers around image libraries`() {
        #expect(Set(Self.allowed.filter { Self.hasImageShim($0.value) }.keys) == Self.imageModules)
    }

    @Test func `each listed module imports a wrapper around an image library, and no other module does`() throws {
        for module in Self.allowed.keys.sorted() {
            let files = Project.files(below: Project.root.appendingPathComponent("Sources/\(module)"), suffix: ".swift")
            let imports = try files.reduce(into: Set<String>()) { imports, file in
                imports.formUnion(try Self.imports(in: String(contentsOf: file, encoding: .utf8)))
            }
            #expect(Self.hasImageShim(imports) == Self.imageModules.contains(module), "\(module)")
        }
    }

    @Test func `an import of a wrapper around an image library is found`() {
        #expect(Self.hasImageShim(Self.imports(in: "internal import Glibc\ninternal import CPNG\n")))
        #expect(!Self.hasImageShim(Self.imports(in: "internal import Glibc\ninternal import CXML\n")))
    }

    private static func hasImageShim(_ modules: Set<String>) -> Bool {
        !modules.isDisjoint(with: imageShims)
    }

    @Test func `every module has its list`() throws {
        let modules = try FileManager.default.contentsOfDirectory(atPath: Project.root.path + "/Sources")
        #expect(Set(modules.filter { !$0.hasPrefix("C") }) == Set(Self.allowed.keys))
    }

    @Test(arguments: [
        "import Foundation", "internal import Foundation", "@preconcurrency public import Foundation",
        "    import struct Foundation.URL", "@_spi(Some) import Foundation",
    ])
    func `an import of Foundation is found, however it is written`(line: String) {
        #expect(Self.imports(in: "internal import Glibc\n\(line)\n") == ["Glibc", "Foundation"])
    }

    @Test func `text that only speaks of an import is none`() {
        #expect(Self.imports(in: "// import Foundation\nlet importer = 1\n/// import it\n").isEmpty)
    }

    private static func imports(in text: String) -> Set<String> {
        let declaration =
            /^\s*(?:@\S+\s+)*(?:\w+\s+)?import\s+(?:(?:typealias|struct|class|enum|protocol|let|var|func)\s+)?(\w+)/
            .anchorsMatchLineEndings()
        return Set(text.matches(of: declaration).map { String($0.1) })
    }
}
