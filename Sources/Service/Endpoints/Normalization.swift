internal import HTTP
internal import Serialization

/// The steps from one upstream response to an HTTP response, whatever the format in which the upstream response was
/// received.
///
/// Short content is decoded on the HTTP thread, other content on the compute lane. If it is an image, which is
/// determined before any long computation, a worker reads it on the lane for facts or on that for pixels.
///
///     HTTP thread   begin ─► decodeCodings ─► serializeAtOnce ─┬─► response
///                     │                                        ├─► reject ─► problem
///     compute lane    └────► compute ─► serialize ─────────────┤      └ a trial of a remedy needs a worker
///                               ▲                              │
///     workers                   └───────── readImage ◄─────────┘
///
/// **Invariant.** A normalization has one result, whatever the lane and the number of steps: the response depends on
/// the upstream response, its content and the serializer, and a lane decides only where it is computed. A step on the
/// HTTP thread takes only content that ``ResponseSerializer`` considers short; memory for anything longer is reserved
/// before its step begins, and is released with the last step. An error becomes the problem with its chain. `LaneTests`
/// and `StepMemoryTests` check this.
final class Normalization: Sendable {
    /// The properties of `POST /v1/thumbnail`, whose response is an image.
    struct Thumbnail: Sendable {
        /// Whether `Accept` affected the choice of the format.
        var isNegotiated: Bool
    }

    /// The upstream response. Its content codings are either decoded, or those of the current content.
    let response: UpstreamResponse
    let serializer: ResponseSerializer
    let requestID: RequestID
    let thumbnail: Thumbnail?
    let isStored: Bool
    let isDirect: Bool

    /// - Parameters:
    ///   - thumbnail: `nil` for a normalized value.
    ///   - isDirect: whether the caller has sent the content in the direct form of `/v1/normalize`.
    ///   - isStored: whether the response is stored, so that its object `upstream` can be replaced later.
    init(
        of response: UpstreamResponse,
        with serializer: ResponseSerializer,
        requestID: RequestID,
        thumbnail: Thumbnail? = nil,
        isDirect: Bool = false,
        isStored: Bool = false
    ) {
        self.response = response
        self.serializer = serializer
        self.requestID = requestID
        self.thumbnail = thumbnail
        self.isDirect = isDirect
        self.isStored = isStored
    }

    /// Creates the normalization of a response whose codings were decoded.
    init(_ normalization: Normalization, of response: UpstreamResponse) {
        self.response = response
        serializer = normalization.serializer
        requestID = normalization.requestID
        thumbnail = normalization.thumbnail
        isDirect = normalization.isDirect
        isStored = normalization.isStored
    }

    // MARK: The HTTP thread

    /// The first step, on the HTTP thread.
    /// - Parameters:
    ///   - content: the content of the upstream response; `nil` if there is no data at all.
    ///   - takeOwnership: returns the same content as an object that later steps may own.
    func begin(
        _ content: Span<UInt8>?,
        takeOwnership: () throws(RejectionReason) -> NormalizedContent
    ) throws(RejectionReason) -> Step {
        guard response.hasShortHead else { return continueOnCompute(try takeOwnership()) }
        if let content, let decoder = serializer.contentDecoder(for: response, content) {
            return try decodeCodings(of: content, decoder, takeOwnership: takeOwnership)
        }
        guard let memory = inlineMemory(for: content) else { return continueOnCompute(try takeOwnership()) }
        let serialized: Serialized
        do throws(SerializationFailure) {
            serialized = try serializeAtOnce(content, memory)
        } catch {
            // If the memory was exceeded, the error is not that of the content.
            if memory.isExceeded { return continueOnCompute(try takeOwnership()) }
            return try reject(error, content, memory, takeOwnership: takeOwnership)
        }
        if memory.isExceeded { return continueOnCompute(try takeOwnership()) }
        switch consume serialized {
        case .response(let response): return .done(response)
        case .image(let pending):
            let owned = try takeOwnership()
            var bytes = 0
            if pending.mayContinue, let content { bytes = serializer.memoryBytes(for: content, of: response) }
            let memory = try owned.reserve(bytes)
            return readImage(owned, pending, memory, decodesPixels: !pending.order.needsOnlyHeader)
        }
    }

    /// Returns the memory of the first step; `nil` if the content is too long for an HTTP thread.
    private func inlineMemory(for content: Span<UInt8>?) -> InlineMemory? {
        let bytes: Span<UInt8>
        if let content { bytes = content } else { bytes = Span() }
        return serializer.inlineMemoryBytes(for: bytes, of: response).map { InlineMemory(maxBytes: $0) }
    }

    // MARK: The compute lane

    func continueOnCompute(_ content: NormalizedContent) -> Step { .next(on: .compute { self.compute(content) }) }

