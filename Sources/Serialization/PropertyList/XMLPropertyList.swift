// The XML format (Apple's PropertyList-1.0.dtd): `plist` with one value, or that value as the root; `dict` with
// alternating `key` and value, `array`, and scalars whose text is their value.
//
// Ambiguities of the format, and how we resolve them (as CoreFoundation's CFPropertyList.c does, if it covers them):
// · Integers are decimal with any number of digits, or hexadecimal after `0x` with up to 128 bits. Dates may have a
//   fraction.
// · Base64 may lack its padding. White space around a number or a date is ignored.
// · Archives in XML write a UID as a dictionary with only `CF$UID`; it is read as a UID.
// · Attributes and namespaces are ignored; an element that is not in the DTD is an error.

/// Reads the tape of an XML text into a graph.
struct XMLPropertyList: ~Copyable {
    private let limits: Limits
    private var builder: PropertyListBuilder
    /// The end positions of the open containers on the tape, the outermost first.
    private var ends: [Int] = []
    /// The record of the last key.
    private var lastKey = 0

    private enum Element: String {
        case plist, dict, key, array, string, integer, real, `true`, `false`, date, data

        static let values = [array, data, date, dict, `false`, integer, real, string, `true`].map { "<\($0.rawValue)>" }
    }

    /// - Returns: The graph, the bytes that it refers to, and notes. Positions are indices of records on the tape.
    static func read(
        _ tape: borrowing XMLTape,
        limits: Limits,
        memory: any MemoryGrant
    ) throws(PropertyListFault) -> (graph: PropertyListGraph, bytes: [UInt8], notes: [PropertyListReader.Note]) {
        // Each element has a record.
        var reader = XMLPropertyList(
            limits: limits,
            contentBytes: max(tape.textBytes, tape.count * 2),
            memory: memory
        )
        try reader.read(tape)
        let notes = reader.builder.rounded
        let (graph, bytes) = reader.builder.finish()
        return (graph, bytes, notes)
    }

    private init(limits: Limits, contentBytes: Int, memory: any MemoryGrant) {
        self.limits = limits
        builder = PropertyListBuilder(limits: limits, contentBytes: contentBytes, memory: memory)
    }

    // MARK: Structure

    private mutating func read(_ tape: borrowing XMLTape) throws(PropertyListFault) {
        let elements = (0..<tape.nameCount).map { Element(rawValue: tape.string(tape.name($0).local)) }
        let root = tape.root
        var index = root
        var end = tape.end(at: root)
        if elements[tape.name(at: root)] == .plist {
            index = tape.content(of: root).lowerBound
            end = max(index, end)
        }
        while index < end {
            while let last = ends.last, index >= last { try close() }
            switch tape.kind(at: index) {
            case .element:
                if ends.isEmpty, builder.hasValue { throw unexpected(["</plist>"], at: index) }
                index = try read(tape, index, elements[tape.name(at: index)])
            case .text, .cdata:
                guard tape.withText(tape.text(at: index), { $0.isWhiteSpace }) else {
                    throw unexpected(expected, at: tape.offset(ofText: index))
                }
                index = tape.next(after: index)
            case .namespace, .attribute, .comment, .instruction, .doctype: index = tape.next(after: index)
            }
        }
        while !ends.isEmpty { try close() }
        guard builder.hasValue else { throw unexpected(Element.values, at: root) }
    }

    /// Reads one element, or the start of a container.
    /// - Returns: The index of the next record.
    private mutating func read(
        _ tape: borrowing XMLTape,
        _ index: Int,
        _ element: Element?
    ) throws(PropertyListFault) -> Int {
        let isKeyNext = builder.container == .dictionary && !builder.needsValue
        guard let element, element != .plist, isKeyNext == (element == .key) else {
            throw unexpected(expected, at: index)
        }
        switch element {
        case .dict, .array:
            try builder.open(element == .dict ? .dictionary : .array, at: index)
            ends.append(max(tape.end(at: index), index + 1))
            guard tape.withText(tape.text(at: index), { $0.isWhiteSpace }) else {
                throw unexpected(expected, at: index)
            }
            return tape.content(of: index).lowerBound
        case .key, .string, .integer, .real, .true, .false, .date, .data:
            try scalar(tape, index, element)
            return tape.next(after: index)
        case .plist: return tape.next(after: index)
        }
    }

    private mutating func close() throws(PropertyListFault) {
        ends.removeLast()
        // Any element after a key is its value. The missing value therefore belongs to the last key.
        guard !builder.needsValue else { throw unexpected(Element.values, at: lastKey) }
        try builder.close()
    }

    private var expected: [String] {
        guard builder.container == .dictionary, !builder.needsValue else { return Element.values }
        return ["<key>", "</dict>"]
    }

    // MARK: Scalars

    private mutating func scalar(
        _ tape: borrowing XMLTape,
        _ index: Int,
        _ element: Element
    ) throws(PropertyListFault) {
        let content = tape.content(of: index)
        // Content with records contains elements.
        guard content.isEmpty else {
            let child = tape.firstElement(from: content.lowerBound, to: content.upperBound)
            throw unexpected(["</\(element.rawValue)>"], at: child)
        }
        try tape.withText(tape.text(at: index)) { text throws(PropertyListFault) in try scalar(text, index, element) }
    }

    private mutating func scalar(_ text: Span<UInt8>, _ index: Int, _ element: Element) throws(PropertyListFault) {
        switch element {
        case .key, .string:
            if element == .key { lastKey = index }
            try builder.add(.utf8, at: index) { $0.append(text) }
        case .true, .false:
            guard text.isWhiteSpace else { throw unexpected(["</\(element.rawValue)>"], at: index) }
            try builder.add(element == .true ? .true : .false, at: index)
        case .integer, .real:
            let range = text.trimmed(0..<text.count)
            let number = text.extracting(first: range.upperBound).extracting(droppingFirst: range.lowerBound)
            guard number.count <= limits.maxNumberBytes else {
                throw builder.fault(.numberTooLong(max: limits.maxNumberBytes), at: index)
            }
            if element == .real { return try builder.addReal(number, at: index) }
            try builder.add(.integerText, at: index, or: .invalidNumber) { bytes in
                PropertyListScalarText.integer(number, into: &bytes)
            }
        case .date:
            guard let date = text.slice(text.trimmed(0..<text.count), { PropertyListScalarText.date($0) }) else {
                throw builder.fault(.invalidDate, at: index)
            }
            try builder.add(.dateText, at: index) { $0.append(contentsOf: date.utf8) }
        case .data:
            try builder.add(.data, at: index, or: .invalidData) { bytes in
                Base64.appendForgiving(text, to: &bytes)
            }
        case .plist, .dict, .array: break
        }
    }

    private func unexpected(_ expected: [String], at index: Int) -> PropertyListFault {
        builder.fault(.unexpectedElement(expected: expected), at: index)
    }
}

extension XMLTape {
    /// Returns the record for the location of a text: that of the start tag if the text follows it directly.
    fileprivate func offset(ofText index: Int) -> Int {
        guard let parent = lineage(of: index).last, parent != index else { return index }
        return contentStart(of: parent) == index ? parent : index
    }
}

extension Span<UInt8> {
    /// Whether all bytes are white space. XML 1.0 §2.3 and JSON define it identically.
    fileprivate var isWhiteSpace: Bool { indices.allSatisfy { self[$0].isJSONWhiteSpace } }
}
