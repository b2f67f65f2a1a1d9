import Foundation
import Testing

/// Checks the compiled objects, because a module can also be imported indirectly.
@Suite(.enabled(if: Project.output("nm", "--version") != nil, "nm is not installed"))
struct LinkageTests {
    @Test(arguments: [
        "Fetcher", "Fetching", "Images", "Platform", "Primitives", "Serialization", "Service", "Worker", "Workers",
    ])
    func `no object of a module refers to Foundation`(module: String) throws {
        #expect(try Self.foundationSymbols(ofModule: module) == [])
    }

    @Test func `a module that uses Foundation is detected`() throws {
        #expect(try !Self.foundationSymbols(ofModule: "HouseTests").isEmpty)
    }

    /// A mangled name contains the name of its module after the length of that name (docs/ABI/Mangling.rst in the Swift
    /// repository).
    private static func foundationSymbols(ofModule module: String) throws -> [String] {
        let objects = Project.files(below: Project.products.appendingPathComponent("\(module).build"), suffix: ".o")
        try #require(!objects.isEmpty, "there are no objects of \(module) in \(Project.products.path)")
        let script = #"nm "$@" >"$0" && { grep -E '10Foundation|20FoundationEssentials' "$0" || test $? = 1; }"#
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("symbols-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let symbols = try #require(Project.output(["sh", "-c", script, file] + objects.map(\.path)))
        return symbols.split(separator: "\n").map(String.init)
    }
}
