import Images
package import Serialization

/// The properties of a renderer for any content.
///
/// The first two bytes of an input select the request; the rest is the content:
///
///     orientation (bits 0–2), everything decoded (3), truncated content allowed (4), size of a thumbnail (5–7)
///     fit (0–2), small limits (3), thumbnail's format (4–5), checksums of PNG corrected (6)
package struct RenderingOracle {
    private var request: RenderingRequest

    /// Returns a description of the violated property, or `nil` if all properties hold for `input`.
    package static func violation(for input: [UInt8], _ format: ImageFormat) -> String? {
        guard input.count >= 2 else { return nil }
        let bytes = input.dropFirst(2)
        // A copy of exactly this size: the sanitizer detects a read beyond its end.
        let content = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        defer { content.deallocate() }
        _ = content.initialize(fromContentsOf: bytes)
        if format == .png, input[1] & 64 != 0 { PNGChecksums.mend(content) }
        return RenderingOracle(format, input[0], input[1]).violation(content.span)
    }

    private init(_ format: ImageFormat, _ first: UInt8, _ second: UInt8) {
        request = RenderingRequest(format)
        request.orientation = Int(first & 7) + 1
        request.decode = first & 8 == 0 ? .auto : .full
        request.allowsTruncated = first & 16 != 0
        let side = 1 + Int(first >> 5) * 5
        var thumbnail = ThumbnailRequest(width: side, height: side)
        thumbnail.fit = ThumbnailFit.allCases[Int(second & 7) % ThumbnailFit.allCases.count]
        // The encoders have separate targets.
        thumbnail.format = second & 16 == 0 ? nil : .png
        request.thumbnails = [thumbnail]
        request.placeholders = [.average, .dominant, .palette, .blurhash, .thumbhash]
        request.phash = true
        // These limits bound the cost of hostile content; with small ones the fuzzer can try more inputs.
        request.maxPixels = second & 8 == 0 ? 1 << 18 : 1 << 10
        request.maxMemoryBytes = second & 8 == 0 ? 16 << 20 : 1 << 20
        request.maxScans = second & 8 == 0 ? 20 : 2
        request.maxFrames = second & 8 == 0 ? 20 : 2
    }

    private func violation(_ content: Span<UInt8>) -> String? {
        do throws(RenderingError) {
            let rendering = try PixelRenderer().render(content, request)
            if let violation = violation(rendering, content) { return violation }
            // A complete image has the same result, whatever else is allowed.
            var lenient = request
            lenient.allowsTruncated = true
            if try PixelRenderer().render(content, lenient) != rendering { return "the second rendering differs" }
        } catch {
            return violation(error, content)
        }
        return nil
    }

    private func violation(_ rendering: Rendering, _ content: Span<UInt8>) -> String? {
        let integrity = rendering.integrity
        if let byte = integrity.byte, !(0...content.count ~= byte) { return "damage at \(byte)" }
        switch integrity.verdict {
        case .unchecked: return "nothing was checked"
        case .truncated, .corrupt:
            if !request.allowsTruncated, !integrity.isPictureWhole { return "damage is not an error" }
            if integrity.verdict == .truncated, integrity.byte == nil { return "truncated without an offset" }
        case .missingEnd:
            // The image in an icon ends before the content.
            let isInside = request.format == .ico && integrity.byte.map { $0 < content.count } == true
            if integrity.byte != content.count, !isInside { return "the end is missing at another offset" }
        case .trailingBytes:
            if integrity.byte.map({ $0 < content.count }) != true { return "there are no trailing bytes" }
        case .complete:
            if integrity.byte != nil { return "complete, but with an offset" }
        }
        if request.decode == .full, integrity.checked != .pixels, !integrity.verdict.isDamage {
            return "not all pixels were checked"
        }
        guard let thumbnail = rendering.thumbnails.first, rendering.thumbnails.count == 1 else { return "no thumbnail" }
        if thumbnail.width < 1 || thumbnail.height < 1 || thumbnail.content.isEmpty { return "an empty thumbnail" }
        guard rendering.blurhash?.utf8.count == 28, rendering.thumbhash.map({ 5...25 ~= $0.count }) == true,
            rendering.phash != nil, rendering.average != nil, rendering.palette.count <= 6,
            (rendering.dominant == nil) == (rendering.average?.alpha == 0 && rendering.palette.isEmpty)
                || rendering.average?.alpha == 0
        else { return "placeholders are missing" }
        return nil
    }

    private func violation(_ error: RenderingError, _ content: Span<UInt8>) -> String? {
        switch error {
        case .truncated(let byte):
            0...content.count ~= byte ? nil : "truncated at \(byte)"
        case .corrupt(let byte, _):
            byte.map { 0...content.count ~= $0 } ?? true ? nil : "corrupt at \(String(describing: byte))"
        case .unsupported, .tooLarge, .tooManyPixels, .tooLongSide, .tooManyScans, .tooManyFrames:
            nil
        case .deferred: "a renderer that decodes must not return \(error)"
        }
    }
}

extension ImageIntegrity.Verdict {
    fileprivate var isDamage: Bool { self == .truncated || self == .corrupt }
}
