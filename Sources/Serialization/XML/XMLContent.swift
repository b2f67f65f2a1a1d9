/// XML content that was read completely: strictly or, if that fails, with the repairs that leniencies allow.
struct XMLContent: ~Copyable {
    let source: XMLSource
    let tape: XMLTape

    /// The parts of the options that determine how content is read.
    struct Options {
        /// Whether comments, processing instructions and CDATA sections become records of their own.
        var keepsAll: Bool
        var limits: Limits
        var leniencies: Leniencies
        var memory: any MemoryGrant
    }

    /// - Parameter charset: The `charset` parameter of the media type, if there is one.
    /// - Throws: The first error in the content, or in its repaired copy.
    static func read(
        _ content: Span<UInt8>,
        charset: String?,
        _ options: Options,
        warnings: inout WarningList
    ) throws(XMLError) -> XMLContent {
        guard !options.leniencies.isDisjoint(with: [.xmlText, .declaredCharset]) else {
            return try readStrictly(content, charset: charset, options, warnings: &warnings)
        }
        var found = warnings
        do throws(XMLError) {
            let read = try readStrictly(content, charset: charset, options, warnings: &found)
            warnings = found
            return read
        } catch {
            guard error.reason.mayBeRepaired,
                let source = try repairedSource(of: content, charset: charset, options, warnings: &warnings)
            else {
                warnings = found
                throw error
            }
            let tape = try read(content, source, options, &warnings)
            return XMLContent(source: source, tape: tape)
        }
    }

    private static func readStrictly(
        _ content: Span<UInt8>,
        charset: String?,
        _ options: Options,
        warnings: inout WarningList
    ) throws(XMLError) -> XMLContent {
        let source = try XMLSource(content, charset: charset, memory: options.memory, warnings: &warnings)
        let tape = try read(content, source, options, &warnings)
        return XMLContent(source: source, tape: tape)
    }

    private static func read(
        _ content: Span<UInt8>,
        _ source: XMLSource,
        _ options: Options,
        _ warnings: inout WarningList
    ) throws(XMLError) -> XMLTape {
        try XMLTape.read(
            content,
            in: source,
            keepsAll: options.keepsAll,
            limits: options.limits,
            warnings: &warnings
        )
    }

    /// Returns the repaired text of rejected content; `nil` if nothing can be repaired.
    /// - Parameter warnings: Unchanged if the result is `nil`.
    /// - Throws: An error if there is no memory.
    private static func repairedSource(
        of content: Span<UInt8>,
        charset: String?,
        _ options: Options,
        warnings: inout WarningList
    ) throws(XMLError) -> XMLSource? {
        guard options.memory.permitsReadingAgain(content.count) else { throw .outOfMemory }
        var found = warnings
        do throws(XMLError) {
            var source = try XMLSource(
                content,
                charset: charset,
                leniencies: options.leniencies,
                memory: options.memory,
                warnings: &found
            )
            let isRepaired = try source.repair(
                content,
                options.leniencies,
                maxNotes: options.limits.maxWarnings,
                memory: options.memory,
                warnings: &found
            )
            guard isRepaired || source.hasReplacedCharset else { return nil }
            warnings = found
            return source
        } catch {
            guard error.reason == .outOfMemory else { return nil }
            throw error
        }
    }
}

extension XMLError.Reason {
    /// Whether a leniency may repair the content.
    var mayBeRepaired: Bool {
        switch self {
        case .malformed, .unexpectedEnd, .invalidCharacter, .invalidEncoding, .unsupportedCharset, .undeclaredEntity:
            true
        case .trailingContent, .mismatchedTag, .duplicateAttribute, .externalEntity, .entityExpansion, .nestingTooDeep,
            .tooManyAttributes, .tooManyNamespaces, .tooManyNames, .namesTooLong, .keyTooLong, .doctypeTooLong,
            .tooManyChoices, .outOfMemory:
            false
        }
    }
}
