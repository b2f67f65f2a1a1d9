internal import Serialization

/// The pictures of a Windows icon or cursor: a directory, then bitmaps without a file header, each followed by a mask,
/// or complete PNGs.
///
///     00 00 │ 01 00 │ 02 00 │ 10 10 … length offset │ 20 20 … length offset │ bitmap │ PNG
///     zero    icon    two     an entry of 16 bytes each
///
/// Ambiguities of the format, and how we resolve them:
/// · A picture's size and depth are those in its own header: the directory is often wrong, and cannot represent sides
///   of 256 and more.
/// · A picture that cannot be decoded is skipped, if there is another one.
struct ICODirectory {
    struct Picture {
        /// The range of the picture within the content; a truncated picture ends with the content.
        let bytes: Range<Int>
        let isTruncated: Bool
        /// The size and depth in the picture's own header, or else those in the directory.
        fileprivate(set) var width: Int
        fileprivate(set) var height: Int
        fileprivate(set) var bitsPerPixel: Int
        /// PNG or BMP; `nil` for anything else.
        fileprivate(set) var format: ImageFormat?
        /// Whether the size is that in the picture's own header.
        fileprivate(set) var hasHeader = false
        /// The hotspot of a cursor; `nil` for an icon.
        let hotspot: ImageHotspot?
    }

    let isCursor: Bool
    /// All pictures in the order of the directory.
    let pictures: [Picture]

    private static let headBytes = 6
    private static let entryBytes = 16

    /// - Throws: `truncated`, if the directory does not end in the content.
    init(_ content: Span<UInt8>, _ budget: inout HeaderBudget) throws(RenderingError) {
        guard let count = content.number16(4, .little),
            Self.headBytes + count * Self.entryBytes <= content.count
        else { throw .truncated(byte: content.count) }
        isCursor = content.number16(2, .little) == 2
        var pictures: [Picture] = []
        pictures.reserveCapacity(count)
        for index in 0..<count where budget.step() {
            pictures.append(Self.picture(content, at: Self.headBytes + index * Self.entryBytes, isCursor: isCursor))
        }
        self.pictures = pictures
    }

    /// Reads the entry at `entry`, which is in the content.
    private static func picture(_ content: Span<UInt8>, at entry: Int, isCursor: Bool) -> Picture {
        let length = content.number32(entry + 8, .little) ?? 0
        let start = content.number32(entry + 12, .little) ?? 0
        let sides = (content.byte(entry) ?? 0, content.byte(entry + 1) ?? 0)
        // The planes and bits of an icon, the hotspot of a cursor.
        let numbers = (content.number16(entry + 4, .little) ?? 0, content.number16(entry + 6, .little) ?? 0)
        var picture = Picture(
            bytes: min(start, content.count)..<min(start + length, content.count),
            isTruncated: start + length > content.count,
            width: sides.0 == 0 ? 256 : sides.0,
            height: sides.1 == 0 ? 256 : sides.1,
            bitsPerPixel: isCursor ? 0 : numbers.1,
            hotspot: isCursor ? ImageHotspot(x: numbers.0, y: numbers.1) : nil
        )
        content.slice(picture.bytes) { picture.readHeader($0) }
        return picture
    }

    /// Returns the index of the largest picture that is permitted, or `nil` if there is none. If several are as large,
    /// the one with most bits per pixel, which a PNG is assumed to be; of these, the first.
    func best(where isPermitted: (Picture) -> Bool) -> Int? {
        var best: Int?
        for index in pictures.indices {
            if let best, pictures[index].size <= pictures[best].size { continue }
            if isPermitted(pictures[index]) { best = index }
        }
        return best
    }
}

extension ICODirectory.Picture {
    /// The number of pixels, then of bits per pixel.
    fileprivate var size: (pixels: Int, bits: Int) { (width * height, format == .png ? 32 : bitsPerPixel) }

    /// Returns whether the decoder of the picture's format accepts its header.
    func isDecodable(_ content: Span<UInt8>) -> Bool {
        guard hasHeader, format == .bmp else { return hasHeader }
        return content.slice(bytes) { try? BMPLayout($0, BMPHeader($0, isInIcon: true)) } != nil
    }

    fileprivate mutating func readHeader(_ picture: Span<UInt8>) {
        if picture.number32(0, .big) == 0x8950_4E47 {
            format = .png
            // A side of a PNG has 31 bits (ISO/IEC 15948 §7.1), so the area does not overflow.
            guard let width = picture.number32(16, .big), let height = picture.number32(20, .big),
                1...Int(Int32.max) ~= width, 1...Int(Int32.max) ~= height
            else { return }
            (self.width, self.height, hasHeader) = (width, height, true)
            guard let depth = picture.byte(24), let colorType = picture.byte(25) else { return }
            // ISO/IEC 15948 table 11.
            let channels = [1, 1, 3, 1, 2, 1, 4]
            if colorType < channels.count { bitsPerPixel = depth * channels[colorType] }
        } else if let header = try? BMPHeader(picture, isInIcon: true) {
            format = .bmp
            (width, height, bitsPerPixel, hasHeader) = (header.width, header.height, header.bitsPerPixel, true)
        }
    }
}
