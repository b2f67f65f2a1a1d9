/// Examines content that may be text in UTF-8, UTF-16 or UTF-32, without decoding it.
///
/// Markup and JSON begin with ASCII, and an ASCII character is one byte, padded with zeros, in each of these encodings.
/// It is therefore enough to know the number of bytes in a code unit and which of them is the low one. Content is read
/// once from the start, and only as far as necessary: what is skipped, such as a comment, may have any length.
package struct TextProbe {
    /// The offset of the first code unit, after a byte order mark.
    private let start: Int
    /// The number of bytes in a code unit.
    private let width: Int
    /// The index of the byte in a code unit that contains the ASCII character.
    private let low: Int

    init(_ content: Span<UInt8>) {
        let (encoding, markBytes) = UnicodeEncoding.detect(content)
        start = markBytes
        width = encoding.unitBytes
        low =
            switch encoding {
            case .utf8, .utf16LittleEndian, .utf32LittleEndian: 0
            case .utf16BigEndian, .utf32BigEndian: width - 1
            }
    }

    // MARK: Markup

    /// Recognizes HTML by its first tag, and XML by its declaration or any other element. The length of what precedes
    /// the root element has no influence.
    ///
    /// Some of these tags are also elements of other vocabularies (`<a><b>1</b></a>`). With one of them, the content is
    /// XML if it ends with the end tag of that element.
    func markup(
        in content: Span<UInt8>,
        isDeclaredHTML: Bool = false,
        isDeclaredXML: Bool = false
    ) -> ContentSignature? {
        var index = 0
        skipWhiteSpace(&index, in: content)
        guard unit(index, in: content) == UInt8(ascii: "<") else { return nil }
        if beginsSVG(in: content) { return .svg }
        let beginsWithComment = holds("<!--", at: index, in: content)
        let prolog = skipProlog(&index, in: content)
        let head = lowercasedHead(from: index, in: content)
        guard head.begins(with: "<") else {
            return prolog.isXML ? prolog.isPropertyList ? .xmlPropertyList : .xml : beginsWithComment ? .html : nil
        }
        if prolog.isPropertyList || head.begins(with: "<plist") { return .xmlPropertyList }
        if prolog.isXML { return .xml }
        if Self.htmlOpenings.contains(where: { head.begins(with: $0) && head.dropFirst($0.utf8.count).endsTagName }) {
            return .html
        }
        for name in Self.sharedElements where head.dropFirst().begins(with: name) {
            let rest = head.dropFirst(1 + name.utf8.count)
            guard rest.endsTagName || rest.begins(with: "/") else { continue }
            let isXML = isDeclaredXML && name.utf8.count == 1 || !isDeclaredHTML && endsElement(name, in: content)
            return isXML ? .xml : .html
        }
        return root(of: head)
    }

    private func beginsSVG(in content: Span<UInt8>) -> Bool {
        if width == 1 {
            return SVGRoot(content.extracting(first: start + SVGRoot.maxHeadBytes), from: start) != nil
        }
        return SVGRoot(narrowed(content, max: SVGRoot.maxHeadBytes).span, from: 0) != nil
    }

    /// Returns the text of at most `max` code units, one byte for each. Characters that are not ASCII are replaced.
    private func narrowed(_ content: Span<UInt8>, max: Int) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(min(max, content.count / width))
        while text.count < max, let unit = unit(text.count, in: content) {
            text.append(unit < 0x80 ? unit : UInt8(ascii: "?"))
        }
        return text
    }

    /// Returns the text of UTF-16 or UTF-32, with one byte for each code unit; characters that are not ASCII are
    /// replaced. Returns `nil` for UTF-8.
    package static func narrowed(_ content: Span<UInt8>) -> [UInt8]? {
        let probe = TextProbe(content)
        return probe.width == 1 ? nil : probe.narrowed(content, max: content.count)
    }

    /// What precedes the root element.
    private struct Prolog {
        /// Whether there is an XML declaration, or a document type declaration other than that of HTML.
        var isXML = false
        /// Whether the document type is that of property lists.
        var isPropertyList = false
    }

    /// Skips comments, processing instructions, the document type declaration (XML 1.0 §2.8 [22]), and the white space
    /// after each of them. That of HTML is not skipped, unless there is an XML declaration.
    private func skipProlog(_ index: inout Int, in content: Span<UInt8>) -> Prolog {
        var prolog = Prolog()
        while true {
            if holds("<!--", at: index, in: content) {
                index += 4
                skip(past: "-->", &index, in: content)
            } else if holds("<?", at: index, in: content), unit(index + 2, in: content)?.beginsName == true {
                prolog.isXML = prolog.isXML || holds("<?xml", at: index, in: content)
                skip(past: "?>", &index, in: content)
            } else {
                let head = lowercasedHead(from: index, in: content)
                guard head.begins(with: Self.doctype) else { return prolog }
                let rest = head.dropFirst(Self.doctype.utf8.count)
                guard prolog.isXML || !rest.begins(with: " html") else { return prolog }
                prolog.isXML = true
                prolog.isPropertyList = rest.begins(with: " plist")
                skipDoctype(&index, in: content)
            }
            skipWhiteSpace(&index, in: content)
        }
    }

    /// Skips a document type declaration with its internal subset (XML 1.0 §2.8 [28]).
    private func skipDoctype(_ index: inout Int, in content: Span<UInt8>) {
        var isInSubset = false
        while let unit = unit(index, in: content) {
            if holds("<!--", at: index, in: content) {
                index += 4
                skip(past: "-->", &index, in: content)
                continue
            }
            if holds("<?", at: index, in: content) {
                skip(past: "?>", &index, in: content)
                continue
            }
            index += 1
            switch unit {
            case UInt8(ascii: "\""): skip(past: "\"", &index, in: content)
            case UInt8(ascii: "'"): skip(past: "'", &index, in: content)
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isInSubset = false
            case UInt8(ascii: ">") where !isInSubset: return
            default: break
            }
        }
    }

    /// Returns whether the content ends with the end tag of an element of this name, in lower case, or with an empty
    /// element.
    private func endsElement(_ name: String, in content: Span<UInt8>) -> Bool {
        var last = (content.count - start) / width - 1
        while last > 0, let unit = unit(last, in: content), unit.isJSONWhiteSpace { last -= 1 }
        guard last > 0, unit(last, in: content) == UInt8(ascii: ">") else { return false }
        last -= 1
        if unit(last, in: content) == UInt8(ascii: "/") { return true }
        while last > 0, let unit = unit(last, in: content), unit.isJSONWhiteSpace { last -= 1 }
        let tag = Array("</".utf8) + Array(name.utf8)
        let first = last + 1 - tag.count
        guard first > 0 else { return false }
        return tag.indices.allSatisfy { unit(first + $0, in: content)?.asciiLowercased == tag[$0] }
    }

    /// Returns the signature of markup whose first tag is not an HTML tag, or `nil` if `<` does not begin an element.
    private func root(of head: [UInt8]) -> ContentSignature? {
        let second = head.dropFirst().first ?? 0
        return second.beginsName || second == UInt8(ascii: "!") ? .xml : nil
    }

    /// The tags of the WHATWG MIME Sniffing Standard §7.1, without those that other vocabularies use.
    private static let htmlOpenings = ["<!doctype html", "<html", "<head", "<script", "<iframe", "<body"]

    /// The other tags of the same list.
    private static let sharedElements = ["h1", "div", "font", "table", "a", "style", "title", "b", "br", "p"]

    private static let doctype = "<!doctype"

    /// The number of characters of the longest tag that is recognized, and of one after it.
    private static let maxTagUnits = 16

    /// Returns at most ``maxTagUnits`` characters, with A to Z in lower case. Characters that are not ASCII are
    /// replaced.
    private func lowercasedHead(from index: Int, in content: Span<UInt8>) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(Self.maxTagUnits)
        while head.count < Self.maxTagUnits, let unit = unit(index + head.count, in: content) {
            head.append(unit < 0x80 ? unit.asciiLowercased : UInt8(ascii: "?"))
        }
        return head
    }

    // MARK: JSON

    /// Returns whether the error of a JSON reader would be useful: the content begins, and a scalar also ends, like
    /// JSON; or it does so after a guard or in a JSONP call.
    /// - Parameter leniencies: The deviations from RFC 8259 that are allowed.
    func looksLikeJSON(in content: Span<UInt8>, _ leniencies: Leniencies = []) -> Bool {
        if beginsLikeJSON(in: content, leniencies) { return true }
        let text = content.extracting(droppingFirst: start)
        guard width == 1, let prefix = JSONPrefix(text, acceptsJSONP: true) else { return false }
        return text.slice(prefix.text) { TextProbe($0).beginsLikeJSON(in: $0, leniencies) } ?? false
    }

    private func beginsLikeJSON(in content: Span<UInt8>, _ leniencies: Leniencies) -> Bool {
        var index = 0
        func skipBlank() {
            skipWhiteSpace(&index, in: content)
            if leniencies.contains(.comments) { skipComments(&index, in: content) }
        }
        skipBlank()
        guard let first = unit(index, in: content) else { return false }
        let opening = index
        index += 1
        switch first {
        case UInt8(ascii: "{"):
            skipBlank()
            if isOneOf("\"}", orEndAt: index, in: content) { return true }
            if leniencies.contains(.singleQuotes), isOneOf("'", orEndAt: index, in: content) { return true }
            return leniencies.contains(.unquotedKeys) && beginsMember(at: index, in: content)
        case UInt8(ascii: "["):
            skipBlank()
            if isOneOf("{[\"-0123456789tfn]", orEndAt: index, in: content) { return true }
            if leniencies.contains(.singleQuotes), isOneOf("'", orEndAt: index, in: content) { return true }
            if leniencies.contains(.numberForms), isOneOf(".+", orEndAt: index, in: content) { return true }
            return leniencies.contains(.nan) && isOneOf("NI", orEndAt: index, in: content)
        case UInt8(ascii: "\""): return endsWithQuote(UInt8(ascii: "\""), after: opening, in: content)
        case UInt8(ascii: "'") where leniencies.contains(.singleQuotes):
            return endsWithQuote(UInt8(ascii: "'"), after: opening, in: content)
        case UInt8(ascii: "N") where leniencies.contains(.nan), UInt8(ascii: "I") where leniencies.contains(.nan):
            let literals = ["NaN", "Infinity"]
            guard let literal = literals.first(where: { holds($0, at: opening, in: content) }) else { return false }
            index = opening + literal.utf8.count
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: ".") where leniencies.contains(.numberForms),
            UInt8(ascii: "+") where leniencies.contains(.numberForms):
            while let unit = unit(index, in: content), "+-.0123456789Ee".utf8.contains(unit) { index += 1 }
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            let literals = ["true", "false", "null"]
            guard let literal = literals.first(where: { holds($0, at: opening, in: content) }) else { return false }
            index = opening + literal.utf8.count
        default: return false
        }
        skipBlank()
        return unit(index, in: content) == nil
    }

    /// Returns whether there is a member name without quotes at `index`, followed by a colon.
    private func beginsMember(at index: Int, in content: Span<UInt8>) -> Bool {
        var end = index
        while let unit = unit(end, in: content), unit.isInWord { end += 1 }
        guard end > index else { return false }
        skipWhiteSpace(&end, in: content)
        return isOneOf(":", orEndAt: end, in: content)
    }

    private func endsWithQuote(_ quote: UInt8, after opening: Int, in content: Span<UInt8>) -> Bool {
        var last = (content.count - start) / width - 1
        while last > opening, let unit = unit(last, in: content), unit.isJSONWhiteSpace { last -= 1 }
        return last > opening && unit(last, in: content) == quote
    }

    // MARK: Property lists

    /// Returns whether the content begins like a `.strings` file: optional comments, then a key, `=`, a value and `;`.
    func looksLikeStrings(in content: Span<UInt8>) -> Bool {
        var index = 0
        return skipMember(&index, in: content)
    }

    /// Skips comments and a member of a `.strings` file. Returns whether there is one; if not, `index` is that of what
    /// follows instead.
    private func skipMember(_ index: inout Int, in content: Span<UInt8>) -> Bool {
        skipWhiteSpace(&index, in: content)
        skipComments(&index, in: content)
        guard skipText(&index, in: content), skip("=", &index, in: content),
            skipText(&index, in: content)
        else { return false }
        return skip(";", &index, in: content)
    }

    /// Skips a string, with or without quotes, and the white space after it.
    private func skipText(_ index: inout Int, in content: Span<UInt8>) -> Bool {
        let opening = index
        if let quote = unit(index, in: content), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            index += 1
            while let unit = unit(index, in: content), unit != quote { index += unit == UInt8(ascii: "\\") ? 2 : 1 }
            guard unit(index, in: content) == quote else { return false }
            index += 1
        } else {
            while let unit = unit(index, in: content), unit.isInWord || ".-/:".utf8.contains(unit) { index += 1 }
        }
        guard index > opening else { return false }
        skipWhiteSpace(&index, in: content)
        skipComments(&index, in: content)
        return true
    }

    /// Skips one character and the white space after it.
    private func skip(_ character: Character, _ index: inout Int, in content: Span<UInt8>) -> Bool {
        guard unit(index, in: content) == character.asciiValue else { return false }
        index += 1
        skipWhiteSpace(&index, in: content)
        skipComments(&index, in: content)
        return true
    }

    // MARK: The first bytes

    /// Returns whether the format cannot be determined from the first bytes of longer content, because they end inside
    /// what precedes a root element or a value, or inside the first string.
    func isUndetermined(by head: Span<UInt8>) -> Bool {
        var index = 0
        skipWhiteSpace(&index, in: head)
        if unit(index, in: head) == UInt8(ascii: "<") {
            _ = skipProlog(&index, in: head)
            return unit(index + Self.maxTagUnits, in: head) == nil
        }
        // The last character may be the first one of a comment.
        return !skipMember(&index, in: head) && unit(index + 1, in: head) == nil
    }

    // MARK: White space

    /// Skips comments in the syntax of C++ and JavaScript, and the white space after them.
    private func skipComments(_ index: inout Int, in content: Span<UInt8>) {
        while true {
            if holds("//", at: index, in: content) {
                while let unit = unit(index, in: content), unit != 0x0A, unit != 0x0D { index += 1 }
            } else if holds("/*", at: index, in: content) {
                index += 2
                skip(past: "*/", &index, in: content)
            } else {
                return
            }
            skipWhiteSpace(&index, in: content)
        }
    }

    /// Skips everything up to the next `mark` and the mark, or the whole content if there is none.
    private func skip(past mark: String, _ index: inout Int, in content: Span<UInt8>) {
        let first = mark.utf8.first
        while let unit = unit(index, in: content) {
            if unit == first, holds(mark, at: index, in: content) {
                index += mark.utf8.count
                return
            }
            index += 1
        }
    }

    private func holds(_ text: String, at index: Int, in content: Span<UInt8>) -> Bool {
        var index = index
        for byte in text.utf8 {
            guard unit(index, in: content) == byte else { return false }
            index += 1
        }
        return true
    }

    private func isOneOf(_ characters: String, orEndAt index: Int, in content: Span<UInt8>) -> Bool {
        unit(index, in: content).map { characters.utf8.contains($0) } ?? true
    }

    // MARK: Code units

    /// Returns the ASCII character with an index in code units; 0xFF if it is not ASCII; `nil` beyond the end.
    private func unit(_ index: Int, in content: Span<UInt8>) -> UInt8? {
        let offset = start + index * width
        guard offset + width <= content.count else { return nil }
        for byte in 0..<width where byte != low && content[offset + byte] != 0 { return 0xFF }
        return content[offset + low]
    }

    private func skipWhiteSpace(_ index: inout Int, in content: Span<UInt8>) {
        while let unit = unit(index, in: content), unit.isJSONWhiteSpace { index += 1 }
    }
}

extension UInt8 {
    /// Whether a name in markup may begin with the byte; of ASCII characters only.
    fileprivate var beginsName: Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 || self == UInt8(ascii: "_")
    }

    /// Whether the byte is allowed in a name without quotes: ASCII letters and digits, `_`, `$`, and bytes that are not
    /// ASCII.
    fileprivate var isInWord: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20
        }
    }
}

extension Collection<UInt8> {
    fileprivate func begins(with text: String) -> Bool { starts(with: text.utf8) }
}

extension ArraySlice<UInt8> {
    /// Whether the first character ends a tag name: white space or `>` (WHATWG MIME Sniffing Standard §7.1).
    fileprivate var endsTagName: Bool { first.map { $0 == UInt8(ascii: ">") || $0.isJSONWhiteSpace } ?? false }
}
