internal import Serialization

/// Decodes X bitmaps, black on white. Numbers are read when rows need them.
struct XBMSource: PixelSource {
    var width: Int { header.width }
    var height: Int { header.height }

    private let header: XBMHeader
    private var text = XBMText()
    private var rowsRead = 0
    private var damage: ImageIntegrity?

    init(_ content: Span<UInt8>) throws(RenderingError) {
        var budget = HeaderBudget(content)
        header = try XBMHeader(content, &budget)
        text.offset = header.dataStart
    }

    mutating func begin(
        _ content: Span<UInt8>,
        reduction: Int,
        maxMemoryBytes: Int
    ) throws(RenderingError) -> RowFormat {
        var format = RowFormat(width: width, height: height, layout: .rgbx8)
        format.isGrey = true
        return format
    }

    mutating func readRows(_ content: Span<UInt8>, into rows: inout MutableSpan<UInt8>) throws(RenderingError) -> Int {
        let wanted = min(rows.count / (4 * width), height - rowsRead)
        for row in 0..<wanted {
            guard readRow(content, &rows, row) else { return row }
            rowsRead += 1
        }
        return wanted
    }

    /// - Returns: Whether all numbers of the row were present.
    private mutating func readRow(_ content: Span<UInt8>, _ rows: inout MutableSpan<UInt8>, _ row: Int) -> Bool {
        // Any bytes are valid `UInt8` values.
        var bytes = unsafe rows.mutableBytes
        for index in 0..<header.rowNumbers {
            guard let number = readNumber(content) else { return false }
            let first = index * header.numberBits
            for x in first..<min(first + header.numberBits, width) {
                // The lowest bit is the leftmost pixel.
                let pixel: UInt32 = number >> (x - first) & 1 == 1 ? 0xFF00_0000 : 0xFFFF_FFFF
                bytes.storeBytes(of: pixel.littleEndian, toByteOffset: 4 * (row * width + x), as: UInt32.self)
            }
        }
        return true
    }

    /// Returns the next number of the list, or `nil` if there is none, which is recorded.
    private mutating func readNumber(_ content: Span<UInt8>) -> Int? {
        text.skipBlank(content)
        if content.hasText(",", at: text.offset) {
            text.offset += 1
            text.skipBlank(content)
        }
        let start = text.offset
        let number = text.readNumber(content)
        if let number, number < 1 << header.numberBits { return number }
        damage =
            text.offset < content.count
            ? ImageIntegrity(.corrupt, checked: .pixels, byte: start, part: "numbers")
            : ImageIntegrity(.truncated, checked: .pixels, byte: content.count)
        return nil
    }

    mutating func finish(_ content: Span<UInt8>) throws(RenderingError) -> ImageIntegrity {
        if let damage { return damage }
        text.skipBlank(content)
        while content.hasText(",", at: text.offset) {
            text.offset += 1
            text.skipBlank(content)
        }
        guard text.offset < content.count else {
            return ImageIntegrity(.truncated, checked: .pixels, byte: content.count)
        }
        guard content.hasText("}", at: text.offset) else {
            return ImageIntegrity(.corrupt, checked: .pixels, byte: text.offset, part: "numbers")
        }
        text.offset += 1
        text.skipBlank(content)
        if content.hasText(";", at: text.offset) { text.offset += 1 }
        text.skipBlank(content)
        return ImageIntegrity(endingAt: text.offset, of: content, checked: .pixels)
    }
}
