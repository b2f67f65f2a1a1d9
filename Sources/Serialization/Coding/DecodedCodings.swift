/// The result of decoding the content codings of a response.
package final class DecodedCodings: Sendable {
    /// The codings that were decoded, in the order of the field.
    package let codings: [ContentCoding]

    /// The length of the content as it was received, in bytes.
    package let encodedBytes: Int

    /// The length of the decoded content, in bytes; `nil` if no coding was decoded.
    package let decodedBytes: Int?

    package let warnings: [Warning]

    /// The reason why a coding could not be decoded.
    package let error: SerializationError?

    init(
        _ codings: [ContentCoding],
        encodedBytes: Int,
        decodedBytes: Int?,
        warnings: [Warning] = [],
        error: SerializationError? = nil
    ) {
        self.codings = codings
        self.encodedBytes = encodedBytes
        self.decodedBytes = decodedBytes
        self.warnings = warnings
        self.error = error
    }

    /// The result for content that was decoded before it was stored: `Content-Encoding` is not applied.
    package static func alreadyDecoded(bytes: Int) -> DecodedCodings {
        DecodedCodings([], encodedBytes: bytes, decodedBytes: nil)
    }

    /// Whether the content is what the caller sent, so that nothing was decoded from it.
    var hasNoneDecoded: Bool { codings.isEmpty || hasUnencoded }

    /// Whether the HTTP client that received the response had already decoded some of the codings.
    var hasUnencoded: Bool {
        warnings.contains { warning in
            if case .notEncoded = warning.kind { true } else { false }
        }
    }

    /// The result that `truncated=allow` has; `nil` if the content is not truncated, or if nothing was decoded.
    var allowingTruncation: DecodedCodings? {
        guard case .coding(let error)? = error, error.reason == .truncated, let coding = error.coding,
            let decodedBytes, decodedBytes > 0
        else { return nil }
        let warning = Warning(.truncatedCoding(coding), at: error.location)
        return DecodedCodings(
            codings,
            encodedBytes: encodedBytes,
            decodedBytes: decodedBytes,
            warnings: warnings + [warning]
        )
    }
}

extension DecodedCodings: Equatable {
    package static func == (one: DecodedCodings, other: DecodedCodings) -> Bool {
        one === other
            || one.codings == other.codings && one.encodedBytes == other.encodedBytes
                && one.decodedBytes == other.decodedBytes && one.warnings == other.warnings && one.error == other.error
    }
}

/// The content of a response after its codings were decoded.
package struct DecodedContent: ~Copyable {
    package let codings: DecodedCodings

    /// The decoded content; `nil` if the content is used as it is.
    package var bytes: OutputBuffer?

    /// The response whose content this is. Its codings are not decoded again.
    package func response(_ response: UpstreamResponse) -> UpstreamResponse {
        var response = response
        response.decodedCodings = codings
        return response
    }
}
