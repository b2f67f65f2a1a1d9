internal import CPNG
internal import Serialization

/// Decodes PNG with libpng: every colour type and depth, interlaced or not. For an APNG, the default image.
@safe struct PNGPixels: PixelSource, ~Copyable {
    let width: Int
    let height: Int

    /// The chunks, of which all were traversed.
    private let chunks: PNGChunks
    /// The reader of the library after `begin`, closed in `deinit`.
    private var reader: OpaquePointer?
    private var rowBytes = 0
    private var rowsRead = 0
    /// All rows of an interlaced image, which are decoded together.
    private var whole: [UInt8] = []
    private var wholeRows = 0
    private var isInterlaced = false
    private var damage: ImageIntegrity?

    /// The memory of the library itself, in bytes, in addition to rows: decompression and chunks.
    private static let libraryBytes = 1 << 20

    init(_ content: Span<UInt8>) throws(RenderingError) {
        var chunks = PNGChunks(content, maxCheckedBytes: content.count)
        if chunks.isAppleVariant { throw .unsupported(feature: "Apple's CgBI variant of PNG") }
        guard let header = chunks.header else { throw RenderingError(chunks.fault ?? chunks.endIntegrity(content)) }
        while chunks.next(content) != nil {}
        self.chunks = chunks
        width = header.width
        height = header.height
    }

    deinit {
        // The reader cannot be used after this.
        if let reader = unsafe reader { unsafe cpng_close(reader) }
    }

    mutating func begin(
        _ content: Span<UInt8>,
        reduction: Int,
        maxMemoryBytes: Int
    ) throws(RenderingError) -> RowFormat {
        unsafe reader = cpng_open(maxMemoryBytes)
        var header = cpng_header()
        let isDamaged: Int32 = chunks.fault == nil ? 0 : 1
        let outcome = unsafe call(content) { unsafe cpng_read_header($0, $1, $2, isDamaged, &header) }
        guard outcome == CPNG_DONE else { throw error(outcome, content, maxMemoryBytes) }

        var format = RowFormat(
            width: width,
            height: height,
            layout: header.bits == 16 ? .rgba16 : header.has_alpha != 0 ? .rgba8 : .rgbx8
        )
        format.isGrey = header.is_grey != 0
        if header.says_srgb == 0, let reader = unsafe reader {
            let count = Int(header.profile_bytes)
            unsafe format.setProfile(bytes: count) { unsafe cpng_copy_profile(reader, $0, count) }
        }
        rowBytes = format.rowBytes
        isInterlaced = header.is_interlaced != 0
        if isInterlaced { try hold(maxMemoryBytes) }
        return format
    }

    /// Allocates memory for the complete image.
    private mutating func hold(_ maxMemoryBytes: Int) throws(RenderingError) {
        let (bytes, overflow) = rowBytes.multipliedReportingOverflow(by: height)
        guard !overflow, bytes <= maxMemoryBytes - Self.libraryBytes else {
            throw .tooLarge(bytes: overflow ? .max : bytes + Self.libraryBytes, max: maxMemoryBytes)
        }
        whole = [UInt8](repeating: 0, count: bytes)
    }

    mutating func readRows(_ content: Span<UInt8>, into rows: inout MutableSpan<UInt8>) throws(RenderingError) -> Int {
        let wanted = min(rows.count / rowBytes, height - rowsRead)
        guard isInterlaced else {
            let done = read(content, into: &rows, count: wanted)
            rowsRead += done
            return done
        }
        if rowsRead == 0 {
            var image: [UInt8] = []
            swap(&image, &whole)
            var imageRows = image.mutableSpan
            wholeRows = read(content, into: &imageRows, count: height)
            whole = image
        }
        let given = min(wanted, wholeRows - rowsRead)
        for index in 0..<given * rowBytes { rows[index] = whole[rowsRead * rowBytes + index] }
        rowsRead += given
        return given
    }

