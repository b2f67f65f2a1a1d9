internal import Serialization

/// Decodes the visible picture of a GIF on its logical screen: the first frame, or if it paints nothing, the first
/// frame that does.
///
/// The first frame is streamed, row by row. If further frames are needed, because all are requested or the first paints
/// nothing, they are composed on a screen that is completely in memory.
struct GIFPixels: PixelSource {
    let width: Int
    let height: Int

    private let request: RenderingRequest
    private let screen: GIFScreen
    private let frame: GIFFrame
    private var blocks: GIFBlocks
    private var data: GIFImageData
    private var palette: GIFPalette
    private var indices: [UInt8] = []
    /// The row in `indices` for each row of an interlaced frame; empty for other frames.
    private var interlacedRows: [Int] = []
    private var rowsRead = 0
    /// The number of decoded indices of the frame, and the first of the latest piece that is missing.
    private var indicesRead = 0
    private var missing = Int.max

    /// The composition of frames after one that is visible, or `nil` if the first frame is streamed.
    private var animation: GIFAnimation?
    /// The end of the content, if it was reached during composition.
    private var end: ImageIntegrity?

    /// The maximum number of pixels in frames that are searched for the first that paints anything.
    private static let maxSearchedPixels = 32 << 20
    /// The number of indices that are decoded at a time.
    private static let pieceBytes = 64 << 10

    /// - Throws: `truncated` or `corrupt` if there is no frame or no colours, `tooManyPixels`.
    init(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) {
        self.request = request
        guard let screen = GIFScreen(content) else { throw .truncated(byte: content.count) }
        self.screen = screen
        blocks = GIFBlocks(at: screen.end)
        switch blocks.nextFrame(content) {
        case .frame(let frame): self.frame = frame
        case .end(let integrity) where integrity.isDamage: throw RenderingError(integrity)
        case .end: throw .corrupt(byte: blocks.offset, part: "image descriptor")
        }
        (width, height) = screen.size(firstFrame: frame)
        guard frame.pixelCount <= request.maxPixels else { throw .tooManyPixels(max: request.maxPixels) }
        data = GIFImageData(content, at: frame.dataStart)
        palette = GIFPalette(content, frame, screenColors: screen.colors, indexCount: data.indexCount)
    }

    mutating func begin(
        _ content: Span<UInt8>,
        reduction: Int,
        maxMemoryBytes: Int
    ) throws(RenderingError) -> RowFormat {
        let isCovered = frame.left == 0 && frame.top == 0 && frame.width >= width && frame.height >= height
        var format = RowFormat(width: width, height: height, layout: isCovered && palette.isOpaque ? .rgbx8 : .rgba8)
        format.isGrey = palette.isGrey

        try composeIfNeeded(content, maxMemoryBytes: maxMemoryBytes)
        if let animation {
            if animation.frameCount > 1 { format.isGrey = animation.canvas.isGrey }
            return format
        }
        let frameBytes = frame.isInterlaced ? frame.pixelCount : max(frame.width, Self.pieceBytes)
        let rowBytes = frame.isInterlaced ? frame.height * MemoryLayout<Int>.stride : 0
        guard frameBytes + rowBytes <= maxMemoryBytes else {
            throw .tooLarge(bytes: frameBytes + rowBytes, max: maxMemoryBytes)
        }
        indices = [UInt8](repeating: 0, count: frameBytes)
        if frame.isInterlaced {
            interlacedRows = [Int](repeating: 0, count: frame.height)
            var order = GIFRowOrder(frame)
            for row in 0..<frame.height { interlacedRows[order.next()] = row }
        }
        return format
    }

    // MARK: Composed frames

    private mutating func composeIfNeeded(_ content: Span<UInt8>, maxMemoryBytes: Int) throws(RenderingError) {
        guard hasFurtherFrames(content) else { return }
        if request.decode == .full {
            try compose(content, maxPixels: request.maxPixels, maxMemoryBytes: maxMemoryBytes)
        } else if !paintsSomething(content) {
            // If frames that were not requested are too many or too large, the first one is displayed.
            let maxPixels = min(request.maxPixels, Self.maxSearchedPixels)
            try? compose(content, maxPixels: maxPixels, maxMemoryBytes: maxMemoryBytes)
        }
    }

    private func hasFurtherFrames(_ content: Span<UInt8>) -> Bool {
        var rest = blocks
        guard rest.skipFrame(content), case .frame = rest.nextFrame(content) else { return false }
        return true
    }

    /// Returns whether anything of the first frame is visible. A damaged frame is assumed to be visible.
    private func paintsSomething(_ content: Span<UInt8>) -> Bool {
        let columns = min(frame.width, max(0, width - frame.left))
        let rows = min(frame.height, max(0, height - frame.top))
        if palette.isOpaque, columns > 0, rows > 0 { return true }
        var data = data
        var order = GIFRowOrder(frame)
        var row = [UInt8](repeating: 0, count: frame.width)
        for _ in 0..<frame.height {
            guard data.decode(content, into: &row, count: frame.width) == frame.width else { return true }
            guard order.next() < rows else { continue }
            if row[..<columns].contains(where: { palette.pixels[Int($0)] != 0 }) { return true }
        }
        return false
    }

