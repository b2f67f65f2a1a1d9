extension ImageFormat {
    /// Detects the format from the first bytes. Returns `nil` if the content is not an image of a known format.
    package init?(of content: Span<UInt8>) {
        if let binary = ImageFormat(binary: content) {
            self = binary
        } else if XBMText.begins(content) {
            self = .xbm
        } else if ContentSignature(of: content) == .svg {
            self = .svg
        } else {
            return nil
        }
    }

    /// Detects the format, excluding text formats.
    init?(binary content: Span<UInt8>) {
        guard content.count >= 2, let format = Self.binary(content) else { return nil }
        self = format
    }

    private static func binary(_ content: Span<UInt8>) -> ImageFormat? {
        switch (content[0], content[1]) {
        case (0x89, 0x50): return content.hasText("PNG\r\n\u{1A}\n", at: 1) ? .png : nil
        case (0xFF, 0xD8): return content.byte(2) == 0xFF ? .jpeg : nil
        case (0x47, 0x49): return content.hasText("GIF87a", at: 0) || content.hasText("GIF89a", at: 0) ? .gif : nil
        case (0x42, 0x4D): return isBitmap(content) ? .bmp : nil
        case (0x49, 0x49), (0x4D, 0x4D):
            let order: ByteOrder = content[0] == 0x49 ? .little : .big
            let version = content.number16(2, order)
            return version == 42 || version == 43 ? .tiff : nil
        case (0x52, 0x49): return content.hasText("RIFF", at: 0) && content.hasText("WEBP", at: 8) ? .webp : nil
        case (0x00, 0x00): return zeros(content)
        case (0xFF, 0x0A): return .jxl
        case (0xFF, 0x4F): return content.number16(2, .big) == 0xFF51 ? .jp2 : nil
        case (0x38, 0x42): return content.hasText("8BPS", at: 0) ? .psd : nil
        default: return isBareBitmap(content) ? .bmp : nil
        }
    }

    /// Returns the format of content that begins with two zeros: icons, and boxes, whose length comes first.
    private static func zeros(_ content: Span<UInt8>) -> ImageFormat? {
        if content.number16(2, .little) == 1, content.number16(4, .little) ?? 0 > 0 { return .ico }
        if content.number16(2, .little) == 2, content.number16(4, .little) ?? 0 > 0 { return .cur }
        if content.hasText("JXL \r\n", at: 4) { return .jxl }
        if content.hasText("jP  \r\n", at: 4) { return .jp2 }
        return content.hasText("ftyp", at: 4) ? brand(content) : nil
    }

    /// Returns the format of a brand (ISO/IEC 14496-12 §4.3): the major brand, then the compatible ones. `mif1` only
    /// identifies an image.
    private static func brand(_ content: Span<UInt8>) -> ImageFormat? {
        let end = Swift.min(content.number32(0, .big) ?? 0, content.count, 256)
        var offset = 8
        while offset + 4 <= end {
            if content.hasText("avif", at: offset) || content.hasText("avis", at: offset) { return .avif }
            for heic in ["heic", "heix", "heim", "heis", "hevc", "hevx"] as [StaticString] {
                if content.hasText(heic, at: offset) { return .heic }
            }
            // Bytes 12 to 15 are a version.
            offset += offset == 8 ? 8 : 4
        }
        return content.hasText("mif1", at: 8) || content.hasText("msf1", at: 8) ? .heic : nil
    }

    /// Returns whether "BM" begins a bitmap: the length of a known header must follow, because words may begin with
    /// "BM" too.
    private static func isBitmap(_ content: Span<UInt8>) -> Bool {
        [12, 16, 40, 52, 56, 64, 108, 124].contains(content.number32(14, .little) ?? 0)
    }

    /// Returns whether the content is a bitmap without its file header: BITMAPINFOHEADER or later, one plane, a valid
    /// depth.
    private static func isBareBitmap(_ content: Span<UInt8>) -> Bool {
        guard let length = content.number32(0, .little), [40, 52, 56, 108, 124].contains(length),
            content.number16(12, .little) == 1, let depth = content.number16(14, .little)
        else { return false }
        return [1, 2, 4, 8, 16, 24, 32].contains(depth) && content.number32(4, .little) ?? 0 > 0
    }
}

extension ImageFormat {
    /// The media type as registered by IANA, or else as it is usually written.
    package var mediaType: String {
        switch self {
        case .png: "image/png"
        case .jpeg: "image/jpeg"
        case .gif: "image/gif"
        case .bmp: "image/bmp"
        case .ico: "image/x-icon"
        case .cur: "image/x-win-bitmap"
        case .tiff: "image/tiff"
        case .xbm: "image/x-xbitmap"
        case .webp: "image/webp"
        case .avif: "image/avif"
        case .heic: "image/heic"
        case .jxl: "image/jxl"
        case .jp2: "image/jp2"
        case .psd: "image/vnd.adobe.photoshop"
        case .svg: "image/svg+xml"
        }
    }

    /// The media type of an image, which may be an animation.
    package func mediaType(isAnimated: Bool) -> String { self == .png && isAnimated ? "image/apng" : mediaType }

    /// Returns whether content with the declared type `essence` may have this format.
    func isNamed(_ essence: String) -> Bool {
        switch self {
        case .png: ["image/png", "image/apng", "image/x-png", "image/vnd.mozilla.apng"].contains(essence)
        case .jpeg: ["image/jpeg", "image/jpg", "image/pjpeg", "image/x-jpeg"].contains(essence)
        case .gif: essence == "image/gif"
        case .bmp: ["image/bmp", "image/x-bmp", "image/x-ms-bmp", "image/x-windows-bmp"].contains(essence)
        case .ico: ["image/x-icon", "image/vnd.microsoft.icon", "image/ico", "image/icon"].contains(essence)
        case .cur:
            ["image/x-win-bitmap", "image/x-cursor", "image/vnd.microsoft.cursor", "image/x-icon"].contains(essence)
        case .tiff: ["image/tiff", "image/x-tiff", "image/tiff-fx"].contains(essence)
        case .xbm: ["image/x-xbitmap", "image/x-xbm", "image/xbm"].contains(essence)
        case .webp: essence == "image/webp"
        case .avif: ["image/avif", "image/avif-sequence"].contains(essence)
        case .heic: ["image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"].contains(essence)
        case .jxl: essence == "image/jxl"
        case .jp2: ["image/jp2", "image/jpx", "image/j2c", "image/jpeg2000"].contains(essence)
        case .psd: ["image/vnd.adobe.photoshop", "image/x-photoshop", "image/photoshop", "image/psd"].contains(essence)
        case .svg: essence == "image/svg+xml"
        }
    }
}
