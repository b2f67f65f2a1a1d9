internal import HTTP
internal import Serialization

// How content becomes a response: in the steps of `Normalization`, or at once for the command line and for a batch.

extension Normalization {
    /// The result of serializing without a reader of images.
    enum Serialized: ~Copyable {
        case response(Response)
        case image(PendingImage)
    }

    /// Serializes the content as far as no reader of images is needed. Inlined, because each caller would copy the
    /// response once more.
    @inline(__always)
    func serializeAtOnce(
        _ content: Span<UInt8>?,
        _ memory: any MemoryGrant
    ) throws(SerializationFailure) -> Serialized {
        guard let thumbnail else {
            switch try serializer.serializeAtOnce(response, content: content, memory: memory) {
            case .done(let answer):
                return .response(AnswerResponse.value(answer, view: serializer.options.view, isStored: isStored))
            case .image(let pending): return .image(pending)
            }
        }
        switch try serializer.thumbnailAtOnce(of: response, content: content, memory: memory) {
        case .done(let answer): return .response(AnswerResponse.thumbnail(answer, isNegotiated: thumbnail.isNegotiated))
        case .image(let pending): return .image(pending)
        }
    }

    /// Serializes the content. The calling thread waits for the reader.
    /// - Parameter pending: the result of an earlier step; `nil` if there was none.
    func serialize(
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

    // MARK: Without lanes

    /// Returns the response, in one step. The calling thread waits for the reader: nothing else waits for this thread.
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
            return try serialize(content, after: nil, reader, memory.grant)
        } catch { return problem(error, content, memory, with: reader) }
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
}
