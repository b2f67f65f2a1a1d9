import Foundation
import SerializationSupport
import TestSupport
import Testing

@testable import Images
@testable import Serialization

/// Reads the headers of every image file in the public suites, including the broken ones.
@Suite(.needs("images"))
struct ImageCorpusTests {
    private static let names: Set = [
        "png", "jpg", "jpeg", "gif", "bmp", "ico", "cur", "tif", "tiff", "webp", "xbm", "svg", "psd", "avif", "heic",
        "heif", "jxl", "jp2",
    ]

    private static var files: [URL] {
        Suites.allFiles(in: "images").filter { names.contains($0.pathExtension.lowercased()) }
    }

    @Test func `every image quickly results in one JSON object of facts or a located problem`() throws {
        var told = 0
        var refused = 0
        for file in Self.files {
            let content = try [UInt8](Data(contentsOf: file))
            let name = Comment(rawValue: file.path)
            var facts: ImageFacts?
            let time = processorTime {
                do throws(ImageError) {
                    facts = try ImageHeader.read(content.span)
                } catch {
                    #expect(error.reason.isOfHeader, name)
                    #expect(error.byte.map { 0...content.count ~= $0 } == true, name)
                    refused += 1
                }
            }
            // It takes microseconds; a debug build is slower.
            #expect(time < .seconds(1), name)
            guard let facts else { continue }
            told += 1
            var writer = JSONWriter()
            writer.image(facts, .typed, content.span)
            let json = [UInt8](writer.finish())
            var options = SerializationOptions()
            options.duplicates = .reject
            var response = UpstreamResponse(status: 200)
            response.fields.append(name: "Content-Type", value: "application/json")
            #expect(SerializationSupport.serialize(response, content: json, options: options).json != nil, name)
            #expect(facts.flaws.allSatisfy { 0...content.count ~= $0.byte }, name)
            #expect(facts.integrity.byte.map { 0...content.count ~= $0 } ?? true, name)
            if let (width, height) = facts.orientedSize { #expect(width > 0 && height > 0, name) }
        }
        #expect(told > 500)
        #expect(refused > 20)
    }
}

extension ImageError.Reason {
    /// Whether the error can be caused by the header alone.
    fileprivate var isOfHeader: Bool {
        switch self {
        case .notAnImage, .truncated, .corrupt: true
        case .unsupportedPixels, .tooLargeToDecode, .decodeTime, .decoderCrashed, .pixelsUnavailable, .noDecoder,
            .saturated,
            .deferred:
            false
        }
    }
}
