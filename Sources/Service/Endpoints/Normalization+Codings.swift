internal import HTTP
internal import Serialization

// How the content codings of an upstream response are decoded, before its content is serialized.

extension Normalization {
    /// The memory of a decoder that runs on an HTTP thread, in bytes, inclusive: that of several codings with short
    /// windows. The Brotli library decodes up to a window of content before it returns.
    private static let maxInlineDecoderBytes = 5 << 18

    /// The maximum length of encoded content that is decoded on an HTTP thread, in bytes, inclusive. It may consist of
    /// empty blocks.
    private static let maxInlineEncodedBytes = 8 << 10

    /// Decodes the codings on the HTTP thread. If this takes too long, the compute lane continues.
    func decodeCodings(
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
        if memory.isExceeded { return continueOnCompute(try takeOwnership()) }
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
    func decodeCodings(_ encoded: EncodedContent, _ decoder: ContentDecoder) -> Step {
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
}
