public import Serialization

// The value of an image: the facts of the header, then, if the order needs results from pixels, one rendering for all
// of them.
//
// If pixels cannot be rendered, the outcome depends on the order. The default thumbnail is omitted with a warning; a
// missing result that was requested is an error. A decoder that crashed, took too long or is busy is an error in both
// cases: the image, or the service, is not in order.

/// Reads images in this process.
///
/// **Invariant.** Each order has one result, which does not depend on the other orders: the finished JSON of one value,
/// or the first error with its offset in the content. Reading ends whatever the content is: every loop advances in the
/// content, takes from a ``HeaderBudget`` before it works, or ends at a limit of the order. Spans are cut only with a
/// checked operation. `ImageSerializationTests`, `RenderingBatchTests`, `ImageOracle` (FuzzImage), `ImageCostTests` and
/// `SpanTests` check this.
public final class ImageContentReader: ImageReader {
    private let renderer: any ImageRenderer

    /// - Parameter renderer: The renderer for pixels.
    public init(renderer: any ImageRenderer = PixelRenderer()) { self.renderer = renderer }

    public func read(_ content: Span<UInt8>, _ orders: [ImageOrder]) -> [Result<ImageRecord, ImageRejection>] {
        let joint: (any ImageRenderer)? = JointRenderer(content, orders, renderer)
        return orders.map { order in
            do throws(ImageRejection) {
                return .success(try Self.read(content, order, joint ?? renderer))
            } catch { return .failure(error) }
        }
    }

    private static func read(
        _ content: Span<UInt8>,
        _ order: ImageOrder,
        _ renderer: any ImageRenderer
    ) throws(ImageRejection) -> ImageRecord {
        var findings = ImageFindings()
        do throws(ImageError) {
            return try order.value(of: content, &findings, renderer).record(of: content, order, findings)
        } catch {
            guard order.mayTry(error, content) else { throw ImageRejection(error, findings) }
            var ofTrial = ImageFindings()
            let accepted = try? order.allowingTruncated.value(of: content, &ofTrial, renderer)
                .record(of: content, order, ofTrial)
            findings.isSuspect = findings.isSuspect || ofTrial.isSuspect
            let isAccepted = accepted.map { $0.jsonBytes <= order.maxOutputBytes } ?? false
            throw ImageRejection(error, findings, acceptsTruncated: isAccepted)
        }
    }
}

/// The renderer for orders that differ in thumbnails only: all of them are made in one decode.
///
/// If that fails, each order is rendered alone, because one may need less memory and less time than all of them.
private final class JointRenderer: ImageRenderer {
    private let renderer: any ImageRenderer
    private let results: [(request: RenderingRequest, rendering: Rendering)]

    /// Returns `nil` if each order must be rendered alone.
    init?(_ content: Span<UInt8>, _ orders: [ImageOrder], _ renderer: any ImageRenderer) {
        guard orders.count > 1 else { return nil }
        let requests = orders.compactMap { order -> RenderingRequest? in
            guard let facts = try? ImageHeader.read(content, order.headerOptions),
                (try? order.checkLimits(facts)) != nil,
                let request = order.renderingRequest(for: facts, needsProof: order.needsProof(of: facts)),
                (try? request.checkSides(of: facts)) != nil
            else { return nil }
            return request
        }
        guard requests.count == orders.count, var joint = requests.first else { return nil }
        joint.thumbnails = []
        for request in requests {
            var other = request
            other.thumbnails = joint.thumbnails
            guard other == joint else { return nil }
            joint.thumbnails += request.thumbnails
        }
        guard let rendering = try? renderer.render(content, joint),
            rendering.thumbnails.count == joint.thumbnails.count
        else { return nil }
        var rest = rendering.thumbnails[...]
        results = requests.map { request in
            var part = rendering
            part.thumbnails = Array(rest.prefix(request.thumbnails.count))
            rest = rest.dropFirst(request.thumbnails.count)
            return (request, part)
        }
        self.renderer = renderer
    }

    func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
        if let (_, rendering) = results.first(where: { $0.request == request }) { return rendering }
        return try renderer.render(content, request)
    }
}

extension ImageOrder {
    /// The maximum length of content for which `truncated=allow` is tried, in bytes, inclusive.
    private static let maxTriedBytes = 1 << 20

