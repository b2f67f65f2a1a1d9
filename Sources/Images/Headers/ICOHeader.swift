internal import Serialization

// The directory of a Windows icon or cursor. ``ICODirectory``, which decoding uses, documents its layout and
// ambiguities. The size of a picture is that in its own header if possible: the directory cannot represent 256 and
// more.
/// Reads the directory of an icon or a cursor.
enum ICOHeader {
    static func read(
        _ content: Span<UInt8>,
        _ format: ImageFormat,
        _ options: ImageHeader.Options
    ) throws(ImageError) -> ImageFacts {
        guard let count = content.number16(4, .little) else { throw ImageError(.truncated, at: content.count) }
        guard 6 + 16 * count <= content.count else { throw ImageError(.truncated, at: content.count) }
        var facts = ImageFacts(format)
        facts.frames = count
        facts.integrity = ImageIntegrity(.complete, checked: .structure)
        for index in 0..<count {
            let entry = 6 + 16 * index
            guard let length = content.number32(entry + 8, .little), let start = content.number32(entry + 12, .little)
            else { continue }
            if start + length > content.count {
                facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
            }
            let picture = picture(content, format, at: entry, start)
            if index < options.maxFrames { facts.directory.append(picture) }
            if picture.width * picture.height > (facts.width ?? 0) * (facts.height ?? 0) {
                facts.width = picture.width
                facts.height = picture.height
                facts.readDepth(picture.bitsPerPixel)
                facts.color.alpha = true
            }
        }
        return facts
    }

    private static func picture(
        _ content: Span<UInt8>,
        _ format: ImageFormat,
        at entry: Int,
        _ start: Int
    ) -> ImageDirectoryEntry {
        let sides = (Int(content[entry]), Int(content[entry + 1]))
        var picture = ImageDirectoryEntry(
            width: sides.0 == 0 ? 256 : sides.0,
            height: sides.1 == 0 ? 256 : sides.1,
            bitsPerPixel: format == .ico ? content.number16(entry + 6, .little) ?? 0 : 0
        )
        if format == .cur {
            picture.hotspot = ImageHotspot(
                x: content.number16(entry + 4, .little) ?? 0,
                y: content.number16(entry + 6, .little) ?? 0
            )
        }
        if content.number32(start, .big) == 0x8950_4E47 {
            picture.format = .png
            guard let width = content.number32(start + 16, .big), let height = content.number32(start + 20, .big),
                let depth = content.byte(start + 24), let colorType = content.byte(start + 25),
                // Larger sides are invalid (ISO/IEC 15948 §7.1), and their product would overflow.
                max(width, height) <= Int(Int32.max)
            else { return picture }
            (picture.width, picture.height) = (width, height)
            // ISO/IEC 15948 table 11.
            let channels = [1, 1, 3, 1, 2, 1, 4]
            if colorType < channels.count { picture.bitsPerPixel = depth * channels[colorType] }
        } else if let length = content.number32(start, .little), length >= 40, length <= 124 {
            picture.format = .bmp
            guard let width = content.signed32(start + 4), let height = content.signed32(start + 8), width > 0,
                height != 0
            else { return picture }
            // The height is that of the picture and its mask together.
            (picture.width, picture.height) = (width, abs(height) / 2)
            picture.bitsPerPixel = content.number16(start + 14, .little) ?? picture.bitsPerPixel
        }
        return picture
    }
}
