import Foundation
import Testing

/// Checks the compiled objects, because a module can also be imported indirectly.
@Suite(.enabled(if: Project.output("nm", "--version") != nil, "nm is not installed"))
struct LinkageTests {
    @Test(arguments: [
        "Batch", "Fetcher", "Fetching", "Images", "Platform", "Primitives", "Serialization", "Service", "Worker",
        "Workers",
    ])
    func `no object of a module refers to Foundation`(module: String) throws {
        #expect(try Self.foundationSymbols(ofModule: module) == [])
    }

    /// What the service cannot reach, it cannot call: images are read by `decant-worker` only.
    @Test func `the service is linked with no image library`() throws {
        let program = Project.products.appendingPathComponent("decant").path
        let libraries = try #require(Project.output("ldd", program))
        try #require(libraries.contains("libxml2"))
        for name in ["libjpeg", "liblcms", "libpng", "libtiff", "libwebp"] { #expect(!libraries.contains(name)) }
        let worker = try #require(Project.output("ldd", Project.products.appendingPathComponent("decant-worker").path))
        #expect(worker.contains("libpng"))
    }

    @Test(arguments: ["Batch", "Flights", "HTTP", "Platform", "Serialization", "Service", "Workers"])
    func `no object of the service refers to Images`(module: String) throws {
        #expect(try Self.symbols(ofModule: module, matching: #"\$s6Images"#) == [])
    }

    @Test func `a module that uses Images is detected`() throws {
        #expect(try !Self.symbols(ofModule: "Worker", matching: #"\$s6Images"#).isEmpty)
    }

    @Test func `a module that uses Foundation is detected`() throws {
        #expect(try !Self.foundationSymbols(ofModule: "HouseTests").isEmpty)
    }

    /// A mangled name contains the name of its module after the length of that name (docs/ABI/Mangling.rst in the Swift
    /// repository).
    private static func foundationSymbols(ofModule module: String) throws -> [String] {
        try symbols(ofModule: module, matching: "10Foundation|20FoundationEssentials")
    }

    private static func symbols(ofModule module: String, matching pattern: String) throws -> [String] {
        let objects = Project.files(below: Project.products.appendingPathComponent("\(module).build"), suffix: ".o")
        try #require(!objects.isEmpty, "there are no objects of \(module) in \(Project.products.path)")
        let script = #"nm "$@" >"$0" && { grep -E '\#(pattern)' "$0" || test $? = 1; }"#
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("symbols-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let symbols = try #require(Project.output(["sh", "-c", script, file] + objects.map(\.path)))
        return symbols.split(separator: "\n").map(String.init)
    }
}