    fileprivate func mayTry(_ error: ImageError, _ content: Span<UInt8>) -> Bool {
        guard truncated == .reject, content.count <= Self.maxTriedBytes else { return false }
        return switch error.reason {
        case .truncated, .corrupt: true
        case .notAnImage, .unsupportedPixels, .tooLargeToDecode, .decodeTime, .decoderCrashed, .pixelsUnavailable,
            .noDecoder, .saturated, .deferred:
            false
        }
    }

    /// The order with `truncated=allow`. Pixels are only decoded if the caller requested anything that is made from
    /// them.
    fileprivate var allowingTruncated: ImageOrder {
        var order = self
        order.truncated = .allow
        if !asksForPixels {
            order.decode = .header
            order.thumbnails = []
        }
        return order
    }

    /// Returns the value of the image.
    fileprivate func value(
        of content: Span<UInt8>,
        _ findings: inout ImageFindings,
        _ renderer: any ImageRenderer
    ) throws(ImageError) -> ImageValue {
        let facts = try ImageHeader.read(content, headerOptions)
        findings = ImageFindings(facts)
        try checkThumbnails()
        let needsProof = needsProof(of: facts)
        if !needsProof { try check(facts.integrity, of: facts) }

        var value = ImageValue(facts: facts, exif: exif, scale: scale)
        value.rendering = try render(content, facts, &findings, with: renderer, needsProof: needsProof)
        if value.rendering?.ignoresProfile == true { findings.warnings.append(ImageWarning(.profile)) }
        if let integrity = value.rendering?.integrity {
            try check(integrity, of: facts)
            // Pixels may be complete although the structure is not.
            if integrity.verdict == .complete, facts.integrity.verdict != .unchecked, !needsProof {
                value.rendering?.integrity = facts.integrity
                value.rendering?.integrity.checked = integrity.checked
            }
        }
        findings.warn(of: value.rendering?.integrity ?? facts.integrity)
        if let feature = facts.undecodedFeature, thumbnails == nil, value.rendering == nil {
            findings.warnings.append(ImageWarning(.withoutPixels(.unsupportedPixels(feature: feature))))
        }
        if fingerprints.contains(.sha256) { value.digest = SHA256.digest(of: content) }
        return value
    }

    // MARK: Pixels

    /// Returns the requested results from the pixels, or `nil` if there are none, or they are not available and not
    /// required.
    /// - Parameter needsProof: Whether the image counts as damaged unless decoding finds all of its pixels.
    private func render(
        _ content: Span<UInt8>,
        _ facts: ImageFacts,
        _ findings: inout ImageFindings,
        with renderer: any ImageRenderer,
        needsProof: Bool
    ) throws(ImageError) -> Rendering? {
        guard let request = renderingRequest(for: facts, needsProof: needsProof) else { return nil }
        try request.checkSides(of: facts)
        do throws(RenderingError) {
            try checkLimits(facts)
            let rendering = try renderer.render(content, request)
            if rendering.integrity.verdict == .corrupt, rendering.integrity.isDamage {
                findings.isSuspect = request.format.hasLibrary
            }
            return rendering
        } catch {
            if case .corrupt = error { findings.isSuspect = request.format.hasLibrary }
            let imageError = ImageError(of: error)
            if needsProof, imageError.isOfResources { throw ImageError(facts.integrity) }
            guard !asksForPixels, let kind = imageError.warning(allowsTruncated: request.allowsTruncated)
            else { throw imageError }
            findings.warnings.append(ImageWarning(kind, at: imageError.byte))
            return nil
        }
    }

    fileprivate var headerOptions: ImageHeader.Options {
        var header = ImageHeader.Options()
        header.exif = exif
        header.maxFrames = maxFrames
        return header
    }

    /// Returns whether an image counts as damaged unless decoding finds all of its pixels.
    fileprivate func needsProof(of facts: ImageFacts) -> Bool {
        facts.mayHaveAllPixels && facts.integrity.isDamage && truncated == .reject && decode != .header
    }

    fileprivate func renderingRequest(for facts: ImageFacts, needsProof: Bool) -> RenderingRequest? {
        guard decode != .header, facts.isDecoded || asksForPixels else { return nil }
        var request = RenderingRequest(facts.format)
        request.thumbnails = thumbnails ?? (facts.fits(.byDefault) ? [] : [.byDefault])
        request.placeholders = placeholders
        request.phash = fingerprints.contains(.phash)
        request.decode = decode
        if inflates, decode == .auto, facts.isInflatedByAFNetworking { request.decode = .full }
        guard asksForPixels || needsProof || !request.thumbnails.isEmpty || request.decode == .full else { return nil }
        request.orientation = facts.orientation ?? 1
        request.allowsTruncated = truncated == .allow
        request.maxPixels = maxPixels
        request.maxScans = maxScans
        request.maxFrames = min(maxFrames, request.maxFrames)
        return request
    }

