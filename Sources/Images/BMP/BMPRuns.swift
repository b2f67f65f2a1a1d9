internal import Serialization

/// Decodes the run-length coding of bitmaps with 4 and 8 bits per pixel (Microsoft's "Bitmap Compression").
///
///     03 04 │ 00 03 45 56 67 00 │ 00 02 05 01 │ 00 00 │ 00 01
///     04 04 04  45 56 67 (padded)  right 5, up 1  line end  bitmap end
///
/// The part of a run beyond the end of the line is ignored.
struct BMPRuns {
    /// The offset of the next pair of bytes; at the end, that of the bytes after the bitmap.
    private(set) var offset: Int

    private let width: Int
    private let height: Int
    private let isFourBits: Bool
    private var x = 0
    private var y = 0

    init(at offset: Int, width: Int, height: Int, isFourBits: Bool) {
        self.offset = offset
        self.width = width
        self.height = height
        self.isFourBits = isFourBits
    }

    /// - Parameter indices: The indices of all pixels, the lowest row first.
    /// - Returns: The reason why it ended early, if it did.
    mutating func decode(_ content: Span<UInt8>, into indices: inout [UInt8]) -> ImageIntegrity? {
        let isFourBits = isFourBits
        while let count = content.byte(offset), let value = content.byte(offset + 1) {
            offset += 2
            if count > 0 {
                put(count, into: &indices) { isFourBits ? UInt8(value >> (($0 & 1) == 0 ? 4 : 0) & 15) : UInt8(value) }
                continue
            }
            switch value {
            case 0:
                x = 0
                y += 1
            case 1: return nil
            case 2:
                guard let right = content.byte(offset), let up = content.byte(offset + 1) else { break }
                offset += 2
                x = min(x + right, width)
                y += up
            default:
                let start = offset
                let byteCount = isFourBits ? (value + 1) / 2 : value
                guard start + byteCount <= content.count else {
                    offset = content.count
                    break
                }
                put(value, into: &indices) { index in
                    guard isFourBits else { return content[start + index] }
                    return content[start + index / 2] >> ((index & 1) == 0 ? 4 : 0) & 15
                }
                offset = start + (byteCount + 1) / 2 * 2
            }
            // There are no rows above the top one; the remaining data is only read up to its end.
            if y > height { y = height }
        }
        offset = content.count
        // The end marker may be missing once the last row is complete.
        if y >= height || y == height - 1 && x >= width { return nil }
        return ImageIntegrity(.truncated, checked: .pixels, byte: content.count)
    }

    private mutating func put(_ count: Int, into indices: inout [UInt8], _ value: (Int) -> UInt8) {
        guard y < height else { return }
        for index in 0..<min(count, width - x) { indices[y * width + x + index] = value(index) }
        x = min(x + count, width)
    }
}
