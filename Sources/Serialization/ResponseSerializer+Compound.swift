// A compound tries its components in order. The first component that returns a value is used, also if the status was
// rejected.
//
// If no component returns a value, the result depends on the rules:
// · `default`: if a component found the response empty, the first such component is used. Otherwise the compound fails
//   with the errors of the component that got furthest: one that failed to decode, rather than one that rejected the
//   status, rather than one that rejected the type; among equals, the first.
// · `afnetworking`: the value is the raw content, which is validated as `http` validates it, with a warning.
//
// AFNetworking discards the errors of the components. Here each failure contains them as attempts, in order.

extension ResponseSerializer {
    func serialize(
        _ response: UpstreamResponse,
        _ content: Span<UInt8>?,
        withFirstOf components: [SerializerKind?],
        _ reader: (any ImageReader)?,
        _ memory: any MemoryGrant,
        after tried: CompoundProgress
    ) throws(SerializationFailure) -> Answer {
        var progress = tried
        for (index, kind) in components.enumerated().dropFirst(tried.count) {
            do {
                let answer = try serialize(received(response, content, memory), content, with: kind, reader)
                if answer.outcome == .value || answer.lacksPart { return answer }
                progress.firstEmpty = progress.firstEmpty ?? index
            } catch {
                // The component needs memory or a reader first, so the next one must not be tried.
                if error.isOutOfMemory { throw error }
                if error.isDeferred { throw error.after(progress) }
                progress.failures.append((kind, error))
                // A value without the selected part is the first value.
                if error.value != nil || error.lacksPart { throw error.with(attempts: progress.failures) }
            }
            progress.count += 1
        }
        let failures = progress.failures

        switch options.rules {
        case .afnetworking:
            var message = received(response, content, memory)
            if content != nil { message.warnings.append(Warning(.rawFallback)) }
            do {
                return try serialize(message, content, with: .http, reader)
            } catch { throw error.with(attempts: failures) }
        case .decant:
            if let firstEmpty = progress.firstEmpty {
                let kind = components[firstEmpty]
                return try serialize(received(response, content, memory), content, with: kind, reader)
            }
            guard let furthest = failures.map(\.failure).firstFurthest else {
                preconditionFailure("a compound has at least one component")
            }
            throw furthest.with(attempts: failures)
        }
    }
}

/// The components of a compound that were tried before one that must read an image.
struct CompoundProgress: Sendable {
    var count = 0
    var failures: [(serializer: SerializerKind?, failure: SerializationFailure)] = []
    /// The index of the first component that found the response empty.
    var firstEmpty: Int?
}

extension SerializationFailure {
    fileprivate func after(_ progress: CompoundProgress) -> SerializationFailure {
        var failure = self
        failure.tried = progress
        return failure
    }

    fileprivate func with(
        attempts: [(serializer: SerializerKind?, failure: SerializationFailure)]
    ) -> SerializationFailure {
        var failure = self
        failure.attempts = attempts.map { ($0.serializer, $0.failure.chain) }
        return failure
    }

    /// Whether the serialization failed because of memory, and not because of the content.
    fileprivate var isOutOfMemory: Bool { chain.contains(.outOfMemory) }

    /// The step at which a component failed: 0 for the type, 1 for the status, 2 for decoding.
    fileprivate var progress: Int {
        if chain.contains(where: \.isTypeRejection) { return 0 }
        return chain.allSatisfy(\.isStatusRejection) ? 1 : 2
    }
}

extension [SerializationFailure] {
    fileprivate var firstFurthest: SerializationFailure? {
        let furthest = map(\.progress).max()
        return first { $0.progress == furthest }
    }
}
