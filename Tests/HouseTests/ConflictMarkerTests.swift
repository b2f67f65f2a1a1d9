import Foundation
import Testing

/// Checks for conflict markers, which do not break the build if they are committed in a document.
@Suite struct ConflictMarkerTests {
    @Test func `no tracked file contains a conflict marker`() throws {
        // `nil` if this is not a git checkout, as in a release archive.
        let paths = Project.output("git", "ls-files", "-z")?.split(separator: "\0") ?? []
        for path in paths {
            // A tracked file that was deleted has no content, and a symbolic link may be dangling.
            guard let content = try? Data(contentsOf: Project.root.appendingPathComponent(String(path))) else {
                continue
            }
            #expect(Self.markedLines(in: content) == [], "\(path)")
        }
    }

    /// The markers are assembled from parts, because this file is tracked, too.
    @Test(arguments: [
        ("<", " HEAD", true), (">", " 2e3ea7b (Reason)", true), ("|", " merged common ancestors", true),
        ("=", "", true),
        ("<", "", true), ("=", "=", false), ("<", "a", false), ("-", "", false),
    ])
    func `a marker is found only at the start of a line`(character: String, rest: String, isFound: Bool) {
        let line = String(repeating: character, count: 7) + rest
        #expect(Self.markedLines(in: Data("one\n\(line)\nthree\n".utf8)) == (isFound ? [2] : []))
        #expect(Self.markedLines(in: Data("\(line)".utf8)) == (isFound ? [1] : []))
        #expect(Self.markedLines(in: Data("one\r\n\(line)\r\n".utf8)) == (isFound ? [2] : []))
        #expect(Self.markedLines(in: Data("a \(line)\n".utf8)) == [])
    }

    @Test func `a binary file has no lines`() {
        let marker = String(repeating: "<", count: 7)
        #expect(Self.markedLines(in: Data("\0\n\(marker)\n".utf8)) == [])
    }

    /// Returns the numbers of the lines that are conflict markers: seven equal characters, alone or before a space.
    private static func markedLines(in content: Data) -> [Int] {
        guard !content.contains(0) else { return [] }
        return content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .filter { isMarker($0.element) }.map { $0.offset + 1 }
    }

    private static func isMarker(_ line: Data) -> Bool {
        guard let first = line.first, "<>|=".utf8.contains(first), line.prefix(while: { $0 == first }).count == 7 else {
            return false
        }
        let next = line.dropFirst(7).first
        return next == nil || next == UInt8(ascii: " ") || next == UInt8(ascii: "\r")
    }
}
