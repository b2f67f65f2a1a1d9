/// Reads the events of a text, and writes each of them when its empty line is found.
///
/// **Invariant.** Of an event that is not complete, only the ranges of its fields are stored. The lines of its data are
/// read a second time to write them. Memory is requested before an array grows. `EventStreamOracle` (FuzzEventStream)
/// and `EventStreamReaderTests` check this.
struct EventStream: ~Copyable {
    private let options: EventStreamReader.Options
    /// Whether the text ends at invalid UTF-8.
    private let isCut: Bool
    /// Whether the text ends before a character that is not complete.
    private let endsBeforeCharacter: Bool
    private var memory: MemoryBudget

    private(set) var notes: TextNotes
    private(set) var facts = EventStreamFacts()
    private(set) var nullsDropped = 0
    /// The leniencies that the data needs.
    private(set) var leniencies: Leniencies = []
    private var count = 0

    /// The fields since the last empty line.
    private struct Block {
        /// The offset of the first field.
        var start: Int
        var event: Range<Int>?
        var id: Range<Int>?
        /// Without leading zeros.
        var retry: Range<Int>?
        /// The value of the first `data` field.
        var data: Range<Int>?
        /// The offset after the last of several `data` fields; `nil` if there is one.
        var dataEnd: Int?
    }

    private var block: Block?

    /// The values of the last events that have them.
    private var lastID: Range<Int>?
    private var lastRetry: Range<Int>?

    // Data of several lines, which is JSON.

    private var joined: [UInt8] = []
    /// The offsets of the lines in ``joined`` and in the text.
    private var lines: [(joined: Int, text: Int)] = []

    init(_ options: EventStreamReader.Options, _ text: UnicodeText) {
        self.options = options
        isCut = text.invalid != nil
        endsBeforeCharacter = text.incomplete != nil
        memory = MemoryBudget(options.memory)
        notes = TextNotes(max: options.limits.maxWarnings)
    }

    /// Writes the array.
    mutating func read(_ text: Span<UInt8>, into writer: inout JSONWriter) throws(EventStreamFault) {
        writer.beginArray()
        var offset = 0
        while offset < text.count, !writer.isOverLimit {
            let end = text.offset(of: 0x0A, or: 0x0D, from: offset)
            guard end < text.count else {
                try finish(text, lastLine: offset)
                break
            }
            if end == offset {
                try endBlock(text, &writer)
            } else {
                readLine(text, offset..<end)
            }
            offset = text.lineEnd(at: end) ?? end
        }
        if offset == text.count, !writer.isOverLimit { try finish(text, lastLine: offset) }
        writer.endArray()
        if let lastID, lastID.count <= EventStreamFacts.maxListedBytes { facts.lastEventID = text.text(lastID) }
        if let lastRetry, lastRetry.count <= EventStreamFacts.maxRetryDigits { facts.retry = Int(text.text(lastRetry)) }
    }

    /// Handles the end of the text.
    /// - Parameter lastLine: The start of the last line, which has no end.
    private mutating func finish(_ text: Span<UInt8>, lastLine: Int) throws(EventStreamFault) {
        guard !isCut else {
            let encoding = UnicodeEncoding.utf8.rawValue
            throw EventStreamFault(.invalidEncoding(encoding), at: text.count, pointer: pointer)
        }
        let hasField = lastLine < text.count ? text[lastLine] != UInt8(ascii: ":") : endsBeforeCharacter
        guard let start = block?.start ?? (hasField ? lastLine : nil) else { return }
        block = nil
        switch options.truncated {
        case .reject: throw EventStreamFault(.unfinished(hasEvents: count > 0), at: text.count, pointer: pointer)
        case .allow: note(.eventsUnfinished, at: start)
        }
    }

    // MARK: Lines

