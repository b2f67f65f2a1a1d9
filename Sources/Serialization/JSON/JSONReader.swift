/// Reads JSON text and writes it in normalized form, in the same pass.
///
/// A text takes only the necessary steps, almost always only the kernel. Before it, bytes are converted to UTF-8 and a
/// prefix is removed; if the kernel rejects a text that a leniency may repair, a repaired copy is tried; afterwards,
/// members may be sorted. Each step can map offsets of its output to its input, so that every reported location refers
/// to the content as received.
package struct JSONReader: ~Copyable {
    let options: Options
    /// The source of memory for tables of many names and for copies of the text.
    let memory: any MemoryGrant
    /// The patterns of members that are left out while the value is written.
    private var omittedNames: JSONOmittedNames?
    /// Notes on the text, with offsets in it. They are located together at the end.
    private var notes: TextNotes
    private var nullsDropped = 0
    /// The number of members that were left out, and their length in bytes.
    private var omitted = (count: 0, bytes: 0)
    /// The leniencies that the text needs.
    private var leniencies: Leniencies = []
    /// The record that is being read, from 0, if there are many.
    private var record: Int?

    /// The state before an attempt to read the text.
    private struct Attempt {
        let mark: JSONWriter.Mark
        let notes: TextNotes.Mark
    }

    /// A rejection, with an offset in the UTF-8 text.
    private struct Rejection: Error {
        var reason: JSONError.Reason
        var offset: Int
        var pointer: String
        var record: Int?
        /// The offset of the first member, if the reason is a duplicate.
        var first: Int?
    }

    /// Creates a reader of one content.
    /// - Parameter omittedNames: The patterns of members that are left out while the value is written. Only without
    ///   ``DuplicateNames/keep``, with which names are not compared, and in the order of the source.
    init(options: Options, memory: any MemoryGrant, omitting omittedNames: JSONOmittedNames? = nil) {
        self.options = options
        self.memory = memory
        self.omittedNames = omittedNames
        notes = TextNotes(max: options.limits.maxWarnings)
    }

    /// The number of members that were left out; `nil` if the value is complete, so that `PartScanner` must find them.
    var omittedCount: Int? { omittedNames == nil ? nil : omitted.count }

    /// Forgets what an earlier attempt to read the content has found.
    mutating func reset() { self = JSONReader(options: options, memory: memory, omitting: omittedNames) }

    /// Reads `content`, in the Unicode encoding that its bytes indicate, and writes its value at the end of the writer.
    /// After an error, the writer contains its previous content.
    /// - Parameter charset: The `charset` parameter of the media type, if there is one. A difference only produces a
    ///   warning.
    /// - Throws: The first error in the content.
    mutating func readUnicode(
        _ content: Span<UInt8>,
        charset: String?,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(JSONError) -> Summary {
        let (encoding, markBytes) = UnicodeEncoding.detect(content)
        if let charset, !encoding.isNamed(charset) {
            warnings.append(Warning(mismatchOf: charset, encoding, markBytes: markBytes, content))
        }
        if markBytes > 0 {
            warnings.append(Warning(.byteOrderMark(encoding: encoding.rawValue), at: SourceLocation(byte: 0)))
        }
        if encoding == .utf8 {
            try read(
                content.extracting(droppingFirst: markBytes),
                contentOffsets: { $0.map { $0 + markBytes } },
                &writer,
                &warnings
            )
        } else {
            warnings.append(Warning(.transcoded(encoding: encoding.rawValue), at: SourceLocation(byte: 0)))
            let text = try memory.text(
                of: content,
                from: markBytes,
                in: encoding,
                for: JSONSerializer.self,
                JSONError.init(_:)
            )
            try read(
                text.span,
                contentOffsets: { encoding.offsets(ofUTF8: $0, in: content, from: markBytes) },
                &writer,
                &warnings
            )
        }
        return Summary(nullsDropped: nullsDropped, encoding: encoding.rawValue)
    }

    // MARK: The steps

    /// Reads UTF-8 text and converts every reported location to one in the content.
    /// - Parameter contentOffsets: Converts ascending offsets in `text` to offsets in the content.
    private mutating func read(
        _ text: Span<UInt8>,
        contentOffsets: ([Int]) -> [Int],
        _ writer: inout JSONWriter,
        _ warnings: inout WarningList
    ) throws(JSONError) {
        // Offsets of the kernel have 31 bits. No configuration allows content of that length, but text in UTF-16
        // becomes longer.
        guard text.count <= JSONLevels.maxSourceBytes else {
            throw JSONError(.outOfMemory, at: SourceLocation(byte: 0))
        }
        let start = writer.mark
        do throws(Rejection) {
            try readAfterPrefix(text, &writer)
            // The limit is that of the whole value.
            _ = writer.admit(omitted.bytes)
        } catch {
            writer.rollBack(to: start)
            guard options.describesErrors else { throw JSONError(error.reason, at: SourceLocation(byte: error.offset)) }
            let excerpt = JSONExcerpt(text, at: error.offset)
            let locations = LocationTable(of: [error.offset, error.first ?? error.offset], in: text, contentOffsets)
            let location = locations[error.offset, error.pointer, error.record]
            var located = JSONError(error.reason, at: location, found: excerpt.found, excerpt: excerpt.text)
            located.first = error.first.map { locations[$0, error.pointer, error.record] }
            throw located
        }
        notes.write(to: &warnings) { LocationTable(of: $0, in: text, contentOffsets) }
        warnings.note(leniencies)
    }

    /// Reads the text after a prefix, if there is one.
    private mutating func readAfterPrefix(_ text: Span<UInt8>, _ writer: inout JSONWriter) throws(Rejection) {
        guard options.prefixes == .strip, Self.mayHavePrefix(text),
            let prefix = JSONPrefix(text, acceptsJSONP: options.acceptsJSONP)
        else { return try readStrict(text, origin: { $0 }, &writer) }

        note(.prefix(prefix.prefix), at: 0, JSONLocator.Location(pointer: ""))
        let start = prefix.text.lowerBound
        let rest = text.extracting(first: prefix.text.upperBound).extracting(droppingFirst: start)
        try readStrict(rest, origin: { $0 + start }, &writer)
    }

    /// Returns whether the text may have a prefix, by its first character: a value almost always begins with `{` or
    /// `[`.
    private static func mayHavePrefix(_ text: Span<UInt8>) -> Bool {
        guard text.count > 1 else { return false }
        return switch text[0] {
        case UInt8(ascii: "{"): text[1] == UInt8(ascii: "}") && text.count > 4
        case UInt8(ascii: "["), UInt8(ascii: "\""): false
        default: true
        }
    }

    /// Reads the text as it is. If the kernel rejects it and it can be repaired, reads a repaired copy.
    private mutating func readStrict(
        _ text: Span<UInt8>,
        origin: (Int) -> Int,
        _ writer: inout JSONWriter
    ) throws(Rejection) {
        let attempt = Attempt(mark: writer.mark, notes: notes.mark)
        do throws(Rejection) {
            try readArranged(text, origin: origin, &writer)
        } catch {
            guard error.reason != .outOfMemory, JSONRepair.isPermitted(by: options) else { throw error }
            let repaired = JSONRepair.repaired(text, options: options, memory: memory)
            guard !repaired.isOutOfMemory else {
                throw Rejection(reason: .outOfMemory, offset: error.offset, pointer: "")
            }
            guard repaired.isRepaired else { throw error }
            rollBack(&writer, to: attempt)
            try readArranged(repaired.bytes.span, origin: { origin(repaired.origin(of: $0)) }, &writer)
            noteRepairs(repaired, origin: origin)
        }
    }

    /// Reads strict text, and sorts its members if requested.
    private mutating func readArranged(
        _ text: Span<UInt8>,
        origin: (Int) -> Int,
        _ writer: inout JSONWriter
    ) throws(Rejection) {
        guard options.isCanonical || options.keys == .sorted else {
            try readValues(text, origin: origin, &writer)
            if options.rejectsNumbersBeyondDouble { try rejectNumbersBeyondDouble(text, origin: origin) }
            return
        }
        var plain = JSONWriter(capacity: 0)
        plain.use(memory, after: MemoryBudget.tableBytes)
        try readValues(text, origin: origin, &plain)
        guard !plain.isOverLimit else { throw Rejection(reason: .outOfMemory, offset: origin(0), pointer: "") }
        if options.isCanonical {
            try noteRewrittenNumbers(text, origin: origin)
        } else if options.rejectsNumbersBeyondDouble {
            try rejectNumbersBeyondDouble(text, origin: origin)
        }
        let isCanonical = options.isCanonical
        let memory = memory
        plain.buffer.withBytes { JSONOrder.write($0, isCanonical: isCanonical, memory: memory, into: &writer) }
    }

    private mutating func rollBack(_ writer: inout JSONWriter, to attempt: Attempt) {
        writer.rollBack(to: attempt.mark)
        notes.rollBack(to: attempt.notes)
        nullsDropped = 0
    }

    // MARK: Values

    /// Reads the values, and leaves members out.
    private mutating func readValues(
        _ text: Span<UInt8>,
        origin: (Int) -> Int,
        _ writer: inout JSONWriter
    ) throws(Rejection) {
        let attempt = Attempt(mark: writer.mark, notes: notes.mark)
        if try readValuesOnce(text, origin: origin, &writer) { return }
        // What was left out of an overridden member does not count: `PartScanner` leaves members out of the rest.
        omittedNames = nil
        rollBack(&writer, to: attempt)
        _ = try readValuesOnce(text, origin: origin, &writer)
    }

    /// Reads the values.
    /// - Returns: `false` if members may have been left out of others that were overridden.
    private mutating func readValuesOnce(
        _ text: Span<UInt8>,
        origin: (Int) -> Int,
        _ writer: inout JSONWriter
    ) throws(Rejection) -> Bool {
        // The span outlives the call, and therefore also the source that the kernel reads.
        try unsafe text.withUnsafeBufferPointer { bytes throws(Rejection) -> Bool in
            let source = unsafe JSONSource(bytes)
            do throws(JSONFault) {
                var levels = JSONLevels(source: source, options: options, memory: memory, omitting: omittedNames)
                if let format = options.records {
                    try readRecords(source, format, origin, &levels, &writer)
                } else {
                    let end = try readValue(source, from: 0, &levels, &writer)
                    guard end == source.count else { throw JSONFault(.trailingContent, at: end) }
                }
                if omittedNames != nil, levels.duplicateCount > 0 {
                    guard memory.permitsReadingAgain(text.count) else { throw JSONFault(.outOfMemory, at: 0) }
                    return false
                }
                omitted = (levels.omittedCount, levels.omittedBytes)
                try noteDuplicates(levels, text, origin)
                return true
            } catch {
                let error = error.orEnd(of: text)
                let reason = JSONError.Reason(error, in: text, limits: options.limits)
                guard options.describesErrors else {
                    throw Rejection(reason: reason, offset: error.offset, pointer: "")
                }
                guard memory.permitsReadingAgain(error.offset) else {
                    throw Rejection(reason: .outOfMemory, offset: origin(error.offset), pointer: "")
                }
                var location = JSONLocator.location(of: error.offset, in: text, options: options)
                if let record, location.record != record {
                    // Between two records: the fault belongs to the record that should begin or end here.
                    location = JSONLocator.Location(pointer: "/\(record)", record: record)
                }
                let isDuplicate = error.kind == .duplicateName
                let first = isDuplicate ? JSONLocator.firstMember(likeThatAt: error.offset, in: text) : nil
                throw Rejection(
                    reason: reason,
                    offset: origin(error.offset),
                    pointer: location.pointer,
                    record: location.record,
                    first: first.map(origin)
                )
            }
        }
    }

    /// Reads one value and the white space after it.
    /// - Returns: The end of the white space.
    private mutating func readValue(
        _ source: JSONSource,
        from start: Int,
        _ levels: inout JSONLevels,
        _ writer: inout JSONWriter
    ) throws(JSONFault) -> Int {
        guard writer.reserveMemory(for: source.count - start) else { throw JSONFault(.outOfMemory, at: start) }
        let output = try writer.value(maxBytes: source.count - start) { sink throws(JSONFault) in
            let output = try JSONKernel(source: source, sink: sink, options: options).run(from: start, &levels)
            return (output.count, output)
        }
        if levels.isOutOfMemory { throw levels.outOfMemory }
        nullsDropped += output.nullsDropped
        return source.endOfWhiteSpace(from: output.end)
    }

    /// Reads consecutive values as the elements of one array.
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
            // No element of the array that the records become. It is not written: the limit is that of the result.
            let isRemoved =
                options.nulls == .dropAll && options.fragments && i + 4 <= source.count
                && source.halfWord(at: i) == JSONCopier.nullWord
            let end =
                isRemoved
                ? source.endOfWhiteSpace(from: i + 4) : try readValue(source, from: i, &levels, &writer)
            if format == .sequence, source[i].beginsUndelimitedScalar, !source[end - 1].isJSONWhiteSpace {
                // RFC 7464 §2.4: it may have been truncated, and must be dropped.
                writer.rollBack(to: start)
                note(.possiblyTruncatedRecord, at: origin(i), JSONLocator.Location(pointer: "/\(index)", record: index))
            } else if isRemoved {
                nullsDropped += 1
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
        _ location: JSONLocator.Location,
        first: Int? = nil
    ) {
        notes.append(kind, at: offset, first: first, pointer: location.pointer, record: location.record)
    }

    private mutating func noteDuplicates(
        _ levels: borrowing JSONLevels,
        _ text: Span<UInt8>,
        _ origin: (Int) -> Int
    ) throws(JSONFault) {
        guard levels.duplicateCount > 0 else { return }
        let duplicates = levels.duplicates
        guard memory.permitsReadingAgain(text.count) else { throw JSONFault(.outOfMemory, at: 0) }
        let locations = JSONLocator.locations(of: duplicates.map(\.quote), in: text, options: options)
        for (duplicate, location) in zip(duplicates, locations) {
            note(
                .duplicateName(JSONStringToken(at: duplicate.quote, in: text).text(in: text), kept: options.duplicates),
                at: origin(duplicate.quote),
                location,
                first: origin(duplicate.first)
            )
        }
        notes.append(unlisted: levels.duplicateCount - duplicates.count)
    }

    private mutating func noteRepairs(_ text: borrowing RepairedText, origin: (Int) -> Int) {
        let locations = JSONLocator.locations(of: text.notes.map(\.copy), in: text.bytes.span, options: options)
        for (repair, location) in zip(text.notes, locations) { note(repair.kind, at: origin(repair.source), location) }
        notes.append(unlisted: text.unlistedNotes)
        leniencies = text.used
    }

    /// Rejects the first number whose value is beyond the range of a double.
    private func rejectNumbersBeyondDouble(_ text: Span<UInt8>, origin: (Int) -> Int) throws(Rejection) {
        var canonical: [UInt8] = []
        var cursor = JSONCursor()
        while let range = cursor.nextNumber(in: text) {
            let number = text.extracting(first: range.upperBound).extracting(droppingFirst: range.lowerBound)
            guard number.mayExceedDouble else { continue }
            canonical.removeAll(keepingCapacity: true)
            guard ECMAScriptNumber.append(number, to: &canonical) else {
                throw notRepresentable(at: range.lowerBound, in: text, origin)
            }
        }
    }

    /// Notes the numbers whose text the canonical form changes, and rejects those that have no canonical form.
    private mutating func noteRewrittenNumbers(_ text: Span<UInt8>, origin: (Int) -> Int) throws(Rejection) {
        var found: [(offset: Int, from: String, to: String)] = []
        var canonical: [UInt8] = []
        var cursor = JSONCursor()
        while let range = cursor.nextNumber(in: text) {
            let number = text.extracting(first: range.upperBound).extracting(droppingFirst: range.lowerBound)
            canonical.removeAll(keepingCapacity: true)
            guard ECMAScriptNumber.append(number, to: &canonical) else {
                throw notRepresentable(at: range.lowerBound, in: text, origin)
            }
            if canonical.span.equals(number) { continue }
            if found.count < options.limits.maxWarnings {
                found.append((range.lowerBound, number.text, canonical.span.text))
            } else {
                notes.append(unlisted: 1)
            }
        }
        let locations = JSONLocator.locations(of: found.map(\.offset), in: text, options: options)
        for (number, location) in zip(found, locations) {
            note(.numberRewritten(from: number.from, to: number.to), at: origin(number.offset), location)
        }
    }

    private func notRepresentable(at offset: Int, in text: Span<UInt8>, _ origin: (Int) -> Int) -> Rejection {
        let location = JSONLocator.location(of: offset, in: text, options: options)
        return Rejection(
            reason: .numberNotRepresentable,
            offset: origin(offset),
            pointer: location.pointer,
            record: location.record
        )
    }
}

extension JSONSource {
    /// Returns whether the white space directly before `offset` contains a line end.
    fileprivate func hasLineEnd(before offset: Int) -> Bool {
        var index = offset - 1
        while index >= 0, self[index].isJSONWhiteSpace {
            if self[index] == 0x0A || self[index] == 0x0D { return true }
            index -= 1
        }
        return false
    }
}

extension Span<UInt8> {
    /// Whether a number has an exponent, or as many digits as the largest double.
    fileprivate var mayExceedDouble: Bool { count > 308 || indices.contains { self[$0] | 0x20 == UInt8(ascii: "e") } }
}

extension UInt8 {
    /// Whether a number, `true`, `false` or `null` begins with the byte. These values have no delimiter at their end.
    fileprivate var beginsUndelimitedScalar: Bool {
        switch self {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): false
        default: true
        }
    }
}

extension UnicodeEncoding {
    /// Returns whether `charset` is a name of this encoding, or of a more general one (`utf-16`, or a label of ASCII).
    func isNamed(_ charset: String) -> Bool {
        let name = charset.lowercased()
        return switch self {
        case .utf8: name == "utf-8" || name == "utf8" || name == "us-ascii" || name == "ascii"
        case .utf16LittleEndian, .utf16BigEndian: name == rawValue || name == "utf-16"
        case .utf32LittleEndian, .utf32BigEndian: name == rawValue || name == "utf-32"
        }
    }
}
