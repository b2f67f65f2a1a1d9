/// An upstream image as one smaller image.
public struct ThumbnailAnswer: Sendable {
    /// The thumbnail. `nil` for an acceptable response without content to decode.
    public var thumbnail: Rendering.Thumbnail?

    /// The size of the upstream's image for display: width and height in pixels, with its orientation applied. `nil`
    /// without ``thumbnail``.
    public var source: (width: Int, height: Int)?

    public var upstream: UpstreamFacts
    public var warnings: [Warning]
}

extension ResponseSerializer {
    /// Validates and decodes one response with the `image` serializer, and returns only the first thumbnail of the
    /// options.
    ///
    /// Rejections are the same as those of ``serialize(_:content:renderer:)``. If the status is rejected, the value
    /// consists of the image's facts, without thumbnails.
    /// - Precondition: The options request a thumbnail, and not `decode=header`.
    /// - Throws: The complete chain of rejections.
    public func thumbnail(
        of response: UpstreamResponse,
        content: Span<UInt8>?,
        renderer: any ImageRenderer,
        memory: any MemoryGrant
    ) throws(SerializationFailure) -> ThumbnailAnswer {
        try withDecoded(response, content, memory) { (response, content) throws(SerializationFailure) in
            try thumbnail(of: received(response, content, memory), content, renderer)
        }
    }

    /// Returns the same as ``thumbnail(of:content:renderer:memory:)`` if pixels are not needed, which is determined
    /// before any long operation.
    /// - Returns: `nil` if pixels are needed. ``thumbnail(of:content:renderer:memory:)`` must then be called by a
    ///   thread that may wait.
    /// - Throws: The complete chain of rejections.
    public func thumbnailAtOnce(
        of response: UpstreamResponse,
        content: Span<UInt8>?,
        memory: any MemoryGrant
    ) throws(SerializationFailure) -> ThumbnailAnswer? {
        do {
            let renderer = renderer == nil ? nil : DeferringRenderer.shared
            return try withDecoded(response, content, memory) { (response, content) throws(SerializationFailure) in
                try thumbnail(of: received(response, content, memory), content, renderer)
            }
        } catch {
            guard error.isDeferred else { throw error }
            return nil
        }
    }

    private func thumbnail(
        of message: consuming ReceivedMessage,
        _ content: Span<UInt8>?,
        _ renderer: (any ImageRenderer)?
    ) throws(SerializationFailure) -> ThumbnailAnswer {
        var rejections = validator.statusRejection(of: message)
        guard try decoder(for: &message, content, with: .image, &rejections) != nil, let content else {
            return ThumbnailAnswer(upstream: message.facts, warnings: message.warnings.warnings)
        }
        let value: ImageValue
        do throws(SerializationError) {
            value = try thumbnailValue(content, of: &message, with: renderer)
        } catch {
            throw message.failure(rejections.wrapped(in: error))
        }
        guard rejections.isEmpty else { throw message.failure(rejections, value: Self.json(of: value, content)) }
        if let damage = value.damage { message.warnings.append(damage) }
        return ThumbnailAnswer(
            thumbnail: value.rendering?.thumbnails.first,
            source: value.facts.orientedSize,
            upstream: message.facts,
            warnings: message.warnings.warnings
        )
    }

    private func thumbnailValue(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        with renderer: (any ImageRenderer)?
    ) throws(SerializationError) -> ImageValue {
        let value: ImageValue
        do {
            value = try imageValue(content, of: &message, with: renderer)
        } catch {
            throw SerializationError(error)
        }
        guard let thumbnail = value.rendering?.thumbnails.first else {
            preconditionFailure("the options request a thumbnail, and the renderer returned it")
        }
        guard thumbnail.content.count <= limits.maxOutputBytes else {
            throw .outputTooLong(max: limits.maxOutputBytes)
        }
        return value
    }

    private static func json(of value: ImageValue, _ content: Span<UInt8>) -> [UInt8] {
        var value = value
        value.rendering?.thumbnails = []
        var writer = JSONWriter(capacity: 1024)
        writer.image(value, content)
        return Array(writer.buffer)
    }
}

extension ImageValue {
    /// The warning for a thumbnail of a damaged image.
    fileprivate var damage: Warning? {
        let integrity = rendering?.integrity ?? facts.integrity
        let location = integrity.byte.map { SourceLocation(byte: $0) }
        guard integrity.isDamage else { return nil }
        return switch integrity.verdict {
        case .truncated: Warning(.imageDamaged(.truncated), at: location)
        case .corrupt: Warning(.imageDamaged(.corrupt(part: integrity.part)), at: location)
        case .unchecked, .complete, .missingEnd, .trailingBytes: nil
        }
    }
}