    private mutating func readLine(_ text: Span<UInt8>, _ line: Range<Int>) {
        guard text[line.lowerBound] != UInt8(ascii: ":") else { return }
        var block = self.block ?? Block(start: line.lowerBound)
        defer { self.block = block }
        if let value = text.value(of: "data", line) {
            if block.data == nil { block.data = value } else { block.dataEnd = line.upperBound }
        } else if let value = text.value(of: "event", line) {
            // The standard has no events whose type is empty.
            block.event = value.isEmpty ? nil : value
        } else if let value = text.value(of: "id", line) {
            if text.terminator(in: value) == nil {
                block.id = value
            } else {
                note(.eventsInvalidID, at: value.lowerBound)
            }
        } else if let value = text.value(of: "retry", line) {
            if let digits = text.decimal(value), digits.count <= options.limits.maxNumberBytes {
                block.retry = digits
            } else {
                note(.eventsInvalidRetry(notes.isFull ? "" : text.text(value)), at: value.lowerBound)
            }
        } else {
            let colon = text.firstOffset(of: UInt8(ascii: ":"), in: line) ?? line.upperBound
            note(.eventsUnknownField(notes.isFull ? "" : text.text(line.lowerBound..<colon)), at: line.lowerBound)
        }
    }

    /// The pointer to the event that is being read.
    private var pointer: String { "/\(count)" }

    /// - Parameter part: The pointer in the event.
    private mutating func note(_ kind: Warning.Kind, at offset: Int, first: Int? = nil, in part: String = "") {
        let pointer = notes.isFull ? "" : pointer + part
        notes.append(kind, at: offset, first: first, pointer: pointer)
    }

    // MARK: Events

    private mutating func endBlock(_ text: Span<UInt8>, _ writer: inout JSONWriter) throws(EventStreamFault) {
        guard let block else { return }
        self.block = nil
        lastID = block.id ?? lastID
        lastRetry = block.retry ?? lastRetry
        guard let data = block.data else {
            note(.eventsWithoutData, at: block.start)
            return
        }
        writer.beginObject()
        if let event = block.event {
            writer.name("event")
            text.slice(event) { writer.string(utf8: $0) }
        }
        writer.name("data")
        switch options.data {
        case .text: write(data, block.dataEnd, text, &writer)
        case .json: try writeJSON(data, block.dataEnd, text, &writer)
        }
        if let id = block.id {
            writer.name("id")
            text.slice(id) { writer.string(utf8: $0) }
        }
        if let retry = block.retry {
            writer.name("retry")
            text.slice(retry) { writer.raw($0) }
        }
        writer.endObject()
        count += 1
    }

    /// Writes data as a string.
    private func write(_ data: Range<Int>, _ end: Int?, _ text: Span<UInt8>, _ writer: inout JSONWriter) {
        guard let end else {
            // The text after the data can be read, too.
            return writer.string(utf8: text.extracting(droppingFirst: data.lowerBound), length: data.count)
        }
        // A line may be short, so several are appended at a time.
        var collected: [UInt8] = []
        collected.reserveCapacity(Self.maxCollectedBytes)
        writer.beginString()
        text.forEachLine(data, end) { line, isFirst in
            if !isFirst { collected.append(0x0A) }
            if collected.count + line.count > Self.maxCollectedBytes {
                writer.append(utf8: collected.span)
                collected.removeAll(keepingCapacity: true)
            }
            if line.count > Self.maxCollectedBytes {
                text.slice(line) { writer.append(utf8: $0) }
            } else {
                collected.append(text, line)
            }
        }
        writer.append(utf8: collected.span)
        writer.endString()
    }

    private static let maxCollectedBytes = 512

    // MARK: JSON

    /// Writes data as the value that it contains, or as a string if it is not JSON.
    private mutating func writeJSON(
        _ data: Range<Int>,
        _ end: Int?,
        _ text: Span<UInt8>,
        _ writer: inout JSONWriter
    ) throws(EventStreamFault) {
        lines.removeAll(keepingCapacity: true)
        joined.removeAll(keepingCapacity: true)
        let isJSON: Bool
        if let end {
            guard memory.reserve(&joined, end - data.lowerBound) else { throw .outOfMemory }
            try join(data, end, text)
            let bytes = joined
            isJSON = try writeJSON(bytes.span, &writer)
        } else {
            lines.append((joined: 0, text: data.lowerBound))
            isJSON = try text.slice(data) { bytes throws(EventStreamFault) in try writeJSON(bytes, &writer) } ?? false
        }
        guard !isJSON else { return }
        note(.eventsDataNotJSON, at: data.lowerBound, in: "/data")
        write(data, end, text, &writer)
    }

