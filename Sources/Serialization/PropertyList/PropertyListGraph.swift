// The common representation of all three formats of a property list: a flat table of objects, and lists of references
// between them.
//
// The binary format already is such a table, so its objects are not stored: each one is created from its marker
// whenever it is accessed. It is checked when it is first reached; the traversal of the graph (PropertyListMeasure)
// records that. The text and XML formats are trees: their readers fill a table with their own texts and references
// (PropertyListBuilder). Therefore only PropertyListWriter has to implement duplicates, nulls, hints and output.
//
// Worked example, `{ a = (x, x); }` as text: objects 0 `a`, 1 `x`, 2 `x`, 3 the array [1, 2], 4 the dictionary with the
// references [0, 3]: first all keys, then all values, as in the binary format.

/// One object, in as few bytes as possible. The kind determines the meaning of `start` and `count`.
struct PropertyListObject {
    enum Kind: UInt8 {
        case null
        case `false`
        case `true`
        /// An integer: big-endian two's complement of `count` bytes. One, two and four bytes are unsigned.
        case integer
        /// A number in the syntax of JSON.
        case integerText
        /// An IEEE 754 number, big-endian, four bytes.
        case real32
        /// An IEEE 754 number, big-endian, eight bytes.
        case real64
        /// A date in seconds since 2001-01-01T00:00:00Z, as ``real64``.
        case date
        /// A date as RFC 3339.
        case dateText
        case data
        /// A string of bytes up to 0x7F.
        case ascii
        /// A string in valid UTF-8.
        case utf8
        /// A string of big-endian UTF-16; `count` is the number of code units.
        case utf16
        /// An unsigned number, big-endian, of `count` bytes.
        case uid
        /// A UUID of sixteen bytes.
        case uuid
        /// A URL: one reference to a string, or two: to the base and to the relative string.
        case url
        case array
        case set
        case orderedSet
        /// A dictionary with twice `count` references: the keys, then the values.
        case dictionary
    }

    var kind: Kind

    /// Whether `start` is an index of ``PropertyListGraph/references``, not of the bytes.
    var hasOwnReferences = false

    /// The offset of the payload in the bytes from which the graph was created.
    var start: UInt32 = 0
    var count: UInt32 = 0

    /// The offset in the content, for errors and warnings.
    var offset: UInt32 = 0

    var range: Range<Int> {
        let start = Int(start)
        return start..<start + Int(count) * (kind == .utf16 ? 2 : 1)
    }

    /// The number of references of a container; 0 for any other object.
    var referenceCount: Int {
        switch kind {
        case .array, .set, .orderedSet, .url: Int(count)
        case .dictionary: Int(count) * 2
        case .null, .false, .true, .integer, .integerText, .real32, .real64, .date, .dateText, .data, .ascii,
            .utf8, .utf16, .uid, .uuid:
            0
        }
    }

    var isContainer: Bool {
        switch kind {
        case .array, .set, .orderedSet, .url, .dictionary: true
        case .null, .false, .true, .integer, .integerText, .real32, .real64, .date, .dateText, .data, .ascii,
            .utf8, .utf16, .uid, .uuid:
            false
        }
    }

    var isString: Bool {
        switch kind {
        case .ascii, .utf8, .utf16: true
        case .null, .false, .true, .integer, .integerText, .real32, .real64, .date, .dateText, .data, .uid,
            .uuid, .url, .array, .set, .orderedSet, .dictionary:
            false
        }
    }
}

/// The objects of one property list.
///
/// **Invariant.** Identifiers are from 0 to ``count`` − 1, those of the binary format first. An object that was reached
/// has been checked: its payload is inside the bytes, and each of its references is an identifier. The graph of the
/// binary format, or of a resolved archive, is written only after ``PropertyListMeasure`` has reached everything below
/// ``top`` without finding a cycle, too many levels or a value that is too long. Those of the text and XML formats are
/// trees, whose depth ``PropertyListBuilder`` has checked. `PropertyListOracle` (FuzzBinaryPropertyList,
/// FuzzTextPropertyList) checks the results.
struct PropertyListGraph {
    /// The binary format. Its objects have the lowest identifiers.
    let binary: BinaryPropertyList?

    /// The stored objects, whose identifiers follow those of the binary format.
    private(set) var kept: [PropertyListObject] = []
    var references: [UInt32] = []

    /// The object that is the value.
    var top: Int

    private let binaryCount: Int

    /// The maximum number of objects. Each takes sixteen bytes if it is stored, so that content of 32 MiB needs less
    /// than three times its size.
    static let maxObjects = 4 << 20

    init(top: Int = 0, binary: BinaryPropertyList? = nil) {
        self.top = top
        self.binary = binary
        binaryCount = binary?.count ?? 0
    }

    /// The number of objects. The strings of URLs in the binary format are not included.
    var count: Int { binaryCount + kept.count }

    /// The maximum number of different objects that references can identify.
    var distinctObjects: Int {
        guard let binary, binary.referenceBytes < 4 else { return count }
        return min(binaryCount, 1 << (8 * binary.referenceBytes)) + kept.count
    }

    /// Returns an existing object; in the binary format, one that has been reached.
    @inline(__always) func object(_ id: Int, _ bytes: Span<UInt8>) -> PropertyListObject {
        if id >= binaryCount, id < BinaryPropertyList.stringBase { return kept[id - binaryCount] }
        guard let binary else { preconditionFailure("the object exists") }
        return binary.object(id, bytes)
    }

