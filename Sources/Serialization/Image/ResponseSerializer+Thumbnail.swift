/// An image of an upstream as one smaller image.
public struct ThumbnailAnswer: Sendable {
    /// Nil: an acceptable response with nothing to decode.
    public var thumbnail: Rendering.Thumbnail?

    /// The upstream's image as it is to be seen: width and height in pixels, with its orientation applied. Nil without
    /// ``thumbnail``.
    public var source: (width: Int, height: Int)?

    public var upstream: UpstreamFacts
    public var warnings: [Warning]
}

extension ResponseSerializer {
    /// Validates and decodes one response with the `image` serializer, and gives the first thumbnail of the options alone.
    ///
    /// What is refused is refused as ``serialize(_:content:renderer:)`` does it. A refused status has the image's facts for a
    /// value, without thumbnails.
    /// - Precondition: the options ask for a thumbnail, and not for `decode=header`.
    /// - Throws: the whole chain of what was refused.
    public func thumbnail(
        of response: UpstreamResponse,
        content: Span<UInt8>?,
        renderer: any ImageRenderer
    ) throws(SerializationFailure) -> ThumbnailAnswer {
        try withDecoded(response, content) { (response, content) throws(SerializationFailure) in
            try thumbnail(of: received(response, content), content, renderer)
        }
    }

    /// The same unless it needs pixels, which is found out before anything takes long.
    /// - Returns: nil where it needs them: then ``thumbnail(of:content:renderer:)`` is to be called, by a thread that may wait.
    /// - Throws: the whole chain of what was refused.
    public func thumbnailAtOnce(
        of response: UpstreamResponse,
        content: Span<UInt8>?
    ) throws(SerializationFailure) -> ThumbnailAnswer? {
        do {
            let renderer = renderer == nil ? nil : DeferringRenderer.shared
            return try withDecoded(response, content) { (response, content) throws(SerializationFailure) in
                try thumbnail(of: received(response, content), content, renderer)
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
        var refusals = validator.refusalOfStatus(of: message)
        guard try decoder(for: &message, content, with: .image, &refusals) != nil, let content else {
            return ThumbnailAnswer(upstream: message.facts, warnings: message.warnings.warnings)
        }
        let value: ImageValue
        do throws(SerializationError) {
            value = try thumbnailValue(content, of: &message, with: renderer)
        } catch {
            throw message.failure(refusals.wrapped(in: error))
        }
        guard refusals.isEmpty else { throw message.failure(refusals, value: Self.json(of: value, content)) }
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
            throw .image(error)
        }
        guard let thumbnail = value.rendering?.thumbnails.first else {
            preconditionFailure("the options ask for a thumbnail, and a renderer makes what it is asked for")
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
    /// What has to be said of a thumbnail that was made all the same.
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