    /// Composes at least one frame, until something is visible.
    private mutating func compose(_ content: Span<UInt8>, maxPixels: Int, maxMemoryBytes: Int) throws(RenderingError) {
        var animation = try GIFAnimation(
            screen,
            width: width,
            height: height,
            request,
            maxPixels: maxPixels,
            maxMemoryBytes: maxMemoryBytes
        )
        repeat {
            if case .end(let integrity) = try animation.next(content) { end = integrity }
        } while end == nil && !animation.canvas.isPainted
        self.animation = animation
    }

    // MARK: Rows

    mutating func readRows(_ content: Span<UInt8>, into rows: inout MutableSpan<UInt8>) throws(RenderingError) -> Int {
        let rowBytes = 4 * width
        let wanted = min(rows.count / rowBytes, height - rowsRead)
        if let canvas = animation?.canvas {
            // No pixels are available, so there is nothing to display.
            if end?.isDamage == true, !canvas.isPainted, animation?.frameCount == 1 { return 0 }
            // Any bytes are valid `UInt8` values.
            var bytes = unsafe rows.mutableBytes
            let start = rowsRead * width
            for index in 0..<wanted * width {
                bytes.storeBytes(of: canvas.pixels[start + index], toByteOffset: 4 * index, as: UInt32.self)
            }
            rowsRead += wanted
            return wanted
        }
        if interlacedRows.isEmpty {
            readInOrder(content, &rows, wanted)
        } else {
            if rowsRead == 0 { decode(content, count: frame.pixelCount) }
            for row in 0..<wanted {
                let y = rowsRead + row - frame.top
                paint(0..<frame.height ~= y ? interlacedRows[y] : nil, &rows, row)
            }
        }
        // No pixels are available, so there is nothing to display.
        if data.damage != nil, indicesRead == 0 { return 0 }
        rowsRead += wanted
        return wanted
    }

    private mutating func readInOrder(_ content: Span<UInt8>, _ rows: inout MutableSpan<UInt8>, _ wanted: Int) {
        let pieceRows = max(1, indices.count / frame.width)
        var row = 0
        while row < wanted {
            let y = rowsRead + row - frame.top
            guard 0..<frame.height ~= y else {
                paint(nil, &rows, row)
                row += 1
                continue
            }
            let count = min(pieceRows, wanted - row, frame.height - y)
            decode(content, count: count * frame.width)
            for piece in 0..<count { paint(piece, &rows, row + piece) }
            row += count
        }
    }

    /// Decodes the next indices to the start of `indices`. Unavailable ones are recorded as missing.
    private mutating func decode(_ content: Span<UInt8>, count: Int) {
        let done = data.damage == nil ? data.decode(content, into: &indices, count: count) : 0
        indicesRead += done
        missing = done < count ? done : .max
    }

    /// Writes one row of the screen.
    /// - Parameter piece: The visible row in `indices`, if there is one.
    private func paint(_ piece: Int?, _ rows: inout MutableSpan<UInt8>, _ row: Int) {
        // Any bytes are valid `UInt8` values.
        var bytes = unsafe rows.mutableBytes
        let start = 4 * width * row
        var x = 0
        if let piece {
            let from = min(frame.left, width)
            let to = min(frame.left + frame.width, width)
            while x < from {
                bytes.storeBytes(of: 0, toByteOffset: start + 4 * x, as: UInt32.self)
                x += 1
            }
            let first = piece * frame.width - frame.left
            let end = min(to, max(from, missing == .max ? to : missing - first))
            while x < end {
                let pixel = palette.pixels[Int(indices[first + x])]
                bytes.storeBytes(of: pixel, toByteOffset: start + 4 * x, as: UInt32.self)
                x += 1
            }
        }
        while x < width {
            bytes.storeBytes(of: 0, toByteOffset: start + 4 * x, as: UInt32.self)
            x += 1
        }
    }

    // MARK: The end

    mutating func finish(_ content: Span<UInt8>) throws(RenderingError) -> ImageIntegrity {
        if let animation = animation.take() { return try finish(animation, content) }
        // The part of the frame below the screen.
        while data.damage == nil, indicesRead < frame.pixelCount {
            decode(content, count: min(indices.count, frame.pixelCount - indicesRead))
        }
        if let damage = data.damage { return damage }
        guard blocks.skipData(content, from: data.blockEnd) else {
            // All pixels are present, but the block that ends them is not.
            return ImageIntegrity(.missingEnd, checked: .pixels, byte: content.count)
        }
        return blocks.skipRest(content)
    }

    /// Decodes all further frames, if requested, to check their integrity.
    private func finish(
        _ composed: consuming GIFAnimation,
        _ content: Span<UInt8>
    ) throws(RenderingError) -> ImageIntegrity {
        if let end { return end }
        var animation = composed
        if request.decode != .full { return animation.skipRest(content) }
        while true { if case .end(let integrity) = try animation.next(content) { return integrity } }
    }
}
