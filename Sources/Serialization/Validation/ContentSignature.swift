/// The format of content, as detected from its first bytes. The label is not used.
///
/// The signatures are those of the WHATWG MIME Sniffing Standard §6 and §7, otherwise those of the specification of
/// each format. JSON has no signature: it is detected by a probe, after all other formats except `.strings` files.
package enum ContentSignature: String, Sendable, CaseIterable {
    case json = "application/json"
    case html = "text/html"
    case xml = "application/xml"
    case xmlPropertyList = "application/x-plist"
    case binaryPropertyList = "application/x-bplist"
    /// A `.strings` file, which has no type of its own.
    case textPropertyList = "text/x-strings"
    case svg = "image/svg+xml"
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webp = "image/webp"
    case bmp = "image/bmp"
    case tiff = "image/tiff"
    case icon = "image/x-icon"
    case cursor = "image/x-win-bitmap"
    case xBitmap = "image/x-xbitmap"
    case jpegXL = "image/jxl"
    case jpeg2000 = "image/jp2"
    case photoshop = "image/vnd.adobe.photoshop"
    case avif = "image/avif"
    case heic = "image/heic"
    case pdf = "application/pdf"
    case gzip = "application/gzip"
    case zstd = "application/zstd"
    case zip = "application/zip"

    /// Detects the format of `content`; `nil` if it is not recognized.
    /// - Parameters:
    ///   - leniencies: the extensions of RFC 8259 with which JSON may begin.
    ///   - isDeclaredHTML: whether the media type is that of HTML. In this case, an element whose name exists in HTML
    ///     is HTML.
    ///   - isDeclaredXML: whether the media type is that of XML. In this case, an element whose name is one letter is
    ///     XML.
    package init?(
        of content: Span<UInt8>,
        leniencies: Leniencies = [],
        isDeclaredHTML: Bool = false,
        isDeclaredXML: Bool = false
    ) {
        if let binary = Self.binary(content) {
            self = binary
            return
        }
        let text = TextProbe(content)
        if let markup = text.markup(in: content, isDeclaredHTML: isDeclaredHTML, isDeclaredXML: isDeclaredXML) {
            self = markup
        } else if XBMText.begins(content) {
            self = .xBitmap
        } else if text.looksLikeJSON(in: content, leniencies) {
            self = .json
        } else if text.looksLikeStrings(in: content) {
            self = .textPropertyList
        } else {
            return nil
        }
    }

    /// The media type of content of this format.
    package var mediaType: String { self == .textPropertyList ? Self.xmlPropertyList.rawValue : rawValue }

    /// Returns whether content of this format cannot be of the type `type`; `false` if one of the two is not certain.
    func contradicts(_ type: MediaType) -> Bool {
        type.serializer?.serializer.contradicts(self, type) ?? false
    }

    /// Returns whether content of this format, which could not be decoded as `type`, is of another type. The content
    /// may be damaged, so this is true only if no content of this format can have the type.
    func disproves(_ type: MediaType) -> Bool {
        type.serializer?.serializer.disproves(self, type) ?? false
    }

    private static func binary(_ content: Span<UInt8>) -> ContentSignature? {
        guard content.count >= 4 else { return nil }
        switch (content[0], content[1], content[2], content[3]) {
        case (0x89, 0x50, 0x4E, 0x47): return .png
        case (0xFF, 0xD8, 0xFF, _): return .jpeg
        case (0x1F, 0x8B, 0x08, _): return .gzip
        case (0x28, 0xB5, 0x2F, 0xFD): return .zstd
        case (0x50, 0x4B, 0x03, 0x04), (0x50, 0x4B, 0x05, 0x06): return .zip
        // Words can begin with "BM", too.
        case (0x42, 0x4D, _, _): return image(content) ?? (content.holds([0, 0, 0, 0], at: 6) ? .bmp : nil)
        case (0x49, 0x49, 0x2A, 0x00), (0x4D, 0x4D, 0x00, 0x2A): return .tiff
        case (0x00, 0x00, 0x01, 0x00): return .icon
        case (0x47, 0x49, 0x46, 0x38): return .gif
        case (0x25, 0x50, 0x44, 0x46): return content.holds("-", at: 4) ? .pdf : nil
        case (0x52, 0x49, 0x46, 0x46): return content.holds("WEBP", at: 8) ? .webp : nil
        case (0x62, 0x70, 0x6C, 0x69): return content.holds("st0", at: 4) ? .binaryPropertyList : nil
        default: return image(content)
        }
    }

    /// Detects the other image formats as the image serializer does.
    private static func image(_ content: Span<UInt8>) -> ContentSignature? {
        switch ImageFormat(binary: content) {
        case .bmp: .bmp
        case .tiff: .tiff
        case .cur: .cursor
        case .jxl: .jpegXL
        case .jp2: .jpeg2000
        case .psd: .photoshop
        case .avif: .avif
        case .heic: .heic
        case .png, .jpeg, .gif, .ico, .xbm, .webp, .svg, nil: nil
        }
    }
}

extension Span<UInt8> {
    fileprivate func holds(_ text: String, at offset: Int) -> Bool {
        holds(Array(text.utf8), at: offset)
    }

    fileprivate func holds(_ bytes: [UInt8], at offset: Int) -> Bool {
        count >= offset + bytes.count && bytes.indices.allSatisfy { self[offset + $0] == bytes[$0] }
    }
}
