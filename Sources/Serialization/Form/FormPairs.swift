/// The pairs of a form, grouped by name.
///
/// **Invariant.** `names` contains the decoded text of each distinct name once, in the order of first appearance, in
/// valid UTF-8. The pairs of a group are linked in the order of the content. The value of each pair was found valid in
/// its charset. Memory is requested before an array grows. `FormOracle` (FuzzForm) and `FormReaderTests` check this.
struct FormPairs: ~Copyable {
    /// One name with all of its values.
    private struct Group {
        /// The range in ``names``.
        var name: Range<Int32>
        /// The first and the last pair.
        var ends: (first: Int32, last: Int32)?
        var count = 0
        /// Whether the option makes the values an array even if there is only one.
        var isRequestedArray: Bool
    }

    /// One value.
    private struct Pair {
        /// The range in the text, with escapes.
        var value: FormPart
        /// The next pair of the same name; −1 if there is none.
        var next: Int32 = -1
    }

    private let options: FormReader.Options
    /// The charset of the text; `nil` for UTF-8.
    let charset: Charset?
    private var memory: MemoryBudget

    /// The names, each with the index of its group.
    private var names = NameTable()
    private var groups: [Group] = []
    private var pairs: [Pair] = []
    /// A name or value without its escapes.
    private var scratch: [UInt8] = []

    private(set) var notes: TextNotes
    /// The names of ``FormFacts/inferredArrays``.
    private(set) var inferredArrays: [String] = []
    /// The offset of the first character, or escape, that is not ASCII; `nil` if there is none.
    private(set) var firstNonASCII: Int?

    init(_ options: FormReader.Options, charset: Charset? = nil) {
        self.options = options
        self.charset = charset
        notes = TextNotes(max: options.limits.maxWarnings)
        memory = MemoryBudget(options.memory, reserved: FormSerializer.reservation.constantBytes)
    }

    // MARK: Reading

    mutating func read(_ text: Span<UInt8>) throws(FormFault) {
        var offset = 0
        while offset < text.count {
            let start = offset
            let name = FormPart(text, from: &offset, endsAtEquals: true)
            var value = FormPart(at: offset)
            if offset < text.count, text[offset] == UInt8(ascii: "=") {
                offset += 1
                value = FormPart(text, from: &offset, endsAtEquals: false)
            }
            // WHATWG URL §5.1: an empty sequence is not a pair.
            if offset > start { try add(name, value, text) }
            offset += 1
        }
        markRequestedArrays()
    }

    /// Looks up the names in the option, so that the cost of each name of the form does not depend on their number.
    private mutating func markRequestedArrays() {
        guard case .names(let names) = options.arrays else { return }
        for name in names {
            scratch = Array(name.text.utf8)
            if let index = self.names.owner(of: scratch.span) { groups[index].isRequestedArray = true }
        }
    }

    private mutating func add(_ name: FormPart, _ value: FormPart, _ text: Span<UInt8>) throws(FormFault) {
        let limits = options.limits
        guard name.count <= limits.maxKeyBytes else {
            throw FormFault(.keyTooLong(max: limits.maxKeyBytes), at: name.start, pointer: "")
        }
        try decode(name, text, pointer: "")
        let index = names.owner(of: scratch.span) ?? groups.count
        if index == groups.count {
            guard groups.count < limits.maxObjectMembers else {
                throw FormFault(.tooManyMembers(max: limits.maxObjectMembers), at: name.start, pointer: "")
            }
            let name = scratch
            guard memory.reserve(&groups, 1), let range = names.add(name.span, owner: index, &memory) else {
                throw .outOfMemory
            }
            groups.append(Group(name: range, isRequestedArray: options.arrays == .always))
        }
        if name.hasEscapes { noteInvalidEscapes(of: name, text, index, element: nil) }
        if value.mayHaveNonASCII {
            try decode(value, text, pointer: nil, nextOf: index)
        }
        guard memory.reserve(&pairs, 1) else { throw .outOfMemory }
        let pair = Int32(truncatingIfNeeded: pairs.count)
        pairs.append(Pair(value: value))
        if let ends = groups[index].ends {
            pairs[Int(ends.last)].next = pair
            groups[index].ends = (ends.first, pair)
        } else {
            groups[index].ends = (pair, pair)
        }
        groups[index].count += 1
    }

