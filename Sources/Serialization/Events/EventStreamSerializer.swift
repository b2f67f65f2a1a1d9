enum EventStreamSerializer: TextFormatSerializer {
    static var summary: String { "Finished event streams (text/event-stream) as an array of events." }

    // MARK: Selection

    static let selectingTypes = SelectingTypes(names: [MediaType.eventStream])

    static let mediaTypes = selectingTypes.orUndecided

    /// Errors of a service that streams often have the type of the stream. Line ends before them are no events.
    static func decision(for content: Span<UInt8>) -> SerializerDecision {
        let start = content.hasText("\u{FEFF}", at: 0) ? 3 : 0
        let first = (start..<content.count).first { content[$0] != 0x0A && content[$0] != 0x0D }
        guard let first, !content[first].mayBeginStream, let looksLike = ContentSignature(of: content) else {
            return .decode(.events)
        }
        return .unacceptable(looksLike: looksLike)
    }

    static func proposedType(for content: Span<UInt8>) -> String? {
        content.resemblesEventStream ? MediaType.eventStream : nil
    }

    // MARK: Bounds

    static func maxInlineBytes(of type: DeclaredType, _ options: SerializationOptions) -> Int {
        let isCopied = options.eventsData == .json || type.charset.map { $0 != "utf-8" } ?? false
        return isCopied ? ResponseSerializer.minShortBytes : 8 << 10
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
        guard content.count <= EventStreamReader.maxBytes else {
            throw .contentTooLong(max: EventStreamReader.maxBytes)
        }
        do {
            let summary = try EventStreamReader.read(
                content,
                options: context.options.eventOptions(for: message.type, context.limits, message.memory),
                charset: message.charset(under: context.options.rules),
                into: &writer,
                warnings: &message.warnings
            )
            message.charset = summary.charset
            message.contentFacts = .events(summary.facts)
            return DecodedFacts(nullsDropped: summary.nullsDropped)
        } catch {
            message.acceptsTruncated = error.reason == .unfinished(hasEvents: true)
            throw message.rejection(of: content, error)
        }
    }
}

extension SerializationOptions {
    /// Returns the options for the reader of event streams.
    fileprivate func eventOptions(
        for type: DeclaredType,
        _ limits: Limits,
        _ memory: any MemoryGrant
    ) -> EventStreamReader.Options {
        var options = EventStreamReader.Options(memory: memory)
        options.data = eventsData
        options.truncated = truncated
        options.leniencies = leniencies
        options.limits = limits
        options.json = jsonOptions(for: type, limits: limits)
        // Data is one value, and its text is UTF-8.
        options.json.records = nil
        options.json.leniencies.remove(.declaredCharset)
        options.json.prefixes = .reject
        options.json.describesErrors = false
        return options
    }
}

extension MediaType {
    static let eventStream = "text/event-stream"
}

extension UInt8 {
    /// Whether the first line of an event stream usually begins with this byte: a letter of a field, or a colon.
    fileprivate var mayBeginStream: Bool { isLetter || self == UInt8(ascii: ":") }
}

extension Span<UInt8> {
    /// Whether the content begins with a field of an event, or a comment, and its first line is followed by an empty
    /// line or by another field.
    fileprivate var resemblesEventStream: Bool {
        let text = extracting(first: 4 << 10)
        var offset = 0
        var hasData = false
        while offset < text.count {
            let end = text.offset(of: 0x0A, or: 0x0D, from: offset)
            if end == offset { return hasData }
            let isField =
                text[offset] == UInt8(ascii: ":") || text.hasText("event:", at: offset)
                || text.hasText("id:", at: offset) || text.hasText("retry:", at: offset)
            if text.hasText("data:", at: offset) { hasData = true } else if !isField { return false }
            offset = text.lineEnd(at: end) ?? end
        }
        return hasData
    }
}
