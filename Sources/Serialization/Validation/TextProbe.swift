/// Looks into content that may be text in UTF-8, UTF-16 or UTF-32, without decoding it.
///
/// All that markup and JSON begin with is ASCII, and an ASCII character is one byte and otherwise zeros in each of these
/// encodings. So it is enough to know how many bytes a code unit has and which of them is the low one. Content is read
/// once from the front, and no further than it takes to decide.
struct TextProbe {
    /// Offset of the first code unit, after a byte order mark.
    private let start: Int
    /// Bytes of a code unit.
    private let width: Int
    /// Which byte of a unit holds the ASCII.
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

    /// HTML by the tags that a page begins with, XML by its declaration or any other element.
    func markup(in content: Span<UInt8>) -> ContentSignature? {
        var position = 0
        skipWhiteSpace(&position, in: content)
        guard unit(position, in: content) == UInt8(ascii: "<") else { return nil }
        let head = lowercasedHead(from: position, in: content)
        if head.hasPrefix("<?xml") || head.hasPrefix("<!doctype plist") || head.hasPrefix("<plist") {
            return head.contains("<!doctype plist") || head.contains("<plist") ? .xmlPropertyList : root(of: head)
        }
        if Self.htmlOpenings.contains(where: { head.hasPrefix($0) && head.dropFirst($0.utf8.count).endsTagName }) {
            return .html
        }
        return root(of: head)
    }

    /// The signature of markup that is not HTML by its first tag; nil where `<` begins no element.
    private func root(of head: String) -> ContentSignature? {
        if head.hasPrefix("<svg") || head.hasPrefix("<?xml") && head.contains("<svg") { return .svg }
        let second = head.utf8.dropFirst().first ?? 0
        let beginsName = UInt8(ascii: "a")...UInt8(ascii: "z") ~= second || second == UInt8(ascii: "_")
        return beginsName || second == UInt8(ascii: "!") || head.hasPrefix("<?xml") ? .xml : nil
    }

    /// WHATWG MIME Sniffing Standard §7.1.
    private static let htmlOpenings = [
        "<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a", "<style",
        "<title", "<b", "<body", "<br", "<p", "<!--",
    ]

    /// At most 512 characters, A to Z lowered; what is not ASCII is replaced.
    private func lowercasedHead(from position: Int, in content: Span<UInt8>) -> String {
        var head: [UInt8] = []
        while head.count < 512, let unit = unit(position + head.count, in: content) {
            head.append(unit < 0x80 ? unit.asciiLowercased : UInt8(ascii: "?"))
        }
        return String(decoding: head, as: UTF8.self)
    }

    // MARK: JSON

    /// Whether the content is worth a JSON reader's error: it begins, and where it is a scalar also ends, like JSON; or
    /// it does so after a guard or within a JSONP call.
    func looksLikeJSON(in content: Span<UInt8>) -> Bool {
        if beginsLikeJSON(in: content) { return true }
        guard width == 1, let prefix = JSONPrefix(content.extracting(start...), acceptsJSONP: true) else {
            return false
        }
        let text = content.extracting(start...).extracting(prefix.text)
        return TextProbe(text).beginsLikeJSON(in: text)
    }

    private func beginsLikeJSON(in content: Span<UInt8>) -> Bool {
        var position = 0
        skipWhiteSpace(&position, in: content)
        guard let first = unit(position, in: content) else { return false }
        let opening = position
        position += 1
        switch first {
        case UInt8(ascii: "{"):
            skipWhiteSpace(&position, in: content)
            return isOneOf("\"}", orEndAt: position, in: content)
        case UInt8(ascii: "["):
            skipWhiteSpace(&position, in: content)
            return isOneOf("{[\"-0123456789tfn]", orEndAt: position, in: content)
        case UInt8(ascii: "\""):
            return endsWithQuote(after: opening, in: content)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            while let unit = unit(position, in: content), "+-.0123456789Ee".utf8.contains(unit) { position += 1 }
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            let literals = ["true", "false", "null"]
            guard let literal = literals.first(where: { holds($0, at: opening, in: content) }) else { return false }
            position = opening + literal.utf8.count
        default:
            return false
        }
        skipWhiteSpace(&position, in: content)
        return unit(position, in: content) == nil
    }

    private func endsWithQuote(after opening: Int, in content: Span<UInt8>) -> Bool {
        var last = (content.count - start) / width - 1
        while last > opening, let unit = unit(last, in: content), unit.isJSONWhiteSpace { last -= 1 }
        return last > opening && unit(last, in: content) == UInt8(ascii: "\"")
    }

    private func holds(_ text: String, at position: Int, in content: Span<UInt8>) -> Bool {
        text.utf8.enumerated().allSatisfy { unit(position + $0.offset, in: content) == $0.element }
    }

    private func isOneOf(_ characters: String, orEndAt position: Int, in content: Span<UInt8>) -> Bool {
        unit(position, in: content).map { characters.utf8.contains($0) } ?? true
    }

    // MARK: Code units

    /// The ASCII character at `position`, counted in code units; 0xFF where it is not ASCII; nil past the end.
    private func unit(_ position: Int, in content: Span<UInt8>) -> UInt8? {
        let offset = start + position * width
        guard offset + width <= content.count else { return nil }
        for index in 0..<width where index != low && content[offset + index] != 0 { return 0xFF }
        return content[offset + low]
    }

    private func skipWhiteSpace(_ position: inout Int, in content: Span<UInt8>) {
        while let unit = unit(position, in: content), unit.isJSONWhiteSpace { position += 1 }
    }
}

extension Substring {
    /// WHATWG MIME Sniffing Standard §7.1: a tag's name ends at a space or at `>`; a comment's opening anywhere.
    fileprivate var endsTagName: Bool {
        base.hasPrefix("<!--") || utf8.first.map { $0 == UInt8(ascii: ">") || $0.isJSONWhiteSpace } ?? false
    }
}
