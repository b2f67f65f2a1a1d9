internal import Serialization

/// The library's own renderer: decoders, most of them wrappers around C libraries, and the processing of their rows.
///
/// Rows are streamed. An image is only completely in memory if its coding requires that.
public final class PixelRenderer: ImageRenderer {
    private let maxMemoryBytes: Int

    /// - Parameter maxMemoryBytes: The maximum of ``RenderingRequest/maxMemoryBytes``, inclusive.
    public init(maxMemoryBytes: Int = .max) { self.maxMemoryBytes = maxMemoryBytes }

    public func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
        var request = request
        request.maxMemoryBytes = min(request.maxMemoryBytes, maxMemoryBytes)
        do throws(RenderingError) {
            return try Self.render(content, request)
        } catch { throw error.naming(maxMemoryBytes: request.maxMemoryBytes) }
    }

    private static func render(
        _ content: Span<UInt8>,
        _ request: RenderingRequest
    ) throws(RenderingError) -> Rendering {
        switch request.format {
        case .png:
            var source = try PNGPixels(content)
            return try Self.render(content, request, from: &source)
        case .jpeg:
            var source = try JPEGSource(content, maxScans: request.maxScans, keepsGoing: request.allowsTruncated)
            let plan = RenderingPlan(request, width: source.width, height: source.height)
            source.interpolatesColors = plan.leastShrink < 2
            return try Self.render(content, request, from: &source)
        case .gif:
            var source = try GIFPixels(content, request)
            return try Self.render(content, request, from: &source)
        case .bmp:
            var source = try BMPSource(content)
            return try Self.render(content, request, from: &source)
        case .ico, .cur: return try Self.renderIcon(content, request)
        case .xbm:
            var source = try XBMSource(content)
            return try Self.render(content, request, from: &source)
        case .webp:
            var source = try WebPPixels(content, request)
            return try Self.render(content, request, from: &source)
        case .tiff:
            var source = try TIFFSource(content, request)
            return try Self.render(content, request, from: &source)
        case .avif, .heic, .jxl, .jp2, .psd, .svg:
            throw .unsupported(feature: "pixels of the format \(request.format.rawValue)")
        }
    }

    /// Renders the requested results in one decode of `source`.
    static func render<Source: PixelSource & ~Copyable>(
        _ content: Span<UInt8>,
        _ request: RenderingRequest,
        from source: inout Source
    ) throws(RenderingError) -> Rendering {
        let (pixels, overflow) = source.width.multipliedReportingOverflow(by: source.height)
        guard !overflow, pixels <= request.maxPixels else { throw .tooManyPixels(max: request.maxPixels) }

        let plan = RenderingPlan(request, width: source.width, height: source.height)
        let bytes = try plan.checkedBytes(max: request.maxMemoryBytes)
        let format = try source.begin(
            content,
            reduction: plan.reduction,
            maxMemoryBytes: request.maxMemoryBytes - bytes
        )
        var pipeline = RowPipeline(format, plan.pictures)
        let rows = try decode(content, request, from: &source, format, into: &pipeline)
        let integrity = try source.finish(content)
        if integrity.isDamage, !request.allowsTruncated || rows == 0 { throw RenderingError(integrity) }

        let conversion = ColorConversion(format)
        var rendering = Rendering(format.reduction == 1 ? .full : .scaled, integrity: integrity)
        rendering.ignoresProfile = conversion.ignoresProfile
        var pictures = pipeline.finish()[...]
        if plan.hasSummary, let picture = pictures.popLast() {
            rendering.summarize(conversion.convert(picture).oriented(request.orientation), request)
        }
        for (picture, (thumbnail, part)) in zip(pictures, zip(request.thumbnails, plan.pictures)) {
            let oriented = conversion.convert(picture).oriented(request.orientation)
            rendering.thumbnails.append(try thumbnail.encode(oriented, on: part.canvas, isGrey: format.isGrey))
        }
        return rendering
    }

    /// Passes all rows to the pipeline, and returns the number of rows from the content. Rows after damage are black,
    /// or transparent if the image can be.
    private static func decode<Source: PixelSource & ~Copyable>(
        _ content: Span<UInt8>,
        _ request: RenderingRequest,
        from source: inout Source,
        _ format: RowFormat,
        into pipeline: inout RowPipeline
    ) throws(RenderingError) -> Int {
        let rowBytes = format.rowBytes
        let bandRows = max(1, min(format.height, RenderingPlan.bandBytes / rowBytes))
        // A multiple of eight bytes, for a band of any number of rows.
        let band = PixelBuffer<Wide>(count: (bandRows * rowBytes + 7) / 8, repeating: .zero)
        // The memory of the band is not accessible elsewhere while this function runs.
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: band.base, count: bandRows * rowBytes)
        let memory = unsafe bytes.bindMemory(to: UInt8.self)

        var row = 0
        var isWhole = true
        while isWhole, row < format.height {
            let wanted = min(bandRows, format.height - row)
            var rows = unsafe memory.extracting(0..<wanted * rowBytes).mutableSpan
            let count = try source.readRows(content, into: &rows)
            pipeline.consume(rows.span, count: count)
            row += count
            isWhole = count == wanted
        }
        let decoded = row
        if row < format.height, request.allowsTruncated {
            unsafe memory.update(repeating: 0)
            while row < format.height {
                let count = min(bandRows, format.height - row)
                pipeline.consume(unsafe memory.span, count: count)
                row += count
            }
        }
        return decoded
    }
}