    /// Rejects a truncated or corrupt image, unless its available part may be used, or it is still displayed
    /// completely. An animation is only displayed completely if no frame is damaged.
    private func check(_ integrity: ImageIntegrity, of facts: ImageFacts) throws(ImageError) {
        guard truncated == .reject else { return }
        let isDisplayed = integrity.isPictureWhole && !(decode == .full && facts.format == .gif)
        guard !isDisplayed else { return }
        switch integrity.verdict {
        case .truncated, .corrupt: throw ImageError(integrity)
        case .unchecked, .complete, .missingEnd, .trailingBytes: break
        }
    }

    private func checkThumbnails() throws(ImageError) {
        let thumbnails = thumbnails ?? []
        guard thumbnails.count <= maxThumbnails else {
            throw ImageError(.tooLargeToDecode(amount: "thumbnails", max: maxThumbnails))
        }
        guard thumbnails.allSatisfy({ max($0.width, $0.height) <= maxThumbnailSide }) else {
            throw ImageError(.tooLargeToDecode(amount: "pixels per side of a thumbnail", max: maxThumbnailSide))
        }
    }

    /// Checks the limits that are known before decoding.
    fileprivate func checkLimits(_ facts: ImageFacts) throws(RenderingError) {
        guard let width = facts.width, let height = facts.height else { return }
        guard max(width, height) <= maxSide else { throw .tooLongSide(max: maxSide) }
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels <= maxPixels else { throw .tooManyPixels(max: maxPixels) }
        guard facts.coding.scans ?? 0 <= maxScans else { throw .tooManyScans(max: maxScans) }
    }
}

extension ImageValue {
    /// Returns the value as JSON, and the thumbnails.
    fileprivate consuming func record(
        of content: Span<UInt8>,
        _ order: ImageOrder,
        _ findings: ImageFindings
    ) throws(ImageError) -> ImageRecord {
        var value = self
        var record = ImageRecord(findings, json: [])
        record.thumbnails = value.rendering?.thumbnails ?? []
        record.size = value.facts.orientedSize.map { ImageRecord.Size(width: $0.width, height: $0.height) }
        record.damage = value.damage
        if order.form == .thumbnail {
            record.thumbnails.removeLast(max(0, record.thumbnails.count - 1))
            value.rendering?.thumbnails = []
        }
        var writer = JSONWriter(capacity: 1024, maxBytes: ImageRecord.maxJSONBytes)
        record.insertions = writer.image(value, content)
        guard !writer.isOverLimit else {
            throw ImageError(.tooLargeToDecode(amount: "bytes of results", max: ImageRecord.maxJSONBytes))
        }
        record.json = Array(writer.buffer)
        return record
    }

    /// The damage of the picture.
    private var damage: ImageWarning? {
        let integrity = rendering?.integrity ?? facts.integrity
        guard integrity.isDamage else { return nil }
        return switch integrity.verdict {
        case .truncated: ImageWarning(.damaged(.truncated), at: integrity.byte)
        case .corrupt: ImageWarning(.damaged(.corrupt(part: integrity.part)), at: integrity.byte)
        case .unchecked, .complete, .missingEnd, .trailingBytes: nil
        }
    }
}

extension RenderingRequest {
    /// Rejects thumbnails whose sides exceed those of their formats: with `outside`, the box limits only one side.
    fileprivate func checkSides(of facts: ImageFacts) throws(ImageError) {
        guard let width = facts.width, let height = facts.height, width > 0, height > 0 else { return }
        for thumbnail in thumbnails {
            let plan = ThumbnailPlan(thumbnail, width: width, height: height, orientation: orientation)
            guard plan.longestSide <= plan.maxSide else {
                throw ImageError(.tooLargeToDecode(amount: "pixels per side of a thumbnail", max: plan.maxSide))
            }
        }
    }
}

extension ImageFormat {
    /// Whether a C library decodes the pixels.
    fileprivate var hasLibrary: Bool {
        switch self {
        case .png, .jpeg, .ico, .cur, .tiff, .webp: true
        case .gif, .bmp, .xbm, .avif, .heic, .jxl, .jp2, .psd, .svg: false
        }
    }

