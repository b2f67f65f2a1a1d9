/// The logical screen of a GIF, on which frames are painted one after another (GIF89a specification, §18 and §23).
struct GIFCanvas {
    let width: Int
    let height: Int
    /// As they lie in memory, row after row; zero where nothing is to be seen.
    private(set) var pixels: [UInt32]
    /// Whether any frame has painted anything.
    private(set) var isPainted = false

    /// What is done with the latest frame before the next one.
    private var disposal = GIFFrame.Disposal.keep
    private var columns = 0..<0
    private var rows = 0..<0
    /// What the latest frame was painted over, where it comes back.
    private var saved: [UInt32] = []

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        pixels = [UInt32](repeating: 0, count: width * height)
    }

    /// Whether all that is to be seen is grey.
    var isGrey: Bool {
        pixels.allSatisfy { pixel in
            let color = pixel.littleEndian
            return (color & 255) == (color >> 8) & 255 && (color & 255) == (color >> 16) & 255
        }
    }

    /// What a screen of this size takes, in bytes.
    static func predictedBytes(width: Int, height: Int) -> Int {
        MemoryLayout<UInt32>.stride * width * height
    }

    /// What is held beside the screen while `frame` is on it, in bytes.
    func predictedBytes(for frame: GIFFrame) -> Int {
        guard frame.disposal == .restore else { return 0 }
        return Self.predictedBytes(width: columns(of: frame).count, height: rows(of: frame).count)
    }

    private func columns(of frame: GIFFrame) -> Range<Int> {
        min(frame.left, width)..<min(frame.left + frame.width, width)
    }

    private func rows(of frame: GIFFrame) -> Range<Int> {
        min(frame.top, height)..<min(frame.top + frame.height, height)
    }

    /// Disposes of the frame that is on the screen, and gets ready for the next one.
    mutating func begin(_ frame: GIFFrame) {
        switch disposal {
        case .keep: break
        case .clear:
            for row in rows {
                for place in row * width + columns.lowerBound..<row * width + columns.upperBound { pixels[place] = 0 }
            }
        case .restore:
            var next = 0
            for row in rows {
                for place in row * width + columns.lowerBound..<row * width + columns.upperBound {
                    pixels[place] = saved[next]
                    next += 1
                }
            }
        }
        disposal = frame.disposal
        columns = columns(of: frame)
        rows = rows(of: frame)
        saved = []
        guard disposal == .restore else { return }
        saved.reserveCapacity(rows.count * columns.count)
        for row in rows {
            saved += pixels[row * width + columns.lowerBound..<row * width + columns.upperBound]
        }
    }

    /// Paints a row of the frame that was begun, or the beginning of one; what stands beyond the screen is left out.
    /// - Parameter y: the row on the screen.
    mutating func paint(_ indices: ArraySlice<UInt8>, _ palette: GIFPalette, row y: Int) {
        guard rows.contains(y) else { return }
        var place = y * width + columns.lowerBound
        for index in indices.prefix(columns.count) {
            let pixel = palette.pixels[Int(index)]
            if pixel != 0 {
                pixels[place] = pixel
                isPainted = true
            }
            place += 1
        }
    }
}
