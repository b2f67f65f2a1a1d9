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
    case bzip2 = "application/x-bzip2"
    case xz = "application/x-xz"
    case sevenZip = "application/x-7z-compressed"
    case rar = "application/vnd.rar"
    case tar = "application/x-tar"
    case sqlite = "application/vnd.sqlite3"
    case parquet = "application/vnd.apache.parquet"
    case arrow = "application/vnd.apache.arrow.file"
    case avro = "application/avro"
    /// The container of old Office documents.
    case compoundFile = "application/x-ole-storage"
    case webAssembly = "application/wasm"
    case elf = "application/x-elf"
    case portableExecutable = "application/vnd.microsoft.portable-executable"
    case mp4 = "video/mp4"
    case webm = "video/webm"
    case mp3 = "audio/mpeg"
    case ogg = "application/ogg"
    case trueType = "font/ttf"
    case openType = "font/otf"
    case woff = "font/woff"
    case woff2 = "font/woff2"

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
    func contradicts(_ type: MediaType) -> Bool { type.serializer?.serializer.contradicts(self, type) ?? false }

    /// Returns whether content of this format, which could not be decoded as `type`, is of another type. The content
    /// may be damaged, so this is true only if no content of this format can have the type.
    func disproves(_ type: MediaType) -> Bool { type.serializer?.serializer.disproves(self, type) ?? false }

    private static func binary(_ content: Span<UInt8>) -> ContentSignature? {
        guard content.count >= 4 else { return nil }
        switch (content[0], content[1], content[2], content[3]) {
        case (0x89, 0x50, 0x4E, 0x47): return .png
        case (0xFF, 0xD8, 0xFF, _): return .jpeg
        case (0x1F, 0x8B, 0x08, _): return .gzip
        case (0x28, 0xB5, 0x2F, 0xFD): return .zstd
        case (0x50, 0x4B, 0x03, 0x04), (0x50, 0x4B, 0x05, 0x06): return .zip
        // Words can begin with "BM", too.
        case (0x42, 0x4D, _, _): return image(content) ?? (content.hasText("\0\0\0\0", at: 6) ? .bmp : nil)
        case (0x49, 0x49, 0x2A, 0x00), (0x4D, 0x4D, 0x00, 0x2A): return .tiff
        case (0x00, 0x00, 0x01, 0x00): return .icon
        case (0x47, 0x49, 0x46, 0x38): return .gif
        case (0x25, 0x50, 0x44, 0x46): return content.hasText("-", at: 4) ? .pdf : nil
        case (0x52, 0x49, 0x46, 0x46): return content.hasText("WEBP", at: 8) ? .webp : nil
        case (0x62, 0x70, 0x6C, 0x69): return content.hasText("st0", at: 4) ? .binaryPropertyList : nil
        default: return image(content) ?? formatWithoutReader(content)
        }
    }

    /// Detects further formats, which no serializer reads. Text hardly begins with any of the signatures: letters are
    /// followed by control characters, or there are ten of them.
    private static func formatWithoutReader(_ content: Span<UInt8>) -> ContentSignature? {
        switch content[0] {
        case 0x00:
            if content.hasText("\0asm\u{1}\0\0\0", at: 0) { return .webAssembly }
            if content.hasText("\0\u{1}\0\0\0", at: 0) { return .trueType }
            let brands: [StaticString] = ["mp4", "iso", "avc1", "M4", "qt  ", "3g", "dash", "MSNV"]
            if content.hasText("ftyp", at: 4), brands.contains(where: { content.hasText($0, at: 8) }) { return .mp4 }
        case 0x1A: if content.number32(0, .big) == 0x1A45_DFA3 { return .webm }
        case 0x37: if content.hasText("7z", at: 0), content.number32(2, .big) == 0xBCAF_271C { return .sevenZip }
        case 0x41: if content.hasText("ARROW1\0\0", at: 0) { return .arrow }
        case 0x42: if content.hasText("BZh", at: 0), content.hasText("1AY&SY", at: 4) { return .bzip2 }
        // The version is 2.2 to 2.4, with the revision 0.
        case 0x49: if content.hasText("ID3", at: 0), 2...4 ~= content.byte(3) ?? 0, content.byte(4) == 0 { return .mp3 }
        case 0x4D: if content.hasText("MZ", at: 0), content.number16(2, .big) == 0x9000 { return .portableExecutable }
        case 0x4F:
            // The metadata begins with the number of its names, and the length of the first one.
            if content.hasText("Obj\u{1}", at: 0), content.hasText("avro.", at: 6) { return .avro }
            if content.hasText("OggS\0\u{2}", at: 0) { return .ogg }
            if content.hasText("OTTO\0", at: 0) { return .openType }
        // The first member of the header of a page, or of the footer, in Thrift.
        case 0x50: if content.hasText("PAR1\u{15}", at: 0) { return .parquet }
        case 0x52: if content.hasText("Rar!\u{1A}\u{7}", at: 0) { return .rar }
        case 0x53: if content.hasText("SQLite format 3\0", at: 0) { return .sqlite }
        case 0x77:
            let holdsFont = content.hasText("\0\u{1}\0\0", at: 4) || content.hasText("OTTO\0", at: 4)
            if content.hasText("wOFF", at: 0), holdsFont { return .woff }
            if content.hasText("wOF2", at: 0), holdsFont { return .woff2 }
        case 0x7F: if content.hasText("ELF", at: 1), 1...2 ~= content.byte(4) ?? 0 { return .elf }
        case 0xD0: if content.number32(0, .big) == 0xD0CF_11E0 { return .compoundFile }
        case 0xFD: if content.hasText("7zXZ\0", at: 1) { return .xz }
        default: break
        }
        // The name of the first file comes first.
        let isTar = content.hasText("ustar\0", at: 257) || content.hasText("ustar  \0", at: 257)
        return isTar ? .tar : nil
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
