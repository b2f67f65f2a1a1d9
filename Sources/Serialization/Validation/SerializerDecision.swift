/// The result of validating the content of one response.
enum SerializerDecision: Equatable {
    /// The type is acceptable, and this serializer reads it.
    case decode(SerializerKind)
    /// The content is not acceptable (−1016). `looksLike` is `nil` if the content is not recognized.
    case unacceptable(looksLike: ContentSignature?)
}

extension ResponseValidator {
    /// Decides by the type, and by the content only if the type is not specific.
    /// - Parameters:
    ///   - kind: The serializer that was chosen by name, or `nil` to let the type choose (`auto`).
    ///   - content: Content that is not empty according to ``isEmpty(_:of:for:)``.
    func decision(for kind: SerializerKind?, _ type: DeclaredType, _ content: Span<UInt8>) -> SerializerDecision {
        switch (options.rules, kind) {
        case (.decant, nil): automatic(type, content)
        case (.decant, let kind?): named(kind, type, content)
        // AFNetworking has no `auto`; its profile's serializer is `json`.
        case (.afnetworking, let kind): exact(kind ?? .json, type, content)
        }
    }

    /// Returns the signature of the content, with the leniencies of the options.
    private func signature(of content: Span<UInt8>, _ type: DeclaredType? = nil) -> ContentSignature? {
        ContentSignature(of: content, leniencies: options.leniencies, isDeclaredHTML: type?.essence == "text/html")
    }

    // MARK: A serializer chosen by name

    private func named(_ kind: SerializerKind, _ type: DeclaredType, _ content: Span<UInt8>) -> SerializerDecision {
        guard let mediaType = type.mediaType else {
            // There is no type: if the caller gave a list, the content has to look like one of its types.
            guard let listed = options.acceptableMediaTypes else { return .decode(kind) }
            return unlabelled(content, in: listed) { _ in .decode(kind) }
        }
        let acceptable = options.acceptableMediaTypes ?? kind.acceptableMediaTypes(under: .decant)
        guard acceptable.accepts(mediaType) else { return .unacceptable(looksLike: signature(of: content, type)) }
        return .decode(kind)
    }

    private func exact(_ kind: SerializerKind, _ type: DeclaredType, _ content: Span<UInt8>) -> SerializerDecision {
        let acceptable = options.acceptableMediaTypes ?? kind.acceptableMediaTypes(under: .afnetworking)
        let isAccepted = type.essence.map { acceptable.accepts(letterByLetter: $0) } ?? acceptable.acceptsAny
        // Empty content has no wrong type; `http` makes a value of it.
        return isAccepted || content.isEmpty ? .decode(kind) : .unacceptable(looksLike: signature(of: content, type))
    }

    // MARK: The serializer that the type calls for

    private func automatic(_ type: DeclaredType, _ content: Span<UInt8>) -> SerializerDecision {
        guard let mediaType = type.mediaType else {
            return unlabelled(content, in: options.acceptableMediaTypes ?? .any, then: Self.byLook)
        }
        if let listed = options.acceptableMediaTypes, !listed.accepts(mediaType) {
            return .unacceptable(looksLike: signature(of: content, type))
        }
        if let kind = type.serializer { return kind.serializer.decision(for: content) }
        let looksLike = signature(of: content, type)
        // The caller may accept a type that no serializer knows. The content then decides.
        guard let looksLike, mediaType.isUndecided || options.acceptableMediaTypes != nil else {
            return .unacceptable(looksLike: looksLike)
        }
        return Self.byLook(looksLike)
    }

    private static func byLook(_ looksLike: ContentSignature) -> SerializerDecision {
        looksLike.serializer.map { .decode($0) } ?? .unacceptable(looksLike: looksLike)
    }

    // MARK: No type at all

    /// Decides for content without a type, by its signature.
    private func unlabelled(
        _ content: Span<UInt8>,
        in acceptable: MediaTypeSet,
        then decide: (ContentSignature) -> SerializerDecision
    ) -> SerializerDecision {
        let looksLike = signature(of: content)
        guard let looksLike, acceptable.accepts(MediaType(essence: looksLike.mediaType)) else {
            return .unacceptable(looksLike: looksLike)
        }
        return decide(looksLike)
    }
}
