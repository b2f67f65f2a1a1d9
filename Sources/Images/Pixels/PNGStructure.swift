internal import Serialization

/// The integrity of a PNG according to its chunks, without the pixels (ISO/IEC 15948 §5.3).
///
/// All chunks are traversed, and the checksums of those without pixels are computed; the decoder checks those of the
/// image data.
struct PNGStructure: Equatable {
    /// The width and height in pixels, from the header chunk.
    private(set) var width = 0
    private(set) var height = 0
    /// The first chunk that is truncated or corrupt.
    private(set) var fault: ImageIntegrity?
    /// The first ancillary chunk whose checksum is wrong. It is ignored.
    private(set) var flaw: ImageIntegrity?
    /// The end of the image, or `nil` if its last chunk is missing.
    private(set) var end: Int?

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The length of a chunk's length, type and checksum fields, in bytes.
    private static let frameBytes = 12
    private static let maxDataBytes = (1 << 31) - 1

    /// - Throws: `truncated` or `corrupt` if the header chunk cannot be read.
    init(_ content: Span<UInt8>, checksum: (Span<UInt8>) -> UInt32) throws(RenderingError) {
        for index in 0..<min(8, content.count) where content[index] != Self.signature[index] {
            throw .corrupt(byte: index, part: "signature")
        }
        try readHeader(content, checksum)
        var position = 8
        while end == nil, fault == nil {
            position = step(content, at: position, checksum)
        }
    }

    private mutating func readHeader(_ content: Span<UInt8>, _ checksum: (Span<UInt8>) -> UInt32) throws(RenderingError)
    {
        guard content.count >= 8 + Self.frameBytes + 13 else { throw .truncated(byte: content.count) }
        if Self.name(content, 12) == "CgBI" { throw .unsupported(feature: "Apple's CgBI variant of PNG") }
        guard Self.word(content, 8) == 13, Self.name(content, 12) == "IHDR",
            Int(checksum(content.extracting(12..<29))) == Self.word(content, 29)
        else { throw .corrupt(byte: 8, part: "IHDR") }
        width = Self.word(content, 16)
        height = Self.word(content, 20)
        guard width > 0, height > 0, width <= Self.maxDataBytes, height <= Self.maxDataBytes else {
            throw .corrupt(byte: 16, part: "IHDR")
        }
    }

    /// Checks the chunk at `position` and returns the position of the next one, which is always greater.
    private mutating func step(_ content: Span<UInt8>, at position: Int, _ checksum: (Span<UInt8>) -> UInt32) -> Int {
        let left = content.count - position
        guard left >= Self.frameBytes else {
            fault = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
            return position
        }
        let count = Self.word(content, position)
        guard let name = Self.name(content, position + 4), count <= Self.maxDataBytes else {
            fault = ImageIntegrity(.corrupt, checked: .structure, byte: position)
            return position
        }
        guard left - Self.frameBytes >= count else {
            fault = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
            return position
        }
        let next = position + Self.frameBytes + count
        if name != "IDAT", Int(checksum(content.extracting(position + 4..<next - 4))) != Self.word(content, next - 4) {
            let integrity = ImageIntegrity(.corrupt, checked: .structure, byte: position, part: name)
            // ISO/IEC 15948 §5.4: a lower-case first letter means that the image can be displayed without the chunk.
            if (content[position + 4] & 0x20) != 0 {
                flaw = flaw ?? integrity.withWholePicture
            } else {
                fault = integrity
            }
        }
        if name == "IEND" { end = next }
        return next
    }

    /// Returns the chunk that contains the byte before `position`.
    static func chunk(before position: Int, in content: Span<UInt8>) -> (start: Int, name: String)? {
        var start = 8
        while start + frameBytes <= content.count {
            guard let name = name(content, start + 4) else { return nil }
            let next = start + frameBytes + word(content, start)
            if position <= next { return (start, name) }
            start = next
        }
        return nil
    }

    private static func word(_ content: Span<UInt8>, _ at: Int) -> Int {
        Int(content[at]) << 24 | Int(content[at + 1]) << 16 | Int(content[at + 2]) << 8 | Int(content[at + 3])
    }

    /// Returns the type of a chunk, or `nil` if it contains characters other than letters.
    private static func name(_ content: Span<UInt8>, _ at: Int) -> String? {
        var name = ""
        for index in at..<at + 4 {
            let letter = content[index]
            guard letter.isLetter else { return nil }
            name.unicodeScalars.append(Unicode.Scalar(letter))
        }
        return name
    }
}
