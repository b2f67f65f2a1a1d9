// The parts of XML (XML 1.0 §2), which is not parsed: in comments, processing instructions, CDATA sections, the
// internal subset of a DOCTYPE and the values of attributes, neither a tag nor its end has a meaning.
//
//     <?xml version="1.0"?> │ <!DOCTYPE svg [<!ENTITY a "]>">]> │ <!-- <svg> --> │ <svg title="a > b"> │ … │ </svg>

/// Finds the tags in markup in UTF-8.
///
/// **Invariant.** Each part begins after the one before it, so that the cost is proportional to the length of the
/// content. `MarkupScannerTests` and `ImageCostTests` check this.
package struct MarkupScanner {
    package enum Part: Equatable {
        case tag(Tag)
        case endTag(name: Range<Int>)
        /// A comment, a processing instruction, a CDATA section or a declaration.
        case other
    }

    /// The tag of an element that begins, or is empty.
    package struct Tag: Equatable {
        package let name: Range<Int>
        /// The attributes, at most up to the end of the content.
        package let attributes: Range<Int>
        /// Whether the tag ends with `/>`.
        package let isEmpty: Bool
        /// Whether the tag ends before the end of the content.
        package let isWhole: Bool
    }

    /// The offset after the last part.
    package private(set) var offset: Int

    package init(at offset: Int) { self.offset = offset }

    /// Returns the next part, or `nil` if there is none, or if it is cut off and not the tag of an element that begins.
    package mutating func next(_ content: Span<UInt8>) -> Part? {
        guard offset < content.count,
            let start = content.firstOffset(of: UInt8(ascii: "<"), in: offset..<content.count)
        else { return nil }
        if content.hasText("<!--", at: start) {
            offset = start + 4
            return skip(past: "-->", content) ? .other : nil
        }
        if content.hasText("<![CDATA[", at: start) {
            offset = start + 9
            return skip(past: "]]>", content) ? .other : nil
        }
        if content.hasText("<?", at: start) {
            offset = start + 2
            return skip(past: "?>", content) ? .other : nil
        }
        if content.hasText("<!", at: start) {
            offset = start + 2
            return skipDeclaration(content) ? .other : nil
        }
        if content.hasText("</", at: start) {
            offset = start + 2
            let name = readName(content)
            return skip(past: ">", content) ? .endTag(name: name) : nil
        }
        offset = start + 1
        return .tag(readTag(content))
    }

    /// Returns the tag of the root element, or `nil` if other text or the end of the content comes first.
    package mutating func nextRoot(_ content: Span<UInt8>) -> Tag? {
        while true {
            while let byte = content.byte(offset), UInt8(byte).isJSONWhiteSpace { offset += 1 }
            guard content.byte(offset) == 0x3C, let part = next(content) else { return nil }
            switch part {
            case .tag(let tag): return tag
            case .endTag: return nil
            case .other: break
            }
        }
    }

    // MARK: Parts

    /// - Parameter end: A text whose last character, and no other, is `>`.
    private mutating func skip(past end: StaticString, _ content: Span<UInt8>) -> Bool {
        let tail = end.utf8CodeUnitCount - 1
        var start = offset + tail
        offset = content.count
        while start < content.count,
            let last = content.firstOffset(of: UInt8(ascii: ">"), in: start..<content.count)
        {
            start = last + 1
            if content.hasText(end, at: last - tail) {
                offset = start
                return true
            }
        }
        return false
    }

    private mutating func skipDeclaration(_ content: Span<UInt8>) -> Bool {
        var isInSubset = false
        while offset < content.count {
            let byte = content[offset]
            if isInSubset, content.hasText("<!--", at: offset) {
                offset += 4
                guard skip(past: "-->", content) else { return false }
                continue
            }
            if isInSubset, content.hasText("<?", at: offset) {
                offset += 2
                guard skip(past: "?>", content) else { return false }
                continue
            }
            offset += 1
            switch byte {
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isInSubset = false
            case UInt8(ascii: ">"): if !isInSubset { return true }
            case UInt8(ascii: "\""), UInt8(ascii: "'"): skipQuoted(byte, content)
            default: break
            }
        }
        return false
    }

    private mutating func readName(_ content: Span<UInt8>) -> Range<Int> {
        let start = offset
        while offset < content.count, !content[offset].endsName { offset += 1 }
        return start..<offset
    }

    private mutating func readTag(_ content: Span<UInt8>) -> Tag {
        let name = readName(content)
        let start = offset
        while offset < content.count {
            let byte = content[offset]
            offset += 1
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                skipQuoted(byte, content)
            } else if byte == UInt8(ascii: ">") {
                let end = offset - 1
                let isEmpty = end > start && content[end - 1] == UInt8(ascii: "/")
                return Tag(name: name, attributes: start..<(isEmpty ? end - 1 : end), isEmpty: isEmpty, isWhole: true)
            }
        }
        return Tag(name: name, attributes: start..<offset, isEmpty: false, isWhole: false)
    }

    /// Skips the rest of a value up to its quote.
    private mutating func skipQuoted(_ quote: UInt8, _ content: Span<UInt8>) {
        let end = content.firstOffset(of: quote, in: offset..<content.count)
        offset = end.map { $0 + 1 } ?? content.count
    }
}

extension MarkupScanner.Tag {
    /// Returns the value of the first attribute with this name, without its quotes.
    package func value(of name: [UInt8], _ content: Span<UInt8>) -> Range<Int>? {
        var offset = attributes.lowerBound
        func skipWhiteSpace() { while offset < attributes.upperBound, content[offset].isJSONWhiteSpace { offset += 1 } }
        while offset < attributes.upperBound {
            skipWhiteSpace()
            let start = offset
            while offset < attributes.upperBound, !content[offset].isJSONWhiteSpace,
                content[offset] != UInt8(ascii: "=")
            {
                offset += 1
            }
            let isNamed = content.slice(start..<offset) { $0.equals(name.span) } ?? false
            skipWhiteSpace()
            guard offset < attributes.upperBound, content[offset] == UInt8(ascii: "=") else { continue }
            offset += 1
            skipWhiteSpace()
            guard offset < attributes.upperBound, content[offset] == 0x22 || content[offset] == 0x27 else { continue }
            guard let end = content.firstOffset(of: content[offset], in: offset + 1..<attributes.upperBound) else {
                return nil
            }
            if isNamed { return offset + 1..<end }
            offset = end + 1
        }
        return nil
    }
}

extension UInt8 {
    fileprivate var endsName: Bool { self == UInt8(ascii: ">") || self == UInt8(ascii: "/") || isJSONWhiteSpace }
}
