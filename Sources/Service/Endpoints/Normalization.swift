internal import Serialization

/// The steps from one upstream response to an HTTP response, whatever the form in which the upstream response was received.
///
/// Short content is decoded on the HTTP thread, other content on the compute lane. If pixels are needed, which is known before anything
/// takes long, the isolated lane follows.
final class Normalization: Sendable {
    /// The properties of `POST /v1/thumbnail`, whose response is an image.
    struct Thumbnail: Sendable {
        /// Whether `Accept` had a part in the choice of the format.
        var isNegotiated: Bool

        /// Whether the path has the option.
        fileprivate func takes(_ remedy: Remedy) -> Bool {
            switch remedy {
            case .type(let type): type.hasPrefix("image/")
            case .acceptableTypes, .acceptableStatuses, .noContentCoding, .contentCoding, .truncated: true
            case .lenient, .manyRecords, .fragments, .lastDuplicate, .replacedSurrogates, .strippedPrefix, .charset,
                .rawContent, .noThumbnail, .defaultNestingDepth, .nestingDepth:
                false
            }
        }
    }

    /// Its codings were undone, or are those that the content still has.
    private let response: UpstreamResponse
    private let serializer: ResponseSerializer
    private let requestID: RequestID
    private let formTypeExample: StaticString?
    private let thumbnail: Thumbnail?

    /// - Parameters:
    ///   - formTypeExample: the media type that a problem recommends to a client which sends the type of a form; `nil` if the form of
    ///     the request has another place for the type.
    ///   - thumbnail: `nil` for a normalized value.
    init(
        of response: UpstreamResponse,
        with serializer: ResponseSerializer,
        requestID: RequestID,
        formTypeExample: StaticString? = nil,
        thumbnail: Thumbnail? = nil
    ) {
        self.response = response
        self.serializer = serializer
        self.requestID = requestID
        self.formTypeExample = formTypeExample
        self.thumbnail = thumbnail
    }

    /// The same for the response whose codings were undone.
    private init(_ normalization: Normalization, of response: UpstreamResponse) {
        self.response = response
        serializer = normalization.serializer
        requestID = normalization.requestID
        formTypeExample = normalization.formTypeExample
        thumbnail = normalization.thumbnail
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

    /// The longest content for which the HTTP thread searches for a remedy, in bytes, inclusive: the search decodes it several times.
    /// Content that begins with the signature of a coding may be much longer when it is decoded.
    private static let maxInlineSearchBytes = 8 << 10

    /// The step on the compute lane. It reserves the memory: content that waits for the lane holds nothing else.
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

    /// Ends with `response`, unless memory was requested for it and not granted.
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

    /// Undoes the codings on the HTTP thread, unless that takes too long for it: then the compute lane continues.
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

    /// Undoes the codings on the compute lane, or continues to. The encoded content is released after that.
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
            // What is left of it is the decoded content.
            memory?.resize(to: bytes.capacity)
            encoded.content = .none
            return next.compute(.decoded(SharedBytes(bytes), memory))
        } catch {
            return .done(Problem(error).response(requestID: requestID.text))
        }
    }

    // MARK: Responses

    /// Returns `nil` if pixels are needed.
    private func respondWithoutPixels(_ content: Span<UInt8>?, _ memory: MemoryReservation?) -> Response? {
        do throws(SerializationFailure) {
            return try decodeWithoutPixels(content, memory)
        } catch {
            return respond(error, content) { self.trial($0, $1, memory) }
        }
    }

    /// Returns `nil` if pixels are needed.
    private func decodeWithoutPixels(
        _ content: Span<UInt8>?,
        _ memory: MemoryReservation?
    ) throws(SerializationFailure) -> Response? {
        guard let thumbnail else {
            guard let answer = try serializer.serializeAtOnce(response, content: content, memory: memory) else {
                return nil
            }
            return AnswerResponse.value(answer, view: serializer.options.view)
        }
        guard let answer = try serializer.thumbnailAtOnce(of: response, content: content) else { return nil }
        return AnswerResponse.thumbnail(answer, isNegotiated: thumbnail.isNegotiated)
    }

    /// Returns the response in one step, on a thread that may wait for the renderer.
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
                return AnswerResponse.value(answer, view: serializer.options.view)
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
            thumbnail?.takes(remedy) ?? true
        {
            problem.propose(remedy)
        }
        return problem.response(requestID: requestID.text)
    }

    /// Permits one trial of a remedy within the bounds of the step: its memory is reserved like that of the content. Content without a
    /// reservation is decoded on the HTTP thread, and must be short for the trial, too.
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
    /// Decoded from the request's content; and what that is charged with, if it is large.
    case bytes([UInt8], MemoryReservation?)
    /// The content after its codings were undone, and what that is charged with.
    case decoded(SharedBytes, MemoryReservation?)

    /// All of the request's content.
    static func all(of content: KeptContent) -> NormalizedContent {
        .slice(content, 0..<content.withBytes { $0.count })
    }

    /// Calls `body` with the content, which is valid for the duration of the call.
    func withBytes<Result: ~Copyable>(_ body: (Span<UInt8>?) -> Result) -> Result {
        switch self {
        case .none: body(nil)
        case .slice(let content, let range): content.withBytes { body($0.extracting(range)) }
        case .bytes(let bytes, _): body(bytes.span)
        case .decoded(let bytes, _): bytes.withBytes { body($0) }
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
/// @unchecked Sendable: one step uses it at a time, and passes it on.
private final class EncodedContent: @unchecked Sendable {
    var content: NormalizedContent

    init(_ content: NormalizedContent) {
        self.content = content
    }
}
