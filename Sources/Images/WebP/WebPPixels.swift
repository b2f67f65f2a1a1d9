internal import CWebP
internal import Serialization

/// Decodes WebP with libwebp. For an animation, the first frame on its canvas; if all frames are requested, the others
/// are decoded to check their integrity.
struct WebPPixels: PixelSource {
    let width: Int
    let height: Int

    private let selection: WebPFrames
    private let frame: WebPFrames.Frame
    private let frameWidth: Int
    private let frameHeight: Int
    private let hasAlpha: Bool
    private let isLossless: Bool
    private let decodesAll: Bool
    private let maxFrames: Int
    private let maxPixels: Int

    private var format = RowFormat(width: 0, height: 0, layout: .rgba8)
    /// The pixels of the frame, at the size at which they are returned.
    private var pixels: [UInt8] = []
    private var pixelWidth = 0
    private var pixelHeight = 0
    private var rowsDecoded = 0
    private var rowsRead = 0
    private var damage: ImageIntegrity?
    private var maxMemoryBytes = 0

    /// The approximate memory of the library itself in addition to pixels, in bytes.
    private static let libraryBytes = 4 << 20

    init(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) {
        decodesAll = request.decode == .full
        maxFrames = request.maxFrames
        maxPixels = request.maxPixels
        selection = try WebPFrames(content, maxFrames: decodesAll ? request.maxFrames : 1)
        frame = selection.frames[0]
        var header = cwebp_header()
        let outcome = unsafe Self.withBytes(content, frame.bytes) { unsafe cwebp_read_header($0, $1, &header) }
        guard outcome == CWEBP_DONE else { throw RenderingError(Self.fault(outcome, frame.bytes, content)) }
        (frameWidth, frameHeight) = (Int(header.width), Int(header.height))
        hasAlpha = header.has_alpha != 0
        isLossless = header.is_lossless != 0
        (width, height) = selection.canvas.map { ($0.width, $0.height) } ?? (frameWidth, frameHeight)
        guard frame.size ?? (width, height) == (frameWidth, frameHeight) else {
            throw .corrupt(byte: frame.bytes.lowerBound, part: selection.isAnimated ? "ANMF" : "VP8X")
        }
        guard frame.left + frameWidth <= width, frame.top + frameHeight <= height else {
            throw .corrupt(byte: frame.bytes.lowerBound, part: "ANMF")
        }
    }

    mutating func begin(
        _ content: Span<UInt8>,
        reduction: Int,
        maxMemoryBytes: Int
    ) throws(RenderingError) -> RowFormat {
        let isCovered = frameWidth == width && frameHeight == height
        let reduction = isCovered ? reduction : 1
        format = RowFormat(
            width: (width + reduction - 1) / reduction,
            height: (height + reduction - 1) / reduction,
            layout: isCovered && !hasAlpha ? .rgbx8 : .rgba8
        )
        format.reduction = reduction
        if let profile = selection.profile { format.profile = profile.map { content[$0] } }
        pixelWidth = isCovered ? format.width : frameWidth
        pixelHeight = isCovered ? format.height : frameHeight

        self.maxMemoryBytes = maxMemoryBytes
        try admit(4 * pixelWidth * pixelHeight, frameWidth * frameHeight, isLossless: isLossless, hasAlpha: hasAlpha)
        try decode(content)
        return format
    }

    /// - Throws: `tooLarge` if the pixels and the library's memory for a frame exceed the limit.
    private func admit(_ pixelBytes: Int, _ framePixels: Int, isLossless: Bool, hasAlpha: Bool) throws(RenderingError) {
        // Sides have at most 24 bits. The library keeps a lossless image, and alpha, completely in memory.
        let bytes = pixelBytes + framePixels * (isLossless ? 4 : hasAlpha ? 1 : 0) + Self.libraryBytes
        guard bytes <= maxMemoryBytes else { throw .tooLarge(bytes: bytes, max: maxMemoryBytes) }
    }

    private mutating func decode(_ content: Span<UInt8>) throws(RenderingError) {
        var image = [UInt8](repeating: 0, count: 4 * pixelWidth * pixelHeight)
        let (outcome, rows) = Self.decode(content, frame.bytes, pixelWidth, pixelHeight, into: &image)
        if outcome == CWEBP_NO_MEMORY { throw .outOfMemory }
        if outcome != CWEBP_DONE { damage = Self.fault(outcome, frame.bytes, content) }
        pixels = image
        rowsDecoded = rows
    }

