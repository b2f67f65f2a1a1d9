/// The member names of elements and attributes in the compact layout.
///
/// Elements with the same key are siblings of one kind, so keys have numbers of their own: with `xml-names=local` the
/// names `a:x` and `b:x` have the same key.
struct XMLKeys {
    /// The keys as JSON, from the comma before each to its colon, one after the other, followed by sixteen bytes.
    private var json: [UInt8] = []
    /// The ranges in ``json`` by key.
    private var ranges: [Range<Int>] = []
    private var texts: [String] = []
    /// The keys by the number of a name.
    private var elementKeys: [Int] = []
    private var attributeRanges: [Range<Int>] = []
    /// The ranges of the attributes with their prefixes; only if names are not written as in the document.
    private var prefixedAttributeRanges: [Range<Int>] = []

    /// Whether attributes of one element may have the same key: if names are written without prefixes, or with their
    /// namespaces, which should be unique in an element (Namespaces in XML 1.0 §6.3).
    private(set) var mayClash = false

    /// Whether children of different names have the same key.
    private(set) var areShared = false

    init(_ tape: borrowing XMLTape, _ style: XMLNameStyle) {
        var numbers: [ContentName: Int] = [:]
        /// Whether each key belongs to a child.
        var areChildren: [Bool] = []
        // Reserved, because a growing array temporarily exists twice. A key has at most five bytes in addition to its
        // text, and each name is written two or three times.
        var keyBytes = 16
        for number in 0..<tape.nameCount {
            keyBytes += 2 * (tape.keyBytes(ofName: number, style) + 5)
            if style != .prefixed { keyBytes += tape.keyBytes(ofName: number, .prefixed) + 5 }
        }
        json.reserveCapacity(keyBytes)
        for number in 0..<tape.nameCount {
            let text = tape.text(ofName: number, style)
            let name = ContentName(text)
            let isChild = tape.name(number).isChild
            if let known = numbers[name] {
                elementKeys.append(known)
                mayClash = mayClash || style != .prefixed
                areShared = areShared || isChild && areChildren[known]
                areChildren[known] = areChildren[known] || isChild
            } else {
                areChildren.append(isChild)
                numbers[name] = texts.count
                elementKeys.append(texts.count)
                texts.append(text)
                ranges.append(add(text))
            }
            attributeRanges.append(add("@" + text))
            if style != .prefixed { prefixedAttributeRanges.append(add("@" + tape.qualifiedName(number))) }
        }
        json.append(contentsOf: repeatElement(0, count: 16))
    }

    private mutating func add(_ text: String) -> Range<Int> {
        var writer = JSONWriter(capacity: text.utf8.count + 16)
        writer.needsComma = true
        writer.name(text)
        let start = json.count
        json.append(contentsOf: [UInt8](writer.buffer))
        return start..<json.count
    }

    var count: Int { texts.count }

    /// Returns the key of an element name.
    @inline(__always) func element(_ name: Int) -> Int { elementKeys[name] }

    func text(_ key: Int) -> String { texts[key] }

    @inline(__always) func writeElement(_ key: Int, into writer: inout JSONWriter) {
        writer.rawName(afterComma: ranges[key], ofPadded: json.span)
    }

    /// - Parameter clashes: Whether another attribute of its element has the same key. In that case the prefix is
    ///   written.
    @inline(__always) func writeAttribute(_ name: Int, clashes: Bool, into writer: inout JSONWriter) {
        writer.rawName(afterComma: clashes ? prefixedAttributeRanges[name] : attributeRanges[name], ofPadded: json.span)
    }
}

extension XMLTape {
    fileprivate func text(ofName number: Int, _ style: XMLNameStyle) -> String {
        let name = name(number)
        switch style {
        case .prefixed: return qualifiedName(number)
        case .local:
            // A name with two colons is not a valid qualified name, and without its first part it could equal another
            // name.
            return hasColon(name.local) ? qualifiedName(number) : string(name.local)
        case .clark:
            // An undeclared prefix has no namespace: the name is written unchanged.
            return name.namespace.isEmpty
                ? qualifiedName(number) : "{" + string(name.namespace) + "}" + string(name.local)
        }
    }

    private func hasColon(_ range: Range<Int>) -> Bool {
        withText(range) { text in text.indices.contains { text[$0] == UInt8(ascii: ":") } }
    }
}
