// Converts a text with leniencies to the text that the parser reads.
//
// This step runs only for a text that the parser rejected, and only if the caller requested a leniency, so strict texts
// cost nothing. The text is copied once, from its start to its end. Every repair notes its offset in the source, and
// the map (`RepairedText`) converts any offset in the copy to one in the source. Errors that no leniency covers are
// copied unchanged, and the parser rejects them.
//
//      source   <a>Tom & J&eacute;r&ocirc;me<!-- & --></a>
//      copy     <a>Tom &amp; Jérôme<!-- & --></a>
//
// References are repaired in text and attributes: not in comments, sections and instructions, where `&` is a character
// like any other, and not in the document type declaration. These are recognized by the last bytes of the copy, because
// the parser sees the copy.
//
// A name that the document type declaration may declare is left to the parser: if it declares the name, refers to a DTD
// outside of the document, or uses parameter entities.

/// Makes the copy of a text that is not XML.
struct XMLRepair: ~Copyable {
    private var output: RepairedText
    private let leniencies: Leniencies

    /// The construct that is being copied, with its start in the copy, after its opening.
    private enum Construct {
        /// Text and tags.
        case content
        case comment(Int)
        case section(Int)
        case instruction(Int)
    }

    private var construct = Construct.content
    /// The start of the bytes of the source that were passed, but not yet copied.
    private var pending = 0
    private var isInProlog = true
    /// The end of the document type declaration in the source; 0 without one.
    private var doctypeEnd = 0
    private var doctype = XMLDoctypeNames()

    private static let ampersand = Array("&amp;".utf8)

    /// Repairs `text`, which is valid UTF-8, as `leniencies` allow.
    static func repaired(
        _ text: Span<UInt8>,
        _ leniencies: Leniencies,
        maxNotes: Int,
        memory: any MemoryGrant
    ) -> RepairedText {
        var repair = XMLRepair(
            output: RepairedText(of: text, maxNotes: maxNotes, memory: memory),
            leniencies: leniencies
        )
        repair.copy(text)
        return repair.finish()
    }

    private init(output: consuming RepairedText, leniencies: Leniencies) {
        self.output = output
        self.leniencies = leniencies
    }

    private consuming func finish() -> RepairedText { output }

    // MARK: One pass

    private mutating func copy(_ text: Span<UInt8>) {
        var index = text.endOfSpaceBeforeDeclaration
        if index > 0, leniencies.contains(.leadingSpace) {
            replace(0, upTo: index, in: text, .leadingSpace)
        } else {
            index = 0
        }
        while index < text.count, !output.isOutOfMemory {
            let byte = text[index]
            // Letters beyond ASCII, and almost all in it.
            if byte > 0x3F, byte != UInt8(ascii: "["), byte != UInt8(ascii: "E"), byte != 0xEF {
                index += 1
            } else if let end = text.endOfControlCharacter(at: index) {
                if leniencies.contains(.controlCharacters) { replace(index, upTo: end, in: text, .controlCharacters) }
                index = end
            } else if index >= doctypeEnd {
                index = copyMark(text, at: index)
            } else {
                index += 1
            }
        }
        output.append(text, pending..<text.count)
    }

    /// Copies a byte that may begin or end a construct.
    private mutating func copyMark(_ text: Span<UInt8>, at index: Int) -> Int {
        let byte = text[index]
        let next = index + 1
        switch construct {
        case .content:
            switch byte {
            case UInt8(ascii: "&"): return copyReference(text, at: index)
            case UInt8(ascii: "<"):
                let isTag = next < text.count && text[next] != UInt8(ascii: "!") && text[next] != UInt8(ascii: "?")
                if isTag { isInProlog = false }
            case UInt8(ascii: "-") where endsWith(XMLMark.comment, text, next): construct = .comment(count(next))
            case UInt8(ascii: "[") where endsWith(XMLMark.section, text, next): construct = .section(count(next))
            case UInt8(ascii: "?") where endsWith(XMLMark.instruction, text, next):
                construct = .instruction(count(next))
            case UInt8(ascii: "E") where isInProlog && endsWith(XMLMark.doctype, text, next):
                isInProlog = false
                doctype = XMLDoctypeNames(text, from: next)
                doctypeEnd = doctype.end
            default: break
            }
        case .comment(let start): end(after: XMLMark.commentEnd, from: start, text, next)
        case .section(let start): end(after: XMLMark.sectionEnd, from: start, text, next)
        case .instruction(let start): end(after: XMLMark.instructionEnd, from: start, text, next)
        }
        return next
    }

    /// Ends the construct if the copy up to `end` ends with its terminator.
    private mutating func end(after mark: [UInt8], from start: Int, _ text: Span<UInt8>, _ end: Int) {
        guard text[end - 1] == UInt8(ascii: ">"), count(end) - start >= mark.count,
            endsWith(mark, text, end)
        else { return }
        construct = .content
    }

    /// Returns the length of the copy if it extends up to `end`.
    private func count(_ end: Int) -> Int { output.bytes.count + end - pending }

    /// Returns whether the copy up to `end` ends with `mark`, which is ASCII.
    private func endsWith(_ mark: [UInt8], _ text: Span<UInt8>, _ end: Int) -> Bool {
        guard count(end) >= mark.count else { return false }
        for position in mark.indices.reversed() {
            let index = end - mark.count + position
            let copied = index >= pending ? text[index] : output.bytes[output.bytes.count - (pending - index)]
            if copied != mark[position] { return false }
        }
        return true
    }

    // MARK: References

    /// Copies the `&` at `start`, or repairs the reference that it begins.
    /// - Returns: The end of the reference.
    private mutating func copyReference(_ text: Span<UInt8>, at start: Int) -> Int {
        let isNumeric = start + 1 < text.count && text[start + 1] == UInt8(ascii: "#")
        let (end, value) =
            isNumeric ? text.xmlCharacterReference(at: start) : (text.endOfXMLName(from: start + 1), nil as UInt32?)
        guard let end, end < text.count, text[end] == UInt8(ascii: ";") else { return copyAmpersand(text, at: start) }
        if let value {
            if leniencies.contains(.controlCharacters), value.isXMLControlCharacter {
                replace(start, upTo: end + 1, in: text, .controlCharacters)
            }
        } else if leniencies.contains(.htmlEntities), !doctype.mayDeclareAny,
            let key = text.extracting(first: end).extracting(droppingFirst: start + 1).htmlEntityKey,
            !doctype.names.contains(key), let character = HTMLEntity.character(of: key)
        {
            let utf8 = (0..<character.byteCount).map { UInt8(truncatingIfNeeded: character.utf8 >> ($0 * 8)) }
            replace(start, upTo: end + 1, in: text, .htmlEntities, with: utf8)
        }
        return end + 1
    }

    private mutating func copyAmpersand(_ text: Span<UInt8>, at index: Int) -> Int {
        guard leniencies.contains(.bareAmpersands) else { return index + 1 }
        replace(index, upTo: index + 1, in: text, .bareAmpersands, with: Self.ampersand)
        return index + 1
    }

    /// Copies what was passed up to `start`, and replaces the bytes up to `end`.
    private mutating func replace(
        _ start: Int,
        upTo end: Int,
        in text: Span<UInt8>,
        _ leniency: Leniencies,
        with replacement: [UInt8] = []
    ) {
        output.append(text, pending..<start)
        output.note(.lenient(leniency), at: start)
        output.resume(at: start)
        output.append(contentsOf: replacement)
        output.resume(at: end)
        pending = end
    }
}
