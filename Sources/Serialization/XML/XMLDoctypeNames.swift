/// The names of HTML entities that a document type declaration may declare.
struct XMLDoctypeNames {
    /// The end of the declaration, or of the text if it is not terminated.
    private(set) var end = 0
    private(set) var names: Set<HTMLEntity.Key> = []
    /// Whether it may declare any name: it refers to a DTD, or its internal subset uses parameter entities.
    private(set) var mayDeclareAny = false

    init() {}

    /// Reads the declaration whose opening ends at `start`.
    init(_ text: Span<UInt8>, from start: Int) {
        var index = start
        var isInSubset = false
        var isInDeclaration = true
        loop: while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "\"") where isInDeclaration, UInt8(ascii: "'") where isInDeclaration:
                let literal = index + 1
                index = text.end(of: [byte], from: literal) ?? text.count
                if text.extracting(first: index).end(of: XMLMark.entity, from: literal) != nil { mayDeclareAny = true }
                continue
            case UInt8(ascii: "<") where text.begins(XMLMark.comment, at: index) && !isInDeclaration:
                index = text.end(of: XMLMark.commentEnd, from: index + 4) ?? text.count
                continue
            case UInt8(ascii: "<") where text.begins(XMLMark.instruction, at: index) && !isInDeclaration:
                index = text.end(of: XMLMark.instructionEnd, from: index + 2) ?? text.count
                continue
            case UInt8(ascii: "<"):
                isInDeclaration = true
                if text.begins(XMLMark.entity, at: index) { noteName(text, after: index + 8) }
            case UInt8(ascii: ">"):
                guard isInSubset else {
                    index += 1
                    break loop
                }
                isInDeclaration = false
            case UInt8(ascii: "[") where !isInSubset: (isInSubset, isInDeclaration) = (true, false)
            case UInt8(ascii: "]") where isInSubset && !isInDeclaration: (isInSubset, isInDeclaration) = (false, true)
            case UInt8(ascii: "%") where !isInDeclaration: mayDeclareAny = true
            case UInt8(ascii: "S") where !isInSubset && text.begins(XMLMark.system, at: index),
                UInt8(ascii: "P") where !isInSubset && text.begins(XMLMark.public, at: index):
                mayDeclareAny = true
            default: break
            }
            index += 1
        }
        end = index
    }

    private mutating func noteName(_ text: Span<UInt8>, after start: Int) {
        var index = start
        while index < text.count, text[index].isJSONWhiteSpace { index += 1 }
        guard let end = text.endOfXMLName(from: index),
            let key = text.extracting(first: end).extracting(droppingFirst: index).htmlEntityKey,
            HTMLEntity.character(of: key) != nil
        else { return }
        names.insert(key)
    }
}
