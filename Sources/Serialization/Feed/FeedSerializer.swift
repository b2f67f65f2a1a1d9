/// The serializer `feed`, which is only chosen by name.
enum FeedSerializer: TextFormatSerializer {
    static var summary: String { "Feeds (RSS, Atom, JSON Feed) as one object in the shape of JSON Feed 1.1." }

    // MARK: Selection

    /// With the types of XML and JSON, `auto` selects their serializers.
    static var selectingTypes: SelectingTypes { .none }

    /// Other types of feeds end with `+xml` and `+json`, too.
    static let mediaTypes = MediaTypeSet(
        types: XMLSerializer.selectingTypes.names + JSONSerializer.selectingTypes.names + MediaType.undecided
            + ["application/rss+xml", "application/atom+xml", "application/feed+json"]
            + ["application/rss", "application/atom", "application/rdf", "text/rss", "text/atom"],
        suffixes: ["xml", "json"]
    )

    static func decision(for content: Span<UInt8>) -> SerializerDecision { .decode(.feed) }

    static func proposedType(for content: Span<UInt8>) -> String? { nil }

    // MARK: Bounds

    static func maxInlineBytes(of type: DeclaredType, _ options: SerializationOptions) -> Int {
        ResponseSerializer.minShortBytes
    }

    static var reservation: Reservation { XMLSerializer.reservation }

    // MARK: Reading

    static func read(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        _ context: ResponseSerializer,
        _ reader: (any ImageReader)?,
        into writer: inout JSONWriter
    ) throws(SerializationError) -> DecodedFacts {
        do {
            let summary = try FeedReader.read(
                content,
                options: context.options.feedOptions(for: message, context.limits),
                charset: message.charset(under: context.options.rules),
                into: &writer,
                warnings: &message.warnings
            )
            message.charset = summary.encoding
            message.contentFacts = .feed(summary.facts)
            return DecodedFacts(nullsDropped: summary.nullsDropped)
        } catch {
            switch error {
            case .xml(let error): throw message.rejection(of: content, error)
            case .json(let error): throw message.rejection(of: content, error)
            case .feed(let error): throw message.rejection(of: content, error)
            }
        }
    }
}

extension SerializationOptions {
    /// Returns the options for the reader of feeds.
    fileprivate func feedOptions(for message: borrowing ReceivedMessage, _ limits: Limits) -> FeedReader.Options {
        var options = FeedReader.Options(memory: message.memory)
        options.limits = limits
        options.leniencies = leniencies
        options.url = message.url
        options.isDeclaredJSON = message.type.mediaType?.serializer == .json
        options.json = jsonOptions(for: message.type, limits: limits)
        // A feed is one value, whose members are written in the order of the source.
        options.json.records = nil
        options.json.keys = .source
        options.json.isCanonical = false
        return options
    }
}
