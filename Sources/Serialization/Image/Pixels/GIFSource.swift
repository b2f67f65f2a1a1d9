/// Decodes the first frame of a GIF, on the logical screen. With every frame wanted, the others are decoded for what that
/// proves of the content.
struct GIFSource: PixelSource {
    let width: Int
    let height: Int

    private let frame: GIFFrame
    private let colors: GIFColors?
    private var blocks: GIFBlocks
    private var data: GIFImageData
    private let decodesAll: Bool
    private let maxFrames: Int
    private let maxPixels: Int

    /// Each index's pixel, as it lies in memory; zero where it has none.
    private var palette: [UInt32] = []
    private var indices: [UInt8] = []
    /// Which row of `indices` each row of an interlaced frame is; empty for others.
    private var interlacedRows: [Int] = []
    private var rowsRead = 0
    /// How many indices of the frame have come, and the first of the latest that has not.
    private var indicesRead = 0
    private var missing = Int.max

    /// Indices that are decoded at a time.
    private static let pieceBytes = 64 << 10

    /// - Throws: `truncated` or `corrupt` where there is no frame, `tooManyPixels`.
    init(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) {
        let screen = try GIFScreen(content)
        blocks = GIFBlocks(at: screen.end)
        switch blocks.next(content) {
        case .frame(let frame): self.frame = frame
        case .trailer(let end): throw .corrupt(byte: end - 1, part: "image descriptor")
        case .damage(let integrity): throw RenderingError(integrity)
        }
        let hasScreen = screen.width > 0 && screen.height > 0
        width = hasScreen ? screen.width : frame.left + frame.width
        height = hasScreen ? screen.height : frame.top + frame.height
        // Both are below 65 536.
        guard frame.width * frame.height <= request.maxPixels else { throw .tooManyPixels(max: request.maxPixels) }
        colors = frame.colors ?? screen.colors
        data = GIFImageData(content, at: frame.dataStart)
        decodesAll = request.decode == .full
        maxFrames = request.maxFrames
        maxPixels = request.maxPixels
    }

    mutating func begin(
        _ content: Span<UInt8>,
        reduction: Int,
        maxMemoryBytes: Int
    ) throws(RenderingError) -> RowFormat {
        guard let colors else { throw .corrupt(byte: frame.dataStart, part: "colour table") }
        let frameBytes = frame.isInterlaced ? frame.width * frame.height : max(frame.width, Self.pieceBytes)
        let rowBytes = frame.isInterlaced ? frame.height * MemoryLayout<Int>.stride : 0
        guard frameBytes + rowBytes <= maxMemoryBytes else {
            throw .tooLarge(bytes: frameBytes + rowBytes, max: maxMemoryBytes)
        }
        indices = [UInt8](repeating: 0, count: frameBytes)
        if frame.isInterlaced { interlacedRows = Self.interlacedRows(frame.height) }

        var isGrey = true
        palette = [UInt32](repeating: 0, count: 256)
        for index in 0..<colors.count where index != frame.transparentIndex {
            let at = colors.start + 3 * index
            let (red, green, blue) = (UInt32(content[at]), UInt32(content[at + 1]), UInt32(content[at + 2]))
            palette[index] = (red | green << 8 | blue << 16 | 0xFF00_0000).littleEndian
            isGrey = isGrey && red == green && green == blue
        }
        let isCovered = frame.left == 0 && frame.top == 0 && frame.width >= width && frame.height >= height
        let isOpaque = isCovered && frame.transparentIndex == nil && data.indexCount <= colors.count
        var format = RowFormat(width: width, height: height, layout: isOpaque ? .rgbx8 : .rgba8)
        format.isGrey = isGrey
        return format
    }

    /// Which row of the data each row of the frame is (appendix E).
    private static func interlacedRows(_ height: Int) -> [Int] {
        var rows = [Int](repeating: 0, count: height)
        var next = 0
        for (first, step) in [(0, 8), (4, 8), (2, 4), (1, 2)] {
            for row in stride(from: first, to: height, by: step) {
                rows[row] = next
                next += 1
            }
        }
        return rows
    }

    mutating func readRows(_ content: Span<UInt8>, into rows: inout MutableSpan<UInt8>) throws(RenderingError) -> Int {
        let rowBytes = 4 * width
        let wanted = min(rows.count / rowBytes, height - rowsRead)
        if interlacedRows.isEmpty {
            readInOrder(content, &rows, wanted)
        } else {
            if rowsRead == 0 { decode(content, count: frame.width * frame.height) }
            for row in 0..<wanted {
                let y = rowsRead + row - frame.top
                paint(0..<frame.height ~= y ? interlacedRows[y] : nil, &rows, row)
            }
        }
        // Nothing at all came, so there is nothing to show.
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

    /// Decodes the next indices, from the first place in `indices` on. Those that do not come are missing there.
    private mutating func decode(_ content: Span<UInt8>, count: Int) {
        let done = data.damage == nil ? data.decode(content, into: &indices, count: count) : 0
        indicesRead += done
        missing = done < count ? done : .max
    }

    /// Writes one row of the screen.
    /// - Parameter piece: which row of `indices` is to be seen, if any.
    private func paint(_ piece: Int?, _ rows: inout MutableSpan<UInt8>, _ row: Int) {
        // Any bytes are integers of one byte.
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
                let pixel = palette[Int(indices[first + x])]
                bytes.storeBytes(of: pixel, toByteOffset: start + 4 * x, as: UInt32.self)
                x += 1
            }
        }
        while x < width {
            bytes.storeBytes(of: 0, toByteOffset: start + 4 * x, as: UInt32.self)
            x += 1
        }
    }

    mutating func finish(_ content: Span<UInt8>) throws(RenderingError) -> ImageIntegrity {
        // What of the frame stands below the screen.
        while data.damage == nil, indicesRead < frame.width * frame.height {
            decode(content, count: min(indices.count, frame.width * frame.height - indicesRead))
        }
        var frames = 1
        var pixels = frame.width * frame.height
        while true {
            if let damage = data.damage { return damage }
            guard blocks.skipData(content, from: data.nextBlock) else {
                return ImageIntegrity(.truncated, checked: .pixels, byte: content.count)
            }
            var block = blocks.next(content)
            while !decodesAll, case .frame = block {
                frames += 1
                block = blocks.skipFrame(content) ? blocks.next(content) : GIFBlocks.truncated(content)
            }
            switch block {
            case .frame(let frame):
                frames += 1
                guard frames <= maxFrames else { throw .tooManyFrames(max: maxFrames) }
                pixels += frame.width * frame.height
                guard pixels <= maxPixels else { throw .tooManyPixels(max: maxPixels) }
                prove(frame, content)
            case .trailer(let end):
                let checked: ImageIntegrity.Check = decodesAll || frames == 1 ? .pixels : .structure
                guard end < content.count else { return ImageIntegrity(.complete, checked: checked) }
                return ImageIntegrity(.trailingBytes, checked: checked, byte: end)
            case .damage(let integrity):
                return integrity
            }
        }
    }

    /// Decodes a frame that nobody sees.
    private mutating func prove(_ frame: GIFFrame, _ content: Span<UInt8>) {
        data = GIFImageData(content, at: frame.dataStart)
        var left = frame.width * frame.height
        while left > 0, data.damage == nil {
            left -= data.decode(content, into: &indices, count: min(left, indices.count))
        }
    }
}
