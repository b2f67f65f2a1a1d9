import Foundation
import FuzzOracles
import Serialization
import Testing

/// Every test run replays the findings and the seeds of the fuzzers with their oracles.
@Suite struct FuzzReplayTests {
    @Test(arguments: inputs(of: "FuzzJSON"))
    func `the JSON reader has its properties`(input: Input) throws {
        #expect(JSONOracle.violation(for: try input.bytes) == nil)
    }

    @Test(arguments: inputs(of: "FuzzJSONDocument"))
    func `the reader of JSON documents has its properties`(input: Input) throws {
        #expect(JSONDocumentOracle.violation(for: try input.bytes) == nil)
    }

    @Test(arguments: inputs(of: "FuzzXML"))
    func `the XML reader has its properties`(input: Input) throws {
        #expect(XMLOracle.violation(for: try input.bytes) == nil)
    }

    @Test(arguments: inputs(of: "FuzzForm"))
    func `the form reader has its properties`(input: Input) throws {
        #expect(FormOracle.violation(for: try input.bytes) == nil)
    }

    @Test(arguments: inputs(of: "FuzzCSV"))
    func `the CSV reader has its properties`(input: Input) throws {
        #expect(CSVOracle.violation(for: try input.bytes) == nil)
    }

    @Test(arguments: inputs(of: "FuzzEventStream"))
    func `the reader of event streams has its properties`(input: Input) throws {
        #expect(EventStreamOracle.violation(for: try input.bytes) == nil)
    }

    @Test(arguments: inputs(of: "FuzzFeed"))
    func `the reader of feeds has its properties`(input: Input) throws {
        #expect(FeedOracle.violation(for: try input.bytes) == nil)
    }

    @Test(arguments: inputs(of: "FuzzImage"))
    func `the header readers have their properties`(input: Input) throws {
        #expect(ImageOracle.violation(for: try input.bytes) == nil)
    }

    @Test(arguments: ["FuzzHEIF", "FuzzPSD", "FuzzSVG"])
    func `the header readers of formats without a decoder have their properties`(target: String) throws {
        #expect(!Self.inputs(of: target).isEmpty)
        for input in Self.inputs(of: target) {
            #expect(ImageOracle.violation(for: try input.bytes) == nil, "\(input.testDescription)")
        }
    }

    @Test(arguments: [
        ("FuzzJSON", JSONOracle.headBytes, CostOracle.Format.json), ("FuzzXML", 1, .xml),
        ("FuzzTextPropertyList", 1, .propertyList), ("FuzzForm", 1, .form), ("FuzzImage", 1, .image),
        ("FuzzCSV", CSVOracle.headBytes, .csv), ("FuzzEventStream", EventStreamOracle.headBytes, .events),
        ("FuzzFeed", FeedOracle.headBytes, .feed),
        ("FuzzHEIF", 1, .image),
        ("FuzzPSD", 1, .image), ("FuzzSVG", 1, .image), ("FuzzTIFF", 2, .image),
    ])
    func `the cost of each input that has grown is bounded`(
        target: String,
        headBytes: Int,
        format: CostOracle.Format
    ) throws {
        // This is a debug build, and there are more inputs than a test needs: each of the targets tries all of them.
        var bounds = CostOracle.Bounds()
        bounds.nanosecondsPerByte *= 20
        bounds.constantNanoseconds *= 20
        bounds.minNanoseconds *= 20
        for input in Self.inputs(of: target).prefix(20) {
            let violation = CostOracle.violation(for: try input.bytes, headBytes: headBytes, format, bounds)
            #expect(violation == nil, "\(input.testDescription)")
        }
    }

    @Test(arguments: inputs(of: "FuzzBinaryPropertyList"))
    func `the reader of binary property lists has its properties`(input: Input) throws {
        #expect(PropertyListOracle.violation(for: try input.bytes, head: Array("bplist00".utf8)) == nil)
    }

    @Test(arguments: inputs(of: "FuzzTextPropertyList"))
    func `the reader of text property lists has its properties`(input: Input) throws {
        #expect(PropertyListOracle.violation(for: try input.bytes) == nil)
    }

    @Test(arguments: inputs(of: "FuzzResponse"))
    func `the serializer has its properties`(input: Input) throws {
        #expect(ResponseOracle.violation(for: try input.bytes) == nil)
    }

    @Test(arguments: [
        ("FuzzGzip", ContentCoding.gzip), ("FuzzDeflate", .deflate), ("FuzzBrotli", .br), ("FuzzZstd", .zstd),
    ])
    func `the decoder of codings has its properties`(target: String, coding: ContentCoding) throws {
        #expect(!Self.inputs(of: target).isEmpty)
        for input in Self.inputs(of: target) {
            #expect(CodingOracle.violation(for: try input.bytes, coding) == nil, "\(input.testDescription)")
        }
    }

    @Test(arguments: inputs(of: "FuzzField"))
    func `the written form of a field parses as the same value`(input: Input) throws {
        #expect(FieldOracle.violation(for: try input.bytes) == nil)
    }

    @Test(arguments: [
        ("FuzzGIF", ImageFormat.gif), ("FuzzBMP", .bmp), ("FuzzICO", .ico), ("FuzzXBM", .xbm), ("FuzzWebP", .webp),
        ("FuzzPNG", .png), ("FuzzJPEG", .jpeg),
        ("FuzzTIFF", .tiff),
    ])
    func `the renderer has its properties`(target: String, format: ImageFormat) throws {
        #expect(!Self.inputs(of: target).isEmpty)
        for input in Self.inputs(of: target) {
            #expect(RenderingOracle.violation(for: try input.bytes, format) == nil, "\(input.testDescription)")
        }
    }

    @Test(arguments: [
        "FuzzJSON", "FuzzJSONDocument", "FuzzXML", "FuzzBinaryPropertyList", "FuzzTextPropertyList", "FuzzResponse",
        "FuzzField", "FuzzImage", "FuzzCSV", "FuzzEventStream", "FuzzFeed",
    ])
    func `there are inputs to replay`(target: String) {
        #expect(!Self.inputs(of: target).isEmpty)
    }

    struct Input: CustomTestStringConvertible {
        var url: URL

        var bytes: [UInt8] {
            get throws { try Array(Data(contentsOf: url)) }
        }

        var testDescription: String { url.lastPathComponent }
    }

    private static func inputs(of target: String) -> [Input] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fuzz")
        return ["FailCases", "Seeds"].flatMap { kind in
            let files = try? FileManager.default.contentsOfDirectory(
                at: folder.appending(path: "\(kind)/\(target)"),
                includingPropertiesForKeys: nil
            )
            return (files ?? []).sorted { $0.path < $1.path }.map(Input.init)
        }
    }
}
