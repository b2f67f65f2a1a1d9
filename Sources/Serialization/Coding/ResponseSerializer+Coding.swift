extension ResponseSerializer {
    /// Returns the decoder for the codings of a response; `nil` if there is nothing to decode: the content is not
    /// encoded, is empty, is not used, or is longer than the limit.
    package func contentDecoder(for response: UpstreamResponse, _ content: Span<UInt8>) -> ContentDecoder? {
        guard response.decodedCodings == nil, response.fields.hasContentCoding else { return nil }
        return makeDecoder(for: response, content)
    }

    @inline(never)
    private func makeDecoder(for response: UpstreamResponse, _ content: Span<UInt8>) -> ContentDecoder? {
        let isUnread = options.rules == .decant && response.forbidsContent
        guard !isUnread, !content.isEmpty, content.count <= limits.maxContentBytes else { return nil }
        switch response.fields.contentCodings(max: limits.maxContentCodings) {
        case .none: return nil
        case .known(let codings):
            return ContentDecoder(
                codings,
                limits: limits,
                allowsTruncation: options.truncated == .allow,
                maxInlineBytes: maxInlineDecodedBytes(of: response)
            )
        case .unknown(let name): return ContentDecoder(failing: .unsupportedContentCoding(name.longExcerpt))
        case .tooMany(let max): return ContentDecoder(failing: .coding(CodingError(.tooManyCodings(max: max))))
        }
    }

    /// Decodes the codings of a response, and calls `body` with the response and the content after that.
    /// - Parameter content: the content as it was received, or after its codings were decoded.
    @inline(__always)
    func withDecoded<Result: ~Copyable, Failure: Error>(
        _ response: UpstreamResponse,
        _ content: Span<UInt8>?,
        _ memory: any MemoryGrant,
        _ body: (UpstreamResponse, Span<UInt8>?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let content, let decoder = contentDecoder(for: response, content) else {
            return try body(response, content)
        }
        return try Self.withDecoded(response, content, decoder, memory, body)
    }

    @inline(never)
    private static func withDecoded<Result: ~Copyable, Failure: Error>(
        _ response: UpstreamResponse,
        _ content: Span<UInt8>,
        _ decoder: ContentDecoder,
        _ memory: any MemoryGrant,
        _ body: (UpstreamResponse, Span<UInt8>?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        _ = decoder.run(content, memory: memory)
        var decoded = decoder.finish()
        let response = decoded.response(response)
        guard let bytes = decoded.bytes.take() else { return try body(response, content) }
        return try bytes.withBytes { bytes throws(Failure) in try body(response, bytes) }
    }
}
