internal import Serialization

/// The steps from one upstream response to an HTTP response, whatever the form in which the upstream response was received.
///
/// Short content is decoded on the HTTP thread, other content on the compute lane. If pixels are needed, which is determined before any
/// long computation, the isolated lane follows.
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
            case .lenient, .manyRecords, .fragments, .lastDuplicate, .replacedSurrogates, .strippedPrefix, .charset,
                .rawContent, .noThumbnail, .defaultNestingDepth, .nestingDepth:
                false
            }
        }
    }

    /// The upstream response. Its content codings are either undone, or those of the current content.
    private let response: UpstreamResponse
    private let serializer: ResponseSerializer
    private let requestID: RequestID
    private let formTypeExample: StaticString?
    private let thumbnail: Thumbnail?
    private let isKept: Bool

    /// - Parameters:
    ///   - formTypeExample: the media type that a problem recommends to a client that sends the type of an HTML form; `nil` if
    ///     the type of the upstream response is not in a field of the request.
    ///   - thumbnail: `nil` for a normalized value.
    ///   - isKept: whether the response is stored, so that its object `upstream` can be replaced later.
    init(
        of response: UpstreamResponse,
        with serializer: ResponseSerializer,
        requestID: RequestID,
        formTypeExample: StaticString? = nil,
        thumbnail: Thumbnail? = nil,
        isKept: Bool = false
    ) {
        self.response = response
        self.serializer = serializer
        self.requestID = requestID
        self.formTypeExample = formTypeExample
        self.thumbnail = thumbnail
        self.isKept = isKept
    }

    /// Creates the normalization of a response whose codings were undone.
    private init(_ normalization: Normalization, of response: UpstreamResponse) {
        self.response = response
        serializer = normalization.serializer
        requestID = normalization.requestID
        formTypeExample = normalization.formTypeExample
        thumbnail = normalization.thumbnail
        isKept = normalization.isKept
    }

    /// The first step, on the HTTP thread.
    /// - Parameters:
    ///   - content: the content of the upstream response; `nil` if there is no data at all.
    ///   - keep: returns the same content as an object that later steps may own.
    func begin(
        _ content: Span<UInt8>?,
        keep: () throws(RejectionReason) -> NormalizedContent
    ) throws(RejectionReason) -> Step {
        if let content, let decoder = serializer.contentDecoder(for: response, content) {
            return try undoCodings(of: content, decoder, keep: keep)
        }
        if let content, !serializer.isShort(content, of: response) {
            let content = try keep()
            return .next(on: .compute { self.compute(content) })
        }
        let decoded: Response?
        do throws(SerializationFailure) {
            decoded = try decodeWithoutPixels(content, nil)
        } catch {
            guard let content, content.count > Self.maxInlineSearchBytes || ContentCoding(signatureOf: content) != nil
            else {
                return .done(respond(error, content) { self.trial($0, $1, nil) })
            }
            let kept = try keep()
            let memory = try kept.reserve(0)
            return .next(
                on: .compute {
                    .done(kept.withBytes { self.respond(error, $0) { self.trial($0, $1, memory) } })
                }
            )
        }
        if let decoded { return .done(decoded) }
        let content = try keep()
        return isolate(content, try content.reserve(0))
    }

    /// The maximum size of content for which the HTTP thread searches for a remedy, in bytes, inclusive. The search decodes it several times.
    /// Content that begins with the signature of a coding can be much longer after it is decoded.
    private static let maxInlineSearchBytes = 8 << 10

    /// The step on the compute lane. It reserves the memory for decoding; waiting content has reserved only its own memory.
    func compute(_ content: consuming NormalizedContent) -> Step {
        let decoder = content.withBytes { bytes -> ContentDecoder? in
            if let bytes { return serializer.contentDecoder(for: response, bytes) }
            return nil
        }
        if let decoder {
            return undoCodings(EncodedContent(content), decoder)
        }
        let memoryBytes = content.withBytes { content in
            if let content { serializer.memoryBytes(for: content, of: response) } else { 0 }
        }
        do throws(RejectionReason) {
            let memory = try content.reserve(memoryBytes)
            guard let response = content.withBytes({ respondWithoutPixels($0, memory) }) else {
                memory?.resize(to: 0)
                return isolate(content, memory)
            }
            return finish(response, memory)
        } catch {
            return .done(Problem(error).response(requestID: requestID.text))
        }
    }

    /// The step on the isolated lane, which is the last one.
    private func isolate(_ content: NormalizedContent, _ memory: MemoryReservation?) -> Step {
        .next(
            on: .isolated { renderer in
                self.finish(content.withBytes { self.respond($0, renderer, memory) }, memory)
            }
        )
    }

    /// Ends with `response`, unless a request for memory was denied.
    private func finish(_ response: consuming Response, _ memory: MemoryReservation?) -> Step {
        do throws(RejectionReason) {
            try memory?.checkGrants()
        } catch {
            return .done(Problem(error).response(requestID: requestID.text))
        }
        response.memory = memory
        return .done(response)
    }

    // MARK: Content codings

    /// Undoes the codings on the HTTP thread. If this takes too long, the compute lane continues.
    private func undoCodings(
        of content: Span<UInt8>,
        _ decoder: ContentDecoder,
        keep: () throws(RejectionReason) -> NormalizedContent
    ) throws(RejectionReason) -> Step {
        guard content.count <= decoder.maxInlineBytes,
            case .finished = decoder.run(content, until: decoder.maxInlineBytes)
        else {
            let encoded = EncodedContent(try keep())
            return .next(on: .compute { self.undoCodings(encoded, decoder) })
        }
        var decoded = decoder.finish()
        let next = Normalization(self, of: decoded.response(response))
        guard let bytes = decoded.bytes.take() else { return try next.begin(content, keep: keep) }
        let shared = SharedBytes(bytes)
        return try shared.withBytes { bytes throws(RejectionReason) in
            try next.begin(bytes) { () throws(RejectionReason) in
                .decoded(shared, try keep().reserve(shared.count))
            }
        }
    }

    /// Starts or continues undoing the codings on the compute lane, and releases the encoded content after that.
    private func undoCodings(_ encoded: EncodedContent, _ decoder: ContentDecoder) -> Step {
        do throws(RejectionReason) {
            let memory = try encoded.content.reserve(0)
            encoded.content.withBytes { bytes in
                if let bytes { _ = decoder.run(bytes, memory: memory) }
            }
            try memory?.checkGrants()
            var decoded = decoder.finish()
            let next = Normalization(self, of: decoded.response(response))
            guard let bytes = decoded.bytes.take() else { return next.compute(encoded.content) }
            // The remaining memory is that of the decoded content.
            memory?.resize(to: bytes.capacity)
            encoded.content = .none
            return next.compute(.decoded(SharedBytes(bytes), memory))
        } catch {
            return .done(Problem(error).response(requestID: requestID.text))
        }
    }

    // MARK: Responses

    /// Returns the response, or `nil` if pixels are needed.
    private func respondWithoutPixels(_ content: Span<UInt8>?, _ memory: MemoryReservation?) -> Response? {
        do throws(SerializationFailure) {
            return try decodeWithoutPixels(content, memory)
        } catch {
            return respond(error, content) { self.trial($0, $1, memory) }
        }
    }

    /// Returns the response, or `nil` if pixels are needed.
    private func decodeWithoutPixels(
        _ content: Span<UInt8>?,
        _ memory: MemoryReservation?
    ) throws(SerializationFailure) -> Response? {
        guard let thumbnail else {
            guard let answer = try serializer.serializeAtOnce(response, content: content, memory: memory) else {
                return nil
            }
            return AnswerResponse.value(answer, view: serializer.options.view, isKept: isKept)
        }
        guard let answer = try serializer.thumbnailAtOnce(of: response, content: content) else { return nil }
        return AnswerResponse.thumbnail(answer, isNegotiated: thumbnail.isNegotiated)
    }

    /// Returns the response. The calling thread may wait for the renderer.
    /// - Parameter memory: the source of memory for decoding and for the response; `nil` if it is not limited.
    func respond(
        _ content: Span<UInt8>?,
        _ renderer: any ImageRenderer,
        _ memory: MemoryReservation? = nil
    ) -> Response {
        if let content, let decoder = serializer.contentDecoder(for: response, content) {
            _ = decoder.run(content, memory: memory)
            var decoded = decoder.finish()
            let next = Normalization(self, of: decoded.response(response))
            guard let bytes = decoded.bytes.take() else { return next.respond(content, renderer, memory) }
            return bytes.withBytes { next.respond($0, renderer, memory) }
        }
        do {
            guard let thumbnail else {
                let answer = try serializer.serialize(
                    response,
                    content: content,
                    renderer: renderer,
                    memory: memory
                )
                return AnswerResponse.value(answer, view: serializer.options.view, isKept: isKept)
            }
            let answer = try serializer.thumbnail(of: response, content: content, renderer: renderer)
            return AnswerResponse.thumbnail(answer, isNegotiated: thumbnail.isNegotiated)
        } catch {
            return respond(error, content) {
                memory == nil ? RemedyTrial() : self.trial($0, $1, memory)
            }
        }
    }

    private func respond(
        _ error: SerializationFailure,
        _ content: Span<UInt8>?,
        permit: @escaping (ResponseSerializer, Span<UInt8>) -> RemedyTrial?
    ) -> Response {
        var problem = Problem(error)
        if let formTypeExample, problem.isOfFormType {
            problem.explainFormType(example: "\(formTypeExample)")
        } else if let remedy = serializer.remedy(for: error, response, content: content, permit: permit),
            thumbnail?.supports(remedy) ?? true
        {
            problem.propose(remedy)
        }
        return problem.response(requestID: requestID.text)
    }

    /// Permits one trial of a remedy within the limits of the step. Its memory is reserved like that of the content. Content without a
    /// reservation is decoded on the HTTP thread, and must also be short with the options of the trial.
    private func trial(
        _ serializer: ResponseSerializer,
        _ content: Span<UInt8>,
        _ memory: MemoryReservation?
    ) -> RemedyTrial? {
        guard let memory else { return serializer.isShort(content, of: response) ? RemedyTrial() : nil }
        let bytes = serializer.memoryBytes(for: content, of: response)
        guard let reserved = try? memory.reserve(bytes, besides: content.count) else { return nil }
        return RemedyTrial(memory: reserved)
    }
}

