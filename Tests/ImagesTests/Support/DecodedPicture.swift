@testable import Images
@testable import Serialization

/// The output of a source for one content: its rows with 8 bits per channel, and its verdict.
struct DecodedPicture: Equatable {
    var width: Int
    var height: Int
    var layout: RowFormat.Layout
    /// The decoded rows, with four bytes per pixel.
    var bytes: [UInt8]
    var integrity: ImageIntegrity

    /// Reads a few rows at a time, as a renderer does.
    init<Source: PixelSource & ~Copyable>(
        _ content: [UInt8],
        from source: inout Source,
        maxMemoryBytes: Int = 64 << 20,
        rowsAtATime: Int = 3
    ) throws(RenderingError) {
        let format = try source.begin(content.span, reduction: 1, maxMemoryBytes: maxMemoryBytes)
        (width, height, layout) = (format.width, format.height, format.layout)
        bytes = []
        var row = 0
        while row < height {
            let wanted = min(rowsAtATime, height - row)
            var band = [UInt8](repeating: 0xAA, count: wanted * format.rowBytes)
            var rows = band.mutableSpan
            let count = try source.readRows(content.span, into: &rows)
            bytes += band[..<(count * format.rowBytes)]
            row += count
            if count < wanted { break }
        }
        integrity = try source.finish(content.span)
    }

    /// The pixels as `RRGGBBAA`, without the last byte if the picture is opaque.
    var pixels: [String] {
        let digits = Array("0123456789abcdef".utf8)
        return stride(from: 0, to: bytes.count, by: 4).map { start in
            let pixel = bytes[start..<start + (layout == .rgbx8 ? 3 : 4)]
            return String(decoding: pixel.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        }
    }

    /// All bytes, with opaque alpha if the picture is opaque.
    var rgba: [UInt8] {
        guard layout == .rgbx8 else { return bytes }
        return bytes.indices.map { $0 % 4 == 3 ? 255 : bytes[$0] }
    }

    /// The first byte of each pixel.
    var reds: [UInt8] {
        stride(from: 0, to: bytes.count, by: 4).map { bytes[$0] }
    }
}

/// Returns a number as little-endian bytes.
func littleEndian(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}
