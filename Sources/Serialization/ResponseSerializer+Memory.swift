extension ResponseSerializer {
    /// Returns the memory that is reserved for serializing `content` besides the content itself, in bytes: the row of its format in
    /// ``WorkingMemory``, a response that is as long as the content, and in XML what depends on the number of elements.
    ///
    /// It is one number, so that of several contents that do not fit together the first ones succeed. The format is that of the serializer
    /// which will decode the content. It is determined from the first bytes, as the serializer determines it.
    package func memoryBytes(for content: Span<UInt8>, of response: UpstreamResponse) -> Int {
        kinds(for: content, of: response)
            .map { memoryBytes(for: content, decodedAs: $0) }.max() ?? 0
    }

    /// The serializers that may decode the content.
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
            // Nothing is decoded but by `http`, which gives the raw content beside the error.
            case .unacceptable: return named == .http ? [.http] : []
            }
        case .compound(let components):
            // What `auto` chooses is not known before the components before it have failed.
            return components.contains(.auto) ? SerializerKind.allCases : components.compactMap(\.kind)
        }
    }

    /// Returns whether `content` is decoded in about a millisecond at most, so that a thread with other connections may do it.
    package func isShort(_ content: Span<UInt8>, of response: UpstreamResponse) -> Bool {
        if content.count <= Self.minShortBytes { return true }
        let kinds = kinds(for: content, of: response)
        // What no serializer decodes may be read as a whole, to find out what it is.
        return !kinds.isEmpty && kinds.allSatisfy { content.count <= maxShortBytes(of: $0) }
    }

    /// The content after its codings are undone that is decoded in about a millisecond, in bytes, inclusive; the largest such bound if the
    /// format depends on the content.
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

    /// The content of each kind that is decoded in about a millisecond (`Benchmarks/README.md`), in bytes, inclusive.
    private func maxShortBytes(of kind: SerializerKind) -> Int {
        switch kind {
        case .image: 256 << 10
        case .http: 128 << 10
        case .json:
            switch WorkingMemory.row(of: .json, options) {
            case .json: 256 << 10
            case .lenientJSON where !options.canonical: 64 << 10
            default: Self.minShortBytes
            }
        case .xml, .xmlDocument: 64 << 10
        case .plist: Self.minShortBytes
        }
    }

    /// The lowest of these, in bytes. Each kind is decoded in time up to it.
    private static let minShortBytes = 32 << 10

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

    /// The bytes by which the response to markup is usually longer than the content.
    func markupResponseBytes(of content: Span<UInt8>, _ kind: SerializerKind) -> Int {
        switch kind {
        // "#text":[…], and quotes.
        case .xml: content.textRuns * 9
        // {"name":…,"children":[…]},
        case .xmlDocument: content.startTags * 20
        case .http, .json, .plist, .image: 0
        }
    }

    /// The length of a response that needs no grant, in bytes.
    func responseBytes(forContentBytes count: Int, _ kind: SerializerKind) -> Int {
        // What is said of an image has nothing to do with its length.
        (kind == .image ? Self.imageBytes : count) + Self.frameBytes
    }

    /// Room that the frame of an answer without warnings usually takes.
    private static let frameBytes = 512

    /// Room that an image's facts usually take.
    private static let imageBytes = 2048

    /// The number of bytes from which the format is determined.
    private static let maxProbedBytes = 4 << 10
}
