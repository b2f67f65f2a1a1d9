internal import Serialization

/// Decodes the frames of a GIF one after another, each painted on the screen that the previous frames left.
struct GIFAnimation {
    /// The result of one step.
    enum Step: Equatable {
        /// A frame, which has been painted on the screen.
        case frame
        /// The trailer, or damage; the available part of a damaged frame is on the screen.
        case end(ImageIntegrity)
    }

    private(set) var canvas: GIFCanvas
    private(set) var frameCount = 0
    private let screenColors: GIFColors?
    private var blocks: GIFBlocks
    private var indices: [UInt8] = []
    private var pixelCount = 0
    private let maxFrames: Int
    private let maxPixels: Int
    private let maxMemoryBytes: Int

    /// The number of indices that are decoded at a time, unless a row is longer.
    private static let pieceBytes = 64 << 10

    /// - Parameters:
    ///   - width: The width of the screen, see ``GIFScreen/size(firstFrame:)``; likewise `height`.
    ///   - maxPixels: The maximum for all frames together.
    ///   - maxMemoryBytes: The maximum for the screen, the area that a frame covers, and a row.
    /// - Throws: `tooLarge`.
    init(
        _ screen: GIFScreen,
        width: Int,
        height: Int,
        _ request: RenderingRequest,
        maxPixels: Int,
        maxMemoryBytes: Int
    ) throws(RenderingError) {
        let bytes = GIFCanvas.predictedBytes(width: width, height: height)
        guard bytes <= maxMemoryBytes else { throw .tooLarge(bytes: bytes, max: maxMemoryBytes) }
        canvas = GIFCanvas(width: width, height: height)
        screenColors = screen.colors
        blocks = GIFBlocks(at: screen.end)
        maxFrames = request.maxFrames
        self.maxPixels = maxPixels
        self.maxMemoryBytes = maxMemoryBytes
    }

    /// Decodes the next frame.
    /// - Throws: `tooManyFrames`; `tooManyPixels`, for all frames together; `tooLarge`.
    mutating func next(_ content: Span<UInt8>) throws(RenderingError) -> Step {
        switch blocks.nextFrame(content) {
        case .frame(let frame): try paint(frame, content).map { .end($0) } ?? .frame
        case .end(let integrity): .end(integrity.withAllFrames)
        }
    }

    /// Skips all remaining frames, and returns the integrity of the content's end.
    mutating func skipRest(_ content: Span<UInt8>) -> ImageIntegrity { blocks.skipRest(content) }

    /// - Returns: The damage of the frame, if there is any.
    private mutating func paint(_ frame: GIFFrame, _ content: Span<UInt8>) throws(RenderingError) -> ImageIntegrity? {
        guard frameCount < maxFrames else { throw .tooManyFrames(max: maxFrames) }
        guard frame.pixelCount <= maxPixels - pixelCount else { throw .tooManyPixels(max: maxPixels) }
        frameCount += 1
        pixelCount += frame.pixelCount
        let pieceRows = max(1, min(frame.height, Self.pieceBytes / frame.width))
        let bytes =
            GIFCanvas.predictedBytes(width: canvas.width, height: canvas.height)
            + canvas.predictedBytes(for: frame) + pieceRows * frame.width
        guard bytes <= maxMemoryBytes else { throw .tooLarge(bytes: bytes, max: maxMemoryBytes) }

        var data = GIFImageData(content, at: frame.dataStart)
        let palette = GIFPalette(content, frame, screenColors: screenColors, indexCount: data.indexCount)
        if indices.count < pieceRows * frame.width {
            indices = [UInt8](repeating: 0, count: pieceRows * frame.width)
        }
        canvas.begin(frame)
        var rows = GIFRowOrder(frame)
        var rowsLeft = frame.height
        while rowsLeft > 0, data.damage == nil {
            let wanted = min(pieceRows, rowsLeft) * frame.width
            let done = data.decode(content, into: &indices, count: wanted)
            for start in stride(from: 0, to: done, by: frame.width) {
                canvas.paint(indices[start..<min(start + frame.width, done)], palette, row: frame.top + rows.next())
            }
            rowsLeft -= pieceRows
        }
        if let damage = data.damage { return frameCount > 1 ? damage.withWholePicture : damage }
        guard blocks.skipData(content, from: data.blockEnd) else {
            return ImageIntegrity(.missingEnd, checked: .pixels, byte: content.count)
        }
        return nil
    }
}

/// The order of the rows in a frame's data: sequential, or in four passes (appendix E).
struct GIFRowOrder {
    private let height: Int
    private var row = 0
    private var step: Int
    private var pass = 0

    init(_ frame: GIFFrame) {
        height = frame.height
        step = frame.isInterlaced ? 8 : 1
    }

    /// Returns the next row. It must not be called more often than there are rows.
    mutating func next() -> Int {
        let current = row
        row += step
        // Passes of a low frame may have no rows.
        while row >= height, step > 1 {
            pass += 1
            guard pass < Self.passes.count else { break }
            (row, step) = Self.passes[pass]
        }
        return current
    }

    private static let passes = [(0, 8), (4, 8), (2, 4), (1, 2)]
}
