// The `image` serializer: the facts of the header, then, if the answer contains results from pixels, one rendering for
// all of them.
//
// If pixels cannot be rendered, the outcome depends on the request. The default thumbnail is omitted with a warning; a
// missing result that was requested is an error. A decoder that crashed, took too long or is busy is an error in both
// cases: the image, or the service, is not in order.

extension ResponseSerializer {
    /// Returns the value of the image that the options request.
    /// - Parameter renderer: The renderer, or `nil` if pixels cannot be decoded.
    func imageValue(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        with renderer: (any ImageRenderer)?
    ) throws(ImageError) -> ImageValue {
        let facts: ImageFacts
        do {
            facts = try ImageHeader.read(content, options.imageHeaderOptions(limits: limits))
        } catch {
            message.noteMismatch(content)
            throw error
        }
        message.warnOfOtherFormat(facts)
        for flaw in facts.flaws {
            let kind = flaw.date.map { Warning.Kind.imageInvalidDate($0) } ?? .imageMetadata(flaw.part)
            message.warnings.append(Warning(kind, at: SourceLocation(byte: flaw.byte)))
        }
        message.warnings.append(unlisted: facts.unlistedFlawCount)
        if facts.lacksColors, facts.frames ?? 0 > 0 { message.warnings.append(Warning(.imageMissingColorTable)) }
        try limits.check(options.thumbnails ?? [])
        let needsProof = options.needsProof(of: facts)
        if !needsProof { try options.check(facts.integrity, of: facts) }

        var value = ImageValue(facts: facts, exif: options.exif, scale: options.scale)
        value.rendering = try render(content, facts, of: &message, with: renderer, needsProof: needsProof)
        if value.rendering?.ignoresProfile == true { message.warnings.append(Warning(.imageProfile)) }
        if let integrity = value.rendering?.integrity {
            try options.check(integrity, of: facts)
            // Pixels may be complete although the structure is not.
            if integrity.verdict == .complete, facts.integrity.verdict != .unchecked, !needsProof {
                value.rendering?.integrity = facts.integrity
                value.rendering?.integrity.checked = integrity.checked
            }
        }
        message.warn(of: value.rendering?.integrity ?? facts.integrity)
        if let feature = facts.undecodedFeature, options.thumbnails == nil, value.rendering == nil {
            message.warnings.append(Warning(.imageWithoutPixels(.unsupportedPixels(feature: feature))))
        }
        if options.fingerprints.contains(.sha256) { value.digest = SHA256.digest(of: content) }
        return value
    }

    // MARK: Pixels

    /// Returns the requested results from the pixels, or `nil` if there are none, or they are not available and not
    /// required.
    /// - Parameter needsProof: Whether the image counts as damaged unless decoding finds all of its pixels.
    private func render(
        _ content: Span<UInt8>,
        _ facts: ImageFacts,
        of message: inout ReceivedMessage,
        with renderer: (any ImageRenderer)?,
        needsProof: Bool
    ) throws(ImageError) -> Rendering? {
        guard let request = options.renderingRequest(for: facts, limits: limits, needsProof: needsProof) else {
            return nil
        }
        try request.checkSides(of: facts)
        do throws(RenderingError) {
            try limits.check(facts)
            guard let renderer else { throw RenderingError.noRenderer }
            return try renderer.render(content, request)
        } catch {
            let imageError = ImageError(of: error)
            if needsProof, imageError.isOfResources { throw ImageError(facts.integrity) }
            guard !options.asksForPixels, let warning = imageError.warning(allowsTruncated: request.allowsTruncated)
            else { throw imageError }
            message.warnings.append(Warning(warning, at: imageError.byte.map { SourceLocation(byte: $0) }))
            return nil
        }
    }
}

extension SerializationOptions {
    fileprivate func imageHeaderOptions(limits: Limits) -> ImageHeader.Options {
        var header = ImageHeader.Options()
        header.exif = exif
        header.maxFrames = limits.maxImageFrames
        return header
    }

    /// Whether the caller requested a result that needs pixels, other than the default thumbnail.
    var asksForPixels: Bool {
        thumbnails?.isEmpty == false || decode == .full || !placeholders.isEmpty || fingerprints.contains(.phash)
    }

    /// Returns whether an image counts as damaged unless decoding finds all of its pixels.
    fileprivate func needsProof(of facts: ImageFacts) -> Bool {
        facts.mayHaveAllPixels && facts.integrity.isDamage && truncated == .reject && decode != .header
    }

    fileprivate func renderingRequest(for facts: ImageFacts, limits: Limits, needsProof: Bool) -> RenderingRequest? {
        guard decode != .header, facts.isDecoded || asksForPixels else { return nil }
        var request = RenderingRequest(facts.format)
        request.thumbnails = thumbnails ?? (facts.fits(.byDefault) ? [] : [.byDefault])
        request.placeholders = placeholders
        request.phash = fingerprints.contains(.phash)
        request.decode = decode
        if rules == .afnetworking, decode == .auto, facts.isInflatedByAFNetworking { request.decode = .full }
        guard asksForPixels || needsProof || !request.thumbnails.isEmpty || request.decode == .full else {
            return nil
        }
        request.orientation = facts.orientation ?? 1
        request.allowsTruncated = truncated == .allow
        request.maxPixels = limits.maxImagePixels
        request.maxScans = limits.maxJPEGScans
        request.maxFrames = min(limits.maxImageFrames, request.maxFrames)
        return request
    }

