/// Reads the records of a text, and writes each of them as it is read.
///
/// **Invariant.** Nothing is read again, except to decode a field with escapes. Each field is written once, in the
/// order of the text. Only the names of the columns are stored. Memory is requested before an array grows. `CSVOracle`
/// (FuzzCSV) and `CSVReaderTests` check this.
struct CSVRecords: ~Copyable {
    private let options: CSVReader.Options
    private let dialect: CSVDialect
    private var stops: CSVStops
    /// Whether ``CSVColumns/writeFields(_:_:_:count:_:into:)`` writes fields: not if the types of columns are noted, or
    /// escapes are decoded, for each field.
    private let writesFieldsTogether: Bool
    /// Whether the text ends at invalid UTF-8.
    private let isCut: Bool
    /// The length of the value before the last record, in bytes, inclusive: names of the header are repeated.
    private let maxValueBytes: Int
    private var columns: CSVColumns
    private var types = CSVColumnTypes()
    private var memory: MemoryBudget

    /// The number of columns; `nil` before the first record.
    private var columnCount: Int?
    /// The index in ``columns`` of the name for fields beyond the last column; `nil` as long as there are none.
    private var extra: Int?
    private var recordCount = 0
    private(set) var nullsDropped = 0
    private(set) var notes: TextNotes
    /// Whether records with too few or too many fields were accepted.
    private(set) var isRagged = false

    // The location in the result, for pointers.

    /// The index of the current field in its record.
    private var field = 0
    /// The index of the element that contains it, in an array.
    private var element = 0
    /// Whether a pointer ends at the record.
    private var isBetweenFields = true

    /// - Parameter contentBytes: The length of the content, of which the text may be a transcoded copy.
    init(_ options: CSVReader.Options, _ dialect: CSVDialect, isCut: Bool, contentBytes: Int) {
        maxValueBytes = 200 * contentBytes + (2 << 20)
        self.options = options
        self.dialect = dialect
        stops = CSVStops(dialect)
        writesFieldsTogether = !options.hints && !dialect.escapesUnquoted
        self.isCut = isCut
        columns = CSVColumns(
            limits: options.limits,
            memory: options.memory,
            acceptsEmpty: options.empty == .string
        )
        memory = MemoryBudget(options.memory)
        notes = TextNotes(max: options.limits.maxWarnings)
        if dialect.start > 0 { notes.append(.csvSeparatorLine, at: 0, pointer: "") }
    }

    var facts: CSVFacts {
        CSVFacts(
            delimiter: String(Unicode.Scalar(dialect.delimiter)),
            columns: columnCount ?? 0,
            records: recordCount
        )
    }

    // MARK: Reading

    /// Writes the array.
    mutating func read(_ text: Span<UInt8>, into writer: inout JSONWriter) throws(CSVFault) {
        var offset = dialect.start
        let maxBytes = writer.buffer.count + maxValueBytes
        do throws(CSVFault) {
            if options.header == .present { try readHeader(text, &offset) }
            writer.beginArray()
            while offset < text.count, !writer.isOverLimit {
                guard writer.buffer.count <= maxBytes else {
                    throw CSVFault(.expansionTooLarge(maxBytes: maxValueBytes), at: offset)
                }
                // With one column, an empty line is an empty field.
                if columnCount != 1, let end = text.lineEnd(at: offset) {
                    note(.csvBlankLine, at: offset)
                    offset = end
                } else {
                    try readRecord(text, &offset, &writer)
                    recordCount += 1
                }
            }
            writer.endArray()
            if isCut, offset == text.count { throw invalidEncoding(text) }
        } catch {
            var error = isCut && error.reason == .unterminatedQuote ? invalidEncoding(text) : error
            error.pointer = error.pointer ?? pointer
            throw error
        }
    }

    private func invalidEncoding(_ text: Span<UInt8>) -> CSVFault {
        CSVFault(.invalidEncoding(UnicodeEncoding.utf8.rawValue), at: text.count)
    }

    private mutating func readHeader(_ text: Span<UInt8>, _ offset: inout Int) throws(CSVFault) {
        while offset < text.count, let end = text.lineEnd(at: offset) {
            notes.append(.csvBlankLine, at: offset, pointer: "")
            offset = end
        }
        guard offset < text.count else { return }
        do throws(CSVFault) {
            repeat {
                let field = try nextField(text, offset)
                if let quote = field.bareQuote { notes.append(.csvBareQuote, at: quote, pointer: "") }
                try columns.append(field, text, dialect)
                offset = field.next
            } while skipDelimiter(text, &offset)
            try columns.finish(&notes)
        } catch { throw CSVFault(error.reason, at: error.offset, pointer: "") }
        columnCount = columns.count
    }

    private mutating func readRecord(
        _ text: Span<UInt8>,
        _ offset: inout Int,
        _ writer: inout JSONWriter
    ) throws(CSVFault) {
        let hasNames = options.header == .present
        let expected = columnCount ?? .max
        field = 0
        element = 0
        isBetweenFields = false
        if hasNames { writer.beginObject() } else { writer.beginArray() }
        var end = offset
        repeat {
            if writeFields(text, &offset, count: expected, &writer) {
                end = offset
                continue
            }
            if field == expected { try beginExtra(at: offset, &writer) }
            let value = try nextField(text, offset)
            if let quote = value.bareQuote { note(.csvBareQuote, at: quote) }
            if value.isEmpty, options.empty == .null {
                writeNull(&writer, isMember: hasNames && field < expected)
            } else {
                if hasNames, field < expected { columns.write(field, into: &writer) } else { element += 1 }
                value.write(text, dialect, into: &writer)
                if options.hints, field < expected, !types.note(value, text, column: field, &memory) {
                    throw .outOfMemory
                }
            }
            field += 1
            end = value.next
            offset = end
        } while skipDelimiter(text, &offset) && !writer.isOverLimit
        if hasNames, field > expected { writer.endArray() }
        if hasNames { writer.endObject() } else { writer.endArray() }
        isBetweenFields = true
        if columnCount == nil { columnCount = field }
        if field < expected, expected < .max, !writer.isOverLimit { try acceptShortRecord(at: end, expected) }
    }

