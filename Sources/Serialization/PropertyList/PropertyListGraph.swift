// What all three forms of a property list become: a flat table of objects, and lists of references between them.
//
// The binary form *is* such a table: nothing of it is kept. An object is made from its marker whenever it is asked for; it
// is checked when it is first reached, and that is remembered by whoever goes over the graph (PropertyListMeasure). The
// text and XML forms are trees: their readers fill a table with texts and references of their own (PropertyListBuilder).
// So duplicates, nulls, archives, hints and output exist once, in PropertyListWriter.
//
// Worked example, `{ a = (x, x); }` as text: objects 0 `a`, 1 `x`, 2 `x`, 3 the array [1, 2], 4 the dictionary with the
// references [0, 3]: first all keys, then all values, as in the binary form.

/// One object, as small as can be. The meaning of `start` and `count` is the kind's.
struct PropertyListObject {
    enum Kind: UInt8 {
        case null
        case `false`
        case `true`
        /// Big-endian two's complement, `count` bytes; of one, two or four bytes without a sign.
        case integer
        /// A number as JSON writes it.
        case integerText
        /// IEEE 754, big-endian, four bytes.
        case real32
        /// IEEE 754, big-endian, eight bytes.
        case real64
        /// Seconds since 2001-01-01T00:00:00Z as ``real64``.
        case date
        /// RFC 3339.
        case dateText
        case data
        /// Nothing above 0x7F.
        case ascii
        /// UTF-8, valid.
        case utf8
        /// Big-endian units; `count` is theirs.
        case utf16
        /// An unsigned number, big-endian, `count` bytes.
        case uid
        /// Sixteen bytes.
        case uuid
        /// One reference to a string; or two, to a base and to what is relative to it.
        case url
        case array
        case set
        case orderedSet
        /// Twice `count` references: the keys, then the values.
        case dictionary
    }

    var kind: Kind

    /// Whether `start` is an index of ``PropertyListGraph/references`` and not of the bytes.
    var hasOwnReferences = false

    /// Offset of the payload, in the bytes that the graph was made from.
    var start: UInt32 = 0
    var count: UInt32 = 0

    /// Where it stands in the content: what errors and warnings name.
    var place: UInt32 = 0

    var range: Range<Int> {
        let start = Int(start)
        return start..<start + Int(count) * (kind == .utf16 ? 2 : 1)
    }

    /// References of a container; 0 for what is none.
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
struct PropertyListGraph {
    /// The binary form. Its objects have the first numbers.
    let binary: BinaryPropertyList?

    /// The objects that are kept, with the numbers after those of the binary form.
    private(set) var kept: [PropertyListObject] = []
    var references: [UInt32] = []

    /// The object that is the value.
    var top: Int

    private let binaryCount: Int

    /// Most objects: sixteen bytes each where they are kept, so that a content of 32 MiB is held with less than three
    /// times its size.
    static let maxObjects = 4 << 20

    init(top: Int = 0, binary: BinaryPropertyList? = nil) {
        self.top = top
        self.binary = binary
        binaryCount = binary?.count ?? 0
    }

    /// How many objects there are. The strings of URLs in the binary form are objects without a number here.
    var count: Int { binaryCount + kept.count }

    /// No more objects than these can be referred to.
    var distinctObjects: Int {
        guard let binary, binary.referenceBytes < 4 else { return count }
        return min(binaryCount, 1 << (8 * binary.referenceBytes)) + kept.count
    }

    /// An object that exists; in the binary form, one that has been reached.
    @inline(__always) func object(_ id: Int, _ bytes: Span<UInt8>) -> PropertyListObject {
        if id >= binaryCount, id < BinaryPropertyList.stringBase { return kept[id - binaryCount] }
        guard let binary else { preconditionFailure("an object has a number that is given out") }
        return binary.object(id, bytes)
    }

    /// Adds an object.
    /// - Returns: its number.
    @discardableResult
    mutating func append(_ object: PropertyListObject) -> Int {
        kept.append(object)
        return count - 1
    }

    /// Replaces an object that was added.
    mutating func replace(_ id: Int, _ change: (inout PropertyListObject) -> Void) {
        change(&kept[id - binaryCount])
    }

    /// Reserves memory for objects and references; what is not used of it is never touched.
    mutating func reserve(objects: Int, references count: Int) {
        kept.reserveCapacity(objects)
        references.reserveCapacity(count)
    }

    /// The object that the reference at `index` of `container` leads to. In the binary form it need not exist.
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
        object.place = origin.place
        self.references.append(contentsOf: references)
        return append(object)
    }

    // MARK: Texts

    /// The text of a string object; empty for anything else.
    func text(of object: PropertyListObject, _ bytes: Span<UInt8>) -> String {
        guard object.isString else { return "" }
        return withUTF8(of: object, bytes) { String(copying: $0) }
    }

    /// Lends the text of a string object.
    func withUTF8<Result>(
        of object: PropertyListObject,
        _ bytes: Span<UInt8>,
        _ body: (Span<UInt8>) -> Result
    ) -> Result {
        guard object.kind == .utf16 else { return body(bytes.extracting(object.range)) }
        var scratch: [UInt8] = []
        UTF16Text.transcode(bytes.extracting(object.range), into: &scratch)
        return body(scratch.span)
    }

    /// Whether a string has more bytes of UTF-8. Only one that may have either is looked through.
    func isLonger(_ object: PropertyListObject, than maxBytes: Int, _ bytes: Span<UInt8>) -> Bool {
        guard object.isString else { return false }
        // A unit of UTF-16 is one to three bytes of UTF-8, or with another four.
        let units = object.kind == .utf16 ? object.range.count / 2 : object.range.count
        if units > maxBytes { return true }
        guard object.kind == .utf16, units * 3 > maxBytes else { return false }
        return withUTF8(of: object, bytes) { $0.count > maxBytes }
    }

    func isString(_ object: PropertyListObject, _ text: String, _ bytes: Span<UInt8>) -> Bool {
        guard object.isString else { return false }
        return withUTF8(of: object, bytes) { $0.holds(text) }
    }

    // MARK: Paths

    /// The JSON Pointer that leads through `steps`, each an object and the index of a reference of it.
    /// - Parameter isChecked: whether a key has been checked; one that has not counts as empty.
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
    /// A big-endian length, offset or reference of `width` bytes, all of which are inside; nil where it is more than any
    /// length in memory.
    func bigEndianLength(at start: Int, width: Int) -> Int? {
        var value = 0
        for index in start..<start + width {
            guard value <= Int.max >> 8 else { return nil }
            value = value << 8 | Int(self[index])
        }
        return value
    }

    /// Eight bytes or fewer, big-endian.
    func bigEndianWord(at start: Int, width: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in start..<start + width { value = value << 8 | UInt64(self[index]) }
        return value
    }

    /// Whether this is exactly `text`, in UTF-8.
    func holds(_ text: String) -> Bool {
        text.utf8.count == count && zip(indices, text.utf8).allSatisfy { self[$0] == $1 }
    }
}
