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

    /// Finds a prefix at the start of `content`. Returns `nil` if there is none.
    /// - Parameter acceptsJSONP: Whether a function call is a prefix.
    init?(_ content: Span<UInt8>, acceptsJSONP: Bool) {
        var scanner = PrefixScanner(bytes: (0..<min(content.count, 256)).map { content[$0] })
        scanner.skipWhiteSpace()
        let start = scanner.position
        var end = content.count
        if !scanner.skipGuard() {
            guard acceptsJSONP, scanner.skipCall(), let close = Self.endOfArguments(content) else { return nil }
            end = close
        }
        guard scanner.position <= end else { return nil }
        prefix = String(decoding: scanner.bytes[start..<scanner.position], as: UTF8.self)
        text = scanner.position..<end
    }

    /// Returns the index of the last `)` if only `;` and white space follow it.
    private static func endOfArguments(_ content: Span<UInt8>) -> Int? {
        var end = content.count - 1
        while end >= 0, content[end].isJSONWhiteSpace || content[end] == UInt8(ascii: ";") { end -= 1 }
        return end >= 0 && content[end] == UInt8(ascii: ")") ? end : nil
    }
}

/// Scans the first bytes of content.
private struct PrefixScanner {
    let bytes: [UInt8]
    var position = 0

    // MARK: Guards

    mutating func skipGuard() -> Bool {
        if skip(")]}'") {
            _ = skip(",")
            return true
        }
        if skip("{}&&") || skip("&&&START&&&") { return true }
        if skip(tokens: ["while", "(", "1", ")", ";"]) || skip(tokens: ["for", "(", ";", ";", ")", ";"]) {
            return true
        }
        guard skip(tokens: ["throw", "1", ";"]) else { return false }
        let afterThrow = position
        skipWhiteSpace()
        if skip("<"), let close = bytes[position...].firstIndex(of: UInt8(ascii: ">")) {
            position = close + 1
        } else {
            position = afterThrow
        }
        return true
    }

    // MARK: JSONP

    /// Skips a name, subscripts and member accesses, and an opening parenthesis.
    mutating func skipCall() -> Bool {
        let start = position
        if skip("/**/") { skipWhiteSpace() }
        let isGuarded = skip(tokens: ["typeof"])
        skipWhiteSpace()
        guard skipReference() else { return reset(to: start) }
        if isGuarded {
            guard skip(tokens: ["===", "'function'", "&&"]) || skip(tokens: ["===", "\"function\"", "&&"]) else {
                return reset(to: start)
            }
            skipWhiteSpace()
            guard skipReference() else { return reset(to: start) }
        }
        skipWhiteSpace()
        return skip("(") || reset(to: start)
    }

    /// Skips `name`, `name.part`, `name["part"]` or `name[0]`.
    private mutating func skipReference() -> Bool {
        guard skipIdentifier() else { return false }
        while true {
            if skip(".") {
                guard skipIdentifier() else { return false }
            } else if skip("[") {
                guard let close = bytes[position...].firstIndex(of: UInt8(ascii: "]")) else { return false }
                position = close + 1
            } else {
                return true
            }
        }
    }

    private mutating func skipIdentifier() -> Bool {
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            let isLetter =
                (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "_")
            guard isLetter || position > start && byte &- UInt8(ascii: "0") < 10 else { break }
            position += 1
        }
        return position > start
    }

    // MARK: Steps

    mutating func skipWhiteSpace() {
        while position < bytes.count, bytes[position].isJSONWhiteSpace { position += 1 }
    }

    private mutating func skip(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    /// Skips all of `tokens`, with or without white space between them, or nothing.
    private mutating func skip(tokens: [String]) -> Bool {
        let start = position
        for token in tokens {
            skipWhiteSpace()
            guard skip(token) else { return reset(to: start) }
        }
        return true
    }

    private mutating func reset(to start: Int) -> Bool {
        position = start
        return false
    }
}
