internal import CXML

/// The contents of an XML text as a flat sequence of records of a few bytes, without a tree or an object per element.
///
/// `<a x="1">hi<b/></a>` is `element a`, `attribute x "1"`, `text "hi"`, `element b`: an element is followed by its
/// namespace declarations, its attributes and its content, and specifies where these end. The children of an element
/// are found by going from each to its end. If comments and the like are omitted, most elements contain only a text:
/// that text is part of the element's record.
///
/// The index of a record is the offset of its first byte; `CXML.h` describes the bytes. Every distinct name has a
/// number. A text is a range of one of two buffers: the text and, for a text of at most four bytes, the tape. The
/// lower bound of the range selects the buffer.
///
/// **Invariant.** A tape exists only for content that was read completely and is accepted. Its records are in document
/// order, and each element ends after the last record inside it. Every index, number of a name and range in a record is
/// one that the shim wrote, and leads into the tape, the names or one of the two buffers. Nothing changes after
/// reading. `XMLTapeTests` checks the records, and `XMLOracle` (FuzzXML) that whatever is accepted becomes one JSON
/// text, and that locations of errors and warnings are inside the content.
@safe package struct XMLTape: ~Copyable {
    package enum Kind: UInt8 {
        case element = 1
        /// A namespace declaration: the local part of its name is the prefix, its text the namespace.
        case namespace
        case attribute
        case text
        case cdata
        case comment
        /// A processing instruction: the local part of its name is the target, its text the rest.
        case instruction
        /// The document type declaration in the prolog: its name is that of the root.
        case doctype
    }

    /// The parts of a name, as ranges of the text. Equal parts of all names have the same range, and missing parts are
    /// empty.
    package struct Name {
        package var prefix: Range<Int>
        package var local: Range<Int>
        package var namespace: Range<Int>
        /// Whether an element with this name is inside another element.
        package var isChild: Bool
    }

    // The library's memory, borrowed from `handle` and valid as long as it is: `records`, `names` and the texts have
    // the adjacent counts, and every index was compared with these or comes from the tape itself.
    private let handle: OpaquePointer
    private let summary: cxml_summary

    private init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
        unsafe summary = cxml_summarize(handle)
    }

    deinit {
        // The handle cannot be used after this.
        unsafe cxml_free(handle)
    }

    // MARK: Bytes of records

    /// The number of bytes in all records, which is the index after the last one.
    package var count: Int { unsafe summary.record_bytes }

    @inline(__always) private func byte(_ index: Int) -> UInt8 {
        // One comparison: a negative index is a large number.
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "the record is on the tape")
        // There are records, so they have an address.
        return unsafe summary.records.unsafelyUnwrapped[index]
    }

    /// - Parameter index: An index in a record whose first byte was read. Its distance to the end of the tape is
    ///   covered by the bytes that may be read behind the tape.
    @inline(__always) private func number(_ index: Int) -> Int {
        precondition(UInt(bitPattern: index) <= UInt(bitPattern: count), "the record ends on the tape")
        // Four bytes, of the seventeen that may be read behind the tape.
        return Int(unsafe UnsafeRawPointer(summary.records.unsafelyUnwrapped + index).loadUnaligned(as: UInt32.self))
    }

    /// Returns the kind as the C code writes it.
    @inline(__always) private func rawKind(_ index: Int) -> Int { Int(byte(index) & 15) }

    @inline(__always) private func isElement(_ rawKind: Int) -> Bool {
        rawKind == CXML_ELEMENT.number || rawKind == CXML_ELEMENT_WITH_ATTRIBUTES.number
    }

    /// Returns the index after the name of a record that has one.
    @inline(__always) private func afterName(_ index: Int) -> Int { byte(index + 1) < 0x80 ? index + 2 : index + 3 }

    /// Returns the text of a record.
    /// - Parameter start: The index after the first byte, or after the name.
    /// - Returns: The text, and the index after the record.
    @inline(__always) private func text(_ index: Int, after start: Int) -> (range: Range<Int>, end: Int) {
        var length = Int(byte(index) >> 4)
        var end = start
        if length == 15 {
            var shift = 0
            length = 0
            while true {
                let bits = byte(end)
                end += 1
                length |= Int(bits & 0x7F) << shift
                shift += 7
                // A length has 32 bits.
                if bits < 0x80 || shift > 28 { break }
            }
        }
        if length > Int(CXML_MAX_INLINE_BYTES) {
            let offset = number(end)
            return (offset..<offset + length, end + 4)
        }
        let offset = Self.firstOfTape + end
        return (offset..<offset + length, end + length)
    }

    /// Returns the index after the record itself.
    @inline(__always) private func afterRecord(_ index: Int) -> Int {
        switch rawKind(index) {
        case CXML_ELEMENT.number: afterName(index)
        case CXML_ELEMENT_WITH_ATTRIBUTES.number: afterName(index) + 4
        case CXML_CONTENT_END.number: index + 5
        case CXML_TEXT.number, CXML_OWN_TEXT.number, CXML_CDATA.number, CXML_COMMENT.number:
            text(index, after: index + 1).end
        default: text(index, after: afterName(index)).end
        }
    }

    /// Returns the index after the attributes of an element.
    @inline(__always) private func afterAttributes(_ element: Int) -> Int {
        let end = afterName(element)
        return rawKind(element) == CXML_ELEMENT.number ? end : end + 4 + number(end)
    }

    /// Returns `index`, or the index after the marker of the end of content if there is one.
    @inline(__always) private func skippingContentEnd(_ index: Int) -> Int {
        index < count && rawKind(index) == CXML_CONTENT_END.number ? index + 5 : index
    }

    /// Returns the end of the content of an element that contains records.
    /// - Parameter start: The index after its attributes.
    @inline(__always) private func contentEnd(_ start: Int) -> Int {
        let marker = rawKind(start) == CXML_TEXT.number ? text(start, after: start + 1).end : start
        return number(marker + 1)
    }

    // MARK: Records

    /// The index of the first record.
    package var startIndex: Int { 0 }

    /// Returns the index of the next record, which may be inside the one at `index`.
    package func index(after index: Int) -> Int {
        var next = afterRecord(index)
        if next < count, rawKind(next) == CXML_OWN_TEXT.number { next = afterRecord(next) }
        return skippingContentEnd(next)
    }

    @inline(__always) package func kind(at index: Int) -> Kind {
        let rawKind = rawKind(index)
        if isElement(rawKind) { return .element }
        guard let kind = Kind(rawValue: UInt8(rawKind)) else {
            preconditionFailure("the record has one of these kinds")
        }
        return kind
    }

    /// Returns the number of a record's name; 0 if it has none.
    @inline(__always) package func name(at index: Int) -> Int {
        switch rawKind(index) {
        case CXML_TEXT.number, CXML_CDATA.number, CXML_COMMENT.number: return 0
        default:
            let first = Int(byte(index + 1))
            return first < 0x80 ? first : (first & 0x7F) << 8 | Int(byte(index + 2))
        }
    }

    /// Returns the range of the namespace declarations and attributes of an element.
    @inline(__always) package func attributes(of element: Int) -> Range<Int> {
        let end = afterName(element)
        guard rawKind(element) != CXML_ELEMENT.number else { return end..<end }
        return end + 4..<end + 4 + number(end)
    }

    /// The start of an element, decoded once for a writer.
    struct Element {
        var composition: Composition
        var name: Int
        /// The range of ``XMLTape/attributes(of:)``.
        var attributes: Range<Int>
    }

    @inline(__always) func element(at index: Int) -> Element {
        let first = byte(index)
        let nameByte = Int(byte(index + 1))
        var name = nameByte
        var end = index + 2
        if nameByte >= 0x80 {
            name = (nameByte & 0x7F) << 8 | Int(byte(end))
            end += 1
        }
        let attributes = Int(first & 15) == CXML_ELEMENT.number ? end..<end : end + 4..<end + 4 + number(end)
        return Element(composition: Composition(bits: first >> 4), name: name, attributes: attributes)
    }

    /// Returns the text of an element without child elements, if comments and the like were omitted, and the index
    /// after the element.
    @inline(__always) func ownText(of element: Element) -> (range: Range<Int>, end: Int) {
        let start = element.attributes.upperBound
        return element.composition.hasText ? text(start, after: start + 1) : (0..<0, start)
    }

    /// Returns the end of an element.
    @inline(__always) func end(of element: Element) -> Int {
        let start = element.attributes.upperBound
        if element.composition.hasRecords { return contentEnd(start) }
        return element.composition.hasText ? text(start, after: start + 1).end : start
    }

    /// Returns the range of the records in an element's content.
    @inline(__always) func content(of element: Element) -> Range<Int> {
        let start = element.attributes.upperBound
        if element.composition.hasRecords { return skippingContentEnd(start)..<contentEnd(start) }
        guard element.composition.hasText else { return start..<start }
        let end = text(start, after: start + 1).end
        return (rawKind(start) == CXML_OWN_TEXT.number ? end : start)..<end
    }

    /// Returns the text of a text, a CDATA section or a comment, and the index of the record after it.
    @inline(__always) func leaf(at index: Int) -> (range: Range<Int>, next: Int) {
        let (range, end) = text(index, after: index + 1)
        return (range, skippingContentEnd(end))
    }

    /// Returns the name and the text of an attribute or a namespace declaration, and the index after it.
    @inline(__always) func attribute(at index: Int) -> (name: Int, text: Range<Int>, end: Int) {
        let nameByte = Int(byte(index + 1))
        let isShort = nameByte < 0x80
        let name = isShort ? nameByte : (nameByte & 0x7F) << 8 | Int(byte(index + 2))
        let (range, end) = text(index, after: index + (isShort ? 2 : 3))
        return (name, range, end)
    }

    /// Returns the end of an element: the index after its last record.
    @inline(__always) func end(at element: Int) -> Int { end(of: self.element(at: element)) }

    /// Returns the index after a record and, for an element, its content.
    @inline(__always) package func next(after index: Int) -> Int {
        skippingContentEnd(isElement(rawKind(index)) ? end(at: index) : afterRecord(index))
    }

    /// Returns the range of the records in an element's content.
    @inline(__always) package func content(of element: Int) -> Range<Int> { content(of: self.element(at: element)) }

    /// Returns the index of the first record of an element's content, even if its end is not yet known.
    package func contentStart(of element: Int) -> Int { skippingContentEnd(afterAttributes(element)) }

    /// Returns the text of a record. An element has a text if it contains nothing else and comments and the like were
    /// omitted.
    @inline(__always) package func text(at index: Int) -> Range<Int> {
        switch rawKind(index) {
        case CXML_ELEMENT.number, CXML_ELEMENT_WITH_ATTRIBUTES.number:
            let composition = composition(of: index)
            guard !composition.hasRecords, composition.hasText else { return 0..<0 }
            let start = afterAttributes(index)
            return rawKind(start) == CXML_OWN_TEXT.number ? text(start, after: start + 1).range : 0..<0
        case CXML_TEXT.number, CXML_CDATA.number, CXML_COMMENT.number: return text(index, after: index + 1).range
        default: return text(index, after: afterName(index)).range
        }
    }

    // MARK: Children

    /// The composition of an element's content, if comments and the like were omitted.
    struct Composition {
        fileprivate var bits: UInt8

        @inline(__always) var hasElements: Bool { hasRecords }

        @inline(__always) fileprivate var hasRecords: Bool { bits & UInt8(CXML_HAS_RECORDS) != 0 }

        /// Whether an element without records in its content has text.
        @inline(__always) fileprivate var hasText: Bool { bits & UInt8(CXML_HAS_TEXT) != 0 }

        // The following properties are only known for an element that contains elements.

        /// Whether there is text between the elements that is only white space (XML 1.0 §2.3).
        @inline(__always) var hasBlanks: Bool { bits & UInt8(CXML_HAS_BLANKS) != 0 }

        /// Whether there is other text between the elements.
        @inline(__always) var hasWords: Bool { bits & UInt8(CXML_HAS_WORDS) != 0 }

        /// Whether elements of one name may be separated by others. If not, all elements of one name are adjacent.
        @inline(__always) var mayRecur: Bool { bits & UInt8(CXML_MAY_RECUR) != 0 }
    }

    @inline(__always) func composition(of element: Int) -> Composition { Composition(bits: byte(element) >> 4) }

    /// Returns the first element at or after `index`, or `end`. Siblings are examined one by one, so none is missed.
    @inline(__always) func firstElement(from index: Int, to end: Int) -> Int {
        var index = index
        while index < end, !isElement(rawKind(index)) { index = afterRecord(index) }
        return index
    }

    // MARK: Names and texts

    package var nameCount: Int { unsafe summary.name_count }

    package func name(_ number: Int) -> Name {
        precondition(number >= 0 && number < nameCount, "the name exists")
        // There are names, so they have an address.
        let name = unsafe summary.names.unsafelyUnwrapped[number]
        return Name(
            prefix: name.prefix.range,
            local: name.local.range,
            namespace: name.namespace_uri.range,
            isChild: name.is_child != 0
        )
    }

    /// The first offset of a text on the tape; offsets in the text have 32 bits.
    private static let firstOfTape = 1 << 40

    /// Returns the address of a range of the text, or `nil` if there is no text.
    @inline(__always) private func address(_ range: Range<Int>) -> UnsafePointer<UInt8>? {
        if range.lowerBound >= Self.firstOfTape {
            let start = range.lowerBound - Self.firstOfTape
            precondition(start + range.count <= count, "the text is on the tape")
            return unsafe summary.records.map { unsafe $0 + start }
        }
        precondition(range.lowerBound >= 0 && range.upperBound <= textBytes, "the range is in the text")
        return unsafe summary.text.map { unsafe $0 + range.lowerBound }
    }

    /// Calls `body` with a range of the text, which is valid for the duration of the call.
    @inline(__always) func withText<Result: ~Copyable, Failure: Error>(
        _ range: Range<Int>,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let address = unsafe address(range)
        // The memory is alive for the duration of the call because `self` is.
        let bytes = unsafe UnsafeBufferPointer(start: address, count: range.count)
        return try unsafe body(bytes.span)
    }

    /// Writes a range of the text as a string.
    @inline(__always) func write(_ range: Range<Int>, into writer: inout JSONWriter) {
        let address = unsafe address(range)
        // The memory is alive for the duration of the call because `self` is, and each buffer has that many more bytes.
        let bytes = unsafe UnsafeBufferPointer(
            start: address,
            count: address == nil ? 0 : range.count + Int(CXML_SLACK_BYTES)
        )
        unsafe writer.string(utf8: bytes.span, length: range.count)
    }

    package func string(_ range: Range<Int>) -> String { withText(range) { $0.text } }

    /// The number of bytes of text.
    var textBytes: Int { unsafe summary.text_bytes }

    /// Returns the name as written.
    package func qualifiedName(_ number: Int) -> String {
        let name = name(number)
        return name.prefix.isEmpty ? string(name.local) : string(name.prefix) + ":" + string(name.local)
    }

    // MARK: The document

    /// The public identifier in the document type declaration, or `nil` if there is none.
    var publicIdentifier: String? {
        let range = unsafe summary.public_identifier.range
        return range.isEmpty ? nil : string(range)
    }

    var systemIdentifier: String? {
        let range = unsafe summary.system_identifier.range
        return range.isEmpty ? nil : string(range)
    }

    /// The root element.
    package var root: Int {
        var index = 0
        while kind(at: index) != .element { index = self.index(after: index) }
        return index
    }

    // MARK: Errors

    /// The reason why reading stopped, or `nil` if the complete text was read.
    var fault: Fault? {
        let reason: Fault.Reason? =
            switch unsafe summary.outcome {
            case CXML_WHOLE: nil
            case CXML_UNDECLARED_ENTITY: .undeclaredEntity
            case CXML_EXTERNAL_ENTITY: .externalEntity
            case CXML_EXPANSION: .expansion
            case CXML_DEPTH: .depth
            case CXML_ATTRIBUTES: .attributes
            case CXML_NAMESPACES: .namespaces
            case CXML_NAMES: .names
            case CXML_NAME_BYTES: .nameBytes
            case CXML_DOCTYPE_BYTES: .doctypeBytes
            case CXML_CHOICES: .choices
            case CXML_STOPPED: .asked
            case CXML_NO_MEMORY: preconditionFailure("out of memory: a tape of \(count) bytes")
            // CXML_MALFORMED; C has no other.
            default: .malformed
            }
        return reason.map { Fault(reason: $0, number: Int(unsafe summary.number), offset: unsafe summary.byte) }
    }

    struct Fault {
        enum Reason {
            case malformed, undeclaredEntity, externalEntity
            case expansion, depth, attributes, namespaces, names, nameBytes, doctypeBytes, choices
            /// The requested record was reached.
            case asked
        }

        var reason: Reason
        /// The library's error number.
        var number: Int
        /// The offset in the text that was read.
        var offset: Int
    }

    /// The elements that were open when reading stopped, from the root.
    var openElements: [Int] {
        // The summary contains their number.
        (0..<(unsafe summary.open_count)).map { unsafe Int(cxml_open_element(handle, $0)) }
    }

    /// The notes on errors that the library accepted.
    var notes: [(isEntity: Bool, offset: Int, name: String)] {
        (0..<(unsafe summary.note_count)).map { index in
            let note = unsafe summary.notes.unsafelyUnwrapped[index]
            // XML_ERR_UNDECLARED_ENTITY
            return (note.number == 26, Int(note.byte), name(ofNote: note.name.range))
        }
    }

    /// The name of the entity that is not declared, if reading stopped at a reference to one.
    var undeclaredEntity: String { name(ofNote: unsafe summary.undeclared_entity.range) }

    private func name(ofNote range: Range<Int>) -> String {
        let count = unsafe summary.note_text_bytes
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "the name of the note is in the buffer")
        // The memory is alive for the duration of the call because `self` is.
        let bytes = unsafe UnsafeBufferPointer(
            start: summary.note_text.map { unsafe $0 + range.lowerBound },
            count: range.count
        )
        return unsafe bytes.span.text
    }

    var unlistedNoteCount: Int { unsafe summary.unlisted_note_count }

    // MARK: Reading

    /// The settings for reading a text.
    struct Settings {
        /// Whether comments, processing instructions and CDATA sections become records of their own. Otherwise comments
        /// and processing instructions are omitted, and CDATA sections are text.
        var keepsAll = false
        var maxDepth = Limits.maxXMLNestingDepth
        var maxAttributes = 1_000
        var maxExpansionBytes = 1 << 20
        var maxNotes = 100
        /// The maximum total length of the different names, namespaces and targets, and of default values: the
        /// library's dictionary has a capacity of ten million, in blocks that it does not fill.
        var maxNameBytes = 2 << 20
        /// The record before which to stop, or `nil` for none.
        var stop: Int?

        init() {}

        /// The maximum number of namespace declarations in scope: each prefix is searched in all of them.
        static let maxNamespaces = 256
        /// The maximum number of different names: the library stores them in a table of fixed size.
        static let maxNames = 1 << 15
        /// The maximum length of the document type declaration without quoted text and comments, in bytes: some of the
        /// library's checks take quadratic time.
        static let maxDoctypeBytes = 32 << 10
        /// The maximum number of choices of one enumeration: each is compared with all others.
        static let maxChoices = 512
    }

    /// Reads `text` up to its end or to the first error.
    /// - Parameter text: Valid UTF-8 without a byte order mark, shorter than 2 GiB.
    init(reading text: Span<UInt8>, _ settings: Settings) {
        precondition(text.count <= Int(Int32.max), "the content is shorter than 2 GiB")
        var options = settings.options
        let handle = unsafe text.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            // The text is read before the call returns. An empty text may have no address, and then nothing is read.
            guard let base = bytes.baseAddress else { return unsafe Self.readNothing(options) }
            return unsafe cxml_read(base, bytes.count, &options)
        }
        guard let handle = unsafe handle else { preconditionFailure("out of memory: an XML parser") }
        unsafe self.init(handle)
    }

    /// Reads a text up to its end or to the first error, and frees it. What was read is freed while the tape grows.
    /// - Parameter text: Valid UTF-8 without a byte order mark, shorter than 2 GiB.
    init(consuming text: consuming OutputBuffer, _ settings: Settings) {
        var options = settings.options
        let count = text.count
        precondition(count <= Int(Int32.max), "the content is shorter than 2 GiB")
        // The callee frees it.
        let storage = unsafe text.takePadded().assumingMemoryBound(to: UInt8.self)
        guard let handle = unsafe cxml_read_owned(storage, count, &options) else {
            preconditionFailure("out of memory: an XML parser")
        }
        unsafe self.init(handle)
    }

    /// Returns the offsets at which the parser reaches records.
    /// - Parameters:
    ///   - records: Indices of the tape of this text, in ascending order.
    ///   - settings: Those with which the tape was read.
    static func offsets(of records: [Int], in text: Span<UInt8>, _ settings: Settings) -> [Int] {
        var options = settings.options
        var offsets = Array(repeating: 0, count: records.count)
        unsafe text.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return }
            // Both arrays have as many elements, and nothing is stored.
            _ = unsafe cxml_locate(base, bytes.count, &options, records, &offsets, records.count)
        }
        return offsets
    }

    private static func readNothing(_ options: cxml_options) -> OpaquePointer? {
        var options = options
        var nothing: UInt8 = 0
        // No byte of `nothing` is read.
        return unsafe cxml_read(&nothing, 0, &options)
    }
}

extension XMLTape.Settings {
    fileprivate var options: cxml_options {
        var options = cxml_options()
        options.keep_all = keepsAll ? 1 : 0
        options.max_depth = UInt32(clamping: maxDepth)
        options.max_attributes = UInt32(clamping: maxAttributes)
        options.max_namespaces = UInt32(Self.maxNamespaces)
        options.max_names = UInt32(Self.maxNames)
        options.max_name_bytes = maxNameBytes
        options.max_doctype_bytes = UInt32(Self.maxDoctypeBytes)
        options.max_choices = UInt32(Self.maxChoices)
        options.max_notes = UInt32(clamping: maxNotes)
        options.max_expansion_bytes = maxExpansionBytes
        options.stop_at = stop ?? .max
        return options
    }
}

extension cxml_kind {
    @inline(__always) fileprivate var number: Int { Int(rawValue) }
}

extension cxml_slice {
    fileprivate var range: Range<Int> { Int(start)..<Int(start) + Int(bytes) }
}
