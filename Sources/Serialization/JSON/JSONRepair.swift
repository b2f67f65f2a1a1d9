// Converts a text with leniencies to the strict text that the kernel reads.
//
// This step runs only for a text that the kernel rejected, and only if the caller requested a leniency, so strict texts
// cost nothing. The text is copied once. Every repair notes its offset in the copy and in the source
// (`RepairedText`), so that any offset in the copy can be mapped to the source. Errors that no leniency covers are
// copied unchanged, and the kernel rejects them.
//
//      source   { a: 'it''s', /* old */ n: NaN, }
//      copy     { "a": "it"…       the kernel reports: expected ',' or '}'

/// Makes the strict copy of a lenient text.
struct JSONRepair: ~Copyable {
    private var output: RepairedText
    private let leniencies: Leniencies
    private let replacesSurrogates: Bool

    /// The index of the last `*/` in the text, or -1. A comment that opens after it is not terminated, and its end is
    /// not searched.
    private var lastCommentEnd = -1

    /// Whether `options` permit a repair.
    static func isPermitted(by options: JSONReader.Options) -> Bool {
        !options.leniencies.isDisjoint(with: .jsonText) || options.surrogates == .replace
    }

    /// Repairs `text` as `options` allow.
    static func repaired(_ text: Span<UInt8>, options: JSONReader.Options, memory: any MemoryGrant) -> RepairedText {
        var repair = JSONRepair(text, options, memory)
        repair.copy(text)
        return repair.finish()
    }

    private init(_ text: Span<UInt8>, _ options: JSONReader.Options, _ memory: any MemoryGrant) {
        output = RepairedText(of: text, maxNotes: options.limits.maxWarnings, memory: memory)
        leniencies = options.leniencies.intersection(.jsonText)
        replacesSurrogates = options.surrogates == .replace
        if leniencies.contains(.comments) { lastCommentEnd = text.lastCommentEnd }
    }

    private consuming func finish() -> RepairedText { output }

    // MARK: One pass

    private mutating func copy(_ text: Span<UInt8>) {
        var i = 0
        while i < text.count, !output.isOutOfMemory {
            switch text[i] {
            case UInt8(ascii: "\""): i = copyString(text, at: i)
            case UInt8(ascii: "'") where leniencies.contains(.singleQuotes):
                output.note(.lenient(.singleQuotes), at: i)
                i = copyString(text, at: i)
            case UInt8(ascii: "/") where leniencies.contains(.comments): i = skipComment(text, at: i)
            case UInt8(ascii: ",") where leniencies.contains(.trailingCommas): i = copyComma(text, at: i)
            case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"):
                i = leniencies.contains(.numberForms) ? copyNumber(text, at: i) : copySign(text, at: i)
            case let byte where byte.startsIdentifier: i = copyIdentifier(text, at: i)
            default:
                output.append(text[i])
                i += 1
            }
        }
    }

    /// Copies the string that opens at `start` with either quote, and closes it with a double quote.
    private mutating func copyString(_ text: Span<UInt8>, at start: Int) -> Int {
        var cursor = JSONCursor(at: start)
        let string = cursor.string(in: text)
        let quote = text[start]
        output.append(UInt8(ascii: "\""))
        var i = string.range.lowerBound
        while i < string.range.upperBound {
            if text[i] == UInt8(ascii: "\"") {
                output.append(UInt8(ascii: "\\"))
                output.append(text[i])
                i += 1
                output.resume(at: i)
            } else if text[i] == UInt8(ascii: "\\"), i + 1 < text.count {
                i = copyEscape(text, at: i, quote: quote)
            } else if text[i] < 0x20, leniencies.contains(.rawControlCharacters) {
                i = copyControlCharacter(text, at: i)
            } else {
                output.append(text[i])
                i += 1
            }
        }
        guard string.isTerminated(in: text) else { return cursor.offset }
        output.append(UInt8(ascii: "\""))
        if quote != UInt8(ascii: "\"") { output.resume(at: cursor.offset) }
        return cursor.offset
    }

