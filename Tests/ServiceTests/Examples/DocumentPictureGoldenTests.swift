import Foundation
import Testing

/// Compares the pictures of the documents with those that `scripts/pictures` draws from the output of the program.
@Suite struct DocumentPictureGoldenTests {
    @Test(.enabled(if: Tool.isInstalled("python3"), "python3 is not installed"))
    func `the pictures show the output of the program`() throws {
        let folder = try TemporaryFolder()
        let pictures = Contract.root.appending(path: "docs/pictures")
        let target = Contract.writes ? pictures : folder.url
        let result = try Tool.run("python3", "scripts/pictures", DecantProcess.executable.path, target.path)
        #expect(result == .init(status: 0, output: "", errors: ""))
        let names = try FileManager.default.contentsOfDirectory(atPath: target.path)
        #expect(try Set(names) == Set(FileManager.default.contentsOfDirectory(atPath: pictures.path)))
        for name in names {
            let drawn = try Data(contentsOf: target.appending(path: name))
            let isEqual = try drawn == Data(contentsOf: pictures.appending(path: name))
            #expect(isEqual, "make golden draws \(name)")
        }
    }
}