    /// Decodes a name or value into ``scratch``: its escapes, then its charset.
    /// - Parameters:
    ///   - pointer: the pointer for an error; `nil` for that of the next value of a group.
    private mutating func decode(
        _ part: FormPart,
        _ text: Span<UInt8>,
        pointer: String?,
        nextOf group: Int = 0
    ) throws(FormFault) {
        scratch.removeAll(keepingCapacity: true)
        guard memory.reserve(&scratch, part.count) else { throw .outOfMemory }
        part.decode(text, into: &scratch)
        guard part.mayHaveNonASCII, let index = scratch.firstIndex(where: { $0 >= 0x80 }) else { return }
        firstNonASCII = firstNonASCII ?? part.offset(ofDecoded: index, text)
        let invalid: Int
        if let charset {
            // The text is at most three times as long.
            let copyBytes = 3 * scratch.count
            guard memory.take(copyBytes) else { throw .outOfMemory }
            defer { memory.release(copyBytes) }
            do throws(CharsetError) {
                scratch = try charset.transcode(scratch.span)
                return
            } catch {
                switch error {
                case .malformed(at: let offset): invalid = offset
                case .unsupported: throw FormFault(.unsupportedCharset(charset.name), at: part.start)
                case .outOfMemory: throw .outOfMemory
                }
            }
        } else {
            do throws(UTF8.ValidationError) {
                _ = try UTF8Span(validating: scratch.span)
                return
            } catch { invalid = error.byteOffsets.lowerBound }
        }
        // The pointer says whether the value is an element of an array.
        markRequestedArrays()
        throw FormFault(
            .invalidEncoding(charset?.name ?? UnicodeEncoding.utf8.rawValue),
            at: part.offset(ofDecoded: invalid, text),
            pointer: pointer ?? self.pointer(to: group, element: groups[group].count)
        )
    }

    // MARK: Writing

    /// Writes the object.
    mutating func write(_ text: Span<UInt8>, into writer: inout JSONWriter) throws(FormFault) {
        var listedBytes = 0
        writer.beginObject()
        for index in groups.indices where !writer.isOverLimit {
            let group = groups[index]
            names.withName(group.name) { writer.name(utf8: $0) }
            let isArray = group.isRequestedArray || group.count > 1
            if isArray { writer.beginArray() }
            if isArray, !group.isRequestedArray { listInferredArray(index, &listedBytes) }
            var pair = Int(group.ends?.first ?? -1)
            var element = 0
            while pair >= 0, !writer.isOverLimit {
                try write(pairs[pair].value, text, index, element, into: &writer)
                pair = Int(pairs[pair].next)
                element += 1
            }
            if isArray { writer.endArray() }
        }
        writer.endObject()
    }

    private mutating func write(
        _ value: FormPart,
        _ text: Span<UInt8>,
        _ group: Int,
        _ element: Int,
        into writer: inout JSONWriter
    ) throws(FormFault) {
        if !value.hasEscapes, charset == nil || !value.mayHaveNonASCII {
            text.slice(value.start..<value.end) { writer.string(utf8: $0) }
        } else {
            try decode(value, text, pointer: "")
            writer.string(utf8: scratch.span)
            if value.hasEscapes { noteInvalidEscapes(of: value, text, group, element: element) }
        }
    }

    private mutating func listInferredArray(_ group: Int, _ listedBytes: inout Int) {
        guard inferredArrays.count < FormFacts.maxListed else { return }
        let name = names.text(groups[group].name)
        listedBytes += name.utf8.count
        guard listedBytes <= FormFacts.maxListedBytes else { return }
        inferredArrays.append(name)
    }

    // MARK: Notes