    /// Rejects a truncated or corrupt image, unless its available part may be used, or it is still displayed
    /// completely. An animation is only displayed completely if no frame is damaged.
    fileprivate func check(_ integrity: ImageIntegrity, of facts: ImageFacts) throws(ImageError) {
        guard truncated == .reject else { return }
        let isDisplayed = integrity.isPictureWhole && !(decode == .full && facts.format == .gif)
        guard !isDisplayed else { return }
        switch integrity.verdict {
        case .truncated, .corrupt: throw ImageError(integrity)
        case .unchecked, .complete, .missingEnd, .trailingBytes: break
        }
    }
}

extension RenderingRequest {
    /// Rejects thumbnails whose sides exceed those of their formats: with `outside`, the box limits only one side.
    fileprivate func checkSides(of facts: ImageFacts) throws(ImageError) {
        guard let width = facts.width, let height = facts.height, width > 0, height > 0 else { return }
        for thumbnail in thumbnails {
            let plan = ThumbnailPlan(thumbnail, width: width, height: height, orientation: orientation)
            let max = thumbnail.format?.maxSide ?? ThumbnailFormat.jpeg.maxSide
            guard Swift.max(plan.width, plan.height) <= max else {
                throw ImageError(.tooLargeToDecode(amount: "pixels per side of a thumbnail", max: max))
            }
        }
    }
}

extension ThumbnailFormat {
    /// The longest side that is written, in pixels.
    var maxSide: Int {
        switch self {
        case .jpeg: JPEGEncoder.maxSide
        case .png: PNGEncoder.maxSide
        case .webp: WebPEncoder.maxSide
        }
    }
}

extension ThumbnailRequest {
    /// The thumbnail of an image if the caller requests nothing else.
    public static let byDefault = ThumbnailRequest(width: 256, height: 256)
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

extension Limits {
    fileprivate func check(_ thumbnails: [ThumbnailRequest]) throws(ImageError) {
        guard thumbnails.count <= maxThumbnails else {
            throw ImageError(.tooLargeToDecode(amount: "thumbnails", max: maxThumbnails))
        }
        guard thumbnails.allSatisfy({ max($0.width, $0.height) <= maxThumbnailSide }) else {
            throw ImageError(.tooLargeToDecode(amount: "pixels per side of a thumbnail", max: maxThumbnailSide))
        }
    }

    /// Checks the limits that are known before decoding.
    fileprivate func check(_ facts: ImageFacts) throws(RenderingError) {
        guard let width = facts.width, let height = facts.height else { return }
        guard max(width, height) <= maxImageSide else { throw .tooManyPixels(max: maxImageSide) }
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels <= maxImagePixels else { throw .tooManyPixels(max: maxImagePixels) }
        guard facts.coding.scans ?? 0 <= maxJPEGScans else { throw .tooManyScans(max: maxJPEGScans) }
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
        case .unsupportedPixels, .tooLargeToDecode, .pixelsUnavailable, .noDecoder: true
        case .notAnImage, .truncated, .corrupt, .decodeTime, .decoderCrashed, .saturated, .deferred: false
        }
    }

    init(of error: RenderingError) {
        switch error {
        case .truncated(let byte): self.init(.truncated, at: byte)
        case .corrupt(let byte, let part): self.init(.corrupt(part: part), at: byte)
        case .unsupported(let feature): self.init(.unsupportedPixels(feature: feature))
        case .tooLarge(_, let max): self.init(.tooLargeToDecode(amount: "bytes of memory", max: max))
        case .tooManyPixels(let max): self.init(.tooLargeToDecode(amount: "pixels", max: max))
        case .tooManyScans(let max): self.init(.tooLargeToDecode(amount: "scans", max: max))
        case .tooManyFrames(let max): self.init(.tooLargeToDecode(amount: "frames", max: max))
        case .timedOut(let seconds): self.init(.decodeTime(seconds: seconds))
        case .crashed: self.init(.decoderCrashed)
        case .sandboxUnavailable: self.init(.pixelsUnavailable)
        case .noRenderer: self.init(.noDecoder)
        case .saturated: self.init(.saturated)
        case .deferred: self.init(.deferred)
        }
    }

    /// Returns the warning if this error only affects the default thumbnail, or `nil` if it is an error in any case.
    fileprivate func warning(allowsTruncated: Bool) -> Warning.Kind? {
        switch reason {
        case .truncated, .corrupt: allowsTruncated ? .imageWithoutPixels(reason) : nil
        case .unsupportedPixels, .tooLargeToDecode, .pixelsUnavailable, .noDecoder: .imageWithoutPixels(reason)
        case .notAnImage, .decodeTime, .decoderCrashed, .saturated, .deferred: nil
        }
    }
}

extension ReceivedMessage {
    /// Warns of damage to an image that is still displayed completely.
    fileprivate mutating func warn(of integrity: ImageIntegrity) {
        let location = integrity.byte.map { SourceLocation(byte: $0) }
        if integrity.verdict == .missingEnd {
            warnings.append(Warning(.imageMissingEnd, at: location))
        } else if integrity.isPictureWhole {
            warnings.append(Warning(.imageDamaged(ImageError(integrity).reason), at: location))
        }
    }

    /// Warns if the declared type does not match the format.
    fileprivate mutating func warnOfOtherFormat(_ facts: ImageFacts) {
        guard let declared = type.mediaType, !declared.isUndecided, !facts.format.isNamed(declared.essence) else {
            return
        }
        warnings.append(Warning(.imageTypeMismatch(declared: declared.essence, actual: facts.mediaType)))
    }
}
