internal import CJPEG
internal import Serialization

/// Decodes JPEG with libjpeg-turbo: baseline, extended and progressive, Huffman and arithmetic; grey, RGB, YCbCr, CMYK
/// and YCCK of 8 bits.
@safe struct JPEGSource: PixelSource, ~Copyable {
    let width: Int
    let height: Int
    /// Whether chroma at half the size is interpolated, which is useless if rows are reduced.
    var interpolatesColors = true

    /// The reader of the library, closed in `deinit`.
    private let reader: OpaquePointer
    private let header: cjpeg_header
    private var rowBytes = 0
    private var rowsRead = 0
    private var rowCount = 0
    private let maxScans: Int

    /// The maximum memory of the library for an image in one scan, in bytes per pixel of its width, in addition to a
    /// fixed amount: two rows of coding units in each component, as samples and upsampled.
    private static let bytesPerColumn = 160
    private static let fixedBytes = 256 << 10

    /// - Parameter keepsGoing: Whether pixels after damage are returned.
    init(_ content: Span<UInt8>, maxScans: Int, keepsGoing: Bool) throws(RenderingError) {
        guard !content.isEmpty else { throw .truncated(byte: 0) }
        let scans = UInt32(clamping: maxScans)
        guard let reader = unsafe cjpeg_open(.max, scans, keepsGoing ? 1 : 0) else { throw .outOfMemory }
        var header = cjpeg_header()
        let outcome = unsafe content.passed(ifEmpty: CJPEG_TRUNCATED) {
            unsafe cjpeg_read_header(reader, $0, $1, &header)
        }
        guard outcome == CJPEG_DONE else {
            let error = unsafe Self.error(outcome, reader, maxScans: maxScans)
            // The reader has no other owner yet.
            unsafe cjpeg_close(reader)
            throw error
        }
        unsafe self.reader = reader
        self.header = header
        self.maxScans = maxScans
        width = Int(header.width)
        height = Int(header.height)
    }

    deinit {
        // The reader cannot be used after this.
        unsafe cjpeg_close(reader)
    }

    mutating func begin(
        _ content: Span<UInt8>,
        reduction: Int,
        maxMemoryBytes: Int
    ) throws(RenderingError) -> RowFormat {
        let coefficients = header.has_multiple_scans != 0 ? header.coefficient_bytes : 0
        let bytes = coefficients + width * Self.bytesPerColumn + Self.fixedBytes
        guard bytes <= maxMemoryBytes else { throw .tooLarge(bytes: bytes, max: maxMemoryBytes) }

        var (columns, rows): (UInt32, UInt32) = (0, 0)
        let isSmooth: Int32 = interpolatesColors ? 1 : 0
        let outcome = unsafe content.passed(ifEmpty: CJPEG_TRUNCATED) {
            unsafe cjpeg_begin(reader, $0, $1, UInt32(reduction), isSmooth, &columns, &rows)
        }
        guard outcome == CJPEG_DONE else { throw unsafe Self.error(outcome, reader, maxScans: maxScans) }

        var format = RowFormat(
            width: Int(columns),
            height: Int(rows),
            layout: header.model == CJPEG_CMYK ? .cmyk8 : .rgbx8
        )
        format.reduction = reduction
        format.isGrey = header.model == CJPEG_GREY
        let count = Int(header.profile_bytes)
        unsafe format.setProfile(bytes: count) { unsafe cjpeg_copy_profile(reader, $0, count) }
        rowBytes = format.rowBytes
        rowCount = format.height
        return format
    }