    /// Whether the pixels of the format are decoded; for the others, only the header is read.
    fileprivate var isDecoded: Bool {
        switch self {
        case .png, .jpeg, .gif, .bmp, .ico, .cur, .tiff, .xbm, .webp: true
        case .avif, .heic, .jxl, .jp2, .psd, .svg: false
        }
    }
}

extension ImageFacts {
    /// Whether the pixels of images like this one are decoded.
    fileprivate var isDecoded: Bool { undecodedFeature == nil && format.isDecoded }

    /// Returns whether the image is no larger than the box of a thumbnail, which would then be redundant.
    fileprivate func fits(_ thumbnail: ThumbnailRequest) -> Bool {
        guard let (width, height) = orientedSize else { return false }
        return width <= thumbnail.width && height <= thumbnail.height
    }

    /// Whether AFNetworking inflates the image: `AFInflatedImageFromResponseWithDataAtScale`,
    /// AFURLResponseSerialization.m of 4.0.
    fileprivate var isInflatedByAFNetworking: Bool {
        guard let width, let height else { return false }
        return width <= 1_024 * 1_024 && width * height <= 1_024 * 1_024 && color.bitsPerChannel ?? 8 <= 8
    }
}

extension ImageError {
    /// Creates the error for a damaged image.
    fileprivate init(_ integrity: ImageIntegrity) {
        let isTruncated = integrity.verdict == .truncated
        self.init(isTruncated ? .truncated : .corrupt(part: integrity.part), at: integrity.byte)
    }

    /// Whether the error contains no information about the content: resources are missing, or the format is not
    /// decoded.
    fileprivate var isOfResources: Bool {
        switch reason {
        case .unsupportedPixels, .tooLargeToDecode: true
        case .notAnImage, .truncated, .corrupt, .decodeTime, .decoderCrashed, .pixelsUnavailable, .noDecoder,
            .saturated, .deferred:
            false
        }
    }

    init(of error: RenderingError) {
        switch error {
        case .truncated(let byte): self.init(.truncated, at: byte)
        case .corrupt(let byte, let part): self.init(.corrupt(part: part), at: byte)
        case .unsupported(let feature): self.init(.unsupportedPixels(feature: feature))
        case .tooLarge(_, let max): self.init(.tooLargeToDecode(amount: "bytes of memory", max: max))
        case .tooManyPixels(let max): self.init(.tooLargeToDecode(amount: "pixels", max: max))
        case .tooLongSide(let max): self.init(.tooLargeToDecode(amount: "pixels per side", max: max))
        case .tooManyScans(let max): self.init(.tooLargeToDecode(amount: "scans", max: max))
        case .tooManyFrames(let max): self.init(.tooLargeToDecode(amount: "frames", max: max))
        case .deferred: self.init(.deferred)
        }
    }

    /// Returns the warning if this error only affects the default thumbnail, or `nil` if it is an error in any case.
    fileprivate func warning(allowsTruncated: Bool) -> ImageWarning.Kind? {
        switch reason {
        case .truncated, .corrupt: allowsTruncated ? .withoutPixels(reason) : nil
        case .unsupportedPixels, .tooLargeToDecode: .withoutPixels(reason)
        case .notAnImage, .decodeTime, .decoderCrashed, .pixelsUnavailable, .noDecoder, .saturated, .deferred: nil
        }
    }
}

extension ImageFindings {
    fileprivate init(_ facts: ImageFacts) {
        self.init(facts.format, isAnimated: facts.animation != nil)
        for flaw in facts.flaws {
            let kind = flaw.date.map { ImageWarning.Kind.invalidDate($0) } ?? .metadata(flaw.part)
            warnings.append(ImageWarning(kind, at: flaw.byte))
        }
        if facts.unlistedFlawCount > 0 { warnings.append(ImageWarning(.unlisted(count: facts.unlistedFlawCount))) }
        if facts.lacksColors, facts.frames ?? 0 > 0 { warnings.append(ImageWarning(.missingColorTable)) }
    }

    /// Warns of damage to an image that is still displayed completely.
    fileprivate mutating func warn(of integrity: ImageIntegrity) {
        if integrity.verdict == .missingEnd {
            warnings.append(ImageWarning(.missingEnd, at: integrity.byte))
        } else if integrity.isPictureWhole {
            warnings.append(ImageWarning(.damaged(ImageError(integrity).reason), at: integrity.byte))
        }
    }
}
