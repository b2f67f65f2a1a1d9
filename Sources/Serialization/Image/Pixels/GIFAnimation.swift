/// Decodes the frames of a GIF one after another, each painted on what those before it left on the screen.
struct GIFAnimation {
    /// What there was next.
    enum Step: Equatable {
        /// A frame, which is on the screen now.
        case frame
        /// The trailer, or damage; of a damaged frame, what came is on the screen.
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

    /// Indices that are decoded at a time, but for longer rows.
    private static let pieceBytes = 64 << 10

    /// - Parameters:
    ///   - width: the screen's, which its header may leave open; so may be `height`.
    ///   - maxPixels: of all frames together.
    ///   - maxMemoryBytes: for the screen, what a frame covers of it, and a row.
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
    /// - Throws: `tooManyFrames`, `tooManyPixels`, of all frames together; `tooLarge`.
    mutating func next(_ content: Span<UInt8>) throws(RenderingError) -> Step {
        switch blocks.next(content) {
        case .frame(let frame): try paint(frame, content).map { .end($0) } ?? .frame
        case .trailer(let end): .end(GIFBlocks.integrity(endingAt: end, content, checked: .pixels))
        case .damage(let integrity): .end(integrity)
        }
    }

    /// Passes over all further frames, and says how the content ends.
    mutating func skipRest(_ content: Span<UInt8>) -> ImageIntegrity {
        blocks.skipRest(content).end
    }

    /// - Returns: what is wrong with the frame, if anything.
    private mutating func paint(
        _ frame: GIFFrame,
        _ content: Span<UInt8>
    ) throws(RenderingError) -> ImageIntegrity? {
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
        guard blocks.skipData(content, from: data.nextBlock) else {
            return ImageIntegrity(.missingEnd, checked: .pixels, byte: content.count)
        }
        return nil
    }
}

/// Which row of a frame each row of its data is: one after another, or in four passes (appendix E).
struct GIFRowOrder {
    private let height: Int
    private var row = 0
    private var step: Int
    private var pass = 0

    init(_ frame: GIFFrame) {
        height = frame.height
        step = frame.isInterlaced ? 8 : 1
    }

    /// The row that comes next; asked for no more often than there are rows.
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