    /// Reads `count` rows, or those before damage, which is recorded.
    private mutating func read(_ content: Span<UInt8>, into rows: inout MutableSpan<UInt8>, count: Int) -> Int {
        precondition(rows.count >= count * rowBytes, "the rows fit")
        var done: UInt32 = 0
        let bytes = rowBytes
        let outcome = unsafe rows.withUnsafeMutableBufferPointer { rows in
            // There is capacity for at least one row, so there is an address.
            let base = unsafe rows.baseAddress.unsafelyUnwrapped
            return unsafe call(content) { unsafe cpng_read_rows($0, $1, $2, base, bytes, UInt32(count), &done) }
        }
        if outcome != CPNG_DONE { note(outcome, content) }
        return Int(done)
    }

    mutating func finish(_ content: Span<UInt8>) throws(RenderingError) -> ImageIntegrity {
        // After the last row, the checksum of the remaining image data is still to be checked.
        if rowsRead == height, damage == nil {
            let outcome = unsafe call(content) { unsafe cpng_read_end($0, $1, $2) }
            if outcome != CPNG_DONE { noteEnd(outcome, content) }
        }
        return (damage ?? chunks.flaw ?? chunks.endIntegrity(content)).withPixels
    }

    // MARK: The library

    /// Passes the content to one call of the library.
    private func call(
        _ content: Span<UInt8>,
        _ body: (OpaquePointer, UnsafePointer<UInt8>, Int) -> cpng_outcome
    ) -> cpng_outcome {
        guard let reader = unsafe reader else { return CPNG_NO_MEMORY }
        return unsafe content.passed(ifEmpty: CPNG_TRUNCATED) { unsafe body(reader, $0, $1) }
    }

    /// Returns the offset at which the library stopped, with the verdict.
    private func fault(_ outcome: cpng_outcome, _ content: Span<UInt8>) -> ImageIntegrity {
        if outcome == CPNG_TRUNCATED {
            return ImageIntegrity(.truncated, checked: .pixels, byte: content.count)
        }
        // The reader failed, so it was opened.
        let offset = unsafe reader.map { unsafe cpng_offset($0) } ?? 0
        let chunk = PNGChunks.chunk(before: offset, in: content)
        return ImageIntegrity(.corrupt, checked: .pixels, byte: chunk?.start ?? offset, part: chunk?.type.name)
    }

    /// Records errors after the last row. Errors in the image data count; later ones affect no pixels.
    private mutating func noteEnd(_ outcome: cpng_outcome, _ content: Span<UInt8>) {
        let found = fault(outcome, content)
        if found.verdict == .corrupt, found.part == "IDAT" {
            damage = found
        } else if let fault = chunks.fault, fault.verdict == .corrupt {
            damage = fault.withWholePicture
        } else if found.verdict == .truncated {
            damage = ImageIntegrity(.missingEnd, checked: .pixels, byte: content.count)
        } else {
            damage = found
        }
    }

    /// Records the damage, unless an earlier one was recorded.
    private mutating func note(_ outcome: cpng_outcome, _ content: Span<UInt8>) {
        if damage == nil { damage = chunks.fault ?? fault(outcome, content) }
    }

    private func error(_ outcome: cpng_outcome, _ content: Span<UInt8>, _ maxMemoryBytes: Int) -> RenderingError {
        if outcome == CPNG_NO_MEMORY { return .tooLarge(bytes: maxMemoryBytes + 1, max: maxMemoryBytes) }
        return RenderingError(chunks.fault ?? fault(outcome, content))
    }
}

/// Writes PNG with libpng, without metadata.
enum PNGEncoder: ThumbnailEncoder {
    static let hasAlpha = true
    /// The longest side that a worker returns, in pixels.
    static let maxSide = 65_535

    /// The zlib level. Higher ones take several times as long, and save little of photographs (Benchmarks/README.md,
    /// images).
    private static let level: UInt8 = 3

    static func encode(_ image: RGBAImage, isGrey: Bool, quality: Int) throws(RenderingError) -> [UInt8] {
        let isOpaque = image.isOpaque
        var picture = cpng_picture(
            width: UInt32(image.width),
            height: UInt32(image.height),
            channels: !isOpaque ? 4 : isGrey ? 1 : 3,
            level: level
        )
        return try unsafe image.encoded(release: cpng_release) {
            unsafe cpng_write($0, &picture, &$1, &$2) == CPNG_DONE
        }
    }
}