    /// The step on the compute lane. It reserves the memory for decoding; waiting content has reserved only its own
    /// memory.
    func compute(_ content: consuming NormalizedContent) -> Step {
        let decoder = content.withBytes { bytes -> ContentDecoder? in
            if let bytes { return serializer.contentDecoder(for: response, bytes) }
            return nil
        }
        // The content is not captured, so that it is released as soon as it is decoded.
        do throws(RejectionReason) {
            if let decoder {
                let memory = try content.reserve(0)
                return decodeCodings(EncodedContent(content, memory), decoder)
            }
            let memoryBytes = content.withBytes { content in
                if let content { serializer.memoryBytes(for: content, of: response) } else { 0 }
            }
            let memory = try content.reserve(memoryBytes)
            return serialize(content, memory)
        } catch { return rejected(error) }
    }

    /// The step on the compute lane, as far as no reader of images is needed.
    private func serialize(_ content: NormalizedContent, _ memory: MemoryReservation) -> Step {
        let serialized: Serialized
        do throws(SerializationFailure) {
            serialized = try content.withBytes { bytes throws(SerializationFailure) in
                try serializeAtOnce(bytes, memory)
            }
        } catch { return end(with: error, of: content, memory) }
        switch consume serialized {
        case .response(let response): return finish(response, memory)
        case .image(let pending):
            if !pending.mayContinue { memory.resize(to: 0) }
            return readImage(content, pending, memory, decodesPixels: !pending.order.needsOnlyHeader)
        }
    }

    /// The last step, with what a worker has read for the result of an earlier one.
    private func serialize(
        _ content: NormalizedContent,
        _ memory: MemoryReservation,
        after pending: PendingImage,
        _ image: ReadImage
    ) -> Step {
        do throws(SerializationFailure) {
            let response = try content.withBytes { bytes throws(SerializationFailure) in
                try serialize(bytes, after: pending, image, memory)
            }
            return finish(response, memory)
        } catch { return end(with: error, of: content, memory) }
    }

    private func end(
        with error: SerializationFailure,
        of content: NormalizedContent,
        _ memory: MemoryReservation
    ) -> Step {
        if let denial = memory.denial { return rejected(denial) }
        return reject(content, error, memory)
    }

    // MARK: Workers

    /// The step in which a worker reads the image: one for facts, or one that decodes pixels. It is the last one,
    /// unless a compound may continue, for which the worker does not wait.
    /// - Parameter omission: the reason for which the default thumbnail is omitted; `nil` if it is not.
    private func readImage(
        _ content: NormalizedContent,
        _ pending: PendingImage,
        _ memory: MemoryReservation,
        decodesPixels: Bool,
        omitting omission: ImageError.Reason? = nil
    ) -> Step {
        let read: @Sendable (any ImageReader) -> Step = { reader in
            self.step { () throws(RejectionReason) in
                let copy = try self.reserveCopy(of: content, decodesPixels: decodesPixels)
                let image = withExtendedLifetime(copy) {
                    ReadImage(pending.order, by: reader, of: content, omitting: omission)
                }
                // It exists besides the response, and waits for a lane if a compound may continue.
                if !memory.grow(by: image.byteCount), let denial = memory.denial { throw denial }
                // Only pixels show whether they are complete.
                if image.isDeferred, !decodesPixels, omission == nil {
                    return self.readImage(content, pending, memory, decodesPixels: true)
                }
                if decodesPixels, let reason = image.reasonForOmission {
                    return self.readImage(content, pending, memory, decodesPixels: false, omitting: reason)
                }
                guard !pending.mayContinue else {
                    return .next(on: .compute { self.serialize(content, memory, after: pending, image) })
                }
                return self.serialize(content, memory, after: pending, image)
            }
        }
        return .next(on: decodesPixels ? .pixels(read) : .facts(read))
    }

    /// Reserves the memory of the copy that a worker reads. The copies of workers for pixels are planned
    /// (`worker-memory-bytes`).
    func reserveCopy(
        of content: NormalizedContent,
        decodesPixels: Bool
    ) throws(RejectionReason) -> MemoryReservation {
        try content.reserve(decodesPixels ? 0 : content.withBytes { $0?.count ?? 0 })
    }

    // MARK: The end of a step

    /// Ends with `response`, unless a request for memory was denied.
    func finish(_ response: consuming Response, _ memory: MemoryReservation) -> Step {
        if let denial = memory.denial { return rejected(denial) }
        response.charge = .reserved(memory)
        return .done(response)
    }

    /// Returns the step of `body`, or ends with the problem if it is rejected.
    func step(_ body: () throws(RejectionReason) -> Step) -> Step {
        do throws(RejectionReason) {
            return try body()
        } catch { return rejected(error) }
    }

    func rejected(_ reason: RejectionReason) -> Step { .done(Problem(reason).response(requestID: requestID.text)) }
}
