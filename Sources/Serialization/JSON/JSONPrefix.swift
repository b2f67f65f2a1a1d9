// Prefixes of a JSON text that prevent a browser from running it as a script, or that make it a script.
//
// Guards, each in use somewhere: `)]}'` and `)]}',`, `while(1);`, `for(;;);`, `throw 1;` with an optional `<…>`,
// `{}&&`, `&&&START&&&`. JSONP is a function call, `/**/name.of["a"].function( … );`, which some frameworks precede by
// `typeof name === 'function' &&`. A prefix is short: only the first 256 bytes are examined.

/// The part of the content that is its JSON text, and the prefix before it.
struct JSONPrefix: Equatable {
    /// The text before the JSON text, as received.
    let prefix: String

    /// The range of the JSON text.
    let text: Range<Int>

    /// Whether the text is the argument of a function (JSONP).
    let isFunctionCall: Bool

    /// Finds a prefix at the start of `content`. Returns `nil` if there is none.
    /// - Parameter acceptsJSONP: Whether a function call is a prefix.
    init?(_ content: Span<UInt8>, acceptsJSONP: Bool) {
        let head = content.extracting(first: Self.maxBytes)
        var cursor = JSONCursor()
        _ = cursor.peek(in: head)
        let start = cursor.offset
        var end = content.count
        isFunctionCall = !cursor.skipGuard(in: head)
        if isFunctionCall {
            guard acceptsJSONP, cursor.skipCall(in: head), let close = Self.endOfArguments(content) else { return nil }
            end = close
        }
        guard cursor.offset <= end else { return nil }
        prefix = content.text(start..<cursor.offset)
        text = cursor.offset..<end
    }

    private static let maxBytes = 256

    /// Returns the index of the last `)` if only `;` and white space follow it.
    private static func endOfArguments(_ content: Span<UInt8>) -> Int? {
        var end = content.count - 1
        while end >= 0, content[end].isJSONWhiteSpace || content[end] == UInt8(ascii: ";") { end -= 1 }
        return end >= 0 && content[end] == UInt8(ascii: ")") ? end : nil
    }
}

extension JSONCursor {
    // MARK: Guards

    fileprivate mutating func skipGuard(in text: Span<UInt8>) -> Bool {
        if skip(")]}'", in: text) {
            _ = skip(",", in: text)
            return true
        }
        if skip("{}&&", in: text) || skip("&&&START&&&", in: text) { return true }
        if skip(tokens: ["while", "(", "1", ")", ";"], in: text)
            || skip(tokens: ["for", "(", ";", ";", ")", ";"], in: text)
        {
            return true
        }
        guard skip(tokens: ["throw", "1", ";"], in: text) else { return false }
        let afterThrow = offset
        _ = peek(in: text)
        if !skip("<", in: text) || !skip(through: UInt8(ascii: ">"), in: text) { offset = afterThrow }
        return true
    }

    // MARK: JSONP

    /// Skips a name, subscripts and member accesses, and an opening parenthesis, or nothing.
    fileprivate mutating func skipCall(in text: Span<UInt8>) -> Bool {
        let start = offset
        _ = skip("/**/", in: text)
        let isGuarded = skip(tokens: ["typeof"], in: text)
        var isCall = skipReference(in: text)
        if isGuarded {
            isCall =
                isCall
                && (skip(tokens: ["===", "'function'", "&&"], in: text)
                    || skip(tokens: ["===", "\"function\"", "&&"], in: text))
                && skipReference(in: text)
        }
        isCall = isCall && skip(tokens: ["("], in: text)
        if !isCall { offset = start }
        return isCall
    }

    /// Skips white space, and `name`, `name.part`, `name["part"]` or `name[0]`.
    private mutating func skipReference(in text: Span<UInt8>) -> Bool {
        _ = peek(in: text)
        guard skipIdentifier(in: text) else { return false }
        while true {
            if skip(".", in: text) {
                guard skipIdentifier(in: text) else { return false }
            } else if skip("[", in: text) {
                guard skip(through: UInt8(ascii: "]"), in: text) else { return false }
            } else {
                return true
            }
        }
    }

    private mutating func skipIdentifier(in text: Span<UInt8>) -> Bool {
        let start = offset
        while offset < text.count {
            let byte = text[offset]
            let isLetter = byte.isLetter || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "_")
            guard isLetter || offset > start && byte.isDecimalDigit else { break }
            offset += 1
        }
        return offset > start
    }

    // MARK: Steps

    private mutating func skip(_ word: String, in text: Span<UInt8>) -> Bool {
        let count = word.utf8.count
        guard text.slice(at: offset, count: count, { $0.equals(word.utf8.span) }) == true else { return false }
        offset += count
        return true
    }

    /// Skips all of `tokens`, with or without white space before each of them, or nothing.
    private mutating func skip(tokens: [String], in text: Span<UInt8>) -> Bool {
        let start = offset
        for token in tokens {
            _ = peek(in: text)
            guard skip(token, in: text) else {
                offset = start
                return false
            }
        }
        return true
    }

    private mutating func skip(through byte: UInt8, in text: Span<UInt8>) -> Bool {
        guard let found = text.firstOffset(of: byte, in: offset..<text.count) else { return false }
        offset = found + 1
        return true
    }
}