    /// Notes each `%` that begins no escape.
    /// - Parameter element: the index of the value; `nil` for the name.
    private mutating func noteInvalidEscapes(of part: FormPart, _ text: Span<UInt8>, _ group: Int, element: Int?) {
        // A part can contain many, and making the pointer takes as long as reading the name.
        var pointer: String?
        part.forEachInvalidEscape(text) { offset in
            guard !notes.isFull else { return notes.append(unlisted: 1) }
            let current = pointer ?? self.pointer(to: group, element: element)
            pointer = current
            notes.append(.formEscape, at: offset, pointer: current)
        }
    }

    /// - Parameter element: the index of the value; `nil` for the member.
    private func pointer(to group: Int, element: Int?) -> String {
        var pointer = JSONPointer(maxBytes: options.limits.maxPointerBytes)
        pointer.append(names.text(groups[group].name))
        let isArray = groups[group].count > 1 || groups[group].isRequestedArray
        if let element, element > 0 || isArray { pointer.append(element) }
        return pointer.text
    }
}

/// A name or a value in the text, with its escapes.
struct FormPart {
    private var bounds: Range<Int32>
    /// Whether it contains `%` or `+`.
    private(set) var hasEscapes = false
    /// Whether it contains a byte or an escape beyond ASCII, or an invalid escape that resembles one.
    private(set) var mayHaveNonASCII = false

    var start: Int { Int(bounds.lowerBound) }
    var end: Int { Int(bounds.upperBound) }
    var count: Int { bounds.count }

    /// Creates an empty part.
    init(at offset: Int) {
        let offset = Int32(truncatingIfNeeded: offset)
        bounds = offset..<offset
    }

    /// Reads up to the next `&` or, if `endsAtEquals`, `=`.
    init(_ text: Span<UInt8>, from offset: inout Int, endsAtEquals: Bool) {
        let start = offset
        var bits: UInt8 = 0
        while offset < text.count {
            let byte = text[offset]
            if byte == UInt8(ascii: "&") || byte == UInt8(ascii: "=") && endsAtEquals { break }
            bits |= byte
            if byte == UInt8(ascii: "%") {
                hasEscapes = true
                // The first digit is 8 to F.
                if offset + 1 < text.count, text[offset + 1] >= UInt8(ascii: "8") { mayHaveNonASCII = true }
            } else if byte == UInt8(ascii: "+") {
                hasEscapes = true
            }
            offset += 1
        }
        if bits >= 0x80 { mayHaveNonASCII = true }
        bounds = Int32(truncatingIfNeeded: start)..<Int32(truncatingIfNeeded: offset)
    }

    /// Appends the bytes with escapes decoded.
    func decode(_ text: Span<UInt8>, into bytes: inout [UInt8]) {
        var offset = start
        while offset < end {
            let (byte, width) = byte(text, at: offset)
            bytes.append(byte)
            offset += width
        }
    }

    /// Returns the offset in the text of a decoded byte.
    func offset(ofDecoded index: Int, _ text: Span<UInt8>) -> Int {
        var offset = start
        for _ in 0..<index { offset += byte(text, at: offset).width }
        return offset
    }

    /// Calls `body` with the offset of each `%` that begins no escape.
    func forEachInvalidEscape(_ text: Span<UInt8>, _ body: (Int) -> Void) {
        var offset = start
        while offset < end {
            let width = byte(text, at: offset).width
            if width == 1, text[offset] == UInt8(ascii: "%") { body(offset) }
            offset += width
        }
    }

    /// Returns the decoded byte at an offset, and the number of bytes that represent it. A `%` without two digits
    /// represents itself (WHATWG URL §1.3).
    @inline(__always) private func byte(_ text: Span<UInt8>, at offset: Int) -> (UInt8, width: Int) {
        let byte = text[offset]
        if byte == UInt8(ascii: "+") { return (0x20, 1) }
        guard let decoded = text.percentEncodedByte(at: offset, before: end) else { return (byte, 1) }
        return (decoded, 3)
    }
}
