/// Reads a property list in any of its three formats and writes it as JSON.
///
/// The first bytes determine the format: `bplist` is binary, `<` followed by `?`, `!` or a letter is XML, and
/// everything else is the text format of OpenStep or GNUstep. Each format is read into a ``PropertyListGraph``; the
/// remaining steps are the same for all.
package enum PropertyListReader {
    package struct Options: Sendable {
        package var nulls: NullPolicy = .drop
        package var duplicates: DuplicateNames = .last
        package var surrogates: LoneSurrogates = .reject
        package var archive: ArchivePolicy = .keep
        package var hints = false
        package var limits = Limits()
        /// The deviations from XML that are accepted in the XML format.
        package var leniencies: Leniencies = []

        /// The source of memory for objects and copies of the text.
        package var memory: any MemoryGrant

        package init(memory: any MemoryGrant) { self.memory = memory }
    }

    /// Facts about the content that are not part of the written text.
    package struct Summary: Equatable, Sendable {
        package var nullsDropped = 0
        /// The encoding of the text and XML formats.
        package var charset: String?
        /// The text of the JSON object with the types of the source, or `nil` if there are none.
        package var hints: [UInt8]?
    }

    /// Reads `content` and writes its value at the end of the writer. After an error, the writer contains its previous
    /// content, or also part of the value.
    /// - Parameter charset: The `charset` parameter of the media type. XML uses it; the text format does if it is not
    ///   UTF-8.
    /// - Throws: The first error in the content.
    package static func read(
        _ content: Span<UInt8>,
        options: Options,
        charset: String? = nil,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(PropertyListError) -> Summary {
        // Offsets have 32 bits. No configuration allows content of that length.
        precondition(content.count < 1 << 31, "the content is shorter than 2 GiB")
        if content.hasText(BinaryPropertyList.signature, at: 0) {
            return try readBinary(content, options, &writer, &warnings)
        }
        let (encoding, markBytes) = UnicodeEncoding.detect(content)
        if encoding == .utf8 {
            let text = content.extracting(droppingFirst: markBytes)
            if isMarkup(text) { return try readXML(content, charset: charset, options, &writer, &warnings) }
            if let charset, markBytes == 0, let labelled = Charset(label: charset), !text.isUTF8 {
                return try readText(content, labelled: labelled, options, &writer, &warnings)
            }
            warnOfMismatch(charset, encoding, markBytes, content, &warnings)
            warnOfMark(encoding, markBytes, &warnings)
            return try readText(
                text,
                encoding.rawValue,
                contentOffsets: { $0.map { $0 + markBytes } },
                options,
                &writer,
                &warnings
            )
        }
        let text = try options.memory.text(
            of: content,
            from: markBytes,
            in: encoding,
            for: PropertyListSerializer.self,
            PropertyListError.init(_:)
        )
        if isMarkup(text.span) { return try readXML(content, charset: charset, options, &writer, &warnings) }
        warnOfMismatch(charset, encoding, markBytes, content, &warnings)
        warnOfMark(encoding, markBytes, &warnings)
        warnings.append(Warning(.transcoded(encoding: encoding.rawValue), at: SourceLocation(byte: 0)))
        return try readText(
            text.span,
            encoding.rawValue,
            contentOffsets: { encoding.offsets(ofUTF8: $0, in: content, from: markBytes) },
            options,
            &writer,
            &warnings
        )
    }

    /// The subject of a warning, with its offset in the bytes that were read.
    struct Note {
        var kind: Warning.Kind
        var offset: Int
        var pointer: String?
        /// The offset of the first key, if the note is about a duplicate.
        var first: Int?
    }

    /// The result of writing a graph.
    struct Written {
        var summary = Summary()
        /// The notes, in the order of their offsets.
        private(set) var notes: [Note] = []
        var unlistedNotes = 0

        mutating func insert(_ others: [Note]) {
            notes = others + notes
            notes.sort { $0.offset < $1.offset }
        }
    }

    // MARK: The binary format

    private static func readBinary(
        _ content: Span<UInt8>,
        _ options: Options,
        _ writer: inout JSONWriter,
        _ warnings: inout WarningList
    ) throws(PropertyListError) -> Summary {
        do throws(PropertyListFault) {
            var graph = try BinaryPropertyList.open(content)
            var checker = graph.binary.map { BinaryPropertyList.Checker($0, surrogates: options.surrogates) }
            let valueBytes = try PropertyListMeasure.check(
                graph,
                with: &checker,
                content,
                contentBytes: content.count,
                limits: options.limits
            )
            let surrogates = (checker?.loneSurrogates ?? []).map { Note(kind: .propertyListLoneSurrogate, offset: $0) }
            var written = try write(
                &graph,
                content,
                contentBytes: content.count,
                valueBytes: valueBytes,
                options,
                into: &writer
            )
            written.insert(surrogates)
            for note in written.notes {
                warnings.append(
                    Warning(
                        note.kind,
                        at: SourceLocation(byte: note.offset, pointer: note.pointer),
                        first: note.first.map { SourceLocation(byte: $0, pointer: note.pointer) }
                    )
                )
            }
            warnings.append(unlisted: written.unlistedNotes)
            return written.summary
        } catch {
            var located = PropertyListError(
                error.reason,
                at: SourceLocation(byte: error.offset, pointer: error.pointer)
            )
            located.first = error.first.map { SourceLocation(byte: $0, pointer: error.pointer) }
            throw located
        }
    }

    // MARK: The text format

    /// Reads text that is not valid UTF-8 in its declared charset.
    private static func readText(
        _ content: Span<UInt8>,
        labelled charset: Charset,
        _ options: Options,
        _ writer: inout JSONWriter,
        _ warnings: inout WarningList
    ) throws(PropertyListError) -> Summary {
        let text = try options.memory.text(
            of: content,
            in: charset,
            for: PropertyListSerializer.self,
            PropertyListError.init(_:)
        )
        warnings.append(Warning(.transcoded(encoding: charset.name), at: SourceLocation(byte: 0)))
        return try readText(
            text.span,
            charset.name,
            contentOffsets: { charset.offsets(ofUTF8: $0, in: content) },
            options,
            &writer,
            &warnings
        )
    }

    private static func warnOfMismatch(
        _ charset: String?,
        _ encoding: UnicodeEncoding,
        _ markBytes: Int,
        _ content: Span<UInt8>,
        _ warnings: inout WarningList
    ) {
        guard let charset, !encoding.isNamed(charset) else { return }
        warnings.append(Warning(mismatchOf: charset, encoding, markBytes: markBytes, content))
    }

    private static func warnOfMark(_ encoding: UnicodeEncoding, _ markBytes: Int, _ warnings: inout WarningList) {
        guard markBytes > 0 else { return }
        warnings.append(Warning(.byteOrderMark(encoding: encoding.rawValue), at: SourceLocation(byte: 0)))
    }

    /// - Parameter contentOffsets: Converts ascending offsets in `text` to offsets in the content.
    private static func readText(
        _ text: Span<UInt8>,
        _ encoding: String,
        contentOffsets: ([Int]) -> [Int],
        _ options: Options,
        _ writer: inout JSONWriter,
        _ warnings: inout WarningList
    ) throws(PropertyListError) -> Summary {
        var written: Written
        do throws(PropertyListFault) {
            var reader = TextPropertyList(options: options, contentBytes: text.count)
            try reader.read(text)
            let surrogates = reader.loneSurrogates.map { Note(kind: .propertyListLoneSurrogate, offset: $0) }
            let notes = surrogates + reader.rounded
            let (built, bytes) = reader.finish()
            var graph = built
            written = try write(&graph, bytes.span, contentBytes: text.count, options, into: &writer)
            written.insert(notes)
        } catch {
            let excerpt = JSONExcerpt(text, at: error.offset)
            let locations = LocationTable(of: [error.offset, error.first ?? error.offset], in: text, contentOffsets)
            let location = locations[error.offset, error.pointer]
            var located = PropertyListError(error.reason, at: location, found: excerpt.found, excerpt: excerpt.text)
            located.first = error.first.map { locations[$0, error.pointer] }
            throw located
        }
        let locations = LocationTable(
            of: written.notes.flatMap { [$0.offset, $0.first ?? $0.offset] },
            in: text,
            contentOffsets
        )
        for note in written.notes {
            let first = note.first.map { locations[$0, note.pointer] }
            warnings.append(Warning(note.kind, at: locations[note.offset, note.pointer], first: first))
        }
        warnings.append(unlisted: written.unlistedNotes)
        var summary = written.summary
        summary.charset = encoding
        return summary
    }

    // MARK: All formats

    /// - Parameters:
    ///   - bytes: The bytes from which the graph was created.
    ///   - valueBytes: The minimum length of the value, if it was measured.
    static func write(
        _ graph: inout PropertyListGraph,
        _ bytes: Span<UInt8>,
        contentBytes: Int,
        valueBytes: Int = 0,
        _ options: Options,
        into writer: inout JSONWriter
    ) throws(PropertyListFault) -> Written {
        var valueBytes = valueBytes
        if options.archive == .resolve, try KeyedArchive.resolve(&graph, bytes, memory: options.memory) {
            var nothing: BinaryPropertyList.Checker?
            valueBytes = try PropertyListMeasure.check(
                graph,
                with: &nothing,
                bytes,
                contentBytes: contentBytes,
                limits: options.limits
            )
        }
        // References that are shared make it longer than the content. It is requested before any of it is written.
        guard writer.reserveMemory(for: min(valueBytes, options.limits.maxOutputBytes)) else {
            throw PropertyListFault(.outOfMemory, at: 0)
        }
        var output = PropertyListWriter(options: options)
        try output.write(graph, bytes, into: &writer)
        if output.isOverLimit { writer.rejectMore(isOutOfMemory: output.isOutOfMemory) }
        var written = Written(unlistedNotes: output.unlistedDuplicates)
        written.insert(
            output.duplicates.map {
                Note(
                    kind: .duplicateKey($0.key, kept: options.duplicates),
                    offset: $0.offset,
                    pointer: $0.pointer,
                    first: $0.first
                )
            }
        )
        written.summary.nullsDropped = output.nullsDropped
        written.summary.hints = output.takeHints()
        return written
    }
}
