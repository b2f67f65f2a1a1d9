internal import Serialization

extension PixelRenderer {
    /// Renders the best picture of an icon or cursor. If all pixels are requested, the others are decoded to check
    /// their integrity.
    static func renderIcon(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
        var budget = HeaderBudget(content)
        let directory = try ICODirectory(content, &budget)
        let pictures = directory.pictures
        guard let best = directory.best(where: { $0.isDecodable(content) }) else {
            guard let first = pictures.first else { throw .truncated(byte: content.count) }
            // Fails with the reason.
            return try render(content, first, request)
        }
        var rendering = try render(content, pictures[best], request)
        if request.decode == .full {
            guard pictures.count <= request.maxFrames else { throw .tooManyFrames(max: request.maxFrames) }
            var bare = RenderingRequest(request.format)
            bare.decode = .full
            bare.allowsTruncated = request.allowsTruncated
            bare.maxPixels = request.maxPixels
            bare.maxMemoryBytes = request.maxMemoryBytes
            var left = request.maxPixels - pictures[best].width * pictures[best].height
            for (index, picture) in pictures.enumerated() where index != best && picture.isDecodable(content) {
                // Sides have at most 32 bits, and an area beyond the limit ends the loop.
                let (area, overflow) = picture.width.multipliedReportingOverflow(by: picture.height)
                guard !overflow, area <= left else { throw .tooManyPixels(max: request.maxPixels) }
                left -= area
                let integrity = try render(content, picture, bare).integrity
                if integrity.isDamage, !rendering.integrity.isDamage { rendering.integrity = integrity }
            }
        } else if pictures.count > 1 {
            rendering.integrity.checked = .structure
        }
        guard rendering.integrity.verdict == .complete,
            let other = pictures.first(where: { !$0.isDecodable(content) })
        else { return rendering }
        do throws(RenderingError) {
            // Fails with the reason.
            _ = try render(content, other, RenderingRequest(request.format))
        } catch {
            switch error {
            case .truncated(let byte): rendering.integrity = ImageIntegrity(.truncated, checked: .structure, byte: byte)
            case .corrupt(let byte, let part):
                rendering.integrity = ImageIntegrity(.corrupt, checked: .structure, byte: byte, part: part)
            case .unsupported, .tooLarge, .tooManyPixels, .tooLongSide, .tooManyScans, .tooManyFrames, .deferred:
                // Only the other pictures were requested.
                if request.decode == .full { throw error }
                return rendering
            }
            guard request.allowsTruncated else { throw error }
        }
        return rendering
    }

    /// Renders one picture. Reported offsets are converted to those of the complete content.
    private static func render(
        _ content: Span<UInt8>,
        _ picture: ICODirectory.Picture,
        _ request: RenderingRequest
    ) throws(RenderingError) -> Rendering {
        do throws(RenderingError) {
            let rendered = try content.slice(picture.bytes) { bytes throws(RenderingError) in
                guard picture.format == .png else {
                    var source = try BMPSource(bytes, isInIcon: true)
                    return try render(bytes, request, from: &source)
                }
                var source = try PNGPixels(bytes)
                return try render(bytes, request, from: &source)
            }
            guard var rendering = rendered else { throw .truncated(byte: 0) }
            // Excess bytes that the directory assigns to a picture are not trailing bytes.
            if rendering.integrity.verdict == .trailingBytes {
                rendering.integrity = ImageIntegrity(.complete, checked: rendering.integrity.checked)
            }
            rendering.integrity.byte = rendering.integrity.byte.map { $0 + picture.bytes.lowerBound }
            return rendering
        } catch {
            switch error {
            case .truncated(let byte): throw .truncated(byte: byte + picture.bytes.lowerBound)
            case .corrupt(let byte, let part):
                throw .corrupt(byte: byte.map { $0 + picture.bytes.lowerBound }, part: part)
            case .unsupported, .tooLarge, .tooManyPixels, .tooLongSide, .tooManyScans, .tooManyFrames, .deferred:
                throw error
            }
        }
    }
}