    private mutating func copyEscape(_ text: Span<UInt8>, at start: Int, quote: UInt8) -> Int {
        if text[start + 1] == UInt8(ascii: "'"), quote == UInt8(ascii: "'") {
            output.append(UInt8(ascii: "'"))
            output.resume(at: start + 2)
            return start + 2
        }
        if leniencies.contains(.badEscapes), !text.isJSONEscape(at: start) {
            // The backslash is text. What follows it is copied as usual.
            output.note(.lenient(.badEscapes), at: start)
            output.append(contentsOf: #"\\"#.utf8)
            output.resume(at: start + 1)
            return start + 1
        }
        guard replacesSurrogates, let unit = text.jsonCodeUnit(at: start), UTF16.isSurrogate(unit) else {
            output.append(text[start])
            output.append(text[start + 1])
            return start + 2
        }
        if UTF16.isLeadSurrogate(unit), let low = text.jsonCodeUnit(at: start + 6), UTF16.isTrailSurrogate(low) {
            output.append(text, start..<start + 12)
            return start + 12
        }
        output.note(.loneSurrogate, at: start)
        output.append(contentsOf: #"\ufffd"#.utf8)
        return start + 6
    }

    /// Replaces a control character by its escape.
    private mutating func copyControlCharacter(_ text: Span<UInt8>, at start: Int) -> Int {
        output.note(.lenient(.rawControlCharacters), at: start)
        output.append(UInt8(ascii: "\\"))
        switch text[start] {
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case let byte:
            output.append(contentsOf: byte < 0x10 ? "u000".utf8 : "u001".utf8)
            output.append(Hexadecimal.digit(of: byte))
        }
        output.resume(at: start + 1)
        return start + 1
    }

    /// Replaces a comment by a space, so that it still separates tokens.
    private mutating func skipComment(_ text: Span<UInt8>, at start: Int) -> Int {
        guard let end = endOfComment(text, at: start) else {
            output.append(text[start])
            return start + 1
        }
        output.note(.lenient(.comments), at: start)
        output.append(0x20)
        output.resume(at: end)
        return end
    }

    /// Copies a comma, unless only white space and comments are between it and a closing bracket.
    private mutating func copyComma(_ text: Span<UInt8>, at start: Int) -> Int {
        let follows = endOfFiller(text, from: start + 1)
        let isTrailing =
            follows < text.count && (text[follows] == UInt8(ascii: "}") || text[follows] == UInt8(ascii: "]"))
        // There is no value before the comma after an opening bracket or another comma.
        let previous = output.bytes.last { !$0.isJSONWhiteSpace }
        let hasValue =
            previous != nil && previous != UInt8(ascii: "{") && previous != UInt8(ascii: "[")
            && previous != UInt8(ascii: ",")
        if isTrailing, hasValue {
            output.note(.lenient(.trailingCommas), at: start)
            output.resume(at: start + 1)
        } else {
            output.append(text[start])
        }
        return start + 1
    }

    /// Copies a number. Removes a plus sign and leading zeros, and adds the digit that a decimal point needs on each
    /// side.
    private mutating func copyNumber(_ text: Span<UInt8>, at start: Int) -> Int {
        let token = NumberToken(text, at: start)
        guard token.hasDigits else { return copySign(text, at: start) }
        // `1+2` and `1.2.3` are not numbers, and parts of them must not become one.
        guard !token.isStrict, start == 0 || !text[start - 1].isInNumberOrIdentifier,
            token.end == text.count || !text[token.end].isInNumberOrIdentifier
        else {
            output.append(text, start..<token.end)
            return token.end
        }
        output.note(.lenient(.numberForms), at: start)
        if text[start] == UInt8(ascii: "-") { output.append(text[start]) }
        if token.integer.isEmpty { output.append(UInt8(ascii: "0")) }
        output.resume(at: token.integer.lowerBound)
        output.append(text, token.integer)
        if let fraction = token.fraction {
            output.append(UInt8(ascii: "."))
            if fraction.isEmpty { output.append(UInt8(ascii: "0")) }
            output.resume(at: fraction.lowerBound)
            output.append(text, fraction.lowerBound..<token.end)
        } else {
            output.append(text, token.integer.upperBound..<token.end)
        }
        output.resume(at: token.end)
        return token.end
    }

    /// Copies a sign, including `Infinity` or `NaN` after it.
    private mutating func copySign(_ text: Span<UInt8>, at start: Int) -> Int {
        let word = endOfIdentifier(text, from: start + 1)
        let follows = word > start + 1 && leniencies.contains(.nan) && text.isNotANumber((start + 1)..<word)
        guard follows else {
            output.append(text[start])
            return start + 1
        }
        return copyAsString(text, start..<word, .nan)
    }

    private mutating func copyIdentifier(_ text: Span<UInt8>, at start: Int) -> Int {
        let end = endOfIdentifier(text, from: start)
        let colon = endOfFiller(text, from: end)
        if colon < text.count, text[colon] == UInt8(ascii: ":"), leniencies.contains(.unquotedKeys) {
            return copyAsString(text, start..<end, .unquotedKeys)
        }
        if leniencies.contains(.nan), text.isNotANumber(start..<end) {
            return copyAsString(text, start..<end, .nan)
        }
        output.append(text, start..<end)
        return end
    }

    private mutating func copyAsString(_ text: Span<UInt8>, _ range: Range<Int>, _ leniency: Leniencies) -> Int {
        output.note(.lenient(leniency), at: range.lowerBound)
        output.append(UInt8(ascii: "\""))
        output.resume(at: range.lowerBound)
        output.append(text, range)
        output.append(UInt8(ascii: "\""))
        output.resume(at: range.upperBound)
        return range.upperBound
    }

    // MARK: Ends of tokens

    /// Returns the end of white space and, if they are allowed, comments.
    private func endOfFiller(_ text: Span<UInt8>, from start: Int) -> Int {
        var cursor = JSONCursor(at: start)
        while cursor.peek(in: text) == UInt8(ascii: "/"), leniencies.contains(.comments),
            let end = endOfComment(text, at: cursor.offset)
        {
            cursor.offset = end
        }
        return cursor.offset
    }

    /// Returns the end of the comment that opens at `start`, or `nil` if there is none or it is not terminated.
    private func endOfComment(_ text: Span<UInt8>, at start: Int) -> Int? {
        guard start + 1 < text.count, text[start] == UInt8(ascii: "/") else { return nil }
        var i = start + 2
        switch text[start + 1] {
        case UInt8(ascii: "/"):
            while i < text.count, text[i] != 0x0A, text[i] != 0x0D { i += 1 }
            return i
        case UInt8(ascii: "*") where i <= lastCommentEnd:
            while !(text[i] == UInt8(ascii: "*") && text[i + 1] == UInt8(ascii: "/")) { i += 1 }
            return i + 2
        default: return nil
        }
    }

    private func endOfIdentifier(_ text: Span<UInt8>, from start: Int) -> Int {
        var i = start
        while i < text.count, text[i].startsIdentifier || (i > start && text[i].isDecimalDigit) { i += 1 }
        return i
    }
}

/// The parts of text that is a number, or only resembles one.
private struct NumberToken {
    /// The digits before the decimal point, without leading zeros unless the number has no other digit there.
    private(set) var integer: Range<Int>
    /// The digits after the decimal point; `nil` without a point.
    private(set) var fraction: Range<Int>?
    /// The end of the number, after its exponent.
    private(set) var end: Int
    /// Whether RFC 8259 §6 allows its form.
    private(set) var isStrict: Bool

    /// Whether there are digits before the exponent.
    var hasDigits: Bool { !integer.isEmpty || fraction?.isEmpty == false }

    init(_ text: Span<UInt8>, at start: Int) {
        func endOfDigits(from start: Int) -> Int {
            var index = start
            while index < text.count, text[index].isDecimalDigit { index += 1 }
            return index
        }
        func isByte(_ byte: UInt8, at index: Int) -> Bool { index < text.count && text[index] == byte }

        let hasPlus = text[start] == UInt8(ascii: "+")
        var first = hasPlus || text[start] == UInt8(ascii: "-") ? start + 1 : start
        let digitsStart = first
        end = endOfDigits(from: first)
        while first + 1 < end, text[first] == UInt8(ascii: "0") { first += 1 }
        integer = first..<end
        isStrict = !hasPlus && first == digitsStart && !integer.isEmpty
        if isByte(UInt8(ascii: "."), at: end) {
            let fraction = end + 1..<endOfDigits(from: end + 1)
            self.fraction = fraction
            end = fraction.upperBound
            if fraction.isEmpty { isStrict = false }
        }
        guard isByte(UInt8(ascii: "e"), at: end) || isByte(UInt8(ascii: "E"), at: end) else { return }
        let hasSign = isByte(UInt8(ascii: "+"), at: end + 1) || isByte(UInt8(ascii: "-"), at: end + 1)
        let exponent = end + (hasSign ? 2 : 1)
        let endOfExponent = endOfDigits(from: exponent)
        if endOfExponent > exponent { end = endOfExponent }
    }
}

extension UInt8 {
    /// Whether the byte can be a part of a number or of an identifier.
    fileprivate var isInNumberOrIdentifier: Bool {
        startsIdentifier || isDecimalDigit || self == UInt8(ascii: ".") || self == UInt8(ascii: "+")
            || self == UInt8(ascii: "-")
    }

    /// Whether the byte can begin an ECMAScript name, approximately: a letter, `$`, `_`, or part of a non-ASCII
    /// character.
    fileprivate var startsIdentifier: Bool {
        (self | 0x20) &- UInt8(ascii: "a") < 26 || self == UInt8(ascii: "$") || self == UInt8(ascii: "_")
            || self >= 0x80
    }
}

extension Span<UInt8> {
    /// The index of the last `*/`, or -1 if there is none.
    fileprivate var lastCommentEnd: Int {
        var index = count - 2
        while index >= 0, !(self[index] == UInt8(ascii: "*") && self[index + 1] == UInt8(ascii: "/")) { index -= 1 }
        return max(index, -1)
    }

    /// Whether the backslash at `index` begins an escape (RFC 8259 §7).
    fileprivate func isJSONEscape(at index: Int) -> Bool {
        self[index + 1].valueAfterBackslash != nil || jsonCodeUnit(at: index) != nil
    }

    fileprivate func isNotANumber(_ range: Range<Int>) -> Bool {
        range.count <= 8 && ["NaN", "Infinity"].contains(text(range))
    }
}
