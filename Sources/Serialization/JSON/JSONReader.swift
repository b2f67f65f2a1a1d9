/// Reads JSON text and writes it, normalized, in the same pass.
///
/// A text goes through as few steps as it needs: nearly always the kernel alone. Before it, bytes become UTF-8 and a
/// prefix is taken off; where the kernel refuses a text that a leniency may mend, a mended copy is tried; after it,
/// members may be sorted. Each step knows how to say where in its input something of its output stood, so that every
/// place that is reported is a place in the content as it came.
package struct JSONReader {
    private let options: Options
    /// The source of memory for tables of many names and for copies of the text; `nil` if it is not limited.
    private let memory: (any MemoryGrant)?
    /// Notes on the text, with offsets in it; located all at once in the end.
    private var notes: [Note] = []
    private var unlistedNotes = 0
    private var nullsDropped = 0
    /// The record that is being read, from 0, where there are many.
    private var record: Int?

    private struct Note {
        var kind: Warning.Kind
        /// Offset in the UTF-8 text, prefix included.
        var offset: Int
        var pointer: String
        var record: Int?
        /// The offset of the first member, if the note is about a duplicate.
        var first: Int?
    }

    /// A refusal, with an offset in the UTF-8 text.
    private struct Refusal: Error {
        var reason: JSONError.Reason
        var offset: Int
        var pointer: String
        var record: Int?
        /// Of a duplicate, the offset of the first member.
        var first: Int?
    }

    /// Reads `content`, in the form of Unicode that its own bytes tell, and writes its value where the writer stands. On
    /// an error the writer holds what it held before.
    /// - Parameter charset: the `charset` parameter of the media type, where there is one; only compared, with a warning.
    /// - Throws: the first thing in the content that is not acceptable JSON.
    static func readUnicode(
        _ content: Span<UInt8>,
        options: Options,
        memory: (any MemoryGrant)?,
        charset: String?,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(JSONError) -> Summary {
        let (encoding, markBytes) = UnicodeEncoding.detect(content)
        if let charset, !encoding.isNamed(charset) {
            warnings.append(Warning(.charsetMismatch(declared: charset, actual: encoding.rawValue)))
        }
        if markBytes > 0 {
            warnings.append(Warning(.byteOrderMark(encoding: encoding.rawValue), at: SourceLocation(byte: 0)))
        }
        var reader = JSONReader(options: options, memory: memory)
        if encoding == .utf8 {
            try reader.read(content.extracting(markBytes...), places: { $0.map { $0 + markBytes } }, &writer, &warnings)
        } else {
            warnings.append(Warning(.transcoded(encoding: encoding.rawValue), at: SourceLocation(byte: 0)))
            guard memory.grants(text: encoding.maxTextBytes(of: content), of: content, row: options.row) else {
                throw JSONError(.outOfMemory, at: SourceLocation(byte: 0))
            }
            let text: [UInt8]
            do throws(UnicodeEncoding.Malformed) {
                text = try encoding.transcode(content, from: markBytes)
            } catch {
                throw JSONError(.invalidEncoding(encoding.rawValue), at: SourceLocation(byte: error.offset))
            }
            try reader.read(
                text.span,
                places: { encoding.offsets(ofUTF8: $0, in: content, from: markBytes) },
                &writer,
                &warnings
            )
        }
        return Summary(nullsDropped: reader.nullsDropped, encoding: encoding.rawValue)
    }

    private init(options: Options, memory: (any MemoryGrant)?) {
        self.options = options
        self.memory = memory
    }

    // MARK: The steps

    /// Reads UTF-8 text and puts every place that it reports in terms of the content.
    /// - Parameter places: from ascending offsets in `text` to the offsets in the content.
    private mutating func read(
        _ text: Span<UInt8>,
        places: ([Int]) -> [Int],
        _ writer: inout JSONWriter,
        _ warnings: inout WarningList
    ) throws(JSONError) {
        // The kernel counts in 31 bits. No configuration allows contents that long.
        precondition(text.count <= JSONLevels.maxSourceBytes, "a content is shorter than 2 GiB")
        let start = writer.mark
        do throws(Refusal) {
            try readAfterPrefix(text, &writer)
        } catch {
            writer.takeBack(to: start)
            let offset = error.offset
            let excerpt = JSONExcerpt(text, at: offset)
            var location = text.locate([offset])[0]
            location.byte = places([offset])[0]
            location.pointer = error.pointer
            location.record = error.record
            var located = JSONError(error.reason, at: location, found: excerpt.found, excerpt: excerpt.text)
            if let first = error.first {
                located.first = text.locate([first])[0]
                located.first?.byte = places([first])[0]
                located.first?.pointer = error.pointer
                located.first?.record = error.record
            }
            throw located
        }
        if !notes.isEmpty {
            notes.sort { $0.offset < $1.offset }
            let locations = LocationTable(of: notes.flatMap { [$0.offset, $0.first ?? $0.offset] }, in: text, places)
            for note in notes {
                var location = locations[note.offset]
                location.pointer = note.pointer
                location.record = note.record
                var first = note.first.map { locations[$0] }
                first?.pointer = note.pointer
                first?.record = note.record
                warnings.append(Warning(note.kind, at: location, first: first))
            }
        }
        warnings.append(unlisted: unlistedNotes)
    }

    /// Takes a prefix off, where there is one.
    private mutating func readAfterPrefix(_ text: Span<UInt8>, _ writer: inout JSONWriter) throws(Refusal) {
        guard options.prefixes == .strip, Self.mayHavePrefix(text, options),
            let prefix = JSONPrefix(text, acceptsJSONP: options.acceptsJSONP)
        else { return try readStrict(text, origin: { $0 }, &writer) }

        note(.prefix(prefix.prefix), at: 0, JSONLocator.Place(pointer: ""))
        let start = prefix.text.lowerBound
        try readStrict(text.extracting(prefix.text), origin: { $0 + start }, &writer)
    }

    /// Whether the first character leaves it open: a value nearly always begins with `{` or `[`.
    private static func mayHavePrefix(_ text: Span<UInt8>, _ options: Options) -> Bool {
        guard text.count > 1 else { return false }
        return switch text[0] {
        case UInt8(ascii: "{"): text[1] == UInt8(ascii: "}") && text.count > 4
        case UInt8(ascii: "["), UInt8(ascii: "\""): false
        default: true
        }
    }

    /// Reads the text as it is and, where the kernel refuses it and something can be mended, its mended copy.
    private mutating func readStrict(
        _ text: Span<UInt8>,
        origin: (Int) -> Int,
        _ writer: inout JSONWriter
    ) throws(Refusal) {
        let start = writer.mark
        let countsBefore = (notes.count, unlistedNotes)
        do throws(Refusal) {
            try readArranged(text, origin: origin, &writer)
        } catch {
            guard let mended = JSONRepair(text, options: options), mended.bytes.count <= JSONLevels.maxSourceBytes
            else {
                throw error
            }
            writer.takeBack(to: start)
            notes.removeLast(notes.count - countsBefore.0)
            unlistedNotes = countsBefore.1
            nullsDropped = 0
            try readArranged(mended.bytes.span, origin: { origin(mended.origin(of: $0)) }, &writer)
            noteRepairs(mended, origin: origin)
        }
    }

    /// Reads strict text, and sorts its members where that is asked for.
    private mutating func readArranged(
        _ text: Span<UInt8>,
        origin: (Int) -> Int,
        _ writer: inout JSONWriter
    ) throws(Refusal) {
        guard options.isCanonical || options.keys == .sorted else {
            try readValues(text, origin: origin, &writer)
            if options.rejectsNumbersBeyondDouble { try rejectNumbersBeyondDouble(text, origin: origin) }
            return
        }
        var plain = JSONWriter(capacity: text.count + JSONSink.slackBytes)
        try readValues(text, origin: origin, &plain)
        if options.isCanonical {
            try noteRewrittenNumbers(text, origin: origin)
        } else if options.rejectsNumbersBeyondDouble {
            try rejectNumbersBeyondDouble(text, origin: origin)
        }
        let isCanonical = options.isCanonical
        plain.buffer.withBytes { JSONOrder.write($0, isCanonical: isCanonical, into: &writer) }
    }

    // MARK: Values

    private mutating func readValues(
        _ text: Span<UInt8>,
        origin: (Int) -> Int,
        _ writer: inout JSONWriter
    ) throws(Refusal) {
        // The span outlives the call, and with it the source that the kernel reads through.
        try unsafe text.withUnsafeBufferPointer { bytes throws(Refusal) in
            let source = unsafe JSONSource(bytes)
            do throws(JSONFault) {
                var levels = JSONLevels(source: source, options: options, memory: memory)
                if let format = options.records {
                    try readRecords(source, format, origin, &levels, &writer)
                } else {
                    let end = try readValue(source, from: 0, &levels, &writer)
                    guard end == source.count else { throw JSONFault(.trailingContent, at: end) }
                }
                noteDuplicates(levels, source, origin)
            } catch {
                var place = JSONLocator(source: source, options: options).places(of: [error.offset])[0]
                if let record, place.record != record {
                    // Between two records: the fault is that of the one which should begin, or end, here.
                    place = JSONLocator.Place(pointer: "/\(record)", record: record)
                }
                let first = error.kind == .duplicateName ? source.firstMember(likeThatAt: error.offset) : nil
                throw Refusal(
                    reason: JSONError.Reason(error, in: source, limits: options.limits),
                    offset: origin(error.offset),
                    pointer: place.pointer,
                    record: place.record,
                    first: first.map(origin)
                )
            }
        }
    }

    /// Reads one value, and the white space after it.
    /// - Returns: where that ends.
    private mutating func readValue(
        _ source: JSONSource,
        from start: Int,
        _ levels: inout JSONLevels,
        _ writer: inout JSONWriter
    ) throws(JSONFault) -> Int {
        guard writer.hasMemory(for: source.count - start) else { throw JSONFault(.outOfMemory, at: start) }
        let output = try writer.value(maxBytes: source.count - start) { sink throws(JSONFault) in
            let output = try JSONKernel(source: source, sink: sink, options: options).run(from: start, &levels)
            return (output.count, output)
        }
        if levels.isOutOfMemory { throw levels.outOfMemory }
        nullsDropped += output.nullsDropped
        return source.endOfWhiteSpace(from: output.end)
    }

    /// Reads value after value as the elements of one array.
    private mutating func readRecords(
        _ source: JSONSource,
        _ format: RecordFormat,
        _ origin: (Int) -> Int,
        _ levels: inout JSONLevels,
        _ writer: inout JSONWriter
    ) throws(JSONFault) {
        let separator: UInt8 = 0x1E
        writer.beginArray()
        var i = source.endOfWhiteSpace(from: 0)
        var index = 0
        while i < source.count {
            record = index
            if format == .sequence {
                // RFC 7464 §2.1: a separator begins each text, and several in a row are not an error.
                guard source[i] == separator else { throw JSONFault(.expectedRecordSeparator, at: i) }
                while i < source.count, source[i] == separator || source[i].isJSONWhiteSpace { i += 1 }
                if i == source.count { break }
            }
            let start = writer.mark
            let end = try readValue(source, from: i, &levels, &writer)
            if format == .sequence, source[i].beginsUndelimitedScalar, !source[end - 1].isJSONWhiteSpace {
                // RFC 7464 §2.4: it may have been cut off, and must be dropped.
                writer.takeBack(to: start)
                note(.possiblyTruncatedRecord, at: origin(i), JSONLocator.Place(pointer: "/\(index)", record: index))
            }
            if format == .lines, end < source.count, !source.hasLineEnd(before: end) {
                throw JSONFault(.trailingContent, at: end)
            }
            i = end
            index += 1
        }
        record = nil
        writer.endArray()
    }

    // MARK: Notes

    private mutating func note(
        _ kind: Warning.Kind,
        at offset: Int,
        _ place: JSONLocator.Place,
        first: Int? = nil
    ) {
        if notes.count < options.limits.maxWarnings {
            notes.append(Note(kind: kind, offset: offset, pointer: place.pointer, record: place.record, first: first))
        } else {
            unlistedNotes += 1
        }
    }

    private mutating func noteDuplicates(_ levels: borrowing JSONLevels, _ source: JSONSource, _ origin: (Int) -> Int) {
        guard levels.duplicateCount > 0 else { return }
        let duplicates = levels.duplicates
        let places = JSONLocator(source: source, options: options).places(of: duplicates.map(\.quote))
        for (duplicate, place) in zip(duplicates, places) {
            note(
                .duplicateName(source.name(at: duplicate.quote), kept: options.duplicates),
                at: origin(duplicate.quote),
                place,
                first: origin(duplicate.first)
            )
        }
        unlistedNotes += levels.duplicateCount - duplicates.count
    }

    private mutating func noteRepairs(_ mended: JSONRepair, origin: (Int) -> Int) {
        let bytes = mended.bytes.span
        // The copy outlives the call.
        unsafe bytes.withUnsafeBufferPointer { bytes in
            let locator = unsafe JSONLocator(source: JSONSource(bytes), options: options)
            for (repair, place) in zip(mended.notes, locator.places(of: mended.notes.map(\.copy))) {
                note(repair.kind, at: origin(repair.source), place)
            }
            unlistedNotes += mended.unlistedNotes
        }
    }

    /// Rejects the first number whose value no double holds.
    private func rejectNumbersBeyondDouble(_ text: Span<UInt8>, origin: (Int) -> Int) throws(Refusal) {
        // The span outlives the call.
        try unsafe text.withUnsafeBufferPointer { bytes throws(Refusal) in
            let source = unsafe JSONSource(bytes)
            var canonical: [UInt8] = []
            for range in source.numbers() where source.mayExceedDouble(range) {
                canonical.removeAll(keepingCapacity: true)
                if source.withBytes(range, { ECMAScriptNumber.append($0, to: &canonical) }) { continue }
                let place = JSONLocator(source: source, options: options).places(of: [range.lowerBound])[0]
                throw Refusal(
                    reason: .numberNotRepresentable,
                    offset: origin(range.lowerBound),
                    pointer: place.pointer,
                    record: place.record
                )
            }
        }
    }

    /// Notes the numbers whose text the canonical form changes, and refuses those that it cannot write.
    private mutating func noteRewrittenNumbers(_ text: Span<UInt8>, origin: (Int) -> Int) throws(Refusal) {
        // The span outlives the call.
        try unsafe text.withUnsafeBufferPointer { bytes throws(Refusal) in
            let source = unsafe JSONSource(bytes)
            let locator = JSONLocator(source: source, options: options)
            var found: [(offset: Int, from: String, to: String)] = []
            var canonical: [UInt8] = []
            for range in source.numbers() {
                canonical.removeAll(keepingCapacity: true)
                guard source.withBytes(range, { ECMAScriptNumber.append($0, to: &canonical) }) else {
                    let place = locator.places(of: [range.lowerBound])[0]
                    throw Refusal(
                        reason: .numberNotRepresentable,
                        offset: origin(range.lowerBound),
                        pointer: place.pointer,
                        record: place.record
                    )
                }
                if zip(canonical, range).allSatisfy({ $0 == source[$1] }), canonical.count == range.count { continue }
                if found.count < options.limits.maxWarnings {
                    let number = source.withBytes(range) { String(copying: $0) }
                    found.append((range.lowerBound, number, String(decoding: canonical, as: UTF8.self)))
                } else {
                    unlistedNotes += 1
                }
            }
            for (number, place) in zip(found, locator.places(of: found.map(\.offset))) {
                note(.numberRewritten(from: number.from, to: number.to), at: origin(number.offset), place)
            }
        }
    }
}

extension UInt8 {
    /// Whether a number, `true`, `false` or `null` begins so: a value that does not show where it ends.
    fileprivate var beginsUndelimitedScalar: Bool {
        switch self {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): false
        default: true
        }
    }
}

extension UnicodeEncoding {
    /// Whether `charset` is a name of this encoding, or of a larger one that it is a form of (`utf-16`, and ASCII's).
    func isNamed(_ charset: String) -> Bool {
        let name = charset.lowercased()
        return switch self {
        case .utf8: name == "utf-8" || name == "utf8" || name == "us-ascii" || name == "ascii"
        case .utf16LittleEndian, .utf16BigEndian: name == rawValue || name == "utf-16"
        case .utf32LittleEndian, .utf32BigEndian: name == rawValue || name == "utf-32"
        }
    }
}
