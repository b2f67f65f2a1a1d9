internal import HTTP
internal import Serialization

/// The steps from one upstream response to an HTTP response, whatever the format in which the upstream response was
/// received.
///
/// Short content is decoded on the HTTP thread, other content on the compute lane. If it is an image, which is
/// determined before any long computation, a worker reads it on the lane for facts or on the isolated lane.
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

        /// Returns whether the path supports the option or the field of a remedy.
        fileprivate func supports(_ remedy: Remedy) -> Bool {
            switch remedy {
            case .type(let type): type.hasPrefix("image/")
            case .acceptableTypes, .acceptableStatuses, .noContentCoding, .contentCoding, .truncated: true
            case .lenient, .manyRecords, .fragments, .lastDuplicate, .replacedSurrogates, .strippedPrefix,
                .functionCall, .charset, .rawContent, .serializer, .noThumbnail, .backslashEscapes, .noQuotes,
                .emptyPart, .defaultNestingDepth, .nestingDepth:
                false
            }
        }
    }

    /// The upstream response. Its content codings are either decoded, or those of the current content.
    private let response: UpstreamResponse
    private let serializer: ResponseSerializer
    private let requestID: RequestID
    private let thumbnail: Thumbnail?
    private let isStored: Bool
    private let isDirect: Bool

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
    private init(_ normalization: Normalization, of response: UpstreamResponse) {
        self.response = response
        serializer = normalization.serializer
        requestID = normalization.requestID
        thumbnail = normalization.thumbnail
        isDirect = normalization.isDirect
        isStored = normalization.isStored
    }

    /// The first step, on the HTTP thread.
    /// - Parameters:
    ///   - content: the content of the upstream response; `nil` if there is no data at all.
    ///   - takeOwnership: returns the same content as an object that later steps may own.
    func begin(
        _ content: Span<UInt8>?,
        takeOwnership: () throws(RejectionReason) -> NormalizedContent
    ) throws(RejectionReason) -> Step {
        guard response.hasShortHead else {
            let content = try takeOwnership()
            return .next(on: .compute { self.compute(content) })
        }
        if let content, let decoder = serializer.contentDecoder(for: response, content) {
            return try decodeCodings(of: content, decoder, takeOwnership: takeOwnership)
        }
        guard let memory = inlineMemory(for: content) else {
            let content = try takeOwnership()
            return .next(on: .compute { self.compute(content) })
        }
        let decoded: Decoded
        do throws(SerializationFailure) {
            decoded = try decode(content, memory)
        } catch {
            return try begin(rejecting: error, content, memory, takeOwnership: takeOwnership)
        }
        if memory.isExceeded {
            let content = try takeOwnership()
            return .next(on: .compute { self.compute(content) })
        }
        switch consume decoded {
        case .response(let response): return .done(response)
        case .image(let pending):
            let owned = try takeOwnership()
            var bytes = 0
            if pending.mayContinue, let content { bytes = serializer.memoryBytes(for: content, of: response) }
            return isolate(
                owned,
                pending,
                try owned.reserve(bytes),
                decodesPixels: !pending.order.needsOnlyHeader
            )
        }
    }

    /// Ends the first step with a problem, or continues the search for a remedy on the compute lane.
    /// - Parameter memory: that of the step. If it was exceeded, the error is not that of the content.
    private func begin(
        rejecting error: SerializationFailure,
        _ content: Span<UInt8>?,
        _ memory: InlineMemory,
        takeOwnership: () throws(RejectionReason) -> NormalizedContent
    ) throws(RejectionReason) -> Step {
        if memory.isExceeded {
            let content = try takeOwnership()
            return .next(on: .compute { self.compute(content) })
        }
        if Self.mayFindRemedyInline(content), let problem = respond(error, content, .inline(memory)),
            !memory.isExceeded
        {
            return .done(problem)
        }
        let owned = try takeOwnership()
        let reserved = try owned.reserve(0)
        return .next(on: .compute { self.reject(owned, error, reserved) })
    }

    /// Ends with a problem, or continues the search for a remedy with a reader of images.
    private func reject(_ content: NormalizedContent, _ error: SerializationFailure, _ memory: MemoryReservation)
        -> Step
    {
        if let problem = content.withBytes({ respond(error, $0, .reserved(memory)) }) { return finish(problem, memory) }
        let decodesPixels = remedyDecodesPixels
        let search: @Sendable (any ImageReader) -> Step = { reader in
            self.step { () throws(RejectionReason) in
                let copy = try self.reserveCopy(of: content, decodesPixels: decodesPixels)
                let problem = withExtendedLifetime(copy) {
                    content.withBytes { self.respond(error, $0, .reserved(memory), with: reader) }
                }
                return self.finish(problem, memory)
            }
        }
        return .next(on: decodesPixels ? .isolated(search) : .facts(search))
    }

    /// Returns the memory of the first step; `nil` if the content is too long for an HTTP thread.
    private func inlineMemory(for content: Span<UInt8>?) -> InlineMemory? {
        let bytes: Span<UInt8>
        if let content { bytes = content } else { bytes = Span() }
        return serializer.inlineMemoryBytes(for: bytes, of: response).map { InlineMemory(maxBytes: $0) }
    }

    /// The maximum size of content for which the HTTP thread searches for a remedy, in bytes, inclusive. The search
    /// decodes it several times.
    private static let maxInlineSearchBytes = 2 << 10

    /// Content that begins with the signature of a coding can be much longer after it is decoded.
    private static func mayFindRemedyInline(_ content: Span<UInt8>?) -> Bool {
        guard let content else { return true }
        return content.count <= maxInlineSearchBytes && ContentCoding(signatureOf: content) == nil
    }

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
            return decode(content, memory)
        } catch {
            return rejected(error)
        }
    }

    /// Decodes the content on the compute lane.
    /// - Parameters:
    ///   - pending: the result of an earlier step; `nil` if there was none.
    ///   - image: what a worker has read; `nil` if there was no earlier step.
    private func decode(
        _ content: NormalizedContent,
        _ memory: MemoryReservation,
        after pending: PendingImage? = nil,
        with image: ReadImage? = nil
    ) -> Step {
        let decoded: Decoded
        do throws(SerializationFailure) {
            decoded = try content.withBytes { bytes throws(SerializationFailure) in
                try decode(bytes, memory, after: pending, with: image)
            }
        } catch {
            if let denial = memory.denial { return rejected(denial) }
            return reject(content, error, memory)
        }
        switch consume decoded {
        case .response(let response): return finish(response, memory)
        case .image(let pending):
            if !pending.mayContinue { memory.resize(to: 0) }
            return isolate(content, pending, memory, decodesPixels: !pending.order.needsOnlyHeader)
        }
    }

    /// The step in which a worker reads the image: one for facts, or one that decodes pixels. It is the last one,
    /// unless a compound may continue, for which the worker does not wait.
    /// - Parameter omission: the reason for which the default thumbnail is omitted; `nil` if it is not.
    private func isolate(
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
                    return self.isolate(content, pending, memory, decodesPixels: true)
                }
                if decodesPixels, let reason = image.reasonForOmission {
                    return self.isolate(content, pending, memory, decodesPixels: false, omitting: reason)
                }
                guard !pending.mayContinue else {
                    return .next(on: .compute { self.decode(content, memory, after: pending, with: image) })
                }
                return self.decode(content, memory, after: pending, with: image)
            }
        }
        return .next(on: decodesPixels ? .isolated(read) : .facts(read))
    }

    /// Reserves the memory of the copy that a worker reads. The copies of workers for pixels are planned
    /// (`worker-memory-bytes`).
    private func reserveCopy(
        of content: NormalizedContent,
        decodesPixels: Bool
    ) throws(RejectionReason) -> MemoryReservation {
        try content.reserve(decodesPixels ? 0 : content.withBytes { $0?.count ?? 0 })
    }

    /// Returns whether trials of remedies may need pixels.
    private var remedyDecodesPixels: Bool { ImageOrder(.value, serializer.options, serializer.limits).asksForPixels }

    /// Ends with `response`, unless a request for memory was denied.
    private func finish(_ response: consuming Response, _ memory: MemoryReservation) -> Step {
        if let denial = memory.denial { return rejected(denial) }
        response.charge = .reserved(memory)
        return .done(response)
    }

    /// Returns the step of `body`, or ends with the problem if it is rejected.
    private func step(_ body: () throws(RejectionReason) -> Step) -> Step {
        do throws(RejectionReason) {
            return try body()
        } catch {
            return rejected(error)
        }
    }

    private func rejected(_ reason: RejectionReason) -> Step {
        .done(Problem(reason).response(requestID: requestID.text))
    }

    // MARK: Content codings

    /// The memory of a decoder that runs on an HTTP thread, in bytes, inclusive: that of several codings with short
    /// windows. The Brotli library decodes up to a window of content before it returns.
    private static let maxInlineDecoderBytes = 5 << 18

    /// The maximum length of encoded content that is decoded on an HTTP thread, in bytes, inclusive. It may consist of
    /// empty blocks.
    private static let maxInlineEncodedBytes = 8 << 10

    /// Decodes the codings on the HTTP thread. If this takes too long, the compute lane continues.
    private func decodeCodings(
        of content: Span<UInt8>,
        _ decoder: ContentDecoder,
        takeOwnership: () throws(RejectionReason) -> NormalizedContent
    ) throws(RejectionReason) -> Step {
        let memory = InlineMemory(maxBytes: Self.maxInlineDecoderBytes)
        guard content.count <= Self.maxInlineEncodedBytes,
            case .finished = decoder.run(content, until: decoder.maxInlineBytes, memory: memory)
        else {
            let content = try takeOwnership()
            // The decoder keeps its memory while it waits for the lane.
            let encoded = EncodedContent(content, try content.reserve(memory.usedBytes))
            return .next(on: .compute { self.decodeCodings(encoded, decoder) })
        }
        if memory.isExceeded {
            let content = try takeOwnership()
            return .next(on: .compute { self.compute(content) })
        }
        var decoded = decoder.finish()
        let next = Normalization(self, of: decoded.response(response))
        guard let bytes = decoded.bytes.take() else { return try next.begin(content, takeOwnership: takeOwnership) }
        let shared = SharedBytes(bytes)
        return try shared.withBytes { bytes throws(RejectionReason) in
            try next.begin(bytes) { () throws(RejectionReason) in
                .decoded(shared, try takeOwnership().reserve(shared.count))
            }
        }
    }

    /// Starts or continues decoding the codings on the compute lane, and releases the encoded content after that.
    private func decodeCodings(_ encoded: EncodedContent, _ decoder: ContentDecoder) -> Step {
        step { () throws(RejectionReason) in
            let memory = encoded.memory
            encoded.content.withBytes { bytes in
                if let bytes { _ = decoder.run(bytes, memory: memory) }
            }
            try memory.checkGrants()
            var decoded = decoder.finish()
            let next = Normalization(self, of: decoded.response(response))
            guard let bytes = decoded.bytes.take() else { return next.compute(encoded.content) }
            // The remaining memory is that of the decoded content.
            memory.resize(to: bytes.capacity)
            encoded.content = .none(memory)
            return next.compute(.decoded(SharedBytes(bytes), memory))
        }
    }

    // MARK: Responses

    /// The result of decoding without a reader of images.
    private enum Decoded: ~Copyable {
        case response(Response)
        case image(PendingImage)
    }

    private func decode(
        _ content: Span<UInt8>?,
        _ memory: any MemoryGrant,
        after pending: PendingImage? = nil,
        with image: ReadImage? = nil
    ) throws(SerializationFailure) -> Decoded {
        if let image { return .response(try respond(content, after: pending, image, memory)) }
        guard let thumbnail else {
            switch try serializer.serializeAtOnce(response, content: content, memory: memory) {
            case .done(let answer):
                return .response(AnswerResponse.value(answer, view: serializer.options.view, isStored: isStored))
            case .image(let pending): return .image(pending)
            }
        }
        switch try serializer.thumbnailAtOnce(of: response, content: content, memory: memory) {
        case .done(let answer):
            return .response(AnswerResponse.thumbnail(answer, isNegotiated: thumbnail.isNegotiated))
        case .image(let pending): return .image(pending)
        }
    }

    /// Returns the response. The calling thread may wait for the reader.
    /// - Parameter memory: the source of memory for decoding and for the response.
    func respond(
        _ content: Span<UInt8>?,
        _ reader: any ImageReader,
        _ memory: StepMemory
    ) -> Response {
        if let content, let decoder = serializer.contentDecoder(for: response, content) {
            _ = decoder.run(content, memory: memory.grant)
            var decoded = decoder.finish()
            let next = Normalization(self, of: decoded.response(response))
            guard let bytes = decoded.bytes.take() else { return next.respond(content, reader, memory) }
            return bytes.withBytes { next.respond($0, reader, memory) }
        }
        if let content, case .item(let reservation) = memory, !reserve(for: content, reservation) {
            // Whoever has made the reservation finds its denial.
            return Problem(Diagnostic.outOfMemory).response(requestID: requestID.text)
        }
        do throws(SerializationFailure) {
            return try respond(content, after: nil, reader, memory.grant)
        } catch {
            return respond(error, content, memory, with: reader)
        }
    }

    /// The maximum length of content for which the same memory is reserved, in bytes, inclusive. Determining what the
    /// content needs takes longer than decoding a short one.
    static let maxShortItemBytes = 64 << 10
    /// The memory of each such content, which is more than any serializer needs for it, in bytes.
    static let shortItemBytes = 16 << 20

    /// Reserves the memory for decoding the content of an item.
    private func reserve(for content: Span<UInt8>, _ memory: MemoryReservation) -> Bool {
        let isShort = content.count <= Self.maxShortItemBytes
        return memory.grow(by: isShort ? Self.shortItemBytes : serializer.memoryBytes(for: content, of: response))
    }

    private func respond(
        _ content: Span<UInt8>?,
        after pending: PendingImage?,
        _ reader: any ImageReader,
        _ memory: any MemoryGrant
    ) throws(SerializationFailure) -> Response {
        guard let thumbnail else {
            let answer = try serializer.serialize(
                response,
                content: content,
                after: pending,
                reader: reader,
                memory: memory
            )
            return AnswerResponse.value(answer, view: serializer.options.view, isStored: isStored)
        }
        let answer = try serializer.thumbnail(of: response, content: content, reader: reader, memory: memory)
        return AnswerResponse.thumbnail(answer, isNegotiated: thumbnail.isNegotiated)
    }

    /// Returns the problem, with the remedy that `reader` can try.
    private func respond(
        _ failure: SerializationFailure,
        _ content: Span<UInt8>?,
        _ memory: StepMemory,
        with reader: any ImageReader
    ) -> Response {
        do throws(ReaderRequired) {
            return try problem(failure, content, memory, reader)
        } catch {
            // This reader does not decode the pixels that a trial needs.
            return Problem(failure, content, under: serializer.options.rules).response(requestID: requestID.text)
        }
    }

    /// Returns the problem; `nil` if the search for a remedy needs a reader of images.
    private func respond(
        _ error: SerializationFailure,
        _ content: Span<UInt8>?,
        _ memory: StepMemory
    ) -> Response? {
        do throws(ReaderRequired) {
            return try problem(error, content, memory, nil)
        } catch {
            return nil
        }
    }

    private func problem(
        _ error: SerializationFailure,
        _ content: Span<UInt8>?,
        _ memory: StepMemory,
        _ reader: (any ImageReader)?
    ) throws(ReaderRequired) -> Response {
        var problem = Problem(error, content, under: serializer.options.rules)
        if case .item = memory { return problem.response(requestID: requestID.text) }
        if let content, isAcceptedMessage(content, memory.grant) {
            problem.proposeMessageEndpoint(for: response)
            return problem.response(requestID: requestID.text)
        }
        if let remedy = try serializer.remedy(
            for: error,
            response,
            content: content,
            memory: memory.grant,
            reader: reader,
            permit: { self.trial($0, $1, memory) }
        ),
            thumbnail?.supports(remedy) ?? true
        {
            problem.propose(remedy)
        }
        return problem.response(requestID: requestID.text)
    }

    /// The maximum length of content that is tried as a message, in bytes, inclusive.
    private static let maxTriedMessageBytes = 1 << 20

    /// Whether the content of the direct form is a raw message that `/v1/normalize/message` accepts, which is tried.
    private func isAcceptedMessage(_ bytes: Span<UInt8>, _ memory: any MemoryGrant) -> Bool {
        guard isDirect, bytes.count <= Self.maxTriedMessageBytes, bytes.hasText("HTTP/", at: 0) else { return false }
        do {
            let max = serializer.limits.maxContentBytes
            guard let message = try MessageReader.readShort(bytes, maxContentBytes: max, allowsTruncation: false) else {
                return false
            }
            let step = try message.content.withBytes(in: bytes) { content throws(SerializationFailure) in
                try serializer.serializeAtOnce(message.response, content: content, memory: memory)
            }
            switch consume step {
            case .done: return true
            case .image: return false
            }
        } catch {
            return false
        }
    }

    /// Permits one trial of a remedy within the limits of the step. Its memory is reserved like that of the content.
    /// Content that is decoded on the HTTP thread must also be short with the options of the trial.
    private func trial(_ serializer: ResponseSerializer, _ content: Span<UInt8>, _ memory: StepMemory) -> RemedyTrial? {
        switch memory {
        case .inline(let memory):
            return serializer.isShort(content, of: response) ? RemedyTrial(memory: memory) : nil
        case .reserved(let memory):
            let bytes = serializer.memoryBytes(for: content, of: response)
            do throws(RejectionReason) {
                return RemedyTrial(memory: try memory.reserve(bytes, besides: content.count))
            } catch {
                return nil
            }
        case .item: return nil
        case .unlimited: return RemedyTrial(memory: .unlimited)
        }
    }
}
