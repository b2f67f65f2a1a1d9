internal import CTIFF
internal import Serialization

/// Decodes the first page of a TIFF or BigTIFF with libtiff. If all pages are requested, the others are decoded to
/// check their integrity.
@safe struct TIFFSource: PixelSource, ~Copyable {
    let width: Int
    let height: Int

    /// The reader, opened in `init` and closed in `deinit`.
    private let reader: OpaquePointer
    private let page: ctiff_page
    private let isSupported: Bool
    private let decodesAll: Bool
    private let maxFrames: Int
    private let maxPixels: Int
    private var maxMemoryBytes = 0
    private var rowsRead = 0
    private var damage: ImageIntegrity?

    /// The approximate memory of the library itself, in bytes: directories and decoders.
    private static let libraryBytes = 4 << 20

    init(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) {
        var opened: OpaquePointer?
        var page = ctiff_page()
        let memory = max(request.maxMemoryBytes, 1)
        let outcome = unsafe content.passed(ifEmpty: CTIFF_TRUNCATED) {
            unsafe ctiff_open($0, $1, memory, &opened, &page)
        }
        guard let reader = unsafe opened else {
            switch outcome {
            case CTIFF_NO_MEMORY: throw .tooLarge(bytes: memory, max: memory)
            case CTIFF_TRUNCATED: throw .truncated(byte: content.count)
            default:
                let structure = TIFFStructure(content, in: 0..<content.count)
                let offset = structure?.firstOffset(content) ?? 0
                throw .corrupt(byte: 1..<max(content.count, 1) ~= offset ? offset : nil, part: "directory")
            }
        }
        unsafe self.reader = reader
        self.page = page
        isSupported = outcome == CTIFF_DONE
        (width, height) = (Int(page.width), Int(page.height))
        decodesAll = request.decode == .full
        maxFrames = request.maxFrames
        maxPixels = request.maxPixels
    }

    deinit {
        // The reader cannot be used after this.
        unsafe ctiff_close(reader)
    }

    mutating func begin(
        _ content: Span<UInt8>,
        reduction: Int,
        maxMemoryBytes: Int
    ) throws(RenderingError) -> RowFormat {
        guard isSupported else { throw unsupported() }
        self.maxMemoryBytes = maxMemoryBytes
        try admit(page)
        var format = RowFormat(width: width, height: height, layout: Self.layout(page))
        format.isGrey = page.is_grey != 0
        let count = Int(page.profile_bytes)
        unsafe format.setProfile(bytes: count) { unsafe ctiff_copy_profile(reader, $0, count) }
        return format
    }

    private static func layout(_ page: ctiff_page) -> RowFormat.Layout {
        switch page.layout {
        case CTIFF_RGBA16: .rgba16
        case CTIFF_CMYK8: .cmyk8
        case CTIFF_RGBX8: .rgbx8
        default: .rgba8
        }
    }

    private func admit(_ page: ctiff_page) throws(RenderingError) {
        let bytes = Int(clamping: page.memory_bytes)
        guard bytes <= maxMemoryBytes - Self.libraryBytes else { throw .tooLarge(bytes: bytes, max: maxMemoryBytes) }
    }

    private func unsupported() -> RenderingError {
        // A static text of the C wrapper.
        .unsupported(feature: unsafe String(cString: ctiff_feature(reader)))
    }

    mutating func readRows(_ content: Span<UInt8>, into rows: inout MutableSpan<UInt8>) throws(RenderingError) -> Int {
        let rowBytes = width * Self.layout(page).pixelBytes
        let wanted = min(rows.count / rowBytes, height - rowsRead)
        let (outcome, done) = read(content, into: &rows, count: wanted)
        if outcome == CTIFF_NO_MEMORY { throw .tooLarge(bytes: maxMemoryBytes, max: maxMemoryBytes) }
        if outcome != CTIFF_DONE { damage = fault(outcome, content) }
        rowsRead += done
        return done
    }