    mutating func readRows(_ content: Span<UInt8>, into rows: inout MutableSpan<UInt8>) throws(RenderingError) -> Int {
        let rowBytes = format.rowBytes
        var wanted = min(rows.count / rowBytes, format.height - rowsRead)
        let isCovered = pixelWidth == format.width && pixelHeight == format.height
        if isCovered {
            wanted = min(wanted, rowsDecoded - rowsRead)
            let start = rowsRead * rowBytes
            for index in 0..<wanted * rowBytes { rows[index] = pixels[start + index] }
        } else if damage != nil, rowsDecoded == 0 {
            return 0
        } else {
            for index in 0..<wanted * rowBytes { rows[index] = 0 }
            for row in 0..<wanted where 0..<rowsDecoded ~= rowsRead + row - frame.top {
                let start = 4 * pixelWidth * (rowsRead + row - frame.top)
                let target = row * rowBytes + 4 * frame.left
                for index in 0..<4 * pixelWidth { rows[target + index] = pixels[start + index] }
            }
        }
        rowsRead += wanted
        return wanted
    }

    mutating func finish(_ content: Span<UInt8>) throws(RenderingError) -> ImageIntegrity {
        if let damage { return damage }
        var integrity = selection.integrity
        if integrity.isDamage { return integrity }
        if decodesAll { if let damage = try proveOthers(content) { return damage } }
        if decodesAll || selection.frameCount == 1 { integrity.checked = .pixels }
        return integrity
    }

    /// Decodes all frames except the first.
    private mutating func proveOthers(_ content: Span<UInt8>) throws(RenderingError) -> ImageIntegrity? {
        guard selection.frameCount <= maxFrames else { throw .tooManyFrames(max: maxFrames) }
        pixels = []
        var total = frameWidth * frameHeight
        for frame in selection.frames.dropFirst() {
            var header = cwebp_header()
            let outcome = unsafe Self.withBytes(content, frame.bytes) { unsafe cwebp_read_header($0, $1, &header) }
            guard outcome == CWEBP_DONE else { return Self.fault(outcome, frame.bytes, content) }
            let (frameWidth, frameHeight) = (Int(header.width), Int(header.height))
            guard let size = frame.size, size == (frameWidth, frameHeight), frame.left + frameWidth <= width,
                frame.top + frameHeight <= height
            else { return ImageIntegrity(.corrupt, checked: .pixels, byte: frame.bytes.lowerBound, part: "ANMF") }
            total += frameWidth * frameHeight
            guard total <= maxPixels else { throw .tooManyPixels(max: maxPixels) }
            let pixelCount = frameWidth * frameHeight
            try admit(4 * pixelCount, pixelCount, isLossless: header.is_lossless != 0, hasAlpha: header.has_alpha != 0)
            var image = [UInt8](repeating: 0, count: 4 * frameWidth * frameHeight)
            let result = Self.decode(content, frame.bytes, frameWidth, frameHeight, into: &image)
            if result.outcome != CWEBP_DONE { return Self.fault(result.outcome, frame.bytes, content) }
        }
        return nil
    }

    // MARK: The library

    private static func decode(
        _ content: Span<UInt8>,
        _ bytes: Range<Int>,
        _ width: Int,
        _ height: Int,
        into image: inout [UInt8]
    ) -> (outcome: cwebp_outcome, rows: Int) {
        precondition(image.count == 4 * width * height && width > 0 && height > 0, "all pixels fit")
        var rows: UInt32 = 0
        let outcome = unsafe image.withUnsafeMutableBufferPointer { pixels in
            // There is a pixel, so there is an address.
            let base = unsafe pixels.baseAddress.unsafelyUnwrapped
            return unsafe withBytes(content, bytes) {
                unsafe cwebp_decode($0, $1, UInt32(width), UInt32(height), base, &rows)
            }
        }
        return (outcome, Int(rows))
    }

    private static func withBytes(
        _ content: Span<UInt8>,
        _ bytes: Range<Int>,
        _ body: (UnsafePointer<UInt8>, Int) -> cwebp_outcome
    ) -> cwebp_outcome {
        let frame = content.extracting(first: bytes.upperBound).extracting(droppingFirst: bytes.lowerBound)
        return unsafe frame.passed(ifEmpty: CWEBP_TRUNCATED, to: body)
    }

    /// Returns the damage of a frame that needs more data: it is truncated if the content ends with it, and corrupt if
    /// more follows.
    private static func fault(_ outcome: cwebp_outcome, _ bytes: Range<Int>, _ content: Span<UInt8>) -> ImageIntegrity {
        if outcome == CWEBP_TRUNCATED, bytes.upperBound == content.count {
            return ImageIntegrity(.truncated, checked: .pixels, byte: content.count)
        }
        return ImageIntegrity(.corrupt, checked: .pixels, byte: bytes.lowerBound, part: "VP8")
    }
}

/// Writes WebP with libwebp, lossy, without metadata.
enum WebPEncoder: ThumbnailEncoder {
    static let hasAlpha = true
    /// The longest side of the format, in pixels.
    static let maxSide = 16_383

    static func encode(_ image: RGBAImage, isGrey: Bool, quality: Int) throws(RenderingError) -> [UInt8] {
        let (width, height) = (UInt32(image.width), UInt32(image.height))
        return try unsafe image.encoded(release: cwebp_release) {
            unsafe cwebp_encode($0, width, height, Float(quality), &$1, &$2) == CWEBP_DONE
        }
    }
}
