internal import Serialization

// A PNG is a signature of eight bytes and a sequence of chunks, `length type data CRC` (ISO/IEC 15948 §5.3):
//
//     89 "PNG" 0D 0A 1A 0A │ 0000000D IHDR … │ { length type data CRC }… │ 00000000 IEND AE426082
//
// Ambiguities of the standard, and how we resolve them:
// · A chunk before IHDR, or an IHDR with invalid values: corrupt. Exception: CgBI, Apple's variant, which is not
//   decoded; its facts are still reported.
// · A chunk whose type does not consist of letters, or whose length has more than 31 bits, is corrupt, and so is
//   everything after it.
// · An ancillary chunk with a wrong CRC is omitted, as in libpng. The image is corrupt there, and is displayed.

/// Iterates over the chunks of a PNG after the image header, each of which is complete and has a valid checksum.
///
/// The data of IDAT is not read: the decoder checks its checksum.
struct PNGChunks {
    struct Chunk {
        let type: FourCC
        /// The offset of the length, with which a chunk begins.
        let start: Int
        let data: Range<Int>

        /// The offset after the checksum.
        var end: Int { data.upperBound + 4 }
    }

    /// The image header (§11.2.2).
    struct Header {
        let width: Int
        let height: Int
        let depth: Int
        let colorType: Int
        let isInterlaced: Bool
    }

    /// The image header, or `nil` if it is the fault.
    private(set) var header: Header?
    /// Whether this is Apple's variant, whose first chunk is CgBI.
    private(set) var isAppleVariant = false
    /// Whether an IDAT was found. It may be truncated: the pixels can be complete without the end of their checksums.
    private(set) var hasData = false
    /// The first chunk that is truncated or corrupt. It ends the iteration.
    private(set) var fault: ImageIntegrity?
    /// The first ancillary chunk whose checksum is wrong.
    private(set) var flaw: ImageIntegrity?
    /// The chunk IEND. It ends the iteration.
    private(set) var end: Chunk?

    private var offset = 8
    private var uncheckedBytes: Int

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// - Parameter maxCheckedBytes: The maximum number of bytes whose checksum is computed, in addition to the chunks
    ///   without which no image is displayed.
    init(_ content: Span<UInt8>, maxCheckedBytes: Int) {
        uncheckedBytes = maxCheckedBytes
        for index in 0..<min(8, content.count) where content[index] != Self.signature[index] {
            fault = ImageIntegrity(.corrupt, checked: .structure, byte: index, part: "signature")
            return
        }
        guard var chunk = read(content), fault == nil else { return }
        while chunk.type == "CgBI" {
            isAppleVariant = true
            guard let next = read(content), fault == nil else { return }
            chunk = next
        }
        guard chunk.type == "IHDR", Self.hasValidChecksum(chunk, content), let header = Header(content, chunk.data)
        else {
            fault = ImageIntegrity(.corrupt, checked: .structure, byte: chunk.start, part: "IHDR")
            return
        }
        self.header = header
    }

    /// Returns the next chunk, or `nil` after `IEND` or a fault.
    mutating func next(_ content: Span<UInt8>) -> Chunk? {
        while end == nil, fault == nil, let chunk = read(content), fault == nil {
            guard !takeCheck(of: chunk) || Self.hasValidChecksum(chunk, content) else {
                let integrity = Self.corrupt(chunk)
                // §5.4: a lower-case first letter means that the image can be displayed without the chunk.
                if (chunk.type.rawValue & 0x2000_0000) != 0 {
                    flaw = flaw ?? integrity.withWholePicture
                } else {
                    fault = integrity
                }
                continue
            }
            if chunk.type == "IEND" { end = chunk }
            return chunk
        }
        return nil
    }

    /// Returns the verdict on content that has all chunks.
    func endIntegrity(_ content: Span<UInt8>) -> ImageIntegrity {
        ImageIntegrity(endingAt: end?.end ?? content.count, of: content, checked: .structure)
    }

    /// Reads a chunk, which may extend beyond the content if there is a fault. Its checksum is not checked.
    private mutating func read(_ content: Span<UInt8>) -> Chunk? {
        guard let length = content.number32(offset, .big), let code = content.number32(offset + 4, .big) else {
            fault = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
            return nil
        }
        let data = offset + 8..<offset + 8 + length
        let chunk = Chunk(type: FourCC(rawValue: UInt32(code)), start: offset, data: data)
        offset = chunk.end
        if length > Int(Int32.max) || !chunk.type.consistsOfLetters {
            fault = Self.corrupt(chunk)
        } else {
            if chunk.type == "IDAT" { hasData = true }
            if chunk.end > content.count {
                fault = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
            }
        }
        return chunk
    }

    private static func corrupt(_ chunk: Chunk) -> ImageIntegrity {
        ImageIntegrity(.corrupt, checked: .structure, byte: chunk.start, part: chunk.type.name)
    }

    /// Counts the bytes of an ancillary chunk against the maximum.
    /// - Returns: Whether the checksum of the chunk is to be computed.
    private mutating func takeCheck(of chunk: Chunk) -> Bool {
        if chunk.type == "IDAT" { return false }
        if chunk.type == "PLTE" || chunk.type == "IEND" { return true }
        uncheckedBytes -= chunk.data.count
        return uncheckedBytes >= 0
    }

    private static func hasValidChecksum(_ chunk: Chunk, _ content: Span<UInt8>) -> Bool {
        let checked = content.extracting(first: chunk.data.upperBound).extracting(droppingFirst: chunk.start + 4)
        return content.number32(chunk.data.upperBound, .big) == Int(ZlibStream.crc32(checked))
    }

    /// Returns the chunk that contains the byte before `offset`, of content whose header is valid.
    static func chunk(before offset: Int, in content: Span<UInt8>) -> Chunk? {
        var chunks = PNGChunks(content, maxCheckedBytes: 0)
        chunks.offset = 8
        while let chunk = chunks.read(content) {
            if offset <= chunk.end { return chunk }
            if chunks.fault != nil { break }
        }
        return nil
    }
}

extension PNGChunks.Header {
    /// Returns `nil` if a value is invalid.
    fileprivate init?(_ content: Span<UInt8>, _ data: Range<Int>) {
        let start = data.lowerBound
        guard data.count == 13, let width = content.number32(start, .big),
            let height = content.number32(start + 4, .big), 1...Int(Int32.max) ~= width, 1...Int(Int32.max) ~= height
        else { return nil }
        // Table 12: the bit depths for each colour type.
        let depths: [UInt8] =
            switch content[start + 9] {
            case 0: [1, 2, 4, 8, 16]
            case 3: [1, 2, 4, 8]
            case 2, 4, 6: [8, 16]
            default: []
            }
        guard depths.contains(content[start + 8]), content[start + 10] == 0, content[start + 11] == 0,
            content[start + 12] <= 1
        else { return nil }
        self.width = width
        self.height = height
        depth = Int(content[start + 8])
        colorType = Int(content[start + 9])
        isInterlaced = content[start + 12] == 1
    }
}
