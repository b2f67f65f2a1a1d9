internal import Serialization

/// The pictures of a Windows icon or cursor: a directory, then bitmaps without a file header, each followed by a mask,
/// or complete PNGs.
///
///     00 00 │ 01 00 │ 02 00 │ 10 10 … length offset │ 20 20 … length offset │ bitmap │ PNG
///     zero    icon    two     an entry of 16 bytes each
///
/// Ambiguities of the format, and how we resolve them:
/// · A picture's size and depth are those in its own header: the directory is often wrong.
/// · A picture beyond the end of the content is skipped, if there is another one.
struct ICODirectory {
    struct Picture {
        /// The range of the picture within the content.
        let bytes: Range<Int>
        let width: Int
        let height: Int
        let bitsPerPixel: Int
        let isPNG: Bool
    }

    /// The readable pictures in the order of the directory.
    let pictures: [Picture]
    /// The number of pictures in the directory.
    let count: Int

    private static let headBytes = 6
    private static let entryBytes = 16

    /// - Throws: An error if there is no picture.
    init(_ content: Span<UInt8>) throws(RenderingError) {
        guard let count = content.number16(4, .little) else { throw .truncated(byte: content.count) }
        guard count > 0 else { throw .corrupt(byte: 4, part: "icon directory") }
        self.count = count
        var pictures: [Picture] = []
        for index in 0..<count {
            let entry = Self.headBytes + index * Self.entryBytes
            guard let length = content.number32(entry + 8, .little), let start = content.number32(entry + 12, .little)
            else { throw .truncated(byte: content.count) }
            guard start < content.count else { continue }
            let bytes = start..<min(start + length, content.count)
            if let picture = Self.picture(content, bytes) { pictures.append(picture) }
        }
        guard !pictures.isEmpty else { throw .truncated(byte: content.count) }
        self.pictures = pictures
    }

    private static func picture(_ content: Span<UInt8>, _ bytes: Range<Int>) -> Picture? {
        let picture = content.extracting(bytes)
        if picture.number32(0, .big) == 0x8950_4E47 {
            // A side of a PNG has 31 bits (PNG §11.2.1), so the area does not overflow.
            guard let width = picture.number32(16, .big), let height = picture.number32(20, .big),
                1...Int(Int32.max) ~= width, 1...Int(Int32.max) ~= height
            else { return nil }
            return Picture(bytes: bytes, width: width, height: height, bitsPerPixel: 32, isPNG: true)
        }
        guard let head = try? BMPLayout(picture, isInIcon: true) else { return nil }
        return Picture(
            bytes: bytes,
            width: head.width,
            height: head.height,
            bitsPerPixel: head.bitsPerPixel,
            isPNG: false
        )
    }

    /// The index of the largest picture. If there are several, the one with most bits per pixel; of these, the first.
    var best: Int {
        var best = 0
        for index in pictures.indices.dropFirst() {
            let (old, new) = (pictures[best], pictures[index])
            let (oldArea, newArea) = (old.width * old.height, new.width * new.height)
            if newArea > oldArea || newArea == oldArea && new.bitsPerPixel > old.bitsPerPixel { best = index }
        }
        return best
    }
}
