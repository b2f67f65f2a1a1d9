extension ResponseSerializer {
    /// Returns the memory that is reserved for serializing `content`, in addition to the content itself, in bytes: the
    /// reservation of the serializer that will decode it, which is determined from the first bytes, as the serializer
    /// determines it.
    package func memoryBytes(for content: Span<UInt8>, of response: UpstreamResponse) -> Int {
        kinds(for: content, declaredType(of: response))
            .map { $0.serializer.reservation.bytes(forContentBytes: content.count) }.max() ?? 0
    }

    /// Returns the serializers that may decode the content.
    private func kinds(for content: Span<UInt8>, _ type: DeclaredType) -> [SerializerKind] {
        switch options.serializer {
        case .auto, .one:
            let head = content.extracting(first: Self.maxProbedBytes)
            var named: SerializerKind?
            if case .one(let kind) = options.serializer { named = kind }
            if named == nil, type.serializer == nil || type.serializer == .xml, head.count < content.count,
                TextProbe(head).isUndetermined(by: head)
            {
                return SerializerKind.allCases
            }
            switch validator.decision(for: named, type, head) {
            case .decode(let kind): return [kind]
            // The end of the content, which is not read here, may show that it is XML.
            case .unacceptable(looksLike: .html): return named == .http ? [.http] : [.xml]
            // Nothing is decoded, except by `http`, which returns the raw content in addition to the error.
            case .unacceptable: return named == .http ? [.http] : []
            }
        case .compound(let components):
            // The choice of `auto` is not known before the preceding components have failed.
            return components.contains(nil) ? SerializerKind.allCases : components.compactMap(\.self)
        }
    }

    /// Returns whether decoding `content` takes at most ``maxShortInstructions``, so that an HTTP thread may do it.
    package func isShort(_ content: Span<UInt8>, of response: UpstreamResponse) -> Bool {
        inlineMemoryBytes(for: content, of: response) != nil
    }

    /// Returns the memory that may be granted to decode `content` on an HTTP thread, in bytes, inclusive; `nil` if the
    /// content is too long for that. What is written is bounded like what is read: four times the longest such content.
    package func inlineMemoryBytes(for content: Span<UInt8>, of response: UpstreamResponse) -> Int? {
        if content.count <= Self.minShortBytes {
            // A repair of each byte of XML takes longer than reading it.
            let repairsMuch = content.count > Self.minShortBytes / 2 && options.mayRepairXML
            return repairsMuch || content.mayDeclareEntities ? nil : Self.minInlineMemoryBytes
        }
        let type = declaredType(of: response)
        let kinds = kinds(for: content, type)
        // Content that no serializer decodes may be read completely to recognize its format.
        guard var maxBytes = kinds.map({ $0.serializer.maxInlineBytes(of: type, options) }).min(),
            content.count <= maxBytes
        else { return nil }
        for kind in kinds { maxBytes = min(maxBytes, kind.serializer.maxInlineBytes(of: content)) }
        if content.mayBeUTF16, kinds.contains(where: { $0.serializer.isText }) {
            maxBytes = min(maxBytes, Self.maxShortTranscodedBytes)
        }
        // Another thread reads images.
        if !options.parts.areWhole, kinds != [.image] {
            // Each pattern is compared with each name.
            maxBytes = min(maxBytes, Self.maxShortReducedBytes / max(1, options.parts.omitted.count))
        }
        guard content.count <= maxBytes else { return nil }
        return max(Self.minInlineMemoryBytes, min(4 * maxBytes, Self.maxInlineMemoryBytes))
    }

    /// Returns the length that encoded content may have on an HTTP thread after its codings are decoded, in bytes,
    /// inclusive. Decoding several codings takes as long as decoding half of the longest content.
    func maxInlineDecodedBytes(of response: UpstreamResponse) -> Int { min(maxInlineBytes(of: response), 64 << 10) }

    /// Returns the length of content that may be decoded on an HTTP thread, in bytes, inclusive. If the format depends
    /// on the content, this is the largest such length.
    private func maxInlineBytes(of response: UpstreamResponse) -> Int {
        let type = declaredType(of: response)
        switch options.serializer {
        case .auto, .one:
            var named: SerializerKind?
            if case .one(let kind) = options.serializer { named = kind }
            if case .decode(let kind) = validator.decision(for: named, type, Span()) {
                return kind.serializer.maxInlineBytes(of: type, options)
            }
        case .compound(let components):
            if !components.contains(nil) {
                let kinds = components.compactMap(\.self)
                return kinds.map { $0.serializer.maxInlineBytes(of: type, options) }.min() ?? Self.minShortBytes
            }
        }
        return SerializerKind.allCases.map { $0.serializer.maxInlineBytes(of: type, options) }.max()
            ?? Self.minShortBytes
    }

    /// The minimum of these lengths, in bytes. The worst content of any kind up to it is decoded in time, unless it
    /// declares entities, or is XML above half of it that may be repaired.
    static let minShortBytes = 1 << 10

    /// The maximum of these lengths for text that is not UTF-8, and for several JSON values, in bytes.
    static let maxShortTranscodedBytes = 12 << 10

    /// The maximum of these lengths for content of whose value a part is selected or left out, in bytes. Several
    /// patterns divide it.
    static let maxShortReducedBytes = 8 << 10

    /// The memory that may be granted for such content, in bytes, inclusive.
    private static let minInlineMemoryBytes = 32 << 10

    /// The maximum of this memory, in bytes.
    private static let maxInlineMemoryBytes = 512 << 10

    /// The maximum number of instructions of a step on an HTTP thread, about a millisecond, without those of receiving
    /// and sending.
    static let maxShortInstructions = 2_800_000

    /// The number of bytes from which the format is determined.
    private static let maxProbedBytes = 4 << 10
}

extension SerializationOptions {
    /// Whether XML may be repaired: the caller or the serializer permits it.
    fileprivate var mayRepairXML: Bool {
        guard leniencies.isDisjoint(with: .xmlText) else { return true }
        return switch serializer {
        case .auto: false
        case .one(let kind): kind == .feed
        case .compound(let kinds): kinds.contains(.feed)
        }
    }
}

extension Span<UInt8> {
    /// Whether the content may be XML that declares entities or default values. The library creates a parser for each
    /// use of an entity, and 500 bytes can contain thousands of uses. JSON, which begins with a bracket, is not
    /// searched.
    fileprivate var mayDeclareEntities: Bool {
        guard count > 3, self[0] != UInt8(ascii: "{"), self[0] != UInt8(ascii: "[") else { return false }
        return mayBeUTF16 || declarations > 0
    }

    /// Whether the content may be UTF-16 or UTF-32: it begins with a mark, or one of the first two bytes is 0.
    fileprivate var mayBeUTF16: Bool {
        guard count > 1 else { return false }
        return self[0] == 0xFE && self[1] == 0xFF || self[0] == 0xFF && self[1] == 0xFE || self[0] == 0 || self[1] == 0
    }
}
