/// What is known of a response while it is serialized; begins with what its head says.
struct ReceivedMessage: Sendable {
    let response: UpstreamResponse
    let type: DeclaredType
    var facts: UpstreamFacts
    var warnings: WarningList

    init(_ response: UpstreamResponse, contentBytes: Int?, options: SerializationOptions, limits: Limits) {
        self.response = response
        warnings = WarningList(max: limits.maxWarnings)
        type = DeclaredType(of: response, options: options, warnings: &warnings)
        facts = UpstreamFacts(status: response.status, statusAssumed: response.statusAssumed, url: response.url)
        facts.mediaType = type.essence?.excerpt
        facts.bytes = contentBytes
    }

    /// Warns where the content cannot be what its type says.
    mutating func warnOfMismatch(_ content: Span<UInt8>) {
        guard let declared = type.mediaType, let looksLike = ContentSignature(of: content),
            looksLike.contradicts(declared)
        else { return }
        let mismatch = Warning.Kind.contentMismatch(declared: declared.essence, looksLike: looksLike.mediaType)
        warnings.append(Warning(mismatch))
    }

    func emptyAnswer(with kind: SerializerKind, view: AnswerView) -> Answer {
        Answer(emptyWith: kind, view: view, upstream: facts, warnings: warnings.warnings)
    }

    func failure(_ refusals: RefusalChain, value: [UInt8]? = nil) -> SerializationFailure {
        var failure = SerializationFailure(refusals.errors, upstream: facts)
        failure.warnings = warnings.warnings
        failure.value = value
        return failure
    }
}

extension HeaderFields {
    /// The first content coding that changes content. `identity` is none (RFC 9110 §12.5.3).
    var refusedCoding: SerializationError? {
        for field in fields where field.name.equalsIgnoringASCIICase("content-encoding") {
            for coding in field.value.split(separator: ",") {
                let bytes = coding.utf8.span
                let name = bytes.lowercasedText(bytes.trimmingBlanks(0..<bytes.count))
                if !name.isEmpty, name != "identity" { return .unsupportedContentCoding(name.excerpt) }
            }
        }
        return nil
    }
}
