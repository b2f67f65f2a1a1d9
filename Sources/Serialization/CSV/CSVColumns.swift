/// The names of the columns.
///
/// **Invariant.** Each name is unique, and not empty. Memory is requested before an array grows. `CSVOracle` (FuzzCSV)
/// and `CSVReaderTests` check this.
///
/// A name that occurs once stays as it is. Of several equal names the first one does, and the others get `_2`, `_3` and
/// so on. An empty name becomes `_` and the number of its column. A name that the header contains is never given to
/// another column, so that it does not depend on the other columns.
struct CSVColumns: ~Copyable {
    private struct Column {
        /// The range in ``names``.
        var name: Range<Int32>
        /// The column that has the name first; −1 if it is this one, and −2 if the name is empty.
        var first: Int32
        /// The number that the next duplicate of this name gets.
        var nextSuffix: Int32 = 2
        /// The offset of the field in the text.
        var offset: Int32
    }

    private var columns: [Column] = []
    /// The names, each with the index of its column.
    private var names = NameTable()
    private let acceptsEmpty: Bool
    /// A comma, and the names as JSON, from the comma before each to its colon, followed by sixteen bytes.
    private var json = JSONWriter(capacity: 256)
    /// The end of each name in ``json``.
    private var jsonEnds: [Int32] = []
    private var scratch: [UInt8] = []
    private var memory: MemoryBudget
    private let maxNameBytes: Int
    private let maxCount: Int

    /// - Parameter acceptsEmpty: Whether empty fields are written as strings.
    init(limits: Limits, memory: any MemoryGrant, acceptsEmpty: Bool) {
        self.acceptsEmpty = acceptsEmpty
        self.memory = MemoryBudget(memory, reserved: 4 * MemoryBudget.tableBytes)
        json.use(memory, after: MemoryBudget.tableBytes)
        json.buffer.append(UInt8(ascii: ","))
        json.buffer.append(contentsOf: Self.padding)
        maxNameBytes = limits.maxKeyBytes
        maxCount = limits.maxObjectMembers
    }

    var count: Int { columns.count }

    /// Adds the name of the next column.
    mutating func append(_ field: CSVField, _ text: Span<UInt8>, _ dialect: CSVDialect) throws(CSVFault) {
        guard field.end - field.start <= maxNameBytes else {
            throw CSVFault(.keyTooLong(max: maxNameBytes), at: field.start, pointer: "")
        }
        guard columns.count < maxCount else {
            throw CSVFault(.tooManyColumns(max: maxCount), at: field.start, pointer: "")
        }
        scratch.removeAll(keepingCapacity: true)
        guard memory.reserve(&scratch, field.end - field.start) else { throw .outOfMemory }
        field.decode(text, dialect, into: &scratch)
        try add(offset: field.start)
    }

    /// Makes the names unique, and prepares them for writing.
    /// - Parameter notes: The list to which the names that were changed are added.
    mutating func finish(_ notes: inout TextNotes) throws(CSVFault) {
        for index in columns.indices where columns[index].first != -1 {
            let column = columns[index]
            let first = Int(column.first)
            try rename(index, like: column.first == -2 ? nil : first)
            guard !notes.isFull else {
                notes.append(unlisted: 1)
                continue
            }
            let isEmpty = column.first == -2
            notes.append(
                isEmpty ? .csvEmptyName(name(of: index)) : .csvDuplicateName(name(of: first), name(of: index)),
                at: Int(column.offset),
                first: isEmpty ? nil : Int(columns[first].offset),
                pointer: ""
            )
        }
        guard memory.reserve(&jsonEnds, columns.count) else { throw .outOfMemory }
        json.buffer.truncate(to: Self.commaBytes)
        for index in columns.indices { try writeJSON(index) }
        json.buffer.append(contentsOf: Self.padding)
    }

    /// Adds a column for the fields beyond the last one, whose name begins with `_extra`.
    mutating func appendExtra() throws(CSVFault) {
        scratch = Array("_extra".utf8)
        try add(offset: 0)
        let index = columns.count - 1
        if columns[index].first >= 0 {
            let first = Int(columns[index].first)
            try rename(index, like: first)
        }
        json.buffer.truncate(to: json.buffer.count - Self.padding.count)
        try writeJSON(index)
        json.buffer.append(contentsOf: Self.padding)
    }

    // MARK: Names

    /// Adds a column whose name is ``scratch``.
    private mutating func add(offset: Int) throws(CSVFault) {
        guard memory.reserve(&columns, 1) else { throw .outOfMemory }
        let first = scratch.isEmpty ? -2 : Int32(truncatingIfNeeded: names.owner(of: scratch.span) ?? -1)
        columns.append(Column(name: 0..<0, first: first, offset: Int32(truncatingIfNeeded: offset)))
        if first == -1 { try setName(of: columns.count - 1) }
    }

