import Foundation
import Testing

/// Who may import whom: `Package.swift` says it. Foundation is no dependency, and is not permitted: it would double the
/// size of the service and bring parsers that the project exists to replace.
@Suite struct ImportTests {
    /// The modules that come with the toolchain and that every module may import.
    private static let ofToolchain: Set<String> = ["Glibc", "Synchronization"]

    private static let modules: [Manifest.Module] = (try? Manifest().sources) ?? []

    @Test(arguments: modules.map(\.name))
    func `a module imports only what it declares, and declares only what it imports`(module: String) throws {
        let module = try #require(Self.modules.first { $0.name == module })
        let imported = try Self.imports(of: module)
        #expect(imported.subtracting(module.dependencies).subtracting(Self.ofToolchain) == [])
        // A module in C includes headers instead.
        guard !imported.isEmpty else { return }
        #expect(Set(module.dependencies).subtracting(imported) == [])
    }

    @Test func `every folder of Sources is a declared module`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Project.root.path + "/Sources")
        #expect(Set(folders) == Set(Self.modules.map(\.name)))
    }

    /// What is unsafe stays behind one file.
    @Test(arguments: ["Images", "Serialization"])
    func `a file of the module has each C library to itself`(module: String) throws {
        let files = Project.files(below: Project.root.appendingPathComponent("Sources/\(module)"), suffix: ".swift")
        let imports = try files.flatMap { try Self.imports(in: String(contentsOf: $0, encoding: .utf8)) }
        let shims = imports.filter { $0.hasPrefix("C") }
        #expect(shims.count == Set(shims).count)
    }

    private static let imageShims: Set<String> = ["CJPEG", "CLCMS", "CPNG", "CTIFF", "CWebP"]

    @Test func `only the worker imports Images`() throws {
        #expect(try Self.modules.filter { try Self.imports(of: $0).contains("Images") }.map(\.name) == ["Worker"])
    }

    @Test func `only Images imports wrappers around image libraries`() throws {
        for module in Self.modules {
            #expect(Self.hasImageShim(try Self.imports(of: module)) == (module.name == "Images"))
        }
    }

    @Test func `an import of a wrapper around an image library is found`() {
        #expect(Self.hasImageShim(Self.imports(in: "internal import Glibc\ninternal import CPNG\n")))
        #expect(!Self.hasImageShim(Self.imports(in: "internal import Glibc\ninternal import CXML\n")))
    }

    private static func hasImageShim(_ modules: Set<String>) -> Bool {
        !modules.isDisjoint(with: imageShims)
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

    private static func imports(of module: Manifest.Module) throws -> Set<String> {
        let folder = Project.root.appendingPathComponent(module.path)
        return try Project.files(below: folder, suffix: ".swift").reduce(into: []) { imports, file in
            imports.formUnion(Self.imports(in: try String(contentsOf: file, encoding: .utf8)))
        }
    }

    private static func imports(in text: String) -> Set<String> {
        let declaration =
            /^\s*(?:@\S+\s+)*(?:\w+\s+)?import\s+(?:(?:typealias|struct|class|enum|protocol|let|var|func)\s+)?(\w+)/
            .anchorsMatchLineEndings()
        return Set(text.matches(of: declaration).map { String($0.1) })
    }
}
