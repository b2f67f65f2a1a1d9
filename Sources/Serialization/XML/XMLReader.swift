/// Reads XML and writes it as JSON, in one of two layouts.
///
/// The parser creates a flat tape (``XMLTape``), which a writer traverses once. Nothing is written before the complete
/// content is known to be well-formed, because an element can only be written when all its siblings are known.
package enum XMLReader {
    /// Reads `content` and writes its value at the end of the writer. After an error, nothing has been written.
    /// - Parameter charset: The `charset` parameter of the media type, if there is one.
    /// - Throws: The first error in the content.
    package static func read(
        _ content: Span<UInt8>,
        options: Options,
        charset: String? = nil,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(XMLError) -> Summary {
        let keepsAll = options.layout == .document
        let read = try XMLContent.read(
            content,
            charset: charset,
            XMLContent.Options(
                keepsAll: keepsAll,
                limits: options.limits,
                leniencies: options.leniencies,
                memory: options.memory
            ),
            warnings: &warnings
        )
        let source = read.source
        let tape = read.tape
        if let fault = tape.soapFault {
            let location = tape.location(of: fault, content, in: source, keepsAll: keepsAll, limits: options.limits)
            warnings.append(Warning(.soapFault, at: location))
        }

        var facts = XMLFacts()
        var hints = TypeHints(isWanted: options.hints, maxBytes: options.limits.maxOutputBytes, memory: options.memory)
        facts.version = source.declaration?.version
        facts.encoding = source.declaration?.encoding
        facts.doctype = tape.doctype
        switch options.layout {
        case .compact:
            let maxKeyBytes = options.limits.maxKeyBytes
            if let element = XMLKeys.firstElement(withKeyOver: maxKeyBytes, tape, options.names) {
                throw XMLError(
                    .keyTooLong(max: maxKeyBytes),
                    number: XMLError.stoppedByLimit,
                    at: tape.location(of: element, content, in: source, keepsAll: keepsAll, limits: options.limits)
                )
            }
            writeCompact(tape, options, into: &writer, &facts, &hints)
        case .document:
            var document = XMLDocumentWriter()
            document.write(tape, source, into: &writer)
            facts.namespaces = document.namespaces.list(tape)
        }
        if hints.isOverLimit { writer.rejectMore(isOutOfMemory: hints.isOutOfMemory) }
        return Summary(encoding: source.encoding, facts: facts, hints: hints.finish())
    }

    private static func writeCompact(
        _ tape: borrowing XMLTape,
        _ options: Options,
        into writer: inout JSONWriter,
        _ facts: inout XMLFacts,
        _ hints: inout TypeHints
    ) {
        let nameBytes = XMLKeys.minBytes(tape, options.names)
        guard nameBytes <= options.limits.maxOutputBytes else { return writer.rejectMore() }
        var budget = MemoryBudget(options.memory)
        // The table of keys contains each name, and its key for elements and for attributes.
        guard budget.take(3 * nameBytes) else { return writer.rejectMore(isOutOfMemory: true) }
        let keys = XMLKeys(tape, options.names)
        let arrays = XMLArrayRules(options.arrays, tape, keys)
        var compact = XMLCompactWriter(tape, keys, arrays, options)
        compact.write(tape, into: &writer)
        facts.namespaces = compact.namespaces.list(tape)
        facts.inferredArrays = compact.inferredArrays
        // A value that is too long is rejected.
        if options.hints, !writer.isOverLimit { XMLTypeHints.read(tape, keys, arrays, options, into: &hints) }
    }

    /// The layout of the value and the options for writing it.
    package struct Options: Sendable {
        package enum Layout: Sendable {
            /// A layout that is easy for programs to read: names are members, and texts are strings.
            case compact
            /// A lossless layout with all elements, attributes and texts.
            case document
        }

        package var layout: Layout
        package var arrays: XMLArrays = .auto
        package var text: XMLTextStyle = .auto
        package var names: XMLNameStyle = .prefixed
        package var trims = false
        /// Whether type hints for the types in the document are written, in the compact layout.
        package var hints = false
        package var limits = Limits()
        /// The deviations from XML that are accepted.
        package var leniencies: Leniencies = []
        /// The source of memory for hints and copies of the text.
        package var memory: any MemoryGrant

        package init(_ layout: Layout, memory: any MemoryGrant) {
            self.layout = layout
            self.memory = memory
        }
    }

    /// Facts about the content that are not part of the value.
    package struct Summary: Equatable, Sendable {
        /// The encoding of the content.
        package var encoding: String
        package var facts: XMLFacts
        /// The text of the JSON object with the types of the source, or `nil` if there are none.
        package var hints: [UInt8]?
    }
}