    /// Gives a column a name that no other column has.
    /// - Parameter first: The first column of the same name, whose suffixes are counted, so that the time is linear in
    ///   the number of columns; `nil` if the name is empty.
    private mutating func rename(_ index: Int, like first: Int?) throws(CSVFault) {
        var mayBeBase = first == nil
        while true {
            scratch.removeAll(keepingCapacity: true)
            let base = first.map { columns[$0].name } ?? 0..<0
            guard memory.reserve(&scratch, base.count + 24) else { throw .outOfMemory }
            if first == nil {
                scratch.append(suffix: index + 1)
            } else {
                names.withName(base) { scratch.append($0) }
            }
            if !mayBeBase {
                scratch.append(suffix: Int(columns[first ?? index].nextSuffix))
                columns[first ?? index].nextSuffix += 1
            }
            mayBeBase = false
            if names.owner(of: scratch.span) == nil { return try setName(of: index) }
        }
    }

    /// Makes ``scratch`` the name of a column.
    private mutating func setName(of index: Int) throws(CSVFault) {
        let name = scratch
        guard let range = names.add(name.span, owner: index, &memory) else { throw .outOfMemory }
        columns[index].name = range
    }

    func name(of column: Int) -> String { names.text(columns[column].name) }

    /// Calls `body` with the name of a column.
    func withName<Result>(of column: Int, _ body: (Span<UInt8>) -> Result) -> Result? {
        names.withName(columns[column].name, body)
    }

    // MARK: JSON

    /// The length of the comma before the names, which separates elements, too.
    private static let commaBytes = 1

    /// The bytes that can be read behind the last name.
    private static let padding = [UInt8](repeating: 0, count: 16)

    private mutating func writeJSON(_ column: Int) throws(CSVFault) {
        json.needsComma = true
        names.withName(columns[column].name) { json.name(utf8: $0) }
        guard !json.isOverLimit, json.buffer.count <= Int(Int32.max), memory.reserve(&jsonEnds, 1) else {
            throw .outOfMemory
        }
        jsonEnds.append(Int32(truncatingIfNeeded: json.buffer.count))
    }

    /// Writes the name of a column as a member's name.
    @inline(__always) func write(_ column: Int, into writer: inout JSONWriter) {
        let start = column == 0 ? Self.commaBytes : Int(jsonEnds[column - 1])
        let end = Int(jsonEnds[column])
        json.buffer.withBytes { writer.rawName(afterComma: start..<end, ofPadded: $0) }
    }

    /// Writes consecutive fields of a record as members, or as elements if there is no header, up to one that needs
    /// more than that: one that contains a quote or ends the text, or is empty, long, at a limit, or beyond the last
    /// column.
    ///
    /// Most fields are written here. That is why the loop has no other duties, and requests capacity once.
    /// - Parameters:
    ///   - offset: The offset of the first field; afterwards that of the field that was not written or, at the end of
    ///     the record, that of its line end.
    ///   - field: The index of the field at `offset`, which is less than `count`.
    ///   - count: The number of columns.
    /// - Returns: Whether the record ends.
    @inline(__always) func writeFields(
        _ text: Span<UInt8>,
        _ offset: inout Int,
        _ field: inout Int,
        count: Int,
        _ stops: inout CSVStops,
        into writer: inout JSONWriter
    ) -> Bool {
        json.buffer.withBytes { names in
            let ends = jsonEnds.span
            return writer.members(maxBytes: Self.maxFieldsBytes) { (sink, needsComma) in
                // The compiler keeps copies in registers.
                var (index, start, nextStops) = (field, offset, stops)
                defer { (field, offset, stops) = (index, start, nextStops) }
                var written = 0
                // The name of a member, or the comma before an element.
                var nameStart = ends.isEmpty ? 0 : index == 0 ? Self.commaBytes : Int(ends[index - 1])
                if !needsComma { nameStart += 1 }
                while index < count {
                    let end = nextStops.next(in: text, from: start)
                    guard end < text.count else { break }
                    let stop = text[end]
                    guard stop != CSVDialect.quote, acceptsEmpty || end > start else { break }
                    let name = nameStart..<(ends.isEmpty ? Self.commaBytes : Int(ends[index]))
                    let next = sink.put(name, ofPadded: names, string: text, start..<end, at: written)
                    guard let next else { break }
                    written = next
                    nameStart = ends.isEmpty ? 0 : name.upperBound
                    index &+= 1
                    start = end
                    guard stop == nextStops.delimiter else { return (written, true) }
                    start &+= 1
                }
                return (written, false)
            }
        }
    }

    /// The capacity for fields that are written together, in bytes.
    private static let maxFieldsBytes = 1 << 10
}

extension [UInt8] {
    /// Appends `_` and the digits of a positive number.
    fileprivate mutating func append(suffix number: Int) {
        append(UInt8(ascii: "_"))
        append(decimal: number)
    }
}