/// The content of an upstream response that several steps need, and its owner.
enum NormalizedContent: Sendable {
    /// There is no data at all, which is not the same as zero bytes.
    case none
    /// A part of the request's content.
    case slice(KeptContent, Range<Int>)
    /// Content that was decoded from the request's content, and its reservation if it is large.
    case bytes([UInt8], MemoryReservation?)
    /// The content after its codings were undone, and its reservation.
    case decoded(SharedBytes, MemoryReservation?)

    /// All of the request's content.
    static func all(of content: KeptContent) -> NormalizedContent {
        .slice(content, 0..<content.withBytes { $0.count })
    }

    /// Calls `body` with the content, which is valid for the duration of the call.
    func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .none: try body(nil)
        case .slice(let content, let range):
            try content.withBytes { bytes throws(Failure) in try body(bytes.extracting(range)) }
        case .bytes(let bytes, _): try body(bytes.span)
        case .decoded(let bytes, _): try bytes.withBytes { bytes throws(Failure) in try body(bytes) }
        }
    }

    /// Reserves `bytes` of memory besides the content.
    func reserve(_ bytes: Int) throws(RejectionReason) -> MemoryReservation? {
        switch self {
        case .none: nil
        case .slice(let content, _): try content.reserve(bytes)
        case .bytes(let content, let memory): try memory?.reserve(bytes, besides: content.count)
        case .decoded(let content, let memory): try memory?.reserve(bytes, besides: content.count)
        }
    }
}

/// Encoded content, whose owner releases it as soon as it is decoded.
///
/// @unchecked Sendable: only one step uses it at a time, and then passes it to the next step.
private final class EncodedContent: @unchecked Sendable {
    var content: NormalizedContent

    init(_ content: NormalizedContent) {
        self.content = content
    }
}