    mutating func readRows(_ content: Span<UInt8>, into rows: inout MutableSpan<UInt8>) throws(RenderingError) -> Int {
        let wanted = min(rows.count / rowBytes, rowCount - rowsRead)
        var done: UInt32 = 0
        let bytes = rowBytes
        let outcome = unsafe rows.withUnsafeMutableBufferPointer { rows in
            // There is capacity for `wanted` rows, and at least one, so there is an address.
            let base = unsafe rows.baseAddress.unsafelyUnwrapped
            return unsafe content.passed(ifEmpty: CJPEG_TRUNCATED) {
                unsafe cjpeg_read_rows(reader, $0, $1, base, bytes, UInt32(wanted), &done)
            }
        }
        if outcome != CJPEG_DONE, outcome != CJPEG_TRUNCATED, outcome != CJPEG_CORRUPT {
            throw unsafe Self.error(outcome, reader, maxScans: maxScans)
        }
        if header.model == CJPEG_CMYK, header.is_inverted == 0 {
            for index in 0..<Int(done) * rowBytes { rows[index] = ~rows[index] }
        }
        rowsRead += Int(done)
        return Int(done)
    }

    mutating func finish(_ content: Span<UInt8>) throws(RenderingError) -> ImageIntegrity {
        if rowsRead == rowCount {
            let outcome = unsafe content.passed(ifEmpty: CJPEG_TRUNCATED) { unsafe cjpeg_read_end(reader, $0, $1) }
            if outcome == CJPEG_MISSING_END {
                return ImageIntegrity(.missingEnd, checked: .pixels, byte: content.count)
            }
            if outcome != CJPEG_DONE, outcome != CJPEG_TRUNCATED, outcome != CJPEG_CORRUPT {
                throw unsafe Self.error(outcome, reader, maxScans: maxScans)
            }
        }
        if let damage = unsafe Self.damage(reader) { return damage }
        return ImageIntegrity(endingAt: unsafe cjpeg_offset(reader), of: content, checked: .pixels)
    }

    // MARK: The library

    /// Returns the first damage that the library found, or `nil` if there is none.
    private static func damage(_ reader: OpaquePointer) -> ImageIntegrity? {
        var fault = cjpeg_fault()
        switch unsafe cjpeg_damage(reader, &fault) {
        case CJPEG_DONE: return nil
        case CJPEG_TRUNCATED: return ImageIntegrity(.truncated, checked: .pixels, byte: fault.byte)
        default:
            let part = JPEGMarker.name(fault.marker)
            return ImageIntegrity(.corrupt, checked: .pixels, byte: fault.byte, part: part)
        }
    }

    private static func error(_ outcome: cjpeg_outcome, _ reader: OpaquePointer, maxScans: Int) -> RenderingError {
        switch outcome {
        case CJPEG_SCANS: return .tooManyScans(max: maxScans)
        case CJPEG_NO_MEMORY: return .outOfMemory
        case CJPEG_LOSSLESS_OR_HIERARCHICAL: return .unsupported(feature: "lossless or hierarchical JPEG")
        case CJPEG_PRECISION: return .unsupported(feature: "JPEG of more than 8 bits")
        case CJPEG_COLOR_SPACE: return .unsupported(feature: "this number of colour components in JPEG")
        case CJPEG_SAMPLING: return .unsupported(feature: "fractional sampling in JPEG")
        case CJPEG_ARITHMETIC: return .unsupported(feature: "arithmetic coding in JPEG")
        case CJPEG_SIDE: return .unsupported(feature: "JPEG with a side of more than 65500 pixels")
        case CJPEG_UNKNOWN_HEIGHT: return .unsupported(feature: "JPEG whose height follows its first scan")
        default: return unsafe damage(reader).map { RenderingError($0) } ?? .corrupt(byte: nil, part: nil)
        }
    }
}

/// Writes JPEG with libjpeg-turbo: baseline, with chroma at half the size, without metadata.
enum JPEGEncoder: ThumbnailEncoder {
    static let hasAlpha = false
    /// The longest side that the library writes, in pixels.
    static let maxSide = 65_500

    static func encode(_ image: RGBAImage, isGrey: Bool, quality: Int) throws(RenderingError) -> [UInt8] {
        var picture = cjpeg_picture(
            width: UInt32(image.width),
            height: UInt32(image.height),
            is_grey: isGrey ? 1 : 0,
            quality: UInt8(max(1, min(quality, 100)))
        )
        return try unsafe image.encoded(release: cjpeg_release) {
            unsafe cjpeg_write($0, &picture, &$1, &$2) == CJPEG_DONE
        }
    }
}
