package import Serialization

/// A fuzz target of a reader, which has the name of its program.
///
/// The program tries inputs that libFuzzer makes, and every test run replays the seeds and the inputs that caused
/// failures.
package enum FuzzTarget: String, CaseIterable, Sendable {
    case json = "FuzzJSON"
    case jsonDocument = "FuzzJSONDocument"
    case xml = "FuzzXML"
    case binaryPropertyList = "FuzzBinaryPropertyList"
    case textPropertyList = "FuzzTextPropertyList"
    case form = "FuzzForm"
    case csv = "FuzzCSV"
    case eventStream = "FuzzEventStream"
    case feed = "FuzzFeed"
    case response = "FuzzResponse"
    case field = "FuzzField"
    case gzip = "FuzzGzip"
    case deflate = "FuzzDeflate"
    case brotli = "FuzzBrotli"
    case zstd = "FuzzZstd"
    // The headers of all formats, and those of formats without a decoder.
    case image = "FuzzImage"
    case heif = "FuzzHEIF"
    case psd = "FuzzPSD"
    case svg = "FuzzSVG"
    // The pixels of a format.
    case png = "FuzzPNG"
    case jpeg = "FuzzJPEG"
    case gif = "FuzzGIF"
    case bmp = "FuzzBMP"
    case ico = "FuzzICO"
    case xbm = "FuzzXBM"
    case webp = "FuzzWebP"
    case tiff = "FuzzTIFF"

    /// Returns a description of the property that is violated when an input is read; `nil` if all hold.
    package func violation(for input: [UInt8]) -> String? {
        switch self {
        case .json: JSONOracle.violation(for: input)
        case .jsonDocument: JSONDocumentOracle.violation(for: input)
        case .xml: XMLOracle.violation(for: input)
        case .binaryPropertyList: PropertyListOracle.violation(for: input, head: Self.binaryPropertyListHead)
        case .textPropertyList: PropertyListOracle.violation(for: input)
        case .form: FormOracle.violation(for: input)
        case .csv: CSVOracle.violation(for: input)
        case .eventStream: EventStreamOracle.violation(for: input)
        case .feed: FeedOracle.violation(for: input)
        case .response: ResponseOracle.violation(for: input)
        case .field: FieldOracle.violation(for: input)
        case .gzip: CodingOracle.violation(for: input, .gzip)
        case .deflate: CodingOracle.violation(for: input, .deflate)
        case .brotli: CodingOracle.violation(for: input, .br)
        case .zstd: CodingOracle.violation(for: input, .zstd)
        case .image, .heif, .psd, .svg: ImageOracle.violation(for: input)
        case .png: RenderingOracle.violation(for: input, .png)
        case .jpeg: RenderingOracle.violation(for: input, .jpeg)
        case .gif: RenderingOracle.violation(for: input, .gif)
        case .bmp: RenderingOracle.violation(for: input, .bmp)
        case .ico: RenderingOracle.violation(for: input, .ico)
        case .xbm: RenderingOracle.violation(for: input, .xbm)
        case .webp: RenderingOracle.violation(for: input, .webp)
        case .tiff: RenderingOracle.violation(for: input, .tiff)
        }
    }

    /// The content whose cost is measured: its serializer, and the number of bytes of an input that precede it; `nil`
    /// if no cost is measured.
    package var content: (kind: SerializerKind, headBytes: Int)? {
        switch self {
        case .json: (.json, JSONOracle.headBytes)
        case .xml: (.xml, 1)
        case .binaryPropertyList, .textPropertyList: (.plist, 1)
        case .form: (.form, 1)
        case .csv: (.csv, CSVOracle.headBytes)
        case .eventStream: (.events, EventStreamOracle.headBytes)
        case .feed: (.feed, FeedOracle.headBytes)
        case .image, .heif, .psd, .svg: (.image, 1)
        case .png, .jpeg, .gif, .bmp, .ico, .xbm, .webp, .tiff: (.image, 2)
        case .jsonDocument, .response, .field, .gzip, .deflate, .brotli, .zstd: nil
        }
    }

    /// Returns a description of the bound on the cost that the grown content of an input violates; `nil` if all hold.
    package func costViolation(for input: [UInt8], _ bounds: CostOracle.Bounds = .init()) -> String? {
        guard let (kind, headBytes) = content else { return nil }
        let head = self == .binaryPropertyList ? Self.binaryPropertyListHead : []
        return CostOracle.violation(for: input, headBytes: headBytes, head: head, kind, bounds)
    }

    /// The signature, which inputs omit.
    private static let binaryPropertyListHead = Array("bplist00".utf8)
}
