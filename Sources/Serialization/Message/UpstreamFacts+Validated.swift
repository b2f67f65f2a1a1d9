extension UpstreamFacts {
    /// Returns the facts after the response was validated, or for a request of the same resource with another URL. What was learned from the
    /// content stays, and so do the preceding responses.
    /// - Parameters:
    ///   - fields: all header fields of the response.
    ///   - policy: the fields that are reported.
    package func replacing(_ fields: HeaderFields, _ policy: UpstreamHeaderPolicy, url: String?) -> UpstreamFacts {
        let history = head?.history ?? []
        let message = history.isEmpty ? nil : MessageFacts(history: history)
        return UpstreamFacts(
            status: status,
            statusAssumed: statusAssumed,
            url: url,
            mediaType: mediaType,
            charset: charset,
            contentCodings: contentCodings,
            bytes: bytes,
            decodedBytes: decodedBytes,
            xml: xml,
            head: UpstreamHead(fields, policy, message: message)
        )
    }
}
