extension ResponseSerializer {
    /// Returns the memory that is reserved for serializing `content`, in addition to the content itself, in bytes: the
    /// row of its format in ``WorkingMemory``, a response as long as the content, and for XML an amount that depends on
    /// the number of elements.
    ///
    /// It is a single number, so that of several contents that do not fit together the first ones succeed. The format
    /// is that of the serializer that will decode the content. It is determined from the first bytes, as the serializer
    /// determines it.
    package func memoryBytes(for content: Span<UInt8>, of response: UpstreamResponse) -> Int {
        kinds(for: content, of: response)
            .map { memoryBytes(for: content, decodedAs: $0) }.max() ?? 0
    }

    /// Returns the serializers that may decode the content.
    private func kinds(for content: Span<UInt8>, of response: UpstreamResponse) -> [SerializerKind] {
        switch options.serializer {
        case .auto, .one:
            let head = content.extracting(..<min(content.count, Self.maxProbedBytes))
            let type = declaredType(of: response)
            var named: SerializerKind?
            if case .one(let kind) = options.serializer { named = kind }
            switch validator.decision(for: named, type, head) {
            case .decode(let kind): return [kind]
            // The end of the content, which is not read here, may show that it is XML.
            case .unacceptable(looksLike: .html): return named == .http ? [.http] : [.xml]
            // Nothing is decoded, except by `http`, which returns the raw content in addition to the error.
            case .unacceptable: return named == .http ? [.http] : []
            }
        case .compound(let components):
            // The choice of `auto` is not known before the preceding components have failed.
            return components.contains(.auto) ? SerializerKind.allCases : components.compactMap(\.kind)
        }
    }

    /// Returns whether decoding `content` takes at most about a millisecond, so that an HTTP thread may do it.
    package func isShort(_ content: Span<UInt8>, of response: UpstreamResponse) -> Bool {
        inlineMemoryBytes(for: content, of: response) != nil
    }

    /// Returns the memory that may be granted to decode `content` on an HTTP thread, in bytes, inclusive; `nil` if the content is too long
    /// for that. What is written is bounded like what is read: four times the longest such content.
    package func inlineMemoryBytes(for content: Span<UInt8>, of response: UpstreamResponse) -> Int? {
        if content.count > Self.maxShortBytesWithEntities, content.mayDeclareEntities { return nil }
        if content.count <= Self.minShortBytes { return 4 * Self.minShortBytes }
        // Content that no serializer decodes may be read completely to recognize its format.
        let kinds = kinds(for: content, of: response)
        guard let maxBytes = kinds.map({ maxShortBytes(of: $0) }).min(), content.count <= maxBytes else { return nil }
        if kinds.contains(.json), content.jsonInstructions > Self.maxShortInstructions { return nil }
        let isMarkup = kinds.contains { $0 == .xml || $0 == .xmlDocument }
        if isMarkup, content.markupWeight > Self.maxShortMarkupWeight { return nil }
        return 4 * maxBytes
    }

    /// Returns the length of content, after its codings are undone, that is decoded in about a millisecond, in bytes,
    /// inclusive. If the format depends on the content, this is the largest such length.
    func maxInlineBytes(of response: UpstreamResponse) -> Int {
        switch options.serializer {
        case .auto, .one:
            var named: SerializerKind?
            if case .one(let kind) = options.serializer { named = kind }
            if case .decode(let kind) = validator.decision(for: named, declaredType(of: response), Span()) {
                return maxShortBytes(of: kind)
            }
        case .compound(let components):
            if !components.contains(.auto) {
                return components.compactMap(\.kind).map { maxShortBytes(of: $0) }.min() ?? Self.minShortBytes
            }
        }
        return SerializerKind.allCases.map { maxShortBytes(of: $0) }.max() ?? Self.minShortBytes
    }

    /// Returns the length of content of this kind that is decoded in about a millisecond (`Benchmarks/README.md`), in
    /// bytes, inclusive.
    private func maxShortBytes(of kind: SerializerKind) -> Int {
        switch kind {
        case .image: 256 << 10
        case .http: 128 << 10
        case .json:
            WorkingMemory.row(of: .json, options) == .json ? 128 << 10 : Self.minShortBytes
        case .xml, .xmlDocument: 64 << 10
        case .plist: Self.minShortBytes
        }
    }

    /// The maximum of these lengths for XML that can declare entities and defaults, in bytes. The library creates a parser
    /// for each use of an entity.
    private static let maxShortBytesWithEntities = 4 << 10

    /// The maximum weight of XML that is decoded in about a millisecond, inclusive. An element with a name of its own costs half a
    /// microsecond, an attribute a fifth. Ordinary feeds have a weight of about 120 per KiB.
    private static let maxShortMarkupWeight = 4096

    /// The minimum of these lengths for other content, in bytes. Content of any kind up to it is decoded in time.
    package static let minShortBytes = 8 << 10

    /// The maximum number of instructions of a step on an HTTP thread, about a millisecond, without those of receiving and sending.
    private static let maxShortInstructions = 2_800_000

    private func memoryBytes(for content: Span<UInt8>, decodedAs kind: SerializerKind) -> Int {
        guard let row = WorkingMemory.row(of: kind, options) else { return Self.imageBytes }
        let workingBytes = row.bytes(forContentBytes: content.count)
        let markupBytes =
            kind == .plist
            ? content.startTags * PropertyListBuilder.bytesPerObject : markupResponseBytes(of: content, kind)
        let responseBytes = responseBytes(forContentBytes: content.count, kind) + markupBytes
        let (bytes, overflow) = workingBytes.addingReportingOverflow(responseBytes)
        return overflow ? .max : bytes
    }

    /// Returns the number of bytes by which the response to markup usually exceeds the content.
    func markupResponseBytes(of content: Span<UInt8>, _ kind: SerializerKind) -> Int {
        switch kind {
        // "#text":[…], and quotes.
        case .xml: content.textRuns * 9
        // {"name":…,"children":[…]},
        case .xmlDocument: content.startTags * 20
        case .http, .json, .plist, .image: 0
        }
    }

    /// Returns the length of a response that needs no grant, in bytes.
    func responseBytes(forContentBytes count: Int, _ kind: SerializerKind) -> Int {
        // The length of an image's response does not depend on the length of its content.
        (kind == .image ? Self.imageBytes : count) + Self.frameBytes
    }

    /// The usual length of the envelope of an answer without warnings, in bytes.
    private static let frameBytes = 512

    /// The usual length of an image's facts, in bytes.
    private static let imageBytes = 2048

    /// The number of bytes from which the format is determined.
    private static let maxProbedBytes = 4 << 10
}

extension Span<UInt8> {
    /// Whether the content may be XML with a document type declaration. JSON, which begins with a bracket, is not searched,
    /// and neither is content that is too long for XML on an HTTP thread.
    fileprivate var mayDeclareEntities: Bool {
        guard count > 3, count <= 64 << 10, self[0] != UInt8(ascii: "{"), self[0] != UInt8(ascii: "[") else {
            return false
        }
        // Every second byte of UTF-16 is 0, and more of UTF-32.
        if self[0] == 0xFE && self[1] == 0xFF || self[0] == 0xFF && self[1] == 0xFE { return true }
        if self[0] == 0 && self[1] == UInt8(ascii: "<") || self[0] == UInt8(ascii: "<") && self[1] == 0 { return true }
        for index in 2..<count where self[index] == UInt8(ascii: "D") {
            if self[index - 1] == UInt8(ascii: "!"), self[index - 2] == UInt8(ascii: "<") { return true }
        }
        return false
    }
}
