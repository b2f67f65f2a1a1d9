/// Reads XML and writes it as JSON, in one of two forms.
///
/// The parser leaves a flat tape (``XMLTape``); a writer goes over it once. Nothing is written before the whole content
/// was found to be well-formed, since an element can only be written when all its siblings are known.
package enum XMLReader {
    /// Reads `content` and writes its value where the writer stands. On an error nothing is written.
    /// - Parameter charset: the `charset` parameter of the media type, where there is one.
    /// - Throws: the first thing in the content that is not acceptable XML.
    package static func read(
        _ content: Span<UInt8>,
        options: Options,
        charset: String? = nil,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(XMLError) -> Summary {
        let source = try XMLSource(content, charset: charset, memory: options.memory, warnings: &warnings)
        let keepsAll = options.form == .document
        let tape = try XMLTape.read(
            content,
            in: source,
            keepsAll: keepsAll,
            limits: options.limits,
            warnings: &warnings
        )
        if let fault = tape.soapFault {
            let place = tape.location(of: fault, content, in: source, keepsAll: keepsAll, limits: options.limits)
            warnings.append(Warning(.soapFault, at: place))
        }

        var facts = XMLFacts()
        var hints = TypeHints(
            isWanted: options.hints,
            maxBytes: options.limits.maxOutputBytes,
            memory: options.memory
        )
        facts.version = source.hasDeclaration ? tape.version : nil
        facts.encoding = source.declaredEncoding
        facts.doctype = tape.doctype
        switch options.form {
        case .compact:
            let maxKeyBytes = options.limits.maxKeyBytes
            if let element = XMLKeys.firstElement(withKeyOver: maxKeyBytes, tape, options.names) {
                throw XMLError(
                    .keyTooLong(max: maxKeyBytes),
                    number: XMLError.stoppedByLimit,
                    at: tape.location(of: element, content, in: source, keepsAll: keepsAll, limits: options.limits)
                )
            }
            guard XMLKeys.minBytes(tape, options.names) <= options.limits.maxOutputBytes else {
                writer.refuseMore()
                break
            }
            var compact = XMLCompactWriter(tape, options)
            compact.write(tape, into: &writer)
            facts.namespaces = compact.namespaces.list(tape)
            facts.inferredArrays = compact.inferredArrays
            if options.hints { XMLTypeHints.read(tape, options, into: &hints) }
        case .document:
            var document = XMLDocumentWriter()
            document.write(tape, source, into: &writer)
            facts.namespaces = document.namespaces.list(tape)
        }
        if hints.isOverLimit { writer.refuseMore(isOutOfMemory: hints.isOutOfMemory) }
        return Summary(encoding: source.encoding, facts: facts, hints: hints.finish())
    }

    /// The form of the value, and how it is written.
    package struct Options: Sendable {
        package enum Form: Sendable {
            /// For programs that read it: names as members, text as strings.
            case compact
            /// Lossless: every element, attribute and text as what it is.
            case document
        }

        package var form: Form
        package var arrays: XMLArrays = .auto
        package var text: XMLTextForm = .auto
        package var names: XMLNameForm = .prefixed
        package var trims = false
        /// Whether the types that the document names itself are told, in the compact form.
        package var hints = false
        package var limits = Limits()
        /// The source of memory for hints and copies of the text; `nil` if it is not limited.
        package var memory: (any MemoryGrant)?

        package init(_ form: Form) {
            self.form = form
        }
    }

    /// What was learnt besides the value.
    package struct Summary: Equatable, Sendable {
        /// The encoding that the content was in.
        package var encoding: String
        package var facts: XMLFacts
        /// Text of the JSON object that says the source's types; nil where there is nothing to say.
        package var hints: [UInt8]?
    }
}
