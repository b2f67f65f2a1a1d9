extension ResponseSerializer {
    /// Returns the memory that serializing `content` may take besides the content itself, in bytes: the working memory of the worst
    /// document of its format, and the response.
    ///
    /// The format is that of the serializer which will decode the content. It is determined from the first bytes, as the serializer
    /// determines it.
    package func memoryBytes(for content: Span<UInt8>, of response: UpstreamResponse) -> Int {
        let kinds: [SerializerKind]
        switch options.serializer {
        case .auto, .one:
            let head = content.extracting(..<min(content.count, Self.maxProbedBytes))
            let type = received(response, content).type
            var named: SerializerKind?
            if case .one(let kind) = options.serializer { named = kind }
            switch validator.decision(for: named, type, head) {
            case .decode(let kind): kinds = [kind]
            // Its end, which is not looked at here, may show that it is XML.
            case .unacceptable(looksLike: .html): kinds = named == .http ? [.http] : [.xml]
            // Nothing is decoded but by `http`, which gives the raw content beside the error.
            case .unacceptable: kinds = named == .http ? [.http] : []
            }
        case .compound(let components):
            // What `auto` chooses is not known before the components before it have failed.
            kinds = components.contains(.auto) ? SerializerKind.allCases : components.compactMap(\.kind)
        }
        return kinds.map { memoryBytes(forContentBytes: content.count, decodedAs: $0) }.max() ?? 0
    }

    private func memoryBytes(forContentBytes count: Int, decodedAs kind: SerializerKind) -> Int {
        let factors = factors(of: kind)
        let working = count.multipliedReportingOverflow(by: factors.working)
        let response = count.multipliedReportingOverflow(by: factors.response)
        guard !working.overflow, !response.overflow else { return .max }
        // Sixteenths.
        return working.partialValue / 16 + min(response.partialValue / 16, limits.maxOutputBytes)
    }

    /// Bytes per byte of content, in sixteenths. The working memory of XML is that of the worst documents that `Tests/Fuzz/xml-memory`
    /// has; that of JSON, sorted JSON and property lists was measured with the documents of `scripts/memory-faults`.
    private func factors(of kind: SerializerKind) -> (working: Int, response: Int) {
        switch kind {
        case .http: (8, 40)
        case .json: options.keys == .source && !options.canonical ? (24, 16) : (96, 16)
        case .xml: (56, 40)
        case .xmlDocument: (56, 128)
        case .plist: (144, 40)
        // Pixels are the workers' business.
        case .image: (1, 1)
        }
    }

    /// The number of bytes from which the format is determined.
    private static let maxProbedBytes = 4 << 10
}