    /// Writes the fields from `offset` on that need no more than that (``CSVColumns/writeFields``).
    /// - Returns: Whether the record ends.
    @inline(never)
    private mutating func writeFields(
        _ text: Span<UInt8>,
        _ offset: inout Int,
        count: Int,
        _ writer: inout JSONWriter
    ) -> Bool {
        guard writesFieldsTogether, field < count, offset < text.count, text[offset] != CSVDialect.quote else {
            return false
        }
        let first = field
        let isAtEnd = columns.writeFields(
            text,
            &offset,
            &field,
            count: count,
            &stops,
            into: &writer
        )
        if options.header == .absent { element += field - first }
        return isAtEnd
    }

    /// Reads the field at `offset`.
    @inline(__always)
    private mutating func nextField(_ text: Span<UInt8>, _ offset: Int) throws(CSVFault) -> CSVField {
        let field = try CSVField(text, at: offset, dialect, &stops)
        if isCut, field.next == text.count { throw invalidEncoding(text) }
        return field
    }

    /// Moves to the next field of the record, or to the next record.
    /// - Returns: Whether the record has another field.
    @inline(__always)
    private func skipDelimiter(_ text: Span<UInt8>, _ offset: inout Int) -> Bool {
        guard offset < text.count else { return false }
        if text[offset] == dialect.delimiter {
            offset += 1
            return true
        }
        offset = text.lineEnd(at: offset) ?? offset
        return false
    }

    private mutating func writeNull(_ writer: inout JSONWriter, isMember: Bool) {
        let isDropped =
            switch options.nulls {
            case .keep: false
            case .drop: isMember
            case .dropAll: true
            }
        guard !isDropped else {
            nullsDropped += 1
            return
        }
        if isMember { columns.write(field, into: &writer) } else { element += 1 }
        writer.null()
    }

    // MARK: Records with too few or too many fields

    /// Begins the fields beyond the last column.
    @inline(never)
    private mutating func beginExtra(at offset: Int, _ writer: inout JSONWriter) throws(CSVFault) {
        let expected = columnCount ?? 0
        guard options.acceptsRagged else {
            throw CSVFault(.tooManyFields(columns: expected), at: offset, pointer: recordPointer)
        }
        noteRagged(at: offset)
        guard options.header == .present else { return }
        let index: Int
        if let extra {
            index = extra
        } else {
            try columns.appendExtra()
            index = columns.count - 1
            extra = index
        }
        columns.write(index, into: &writer)
        writer.beginArray()
        element = 0
    }

    /// - Parameter end: The offset of the end of the record.
    @inline(never)
    private mutating func acceptShortRecord(at end: Int, _ expected: Int) throws(CSVFault) {
        guard options.acceptsRagged else {
            throw CSVFault(.tooFewFields(field, columns: expected), at: end, pointer: recordPointer)
        }
        noteRagged(at: end)
    }

    private mutating func noteRagged(at offset: Int) {
        isRagged = true
        let pointer = notes.isFull ? "" : recordPointer
        notes.append(.lenient(.ragged), at: offset, pointer: pointer)
    }

    // MARK: Notes, pointers and hints

    /// Notes that the record after the last one was omitted.
    mutating func noteUnfinished(at offset: Int) {
        let isHeader = options.header == .present && columnCount == nil
        notes.append(.csvUnfinished, at: offset, pointer: isHeader ? "" : recordPointer)
    }

    /// Notes something in the current field or record.
    private mutating func note(_ kind: Warning.Kind, at offset: Int) {
        let pointer = notes.isFull ? "" : pointer
        notes.append(kind, at: offset, pointer: pointer)
    }

    private var recordPointer: String {
        var pointer = JSONPointer(maxBytes: options.limits.maxPointerBytes)
        pointer.append(recordCount)
        return pointer.text
    }

    /// The pointer to the current field or record.
    private var pointer: String {
        guard !isBetweenFields else { return recordPointer }
        var pointer = JSONPointer(maxBytes: options.limits.maxPointerBytes)
        pointer.append(recordCount)
        guard options.header == .present else {
            pointer.append(element)
            return pointer.text
        }
        if field < columnCount ?? 0 {
            pointer.append(columns.name(of: field))
        } else if let extra {
            pointer.append(columns.name(of: extra))
            pointer.append(element)
        }
        return pointer.text
    }

    /// Writes the types of the columns. There are none if nulls were removed from arrays: a column then has no index.
    func writeHints(into hints: inout TypeHints) {
        guard options.header == .present || options.nulls != .dropAll || nullsDropped == 0 else { return }
        types.write(into: &hints) { index, hints in
            if options.header == .present {
                columns.withName(of: index) { hints.enter(utf8: $0) }
            } else {
                hints.enter(index: index)
            }
        }
    }
}