    /// Adds an object.
    /// - Returns: Its identifier.
    @discardableResult
    mutating func append(_ object: PropertyListObject) -> Int {
        kept.append(object)
        return count - 1
    }

    /// Changes an object that was added.
    mutating func replace(_ id: Int, _ change: (inout PropertyListObject) -> Void) { change(&kept[id - binaryCount]) }

    /// Reserves memory for objects and references. Unused capacity is never touched.
    mutating func reserve(objects: Int, references count: Int) {
        kept.reserveCapacity(objects)
        references.reserveCapacity(count)
    }

    /// Returns the identifier in the reference at `index` of `container`. In the binary format that object need not
    /// exist.
    @inline(__always) func reference(_ index: Int, of container: PropertyListObject, _ bytes: Span<UInt8>) -> Int {
        if container.hasOwnReferences { return Int(references[Int(container.start) + index]) }
        guard let binary else { return .max }
        if container.kind == .url { return binary.string(index, of: container, bytes) }
        let referenceBytes = binary.referenceBytes
        let start = Int(container.start) + index * referenceBytes
        switch referenceBytes {
        case 1: return Int(bytes[start])
        case 2: return Int(bytes[start]) << 8 | Int(bytes[start + 1])
        default: return bytes.bigEndianLength(at: start, width: referenceBytes) ?? .max
        }
    }

    /// Adds an object that refers to others.
    mutating func append(_ kind: PropertyListObject.Kind, _ references: [UInt32], like origin: PropertyListObject)
        -> Int
    {
        var object = PropertyListObject(kind: kind, hasOwnReferences: true)
        object.start = UInt32(truncatingIfNeeded: self.references.count)
        object.count = UInt32(truncatingIfNeeded: kind == .dictionary ? references.count / 2 : references.count)
        object.offset = origin.offset
        self.references.append(contentsOf: references)
        return append(object)
    }

    // MARK: Texts

    /// Returns the text of a string object, or an empty string for any other object.
    func text(of object: PropertyListObject, _ bytes: Span<UInt8>) -> String {
        guard object.isString else { return "" }
        return withUTF8(of: object, bytes) { $0.text }
    }

    /// Calls `body` with the text of a string object, which is valid for the duration of the call.
    func withUTF8<Result>(
        of object: PropertyListObject,
        _ bytes: Span<UInt8>,
        _ body: (Span<UInt8>) -> Result
    ) -> Result {
        let text = bytes.extracting(first: object.range.upperBound).extracting(droppingFirst: object.range.lowerBound)
        guard object.kind == .utf16 else { return body(text) }
        var scratch: [UInt8] = []
        UTF16Text.transcode(text, into: &scratch)
        return body(scratch.span)
    }

    /// Returns whether a string has more than `maxBytes` bytes in UTF-8. The text is examined only if its length leaves
    /// that open.
    func isLonger(_ object: PropertyListObject, than maxBytes: Int, _ bytes: Span<UInt8>) -> Bool {
        guard object.isString else { return false }
        // A code unit of UTF-16 is one to three bytes of UTF-8, or four together with another one.
        let units = object.kind == .utf16 ? object.range.count / 2 : object.range.count
        if units > maxBytes { return true }
        guard object.kind == .utf16, units * 3 > maxBytes else { return false }
        return withUTF8(of: object, bytes) { $0.count > maxBytes }
    }

    func isString(_ object: PropertyListObject, _ text: String, _ bytes: Span<UInt8>) -> Bool {
        guard object.isString else { return false }
        return withUTF8(of: object, bytes) { $0.equals(text.utf8.span) }
    }

    // MARK: Paths

    /// Returns the JSON Pointer for `steps`, each of which is an object and the index of one of its references.
    /// - Parameter isChecked: Returns whether a key has been checked; any other key counts as empty.
    func pointer(
        through steps: some Sequence<(object: Int, index: Int)>,
        _ bytes: Span<UInt8>,
        maxBytes: Int,
        isChecked: (Int) -> Bool = { _ in true }
    ) -> String {
        var pointer = JSONPointer(maxBytes: maxBytes)
        for (object, index) in steps where index >= 0 && !pointer.isCut {
            let container = self.object(object, bytes)
            guard container.kind == .dictionary else {
                pointer.append(index)
                continue
            }
            let key = reference(index % max(Int(container.count), 1), of: container, bytes)
            guard key < count else { break }
            guard isChecked(key) else {
                pointer.append("")
                continue
            }
            let name = self.object(key, bytes)
            if isLonger(name, than: maxBytes, bytes) {
                pointer.cut()
            } else {
                pointer.append(text(of: name, bytes))
            }
        }
        return pointer.text
    }
}

extension Span<UInt8> {
    /// Returns a big-endian length, offset or reference of `width` bytes, which must be in bounds, or `nil` if it
    /// exceeds the maximum length in memory.
    func bigEndianLength(at start: Int, width: Int) -> Int? {
        var value = 0
        for index in start..<start + width {
            guard value <= Int.max >> 8 else { return nil }
            value = value << 8 | Int(self[index])
        }
        return value
    }

    /// Returns a big-endian number of at most eight bytes.
    func bigEndianWord(at start: Int, width: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in start..<start + width { value = value << 8 | UInt64(self[index]) }
        return value
    }
}
