import Foundation
import Testing

@testable import Service

@Suite struct ThumbnailCommandTests {
    private static let photo = Contract.root.appending(path: "examples/photo.jpg").path

    @Test(arguments: [
        ("small.jpg", "64x64", Data([0xFF, 0xD8, 0xFF])), ("small.png", "64x64", Data([0x89] + "PNG".utf8)),
        ("small.WEBP", "64x64", Data("RIFF".utf8)), ("small", "64x64", Data([0xFF, 0xD8, 0xFF])),
        ("small.webp", "64x64,format=png", Data([0x89] + "PNG".utf8)),
    ])
    func `writes a file in the format of the option or of the extension`(
        name: String,
        thumbnail: String,
        signature: Data
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: name).path
        let result = try DecantProcess.run("thumbnail", "--thumbnail", thumbnail, "--output", path, Self.photo)
        #expect(result == .init(status: 0, output: "", errors: ""))
        #expect(try Data(contentsOf: URL(filePath: path)).prefix(signature.count) == signature)
    }

    @Test(arguments: [#"thumbnail < "$photo""#, #"thumbnail - < "$photo""#, #"thumbnail -o - "$photo""#])
    func `reads a file or standard input, and writes to standard output`(arguments: String) throws {
        let folder = try TemporaryFolder()
        let output = folder.url.appending(path: "output")
        let script = #"photo='\#(Self.photo)'; "$0" \#(arguments) > '\#(output.path)'"#
        #expect(try DecantProcess(shell: script).finish() == .init(status: 0, output: "", errors: ""))
        let named = folder.url.appending(path: "named")
        _ = try DecantProcess.run("thumbnail", "--output", named.path, Self.photo)
        let content = try Data(contentsOf: output)
        #expect(content.starts(with: [0xFF, 0xD8, 0xFF]))
        #expect(try content == Data(contentsOf: named))
    }

    @Test func `writes the problem to standard error, and no file`() throws {
        let folder = try TemporaryFolder()
        let output = folder.url.appending(path: "small.png").path
        let result = try DecantProcess.run("thumbnail", "-o", output, input: "GIF89a")
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix(#"{"type":"/problems/image."#))
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test func `a response without content has no thumbnail`() throws {
        let result = try DecantProcess.run("thumbnail", "--method", "HEAD", "--content-type", "image/png")
        #expect(result.status == 0)
        #expect(result.output.isEmpty)
        #expect(result.errors == "The response has no content, so there is no thumbnail.\n")
    }

    @Test func `ends with 2 if the file cannot be written`() throws {
        let result = try DecantProcess.run("thumbnail", "--output", "/nowhere/small.png", Self.photo)
        let error = "Error: cannot create /nowhere/small.png: No such file or directory\n"
        #expect(result == .init(status: 2, output: "", errors: error))
    }
}
