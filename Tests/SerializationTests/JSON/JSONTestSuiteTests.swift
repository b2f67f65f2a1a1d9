import Foundation
import Serialization
import Testing

@Suite(.enabled(if: SharedFolder.has("corpora/json/JSONTestSuite"), "the shared corpora are not beside this checkout"))
struct JSONTestSuiteTests {
    private static let files = SharedFolder.files(in: "corpora/json/JSONTestSuite/test_parsing")

    private static func contents(_ prefix: String) throws -> [(name: String, content: [UInt8])] {
        try files.filter { $0.lastPathComponent.hasPrefix(prefix) }
            .map { ($0.lastPathComponent, [UInt8](try Data(contentsOf: $0))) }
    }

    @Test func `accepts every y_ file`() throws {
        let contents = try Self.contents("y_")
        #expect(contents.count >= 95)
        for (name, content) in contents {
            #expect(refusal(of: content) == nil, "\(name)")
        }
    }

    @Test func `refuses every n_ file`() throws {
        let contents = try Self.contents("n_")
        #expect(contents.count >= 185)
        for (name, content) in contents {
            #expect(refusal(of: content) != nil, "\(name)")
        }
    }
}
