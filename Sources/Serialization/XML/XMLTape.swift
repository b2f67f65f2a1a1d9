internal import CXML

/// What is in an XML text, as a flat list of records: no tree, no object an element.
///
/// `<a x="1">hi<b/></a>` is `element a (1 attribute, end 4)`, `attribute x "1"`, `text "hi"`, `element b (end 4)`: an
/// element is followed by its namespace declarations, its attributes and its content, and knows where these end. So
/// the children of an element are found by going from each to its end. Where comments and the like are left out, most
/// elements have a text and nothing else: that needs no record, it is the element's own.
///
/// Every name has a number, the same for the same name; texts are ranges of one buffer of UTF-8.
@safe package struct XMLTape: ~Copyable {
    package enum Kind: UInt8 {
        case element = 1
        /// A namespace declaration: its name's local part is the prefix, its text the namespace.
        case namespace
        case attribute
        case text
        case cdata
        case comment
        /// A processing instruction: its name's local part is the target, its text the rest.
        case instruction
        /// The document type declaration, in the prolog: its name is the root's.
        case doctype
    }

    /// The parts of a name, as ranges of the text; empty where there is none.
    package struct Name {
        package var prefix: Range<Int>
        package var local: Range<Int>
        package var namespace: Range<Int>
        /// Whether an element has it that is in another one.
        package var isChild: Bool
    }

    // The library's memory, lent by `handle` and valid as long as it is: `records`, `names` and `text` have the counts
    // that stand beside them, and every index that is used was compared with these or comes from the tape itself.
    private let handle: OpaquePointer
    private let summary: cxml_summary

    private init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
        unsafe summary = cxml_summarize(handle)
    }

    deinit {
        // Nothing can use the handle after this.
        unsafe cxml_free(handle)
    }

    // MARK: Records

    package var count: Int { unsafe summary.record_count }

    @inline(__always) private func record(_ index: Int) -> cxml_record {
        precondition(index >= 0 && index < count, "a record is on the tape")
        // There are records, so they have an address.
        return unsafe summary.records.unsafelyUnwrapped[index]
    }

    @inline(__always) package func kind(at index: Int) -> Kind {
        guard let kind = Kind(rawValue: record(index).kind) else {
            preconditionFailure("the shim writes these kinds and no other")
        }
        return kind
    }

    /// The number of a record's name.
    @inline(__always) package func name(at index: Int) -> Int {
        Int(record(index).name)
    }

    /// How many namespace declarations and attributes follow an element.
    @inline(__always) package func attributeCount(at index: Int) -> Int {
        Int(record(index).attributes)
    }

    /// Where an element ends: the index after its last record.
    @inline(__always) package func end(at index: Int) -> Int {
        let record = record(index)
        return Self.hasRecords(record) ? Int(record.end) : index + 1 + Int(record.attributes)
    }

    /// The index after a record and, for an element, all that is in it.
    @inline(__always) package func next(after index: Int) -> Int {
        record(index).kind == Kind.element.rawValue ? end(at: index) : index + 1
    }

    /// The records of an element's content.
    @inline(__always) package func content(of element: Int) -> Range<Int> {
        let first = element + 1 + attributeCount(at: element)
        return first..<max(first, end(at: element))
    }

    /// The text of a record. An element has one where there are no records of its content.
    @inline(__always) package func text(at index: Int) -> Range<Int> {
        let record = record(index)
        guard record.kind != Kind.element.rawValue || !Self.hasRecords(record) else { return 0..<0 }
        return Int(record.start)..<Int(record.start) + Int(record.bytes)
    }

    @inline(__always) private static func hasRecords(_ record: cxml_record) -> Bool {
        record.content & UInt8(CXML_HAS_RECORDS) != 0
    }

    // MARK: Children

    /// What is in an element, where comments and the like were left out.
    struct Composition {
        fileprivate var bits: UInt8

        @inline(__always) var hasElements: Bool { bits & UInt8(CXML_HAS_RECORDS) != 0 }

        // What follows is only known of an element that has elements in it.

        /// Whether there is text beside the elements that is nothing but white space (XML 1.0 §2.3).
        @inline(__always) var hasBlanks: Bool { bits & UInt8(CXML_HAS_BLANKS) != 0 }

        /// Whether there is other text beside them.
        @inline(__always) var hasWords: Bool { bits & UInt8(CXML_HAS_WORDS) != 0 }

        /// Whether elements of one name may stand apart, with others between them. Otherwise all of one name follow
        /// each other.
        @inline(__always) var mayRecur: Bool { bits & UInt8(CXML_MAY_RECUR) != 0 }
    }

    @inline(__always) func composition(of element: Int) -> Composition {
        Composition(bits: record(element).content)
    }

    /// The first element from `index` on, or `end`. Siblings are looked through, so none of them is passed over.
    @inline(__always) func firstElement(from index: Int, to end: Int) -> Int {
        var index = index
        while index < end, record(index).kind != Kind.element.rawValue { index += 1 }
        return index
    }

    /// The next child of the same parent, which ends at `end`, where it has the same name.
    @inline(__always) func twin(after child: Int, to end: Int) -> Int? {
        let next = firstElement(from: self.end(at: child), to: end)
        return next < end && name(at: next) == name(at: child) ? next : nil
    }

    // MARK: Names and texts

    package var nameCount: Int { unsafe summary.name_count }

    package func name(_ number: Int) -> Name {
        precondition(number >= 0 && number < nameCount, "a name has a number")
        // There are names, so they have an address.
        let name = unsafe summary.names.unsafelyUnwrapped[number]
        return Name(
            prefix: name.prefix.range,
            local: name.local.range,
            namespace: name.namespace_uri.range,
            isChild: name.is_child != 0
        )
    }

    /// Lends a piece of the text.
    @inline(__always) package func withText<Result: ~Copyable, Failure: Error>(
        _ range: Range<Int>,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let count = unsafe summary.text_bytes
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a text is in the buffer")
        // Alive for the call, since `self` is.
        let bytes = unsafe UnsafeBufferPointer(
            start: summary.text.map { unsafe $0 + range.lowerBound },
            count: range.count
        )
        return try unsafe body(bytes.span)
    }

    /// Writes a piece of the text as a string.
    @inline(__always) func write(_ range: Range<Int>, into writer: inout JSONWriter) {
        let count = unsafe summary.text_bytes
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a text is in the buffer")
        // Alive for the call, since `self` is, and there are so many bytes more than the text has.
        let bytes = unsafe UnsafeBufferPointer(
            start: summary.text.map { unsafe $0 + range.lowerBound },
            count: summary.text == nil ? 0 : range.count + Int(CXML_SLACK_BYTES)
        )
        unsafe writer.string(utf8: bytes.span, length: range.count)
    }

    package func string(_ range: Range<Int>) -> String {
        withText(range) { String(copying: $0) }
    }

    /// How much text there is to lend.
    var textBytes: Int { unsafe summary.text_bytes }

    /// The name as it is written.
    package func qualifiedName(_ number: Int) -> String {
        let name = name(number)
        return name.prefix.isEmpty ? string(name.local) : string(name.prefix) + ":" + string(name.local)
    }

    // MARK: The document

    /// Of the XML declaration, or 1.0.
    package var version: String { string(unsafe summary.version.range) }

    /// What the declaration says; nil where it says nothing.
    package var standalone: Bool? {
        switch unsafe summary.standalone {
        case 0: false
        case 1: true
        default: nil
        }
    }

    /// Of the document type declaration; nil where it says nothing.
    package var publicIdentifier: String? {
        let range = unsafe summary.public_identifier.range
        return range.isEmpty ? nil : string(range)
    }

    package var systemIdentifier: String? {
        let range = unsafe summary.system_identifier.range
        return range.isEmpty ? nil : string(range)
    }

    /// The root element.
    package var root: Int {
        var index = 0
        while kind(at: index) != .element { index += 1 }
        return index
    }

    // MARK: Where the reader stopped

    /// Why it stopped, if it did not read all.
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
            case CXML_NO_MEMORY: preconditionFailure("out of memory: a tape of \(count) records")
            // CXML_MALFORMED, and C has no other.
            default: .malformed
            }
        return reason.map { Fault(reason: $0, number: Int(unsafe summary.number), offset: unsafe summary.byte) }
    }

    struct Fault {
        enum Reason {
            case malformed, undeclaredEntity, externalEntity
            case expansion, depth, attributes, namespaces, names, nameBytes, doctypeBytes, choices
            /// At the record that was asked for.
            case asked
        }

        var reason: Reason
        /// The library's.
        var number: Int
        /// In the text that was read.
        var offset: Int
    }

    /// The elements that were open then, from the root on.
    var openElements: [Int] {
        // As many as the summary says.
        (0..<(unsafe summary.open_count)).map { unsafe Int(cxml_open_element(handle, $0)) }
    }

    /// What the library let pass.
    var notes: [(number: Int, offset: Int, name: String)] {
        (0..<(unsafe summary.note_count)).map { index in
            let note = unsafe summary.notes.unsafelyUnwrapped[index]
            return (Int(note.number), Int(note.byte), name(ofNote: note.name.range))
        }
    }

    private func name(ofNote range: Range<Int>) -> String {
        let count = unsafe summary.note_text_bytes
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a note's name is in the buffer")
        // Alive for the call, since `self` is.
        let bytes = unsafe UnsafeBufferPointer(
            start: summary.note_text.map { unsafe $0 + range.lowerBound },
            count: range.count
        )
        return unsafe String(copying: bytes.span)
    }

    var unlistedNoteCount: Int { unsafe summary.unlisted_note_count }

    // MARK: Reading

    /// How a text is read.
    struct Settings {
        /// Whether comments, processing instructions and CDATA sections are kept apart. Otherwise the first two are left
        /// out, and a section is text like any other.
        var keepsAll = false
        var maxDepth = Limits.maxXMLNestingDepth
        var maxAttributes = 1_000
        var maxExpansionBytes = 1 << 20
        var maxNotes = 100
        /// Of the different names, namespaces and targets, and of default values: the library's dictionary has room for ten
        /// million, in blocks that it does not fill.
        var maxNameBytes = 2 << 20
        /// The record before which to stop; nil for none.
        var stop: Int?

        init() {}

        /// Namespace declarations in scope: each prefix is looked for in all of them.
        static let maxNamespaces = 256
        /// Different names: the library keeps them in a table of fixed size.
        static let maxNames = 1 << 15
        /// Of the document type declaration without quoted text and comments, in bytes: some of the library's checks of it take quadratic time.
        static let maxDoctypeBytes = 32 << 10
        /// Of one enumeration in it: each is compared with all others.
        static let maxChoices = 512
    }

    /// Reads `text` as far as it can be read.
    /// - Parameter text: valid UTF-8 without a byte order mark, shorter than 2 GiB.
    init(reading text: Span<UInt8>, _ settings: Settings) {
        precondition(text.count <= Int(Int32.max), "a content is shorter than 2 GiB")
        var options = cxml_options()
        options.keep_all = settings.keepsAll ? 1 : 0
        options.max_depth = UInt32(clamping: settings.maxDepth)
        options.max_attributes = UInt32(clamping: settings.maxAttributes)
        options.max_namespaces = UInt32(Settings.maxNamespaces)
        options.max_names = UInt32(Settings.maxNames)
        options.max_name_bytes = settings.maxNameBytes
        options.max_doctype_bytes = UInt32(Settings.maxDoctypeBytes)
        options.max_choices = UInt32(Settings.maxChoices)
        options.max_notes = UInt32(clamping: settings.maxNotes)
        options.max_expansion_bytes = settings.maxExpansionBytes
        options.stop_at = settings.stop ?? .max
        let handle = unsafe text.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            // Read before the call returns. An empty text may have no address, and then nothing is read.
            guard let base = bytes.baseAddress else { return unsafe Self.readNothing(options) }
            return unsafe cxml_read(base, bytes.count, &options)
        }
        guard let handle = unsafe handle else { preconditionFailure("out of memory: an XML parser") }
        unsafe self.init(handle)
    }

    private static func readNothing(_ options: cxml_options) -> OpaquePointer? {
        var options = options
        var nothing: UInt8 = 0
        // Of `nothing` no byte is read.
        return unsafe cxml_read(&nothing, 0, &options)
    }
}

extension cxml_slice {
    fileprivate var range: Range<Int> { Int(start)..<Int(start) + Int(bytes) }
}