    mutating func finish(_ content: Span<UInt8>) throws(RenderingError) -> ImageIntegrity {
        if let damage { return damage }
        if page.is_truncated != 0 { return ImageIntegrity(.truncated, checked: .pixels, byte: content.count) }
        if page.has_next == 0 { return ImageIntegrity(.complete, checked: .pixels) }
        guard decodesAll else { return ImageIntegrity(.complete, checked: .structure) }
        var pages = 1
        var pixels = width * height
        while true {
            var page = ctiff_page()
            let outcome = unsafe content.passed(ifEmpty: CTIFF_TRUNCATED) {
                unsafe ctiff_next_page(reader, $0, $1, &page)
            }
            switch outcome {
            case CTIFF_DONE: break
            case CTIFF_END: return ImageIntegrity(.complete, checked: .pixels)
            case CTIFF_UNSUPPORTED: throw unsupported()
            case CTIFF_TRUNCATED: return ImageIntegrity(.truncated, checked: .pixels, byte: content.count)
            default: return faultOfDirectory(content)
            }
            pages += 1
            guard pages <= maxFrames else { throw .tooManyFrames(max: maxFrames) }
            let (area, overflow) = Int(page.width).multipliedReportingOverflow(by: Int(page.height))
            guard !overflow, area <= maxPixels - min(pixels, maxPixels) else { throw .tooManyPixels(max: maxPixels) }
            pixels += area
            if let damage = try prove(page, content) { return damage }
        }
    }

    /// Decodes a page only to check its integrity.
    private func prove(_ page: ctiff_page, _ content: Span<UInt8>) throws(RenderingError) -> ImageIntegrity? {
        try admit(page)
        let rowBytes = Int(page.width) * Self.layout(page).pixelBytes
        guard rowBytes <= maxMemoryBytes - Self.libraryBytes - Int(clamping: page.memory_bytes) else {
            throw .tooLarge(bytes: rowBytes, max: maxMemoryBytes)
        }
        var row = [UInt8](repeating: 0, count: rowBytes)
        for _ in 0..<Int(page.height) {
            var rows = row.mutableSpan
            let (outcome, _) = read(content, into: &rows, count: 1)
            if outcome == CTIFF_NO_MEMORY { throw .tooLarge(bytes: maxMemoryBytes, max: maxMemoryBytes) }
            if outcome != CTIFF_DONE { return fault(outcome, content) }
        }
        return nil
    }

    // MARK: The library

    /// Reads rows of the current page into memory with sufficient capacity.
    private func read(
        _ content: Span<UInt8>,
        into rows: inout MutableSpan<UInt8>,
        count: Int
    ) -> (outcome: ctiff_outcome, done: Int) {
        var done: UInt32 = 0
        let outcome = unsafe rows.withUnsafeMutableBufferPointer { rows in
            // There is capacity for at least one row, so there is an address.
            let base = unsafe rows.baseAddress.unsafelyUnwrapped
            return unsafe content.passed(ifEmpty: CTIFF_TRUNCATED) {
                unsafe ctiff_read_rows(reader, $0, $1, base, UInt32(count), &done)
            }
        }
        return (outcome, Int(done))
    }

    private func fault(_ outcome: ctiff_outcome, _ content: Span<UInt8>) -> ImageIntegrity {
        if outcome == CTIFF_TRUNCATED { return ImageIntegrity(.truncated, checked: .pixels, byte: content.count) }
        let offset = unsafe Int(clamping: ctiff_offset(reader))
        // A strip that the directory does not list is an error of the directory.
        guard offset > 0, offset <= content.count else { return faultOfDirectory(content) }
        return ImageIntegrity(.corrupt, checked: .pixels, byte: offset, part: "strip")
    }

    private func faultOfDirectory(_ content: Span<UInt8>) -> ImageIntegrity {
        let offset = unsafe Int(clamping: ctiff_directory_offset(reader))
        let byte = offset > 0 && offset <= content.count ? offset : nil
        return ImageIntegrity(.corrupt, checked: .pixels, byte: byte, part: "directory")
    }
}
