internal import Serialization

// Ambiguities of the format, and how we resolve them:
// · The part of a frame beyond the screen is ignored.
// · Pixels that no frame paints are transparent, whatever the background colour is, as in browsers; so are pixels
//   restored to the background.

/// The logical screen of a GIF, on which frames are painted one after another (GIF89a specification, §18 and §23).
struct GIFCanvas {
    let width: Int
    let height: Int
    /// The pixels in memory layout, row by row; zero if nothing is visible.
    private(set) var pixels: [UInt32]
    /// Whether any frame has painted anything.
    private(set) var isPainted = false

    /// The disposal of the latest frame before the next one.
    private var disposal = GIFControl.Disposal.keep
    private var columns = 0..<0
    private var rows = 0..<0
    /// The pixels that the latest frame covers, if they will be restored.
    private var saved: [UInt32] = []

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        pixels = [UInt32](repeating: 0, count: width * height)
    }

    /// Whether all visible pixels are grey.
    var isGrey: Bool {
        pixels.allSatisfy { pixel in
            let color = pixel.littleEndian
            return (color & 255) == (color >> 8) & 255 && (color & 255) == (color >> 16) & 255
        }
    }

    /// Returns the memory for a screen of this size, in bytes.
    static func predictedBytes(width: Int, height: Int) -> Int { MemoryLayout<UInt32>.stride * width * height }

    /// Returns the memory in addition to the screen while `frame` is displayed, in bytes.
    func predictedBytes(for frame: GIFFrame) -> Int {
        guard frame.control.disposal == .restore else { return 0 }
        return Self.predictedBytes(width: columns(of: frame).count, height: rows(of: frame).count)
    }

    private func columns(of frame: GIFFrame) -> Range<Int> {
        min(frame.left, width)..<min(frame.left + frame.width, width)
    }

    private func rows(of frame: GIFFrame) -> Range<Int> {
        min(frame.top, height)..<min(frame.top + frame.height, height)
    }

    /// Disposes of the current frame and prepares for the next one.
    mutating func begin(_ frame: GIFFrame) {
        switch disposal {
        case .keep: break
        case .clear:
            for row in rows {
                for index in row * width + columns.lowerBound..<row * width + columns.upperBound { pixels[index] = 0 }
            }
        case .restore:
            var next = 0
            for row in rows {
                for index in row * width + columns.lowerBound..<row * width + columns.upperBound {
                    pixels[index] = saved[next]
                    next += 1
                }
            }
        }
        disposal = frame.control.disposal
        columns = columns(of: frame)
        rows = rows(of: frame)
        saved = []
        guard disposal == .restore else { return }
        saved.reserveCapacity(rows.count * columns.count)
        for row in rows { saved += pixels[row * width + columns.lowerBound..<row * width + columns.upperBound] }
    }

    /// Paints a row of the current frame, or the start of a row. Pixels beyond the screen are ignored.
    /// - Parameter y: The row on the screen.
    mutating func paint(_ indices: ArraySlice<UInt8>, _ palette: GIFPalette, row y: Int) {
        guard rows.contains(y) else { return }
        var target = y * width + columns.lowerBound
        for index in indices.prefix(columns.count) {
            let pixel = palette.pixels[Int(index)]
            if pixel != 0 {
                pixels[target] = pixel
                isPainted = true
            }
            target += 1
        }
    }
}
