internal import HTTP
internal import Serialization

// How content that is rejected becomes a problem, with a remedy if a trial finds one.

extension Normalization {
    /// Ends the first step with a problem, or continues the search for a remedy on the compute lane.
    func reject(
        _ error: SerializationFailure,
        _ content: Span<UInt8>?,
        _ memory: InlineMemory,
        takeOwnership: () throws(RejectionReason) -> NormalizedContent
    ) throws(RejectionReason) -> Step {
        if Self.mayFindRemedyInline(content),
            let problem = try? problemWithRemedy(error, content, .inline(memory), from: nil),
            !memory.isExceeded
        {
            return .done(problem)
        }
        let owned = try takeOwnership()
        let reserved = try owned.reserve(0)
        return .next(on: .compute { self.reject(owned, error, reserved) })
    }

    /// Ends with a problem, or continues the search for a remedy with a reader of images.
    func reject(_ content: NormalizedContent, _ error: SerializationFailure, _ memory: MemoryReservation) -> Step {
        let problem = content.withBytes { try? problemWithRemedy(error, $0, .reserved(memory), from: nil) }
        if let problem { return finish(problem, memory) }
        let decodesPixels = remedyDecodesPixels
        let search: @Sendable (any ImageReader) -> Step = { reader in
            self.step { () throws(RejectionReason) in
                let copy = try self.reserveCopy(of: content, decodesPixels: decodesPixels)
                let problem = withExtendedLifetime(copy) {
                    content.withBytes { self.problem(error, $0, .reserved(memory), with: reader) }
                }
                return self.finish(problem, memory)
            }
        }
        return .next(on: decodesPixels ? .pixels(search) : .facts(search))
    }

    /// The maximum size of content for which the HTTP thread searches for a remedy, in bytes, inclusive. The search
    /// decodes it several times.
    private static let maxInlineSearchBytes = 2 << 10

    /// Content that begins with the signature of a coding can be much longer after it is decoded.
    private static func mayFindRemedyInline(_ content: Span<UInt8>?) -> Bool {
        guard let content else { return true }
        return content.count <= maxInlineSearchBytes && ContentCoding(signatureOf: content) == nil
    }

    /// Returns whether trials of remedies may need pixels.
    private var remedyDecodesPixels: Bool { ImageOrder(.value, serializer.options, serializer.limits).asksForPixels }

    // MARK: The problem

    /// Returns the problem, with the remedy that `reader` can try.
    func problem(
        _ failure: SerializationFailure,
        _ content: Span<UInt8>?,
        _ memory: StepMemory,
        with reader: any ImageReader
    ) -> Response {
        do throws(ReaderRequired) {
            return try problemWithRemedy(failure, content, memory, from: reader)
        } catch {
            // This reader does not decode the pixels that a trial needs.
            return Problem(failure, content, under: serializer.options.rules).response(requestID: requestID.text)
        }
    }

    /// Returns the problem, with a remedy if a trial finds one.
    /// - Parameter reader: the reader of images in trials; `nil` if this thread must not read them.
    private func problemWithRemedy(
        _ error: SerializationFailure,
        _ content: Span<UInt8>?,
        _ memory: StepMemory,
        from reader: (any ImageReader)?
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
        } catch { return false }
    }

    /// Permits one trial of a remedy within the limits of the step. Its memory is reserved like that of the content.
    /// Content that is decoded on the HTTP thread must also be short with the options of the trial.
    private func trial(_ serializer: ResponseSerializer, _ content: Span<UInt8>, _ memory: StepMemory) -> RemedyTrial? {
        switch memory {
        case .inline(let memory): return serializer.isShort(content, of: response) ? RemedyTrial(memory: memory) : nil
        case .reserved(let memory):
            let bytes = serializer.memoryBytes(for: content, of: response)
            do throws(RejectionReason) {
                return RemedyTrial(memory: try memory.reserve(bytes, besides: content.count))
            } catch { return nil }
        case .item: return nil
        case .unlimited: return RemedyTrial(memory: .unlimited)
        }
    }
}

extension Normalization.Thumbnail {
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
