/// How element and attribute names are written as members of the compact form.
///
/// Elements whose keys are the same are siblings of one kind, so a key has a number of its own: with `xml-names=local` the
/// names `a:x` and `b:x` have one key.
struct XMLKeys {
    /// The keys as they stand in JSON, from the comma before them to their colon, one after the other, and sixteen bytes.
    private var json: [UInt8] = []
    /// By key.
    private var ranges: [Range<Int>] = []
    private var texts: [String] = []
    /// By the number of a name.
    private var elementKeys: [Int] = []
    private var attributeRanges: [Range<Int>] = []
    /// The same with the prefix; only where names are not written as in the document.
    private var prefixedAttributeRanges: [Range<Int>] = []

    /// Whether attributes of one element may have the same key: where names are written without their prefixes, or with
    /// their namespaces, of which an element should have none twice (Namespaces in XML 1.0 §6.3).
    private(set) var mayClash = false

    /// Whether children of different names have the same key.
    private(set) var areShared = false

    init(_ tape: borrowing XMLTape, _ form: XMLNameForm) {
        var numbers: [String: Int] = [:]
        /// By key.
        var areChildren: [Bool] = []
        // Reserved, because an array that grows is there twice. A key has at most five bytes beside its text, and each name
        // is written two or three times.
        var keyBytes = 16
        for number in 0..<tape.nameCount {
            keyBytes += 2 * (tape.keyBytes(ofName: number, form) + 5)
            if form != .prefixed { keyBytes += tape.keyBytes(ofName: number, .prefixed) + 5 }
        }
        json.reserveCapacity(keyBytes)
        for number in 0..<tape.nameCount {
            let text = tape.text(ofName: number, form)
            let isChild = tape.name(number).isChild
            if let known = numbers[text] {
                elementKeys.append(known)
                mayClash = mayClash || form != .prefixed
                areShared = areShared || isChild && areChildren[known]
                areChildren[known] = areChildren[known] || isChild
            } else {
                areChildren.append(isChild)
                numbers[text] = texts.count
                elementKeys.append(texts.count)
                texts.append(text)
                ranges.append(add(text))
            }
            attributeRanges.append(add("@" + text))
            if form != .prefixed { prefixedAttributeRanges.append(add("@" + tape.qualifiedName(number))) }
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

    /// The key of an element's name, and of an attribute's.
    @inline(__always) func element(_ name: Int) -> Int { elementKeys[name] }

    func text(_ key: Int) -> String { texts[key] }

    @inline(__always) func writeElement(_ key: Int, into writer: inout JSONWriter) {
        writer.rawName(afterComma: ranges[key], ofPadded: json.span)
    }

    /// - Parameter clashes: whether another attribute of its element has the same key: then it gets its prefix back.
    @inline(__always) func writeAttribute(_ name: Int, clashes: Bool, into writer: inout JSONWriter) {
        writer.rawName(afterComma: clashes ? prefixedAttributeRanges[name] : attributeRanges[name], ofPadded: json.span)
    }
}

extension XMLTape {
    fileprivate func text(ofName number: Int, _ form: XMLNameForm) -> String {
        let name = name(number)
        switch form {
        case .prefixed:
            return qualifiedName(number)
        case .local:
            // What has two colons is no name of a namespace, and without the first might be another one.
            return hasColon(name.local) ? qualifiedName(number) : string(name.local)
        case .clark:
            // A prefix that is not declared stands for nothing: the name is written as it is.
            return name.namespace.isEmpty
                ? qualifiedName(number) : "{" + string(name.namespace) + "}" + string(name.local)
        }
    }

    private func hasColon(_ range: Range<Int>) -> Bool {
        withText(range) { text in text.indices.contains { text[$0] == UInt8(ascii: ":") } }
    }
}