    private mutating func join(_ data: Range<Int>, _ end: Int, _ text: Span<UInt8>) throws(EventStreamFault) {
        var hasMemory = true
        text.forEachLine(data, end) { line, isFirst in
            if !isFirst { joined.append(0x0A) }
            hasMemory = hasMemory && memory.reserve(&lines, 1)
            if hasMemory { lines.append((joined: joined.count, text: line.lowerBound)) }
            joined.append(text, line)
        }
        guard hasMemory else { throw .outOfMemory }
    }

    /// - Returns: Whether the bytes are JSON. If not, nothing was written.
    private mutating func writeJSON(
        _ bytes: Span<UInt8>,
        _ writer: inout JSONWriter
    ) throws(EventStreamFault) -> Bool {
        // The text is UTF-8. Zero bytes and a mark would indicate another encoding to the reader.
        if bytes.isEmpty || bytes[0] == 0 || bytes[0] == 0xEF || bytes.count > 1 && bytes[1] == 0 { return false }
        // Most data that is not JSON is recognized without an error of the reader.
        if options.json.leniencies.isEmpty, !bytes[0].beginsJSON { return false }
        var warnings = WarningList(max: options.limits.maxWarnings)
        do throws(JSONError) {
            let summary = try JSONReader.read(
                bytes,
                options: options.json,
                memory: options.memory,
                into: &writer,
                warnings: &warnings
            )
            nullsDropped += summary.nullsDropped
        } catch {
            if error.isOutOfMemory { throw .outOfMemory }
            return false
        }
        leniencies.formUnion(warnings.leniencies)
        notes.append(unlisted: warnings.unlistedCount)
        for warning in warnings.listed {
            let offset = textOffset(warning.location?.byte ?? 0)
            let first = warning.first.map { textOffset($0.byte) }
            note(warning.kind, at: offset, first: first, in: "/data" + (warning.location?.pointer ?? ""))
        }
        return true
    }

    /// Returns the offset in the text of a byte of the data.
    private func textOffset(_ offset: Int) -> Int {
        guard !lines.isEmpty else { return offset }
        // The first line begins at 0.
        let line = lines[max(0, lines.indices.partitioningIndex { lines[$0].joined > offset } - 1)]
        return line.text + offset - line.joined
    }
}

extension UInt8 {
    /// Whether a JSON text can begin with this byte.
    fileprivate var beginsJSON: Bool {
        switch self {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "-"), UInt8(ascii: "t"),
            UInt8(ascii: "f"), UInt8(ascii: "n"):
            true
        default: isDecimalDigit || isJSONWhiteSpace
        }
    }
}

extension Span<UInt8> {
    /// Returns the value of a line if its field has this name: without one space after the colon. A line without a
    /// colon has an empty value.
    @inline(__always)
    fileprivate func value(of name: StaticString, _ line: Range<Int>) -> Range<Int>? {
        let nameEnd = line.lowerBound + name.utf8CodeUnitCount
        guard nameEnd <= line.upperBound, hasText(name, at: line.lowerBound) else { return nil }
        guard nameEnd < line.upperBound else { return nameEnd..<nameEnd }
        guard self[nameEnd] == UInt8(ascii: ":") else { return nil }
        let start = nameEnd + 1
        return start < line.upperBound && self[start] == 0x20 ? start + 1..<line.upperBound : start..<line.upperBound
    }

    /// Calls `body` with the value of each `data` field of a block, and whether it is the first one.
    fileprivate func forEachLine(_ data: Range<Int>, _ end: Int, _ body: (Range<Int>, _ isFirst: Bool) -> Void) {
        body(data, true)
        var start = lineEnd(at: data.upperBound) ?? end
        while start < end {
            let stop = offset(of: 0x0A, or: 0x0D, from: start)
            if let value = value(of: "data", start..<stop) { body(value, false) }
            start = lineEnd(at: stop) ?? end
        }
    }

    /// Returns the digits without leading zeros; `nil` if there are none, or anything else.
    fileprivate func decimal(_ range: Range<Int>) -> Range<Int>? {
        guard !range.isEmpty, range.allSatisfy({ self[$0].isDecimalDigit }) else { return nil }
        let first = range.first { self[$0] != UInt8(ascii: "0") } ?? range.upperBound - 1
        return first..<range.upperBound
    }
}
