import Foundation

/// A file to normalize, as one document or line by line.
struct BenchmarkFile {
    enum Unit: String {
        /// The file is one document.
        case whole
        /// Every line is a separate document.
        case each
    }

    /// The format of the file, which determines the decoder.
    enum Format {
        case json, xml, plist

        var mediaType: String {
            switch self {
            case .json: "application/json"
            case .xml: "application/xml"
            case .plist: "application/x-plist"
            }
        }
    }

    let url: URL
    let format: Format
    let name: String
    let unit: Unit
    /// Whether null members are dropped. The peers have no such option and keep them.
    let dropsNulls: Bool
    let bytes: Int
    let documentCount: Int

    init(url: URL, unit: Unit = .whole, dropsNulls: Bool = false) throws {
        self.url = url
        format =
            switch url.pathExtension {
            case "xml": .xml
            case "plist", "bplist": .plist
            default: .json
            }
        self.unit = unit
        self.dropsNulls = dropsNulls
        name = url.deletingPathExtension().lastPathComponent
        let content = try [UInt8](Data(contentsOf: url))
        bytes = content.count
        documentCount = Self.documents(in: content, unit).count
    }

    /// The ranges of the documents in the content of the file, without their line feeds.
    func documents(in content: [UInt8]) -> [Range<Int>] {
        Self.documents(in: content, unit)
    }

    private static func documents(in content: [UInt8], _ unit: Unit) -> [Range<Int>] {
        switch unit {
        case .whole: [content.indices]
        case .each: content.split(separator: UInt8(ascii: "\n")).map { $0.startIndex..<$0.endIndex }
        }
    }
}
