enum JSONSerializer: ContentSerializer {
    static var summary: String { "JSON (RFC 8259) in UTF-8, or in UTF-16 or UTF-32 if the content indicates it." }

    // MARK: Selection

    /// Suffixes: RFC 6839 §3.1 (`+json`), RFC 8091 (`+json-seq`).
    static let selectingTypes = SelectingTypes(
        names: [
            "application/json", "text/json", "application/x-json", "text/x-json", "application/json-rpc",
            "application/jsonrequest", "application/x-amz-json-1.0", "application/x-amz-json-1.1",
        ]
            + MediaType.javaScript + MediaType.records,
        suffixes: ["json", "json-seq"]
    )

    static let mediaTypes = selectingTypes.orUndecided

    /// `AFJSONResponseSerializer.init`, AFURLResponseSerialization.m of 4.0.
    static let afnetworkingMediaTypes = MediaTypeSet(types: [
        "application/json", "text/json", "text/javascript",
    ])

    static var signatures: [ContentSignature] { [.json] }

    static func decision(for content: Span<UInt8>) -> SerializerDecision { .decode(.json) }

    static func proposedType(for content: Span<UInt8>) -> String? { nil }

    static func contradicts(_ signature: ContentSignature, _ type: MediaType) -> Bool { signature != .json }

    static func disproves(_ signature: ContentSignature, _ type: MediaType) -> Bool { signature != .json }

    static func emptyContent(under rules: RuleSet) -> EmptyContent {
        switch rules {
        case .decant: .whiteSpace
        case .afnetworking: .oneSpace
        }
    }

    // MARK: Bounds

    static var isText: Bool { true }

    static func maxInlineBytes(of type: DeclaredType, _ options: SerializationOptions) -> Int {
        let isCopied =
            options.keys == .sorted || options.canonical
            || !options.leniencies.isDisjoint(with: .jsonText)
        if isCopied || options.surrogates == .replace { return ResponseSerializer.minShortBytes }
        let isTranscoded =
            options.readsRecords(of: type) || options.leniencies.contains(.declaredCharset)
            || type.charset.map { $0 != "utf-8" } ?? false
        return isTranscoded ? ResponseSerializer.maxShortTranscodedBytes : 128 << 10
    }

    static func maxInlineBytes(of content: Span<UInt8>) -> Int {
        content.jsonInstructions > ResponseSerializer.maxShortInstructions ? 0 : .max
    }

    static var reservation: Reservation { .init(perByte: 1.5, constantBytes: 512 << 10) }

    // MARK: Reading

    static func read(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        _ context: ResponseSerializer,
        _ reader: (any ImageReader)?,
        into writer: inout JSONWriter
    ) throws(SerializationError) -> DecodedFacts {
        let start = writer.buffer.count
        var reader = JSONReader(
            options: context.options.jsonOptions(for: message.type, limits: context.limits),
            memory: message.memory,
            omitting: context.options.namesOmittedWhileReading
        )
        do {
            let summary = try reader.read(
                content,
                charset: message.charset(under: context.options.rules),
                into: &writer,
                warnings: &message.warnings
            )
            message.charset = summary.encoding
            // Of the members, `data` may have been null. Only a text in UTF-8 can be searched as it was received.
            if summary.nullsDropped > 0, context.options.nulls == nil,
                content.isGraphQLResponse
                    || writer.buffer.withBytes({ $0.extracting(droppingFirst: start).isGraphQLResponse })
            {
                message.warnings.append(Warning(.graphQLNulls))
            }
            return DecodedFacts(nullsDropped: summary.nullsDropped, omitted: reader.omittedCount)
        } catch { throw message.rejection(of: content, error) }
    }
}

extension SerializationOptions {
    /// The patterns of members that the kernel leaves out; `nil` if the parts are found in the whole value.
    fileprivate var namesOmittedWhileReading: JSONOmittedNames? {
        // The length of the whole value is not known if its members are sorted. A selected `*` is a name.
        guard !parts.omitted.isEmpty, !parts.selected.tokens.contains(where: \.isWildcard), duplicates != .keep,
            keys == .source, !canonical
        else { return nil }
        return JSONOmittedNames(parts.omittedOfSelected.map { $0.beginning(with: parts.selected) })
    }
}

extension Span<UInt8> {
    /// Whether valid JSON is an object with the members `data` and `errors`, as a response of GraphQL is (GraphQL,
    /// October 2021, §7.1).
    fileprivate var isGraphQLResponse: Bool {
        var cursor = JSONCursor(at: hasText("\u{FEFF}", at: 0) ? 3 : 0)
        guard cursor.peek(in: self) == UInt8(ascii: "{") else { return false }
        cursor.offset += 1
        _ = cursor.peek(in: self)
        // Nearly all other objects begin with another member.
        guard
            hasText(#""data""#, at: cursor.offset) || hasText(#""errors""#, at: cursor.offset)
                || hasText(#""extensions""#, at: cursor.offset)
        else { return false }
        var (depth, index, hasData, hasErrors) = (1, cursor.offset, false, false)
        while index < count {
            switch self[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                let start = index
                index += 1
                while index < count, self[index] != UInt8(ascii: "\"") {
                    index += self[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                guard depth == 1 else { break }
                cursor.offset = index + 1
                guard cursor.peek(in: self) == UInt8(ascii: ":") else { break }
                hasData = hasData || hasText(#""data""#, at: start)
                hasErrors = hasErrors || hasText(#""errors""#, at: start)
            default: break
            }
            index += 1
        }
        return hasData && hasErrors
    }
}

extension MediaType {
    /// The type with which a function call around JSON is removed, whatever its label is (RFC 9239 §6).
    package static let functionCall = "text/javascript"

    /// Whether the type is used for scripts, and therefore also for JSONP.
    var isJavaScript: Bool { Self.javaScript.contains(essence) }

    /// The way in which content of this type separates several JSON values. `nil` if it is a single value.
    var recordFormat: JSONReader.RecordFormat? {
        guard serializer == .json else { return nil }
        if essence == "application/json-seq" || suffix == "json-seq" { return .sequence }
        return Self.records.contains(essence) ? .lines : nil
    }

    /// RFC 9239 §6, and the legacy names that the WHATWG MIME Sniffing Standard lists.
    fileprivate static let javaScript = [
        "text/javascript", "application/javascript", "application/x-javascript", "application/ecmascript",
        "application/x-ecmascript", "text/ecmascript", "text/x-ecmascript", "text/x-javascript", "text/jscript",
        "text/livescript", "text/javascript1.0", "text/javascript1.1", "text/javascript1.2", "text/javascript1.3",
        "text/javascript1.4", "text/javascript1.5",
    ]

    /// The NDJSON family. `application/json-seq` is registered by RFC 7464; the others are not registered.
    fileprivate static let records = [
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl",
        "application/jsonlines", "application/x-jsonlines", "application/json-seq",
    ]
}
