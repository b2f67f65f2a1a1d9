// A compound tries its components in order; the first that gives a value wins, even if beside a refused status.
//
// When none does:
// · `default`: the first component that found the response empty decides; else the compound fails, with the chain of the
//   component that came furthest (one that decoded, before one that refused the status, before one that refused the
//   type; of equals the first, since the caller named it first).
// · `afnetworking`: the raw content stands in, validated by the options alone, as `http` does it; a warning says so.
//
// AFNetworking forgets what its components said. Here every failure carries it as attempts, in the order tried.

extension ResponseSerializer {
    func serialize(
        _ response: UpstreamResponse,
        _ content: Span<UInt8>?,
        withFirstOf components: [SerializerChoice.Component],
        _ renderer: (any ImageRenderer)?,
        _ memory: (any MemoryGrant)?
    ) throws(SerializationFailure) -> Answer {
        var failures: [(serializer: SerializerChoice.Component, failure: SerializationFailure)] = []
        var firstEmpty: SerializerChoice.Component?
        for component in components {
            do {
                let answer = try serialize(received(response, content, memory), content, with: component.kind, renderer)
                if answer.outcome == .value { return answer }
                firstEmpty = firstEmpty ?? component
            } catch {
                // Nothing is decided as long as the pixels are not there.
                if error.isDeferred || error.isOutOfMemory { throw error }
                failures.append((component, error))
                if error.value != nil { throw error.with(attempts: failures) }
            }
        }

        switch options.rules {
        case .afnetworking:
            var message = received(response, content, memory)
            if content != nil { message.warnings.append(Warning(.rawFallback)) }
            do {
                return try serialize(message, content, with: .http, renderer)
            } catch {
                throw error.with(attempts: failures)
            }
        case .decant:
            if let firstEmpty {
                return try serialize(received(response, content, memory), content, with: firstEmpty.kind, renderer)
            }
            guard let furthest = failures.map(\.failure).firstFurthest else {
                preconditionFailure("a compound has at least one component")
            }
            throw furthest.with(attempts: failures)
        }
    }
}

extension SerializationFailure {
    fileprivate func with(
        attempts: [(serializer: SerializerChoice.Component, failure: SerializationFailure)]
    ) -> SerializationFailure {
        var failure = self
        failure.attempts = attempts.map { ($0.serializer, $0.failure.chain) }
        return failure
    }

    /// Whether the serialization failed because of memory, and not because of the content.
    fileprivate var isOutOfMemory: Bool { chain.contains(.outOfMemory) }

    /// How far a component came before it failed.
    fileprivate var progress: Int {
        if chain.contains(where: \.isTypeRefusal) { return 0 }
        return chain.allSatisfy(\.isStatusRefusal) ? 1 : 2
    }
}

extension [SerializationFailure] {
    fileprivate var firstFurthest: SerializationFailure? {
        let furthest = map(\.progress).max()
        return first { $0.progress == furthest }
    }
}
