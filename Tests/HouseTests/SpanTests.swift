import Foundation
import Testing

/// Offsets and lengths in content are numbers that somebody else chose. Spans are therefore cut only with operations
/// that check them: `slice` (Sources/Primitives/Span+Slicing.swift), or those of the standard library that end at the
/// bounds of the span.
@Suite struct SpanTests {
    /// The readers of images and of texts, and the module with what they share.
    private static let modules = ["Images", "Primitives", "Serialization"]

    /// The files that may cut in another way, with the reason.
    private static let exceptions: [String: String] = [
        "Span+Slicing.swift": "the checked operation itself",
        "PixelRenderer.swift": "memory for rows, which is allocated there, and is not a span",
    ]

    @Test(arguments: modules)
    func `readers cut spans only with a checked operation`(module: String) throws {
        let files = Project.files(below: Project.root.appendingPathComponent("Sources/\(module)"), suffix: ".swift")
        #expect(!files.isEmpty)
        let found = try files.filter { Self.exceptions[$0.lastPathComponent] == nil }.flatMap { file in
            try Self.unchecked(String(contentsOf: file, encoding: .utf8)).map { "\(file.lastPathComponent):\($0)" }
        }
        #expect(found == [], "cut these with an operation of Span+Slicing.swift, which checks the range")
    }

    /// Otherwise an exception permits a cut that is written later.
    @Test func `every exception is needed`() throws {
        let files = Self.modules.flatMap {
            Project.files(below: Project.root.appendingPathComponent("Sources/\($0)"), suffix: ".swift")
        }
        let found = try files.filter { try !Self.unchecked(String(contentsOf: $0, encoding: .utf8)).isEmpty }
        let names = Set(found.map(\.lastPathComponent))
        #expect(Set(Self.exceptions.keys) == names, "remove the exceptions of the other files")
    }

    @Test func `an unchecked cut is found`() {
        let text = """
            bytes.extracting(1..<end)
            bytes.extracting(first: 3).extracting(droppingFirst: 1)
            bytes.extracting(droppingLast: 1).extracting(last: 2)
            bytes.extracting(
                range
            )
            bytes.extracting(start...).slice(range) { $0.count }
            bytes.extracting(unchecked: range)
            """
        #expect(Self.unchecked(text) == [1, 4, 7, 8])
    }

    /// The numbers of the lines with a cut that ends the process, or is not checked at all, if it is out of bounds.
    private static func unchecked(_ text: String) -> [Int] {
        let checked = ["first: ", "last: ", "droppingFirst: ", "droppingLast: "]
        let lines = text.components(separatedBy: "\n")
        return lines.indices.filter { index in
            lines[index].components(separatedBy: "extracting(").dropFirst().contains { arguments in
                !checked.contains { arguments.hasPrefix($0) }
            }
        }.map { $0 + 1 }
    }
}
