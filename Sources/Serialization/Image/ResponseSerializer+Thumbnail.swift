/// An upstream image as one smaller image.
public struct ThumbnailAnswer: Sendable {
    /// The thumbnail. `nil` for an acceptable response without content to decode.
    public var thumbnail: ImageRecord.Thumbnail?

    /// The size of the upstream's image for display, with its orientation applied. `nil` without ``thumbnail``.
    public var source: ImageRecord.Size?

    public var upstream: UpstreamFacts
    public var warnings: [Warning]
}

/// The result of making a thumbnail without waiting.
public enum ThumbnailStep: Sendable {
    case done(ThumbnailAnswer)
    /// Another thread must call ``ResponseSerializer/thumbnail(of:content:reader:memory:)`` with a reader.
    case image(PendingImage)
}

extension ResponseSerializer {
    /// Validates and decodes one response with the `image` serializer, and returns only the first thumbnail of the
    /// options.
    ///
    /// Rejections are the same as those of ``serialize(_:content:memory:)``. If the status is rejected, the value
    /// consists of the image's facts, without thumbnails.
    /// - Precondition: The options request a thumbnail, and not `decode=header`.
    /// - Throws: The complete chain of rejections.
    public func thumbnail(
        of response: UpstreamResponse,
        content: Span<UInt8>?,
        reader: any ImageReader,
        memory: any MemoryGrant
    ) throws(SerializationFailure) -> ThumbnailAnswer {
        try withDecoded(response, content, memory) { (response, content) throws(SerializationFailure) in
            try thumbnail(of: received(response, content, memory), content, reader)
        }
    }

    /// Returns the same as ``thumbnail(of:content:reader:memory:)``, unless the image must be read elsewhere, which is
    /// determined before any long operation.
    /// - Throws: The complete chain of rejections.
    public func thumbnailAtOnce(
        of response: UpstreamResponse,
        content: Span<UInt8>?,
        memory: any MemoryGrant
    ) throws(SerializationFailure) -> ThumbnailStep {
        do {
            return .done(
                try withDecoded(response, content, memory) { (response, content) throws(SerializationFailure) in
                    try thumbnail(of: received(response, content, memory), content, reader)
                }
            )
        } catch {
            guard error.isDeferred else { throw error }
            return .image(PendingImage(order: ImageOrder(.thumbnail, options, limits)))
        }
    }

    private func thumbnail(
        of message: consuming ReceivedMessage,
        _ content: Span<UInt8>?,
        _ reader: (any ImageReader)?
    ) throws(SerializationFailure) -> ThumbnailAnswer {
        var rejections = validator.statusRejection(of: message)
        guard try decoder(for: &message, content, with: .image, &rejections) != nil, let content else {
            return ThumbnailAnswer(upstream: message.facts, warnings: message.warnings.warnings)
        }
        let record: ImageRecord
        let thumbnail: ImageRecord.Thumbnail
        do throws(SerializationError) {
            (record, thumbnail) = try thumbnailRecord(content, of: &message, with: reader)
        } catch { throw message.failure(rejections.wrapped(in: error)) }
        guard rejections.isEmpty else {
            // The value is copied into the failure, and from there into the problem.
            guard message.memory.grow(by: 2 * record.json.count) else {
                throw message.failure(rejections.wrapped(in: .outOfMemory))
            }
            throw message.failure(rejections, value: record.json)
        }
        return ThumbnailAnswer(
            thumbnail: thumbnail,
            source: record.size,
            upstream: message.facts,
            warnings: message.warnings.warnings
        )
    }

    private func thumbnailRecord(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        with reader: (any ImageReader)?
    ) throws(SerializationError) -> (ImageRecord, ImageRecord.Thumbnail) {
        let record: ImageRecord
        do {
            record = try imageRecord(.thumbnail, content, of: &message, with: reader)
        } catch { throw SerializationError(error) }
        guard let thumbnail = record.thumbnails.first else { throw SerializationError(ImageError(.decoderCrashed)) }
        guard thumbnail.content.count <= limits.maxOutputBytes else { throw .outputTooLong(max: limits.maxOutputBytes) }
        return (record, thumbnail)
    }
}

extension SerializationFailure {
    /// Whether the failure only means that another thread must read an image.
    var isDeferred: Bool { (chain.first?.contentError as? ImageError)?.reason == .deferred }
}
