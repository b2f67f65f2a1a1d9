extension UpstreamFacts {
    /// The facts without the fields and the preceding responses.
    package var withoutHead: UpstreamFacts {
        UpstreamFacts(
            status: status,
            statusAssumed: statusAssumed,
            url: url,
            representation: representation,
            content: content
        )
    }

    /// Returns the facts after the response was validated, or as another request reached it. What was learned from the
    /// content stays.
    /// - Parameters:
    ///   - fields: all header fields of the response.
    ///   - policy: the fields that are reported.
    ///   - url: the URL that responded.
    ///   - history: the preceding responses.
    package func replacing(
        _ fields: HeaderFields,
        _ policy: UpstreamHeaderPolicy,
        url: String?,
        history: [PrecedingResponse]
    ) -> UpstreamFacts {
        let message = history.isEmpty ? nil : MessageFacts(history: history)
        return UpstreamFacts(
            status: status,
            statusAssumed: statusAssumed,
            url: url,
            representation: representation,
            content: content,
            head: UpstreamHead(fields, policy, message: message)
        )
    }
}
