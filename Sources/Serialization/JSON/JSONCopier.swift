/// Checks strings, numbers and literals against RFC 8259 and copies them unchanged.
///
/// Every function moves the two indices past the text that it has checked and written. The short forms are inlined into
/// the kernel; separate functions handle longer forms.
struct JSONCopier {
    let source: JSONSource
    let sink: JSONAddresses
    let maxNumberBytes: Int

    // MARK: White space (RFC 8259 §2)

    @inline(__always) func skipWhiteSpace(_ i: inout Int) {
        if i < source.count, source[i] <= 0x20 { i = endOfWhiteSpace(from: i) }
    }

    /// Skips optional white space before a member, an element or a closing bracket. In an indented text, it has the
    /// same length each time at the same depth.
    ///
    /// Testing the guess that there are `guess` bytes is not faster than counting them, but the processor need not wait
    /// for the result: it continues speculatively from `i + guess`, which is almost always right.
    /// - Parameters:
    ///   - window: A window that may end at `i`.
    ///   - guess: The length of the previous white space at this depth.
    @inline(__always) func skipIndentation(in window: JSONWindow, _ i: inout Int, guess: inout UInt32) {
        let end = i &+ Int(guess)
        if guess > 0, end <= window.limit, window[end] > 0x20 {
            // All vectors except the last, then the one that ends with the guess, or the first bytes of it.
            var others = ByteMask.none
            var offset = i
            while offset &+ 16 < end {
                others = others | window.vector(at: offset).nonWhiteSpace
                offset &+= 16
            }
            let last = window.vector(at: offset).nonWhiteSpace
            if others.isEmpty, last.first >= end &- offset {
                i = end
                return
            }
        }
        let start = i
        i = endOfWhiteSpace(from: i)
        guess = UInt32(truncatingIfNeeded: i &- start)
    }

    /// As a method of the copier, which the loops of the kernel keep in registers anyway.
    @inline(never) func endOfWhiteSpace(from start: Int) -> Int { source.endOfWhiteSpace(from: start) }

    // MARK: Literals (§3)

    static let trueWord: UInt32 = 0x6575_7274
    static let nullWord: UInt32 = 0x6C6C_756E
    private static let alseWord: UInt32 = 0x6573_6C61

    /// Copies a literal of four letters.
    @inline(__always) func copyLiteral(
        _ word: UInt32,
        from window: JSONWindow,
        _ i: inout Int,
        _ o: inout Int
    ) throws(JSONFault) {
        guard window.halfWord(at: i) == word else { throw JSONFault(.invalidLiteral, at: i) }
        sink.put(word, at: o)
        i &+= 4
        o &+= 4
    }

    @inline(__always) func copyFalse(from window: JSONWindow, _ i: inout Int, _ o: inout Int) throws(JSONFault) {
        guard window.halfWord(at: i &+ 1) == Self.alseWord else { throw JSONFault(.invalidLiteral, at: i) }
        sink.put(UInt8(ascii: "f"), at: o)
        sink.put(Self.alseWord, at: o &+ 1)
        i &+= 5
        o &+= 5
    }

    /// Copies a value that is not a container.
    /// - Parameter window: A window that begins at the value or before it.
    @inline(never) func copyScalar(
        from window: JSONWindow,
        _ start: Int,
        _ output: Int,
        isAllowed: Bool
    ) throws(JSONFault) -> (Int, Int) {
        var i = start
        var o = output
        switch source[i] {
        case UInt8(ascii: "\""), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            guard isAllowed else { throw JSONFault(.topLevelScalar, at: i) }
        default: throw JSONFault(.expectedValue, at: i)
        }
        switch source[i] {
        case UInt8(ascii: "\""): try copyString(from: window, &i, &o)
        case UInt8(ascii: "t"): try copyLiteral(Self.trueWord, from: window, &i, &o)
        case UInt8(ascii: "f"): try copyFalse(from: window, &i, &o)
        case UInt8(ascii: "n"): try copyLiteral(Self.nullWord, from: window, &i, &o)
        default: (i, o) = try copyAnyNumber(i, o)
        }
        return (i, o)
    }

    // MARK: Numbers (§6)

    /// Copies the number that starts at `i` with a digit from 1 to 9, and the comma after it.
    /// - Returns: Whether there was a comma.
    @inline(__always) func copyNumberAndComma(
        from window: JSONWindow,
        _ i: inout Int,
        _ o: inout Int
    ) throws(JSONFault) -> Bool {
        let bytes = window.vector(at: i)
        sink.put(bytes, at: o)
        return try copyRestOfNumber(bytes.nonDigits, from: window, &i, &o)
    }

    /// Copies a number that starts with a minus sign or a zero, and the comma after it.
    @inline(__always) func copySignOrZeroAndComma(
        from window: JSONWindow,
        _ i: inout Int,
        _ o: inout Int
    ) throws(JSONFault) -> Bool {
        let bytes = window.vector(at: i)
        sink.put(bytes, at: o)
        var others = bytes.nonDigits
        var digits = i
        if window[i] == UInt8(ascii: "-") {
            digits &+= 1
            others = others.droppingFirst()
        }
        let isZero = window[digits] == UInt8(ascii: "0")
        if isZero ? !window[digits &+ 1].isDigit : window[digits].isDigit {
            return try copyRestOfNumber(others, from: window, &i, &o)
        }
        (i, o) = try copyAnyNumber(i, o)
        return false
    }

    /// Copies the rest of a number. Numbers of the form `digits` or `digits.digits` with at most 32 bytes after the
    /// sign are copied in one or two steps; all others take a slower path.
    /// - Parameter others: The bytes of the first sixteen, which were already copied, that are neither sign nor digit;
    ///   without the first digit.
    @inline(__always) private func copyRestOfNumber(
        _ others: ByteMask,
        from window: JSONWindow,
        _ i: inout Int,
        _ o: inout Int
    ) throws(JSONFault) -> Bool {
        plain: do {
            guard let point = others.firstLane else { break plain }
            var end = point
            if window[i &+ point] == UInt8(ascii: ".") {
                if let stop = others.droppingFirst().firstLane {
                    if stop == point &+ 1 { break plain }
                    end = stop
                } else {
                    let more = window.vector(at: i &+ 16)
                    sink.put(more, at: o &+ 16)
                    guard let stop = more.nonDigits.firstLane else { break plain }
                    end = 16 &+ stop
                    if end == point &+ 1 { break plain }
                }
            }
            if end > maxNumberBytes { break plain }
            let next = window[i &+ end]
            if next == UInt8(ascii: ",") {
                i &+= end &+ 1
                o &+= end &+ 1
                sink.put(UInt8(ascii: ","), at: o &- 1)
                return true
            }
            if next | 0x20 == UInt8(ascii: "e") { break plain }
            i &+= end
            o &+= end
            return false
        }
        (i, o) = try copyAnyNumber(i, o)
        return false
    }

    @inline(never) private func copyAnyNumber(_ start: Int, _ output: Int) throws(JSONFault) -> (Int, Int) {
        var i = start
        var o = output
        if source[i] == UInt8(ascii: "-") { copyByte(&i, &o) }
        let digits = i
        try copyDigits(&i, &o)
        if source[digits] == UInt8(ascii: "0"), i > digits &+ 1 { throw JSONFault(.invalidNumber, at: digits &+ 1) }
        if i < source.count, source[i] == UInt8(ascii: ".") {
            copyByte(&i, &o)
            try copyDigits(&i, &o)
        }
        if i < source.count, source[i] | 0x20 == UInt8(ascii: "e") {
            copyByte(&i, &o)
            if i < source.count, source[i] == UInt8(ascii: "+") || source[i] == UInt8(ascii: "-") { copyByte(&i, &o) }
            try copyDigits(&i, &o)
        }
        if i &- start > maxNumberBytes { throw JSONFault(.numberTooLong, at: start) }
        return (i, o)
    }

    /// Copies one or more digits.
    @inline(__always) private func copyDigits(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        let start = i
        while i &+ 16 <= source.count {
            let bytes = source.vector(at: i)
            sink.put(bytes, at: o)
            let others = bytes.nonDigits
            i &+= others.first
            o &+= others.first
            if !others.isEmpty {
                if i == start { throw JSONFault(.invalidNumber, at: i) }
                return
            }
        }
        while i < source.count, source[i].isDigit { copyByte(&i, &o) }
        if i == start { throw JSONFault(.invalidNumber, at: i) }
    }

    // MARK: Strings (§7)

    /// Copies the string whose opening quote is at `i`, including the quotes, and the comma after it.
    /// - Returns: Whether there was a comma.
    @inline(__always) func copyStringAndComma(
        from window: JSONWindow,
        _ i: inout Int,
        _ o: inout Int
    ) throws(JSONFault) -> Bool {
        let bytes = window.vector(at: i)
        sink.put(bytes, at: o)
        // The first vector begins with the opening quote.
        if let stop = bytes.stringStops.dropping(1).firstLane {
            if window.pair(at: i &+ stop) == Self.quoteAndComma {
                i &+= stop &+ 2
                o &+= stop &+ 2
                sink.put(UInt8(ascii: ","), at: o &- 1)
                return true
            }
            if window[i &+ stop] == UInt8(ascii: "\"") {
                i &+= stop &+ 1
                o &+= stop &+ 1
                return false
            }
        }
        _ = try copyLongString(from: window, &i, &o)
        return false
    }

    private static let quoteAndComma: UInt16 = 0x2C22

    /// Copies the string whose opening quote is at `i`, including the quotes.
    /// - Returns: Whether it contains an escape.
    @inline(__always) @discardableResult
    func copyString(from window: JSONWindow, _ i: inout Int, _ o: inout Int) throws(JSONFault) -> Bool {
        let bytes = window.vector(at: i)
        sink.put(bytes, at: o)
        if let stop = bytes.stringStops.dropping(1).firstLane, window[i &+ stop] == UInt8(ascii: "\"") {
            i &+= stop &+ 1
            o &+= stop &+ 1
            return false
        }
        return try copyLongString(from: window, &i, &o)
    }

    /// Copies a string that does not end in its first sixteen bytes, or has other than plain characters there.
    @inline(__always) private func copyLongString(
        from window: JSONWindow,
        _ i: inout Int,
        _ o: inout Int
    ) throws(JSONFault) -> Bool {
        // Plain characters and a closing quote, sixteen bytes at a time. The first vector was already copied.
        var end = i
        if _fastPath(window.vector(at: i).stringStops.dropping(1).isEmpty) {
            repeat {
                end &+= 16
                let more = window.vector(at: end)
                sink.put(more, at: o &+ (end &- i))
                if let stop = more.stringStops.firstLane {
                    end &+= stop
                    if _fastPath(window[end] == UInt8(ascii: "\"")) {
                        end &+= 1
                        o &+= end &- i
                        i = end
                        return false
                    }
                    break
                }
            } while end <= window.limit
        }
        if end == i { end &+= 1 }
        let hasEscapes: Bool
        (i, o, hasEscapes) = try copyRestOfString(end, o &+ (end &- i))
        return hasEscapes
    }

    /// Copies the rest of a string with any characters, including the closing quote.
    /// - Parameter start: The index after the opening quote.
    @inline(never) private func copyRestOfString(_ start: Int, _ output: Int) throws(JSONFault) -> (Int, Int, Bool) {
        var i = start
        var o = output
        var hasEscapes = false
        while true {
            if copyShortEscapes(&i, &o) { hasEscapes = true }
            try copyCharacters(&i, &o)
            guard i < source.count else { throw JSONFault(.unterminatedString, at: i) }
            switch source[i] {
            case UInt8(ascii: "\""):
                copyByte(&i, &o)
                return (i, o, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                repeat { try copyEscape(&i, &o) } while i < source.count && source[i] == UInt8(ascii: "\\")
            case 0..<0x20: throw JSONFault(.controlCharacter, at: i)
            case 0x80...: try copyMultibyte(&i, &o)
            default: copyByte(&i, &o)
            }
        }
    }

    /// Copies ASCII characters and escapes of two bytes, sixteen bytes at a time, up to any other byte or until fewer
    /// than seventeen are left.
    /// - Returns: Whether there was an escape.
    @inline(__always) private func copyShortEscapes(_ i: inout Int, _ o: inout Int) -> Bool {
        var hasEscapes = false
        while i &+ 17 <= source.count {
            let bytes = source.vector(at: i)
            sink.put(bytes, at: o)
            var width = 16
            var stops = bytes.stringStops
            while let lane = stops.firstLane {
                guard source[i &+ lane] == UInt8(ascii: "\\"), source[i &+ lane &+ 1].valueAfterBackslash != nil else {
                    i &+= lane
                    o &+= lane
                    return hasEscapes
                }
                hasEscapes = true
                stops = stops.droppingFirst()
                if lane == 15 {
                    sink.put(source[i &+ 16], at: o &+ 16)
                    width = 17
                } else if stops.firstLane == lane &+ 1 {
                    stops = stops.droppingFirst()
                }
            }
            i &+= width
            o &+= width
        }
        return hasEscapes
    }

    /// Copies characters, ASCII or not, sixteen bytes at a time, up to the end of a run or until fewer than sixteen
    /// bytes are left. Stops between two characters.
    @inline(__always) private func copyCharacters(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        // After the first non-ASCII character more are likely, so the following vectors are checked for UTF-8
        // immediately.
        var isPlain = true
        while i &+ 16 <= source.count {
            let bytes = source.vector(at: i)
            sink.put(bytes, at: o)
            if isPlain {
                let stops = bytes.stringStops
                if stops.isEmpty {
                    i &+= 16
                    o &+= 16
                    continue
                }
                // The three bytes before the first byte of a string are the quote and text that was checked before it.
                if source[i &+ stops.first] < 0x80 || i < 3 {
                    i &+= stops.first
                    o &+= stops.first
                    return
                }
                isPlain = false
            }
            let ends = bytes.stringEnds
            let errors = bytes.utf8Errors(
                source.vector(at: i &- 1),
                source.vector(at: i &- 2),
                source.vector(at: i &- 3)
            )
            if ByteMask(ends .| errors).isEmpty {
                i &+= 16
                o &+= 16
                continue
            }
            // A truncated character is detected at the byte after it, which may be the byte that ends the run.
            let end = ByteMask(ends).first
            if ByteMask(errors).first <= end { throw findEncodingFault(near: i) }
            i &+= end
            o &+= end
            return
        }
        if !isPlain {
            let start = startOfCharacter(before: i)
            o &-= i &- start
            i = start
        }
    }

    /// Returns the start of the character that ends at `end` or continues there; at most three bytes before `end`.
    private func startOfCharacter(before end: Int) -> Int {
        var start = end &- 1
        while start > end &- 3, (source[start] & 0xC0) == 0x80 { start &-= 1 }
        return source[start] >= 0xC0 ? start : end
    }

    /// Returns the error that is known to be in the sixteen bytes at `start`, or in a character that continues there.
    @inline(never) private func findEncodingFault(near start: Int) -> JSONFault {
        var i = startOfCharacter(before: start)
        do throws(JSONFault) {
            while i < source.count { i &+= source[i] < 0x80 ? 1 : try widthOfMultibyte(at: i) }
        } catch { return error }
        return JSONFault(.invalidEncoding, at: start)
    }

    // MARK: Escapes

    /// Copies one escape sequence, or two if they are a surrogate pair.
    @inline(__always) private func copyEscape(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        guard i &+ 1 < source.count else { throw JSONFault(.unterminatedString, at: i &+ 1) }
        if source[i &+ 1].valueAfterBackslash != nil {
            copyByte(&i, &o)
            copyByte(&i, &o)
        } else if source[i &+ 1] == UInt8(ascii: "u") {
            try copyUnicodeEscape(&i, &o)
        } else {
            throw JSONFault(.invalidEscape, at: i)
        }
    }

    @inline(__always) private func copyUnicodeEscape(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        // Four hexadecimal digits, the first of which is not D: this excludes all surrogates and a few other code
        // units.
        if i &+ 8 <= source.count {
            let word = source.word(at: i)
            let digits = UInt32(truncatingIfNeeded: word &>> 16)
            if digits.isHexadecimal, (digits & 0xDF) != 0x44 {
                sink.put(word, at: o)
                i &+= 6
                o &+= 6
                return
            }
        }
        // A surrogate pair consists of two such sequences.
        if i &+ 14 <= source.count {
            let high = source.word(at: i)
            let low = source.word(at: i &+ 6)
            let highDigits = UInt32(truncatingIfNeeded: high &>> 16)
            let lowDigits = UInt32(truncatingIfNeeded: low &>> 16)
            if (low & 0xFFFF) == 0x755C, highDigits.isHighSurrogate, lowDigits.isLowSurrogate {
                sink.put(high, at: o)
                sink.put(low, at: o &+ 6)
                i &+= 12
                o &+= 12
                return
            }
        }
        (i, o) = try copyAnyUnicodeEscape(i, o)
    }

    @inline(never) private func copyAnyUnicodeEscape(_ start: Int, _ output: Int) throws(JSONFault) -> (Int, Int) {
        var i = start
        var o = output
        let unit = try copyUnit(&i, &o)
        if (unit & 0xF800) != 0xD800 { return (i, o) }
        // RFC 8259 §7: a character beyond U+FFFF is a pair of escapes, the high surrogate first.
        guard unit < 0xDC00, i &+ 1 < source.count, source[i] == UInt8(ascii: "\\"),
            source[i &+ 1] == UInt8(ascii: "u"),
            try copyUnit(&i, &o) & 0xFC00 == 0xDC00
        else { throw JSONFault(.loneSurrogate, at: start) }
        return (i, o)
    }

    /// Copies `\uXXXX` and returns its code unit.
    @inline(__always) private func copyUnit(_ i: inout Int, _ o: inout Int) throws(JSONFault) -> UInt16 {
        var unit: UInt16 = 0
        for index in (i &+ 2)..<(i &+ 6) {
            guard index < source.count else { throw JSONFault(.unterminatedString, at: index) }
            guard let digit = source[index].hexDigit else { throw JSONFault(.invalidEscape, at: i) }
            unit = unit &<< 4 | UInt16(digit)
        }
        for _ in 0..<6 { copyByte(&i, &o) }
        return unit
    }

    // MARK: Non-ASCII characters

    /// Copies one non-ASCII character.
    @inline(__always) private func copyMultibyte(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        for _ in 0..<(try widthOfMultibyte(at: i)) { copyByte(&i, &o) }
    }

    /// Returns the length in bytes of the non-ASCII character at `i`, if RFC 3629 §4 allows it.
    private func widthOfMultibyte(at i: Int) throws(JSONFault) -> Int {
        let width = source.withBytes(i..<min(i &+ 4, source.count)) { bytes in
            // The bytes are valid for the duration of the call.
            unsafe bytes.withUnsafeBufferPointer { bytes -> Int? in
                var decoder = UTF8()
                var iterator = unsafe bytes.makeIterator()
                guard case .scalarValue(let scalar) = unsafe decoder.decode(&iterator) else { return nil }
                return UTF8.width(scalar)
            }
        }
        guard let width else { throw JSONFault(.invalidEncoding, at: i) }
        return width
    }

    @inline(__always) private func copyByte(_ i: inout Int, _ o: inout Int) {
        sink.put(source[i], at: o)
        i &+= 1
        o &+= 1
    }
}

extension UInt32 {
    /// Whether the four bytes are the digits of D800 to DBFF.
    @inline(__always) fileprivate var isHighSurrogate: Bool {
        isHexadecimal && (self & 0xDF) == 0x44
            && (secondDigit == 0x38 || secondDigit == 0x39 || secondDigit == 0x61 || secondDigit == 0x62)
    }

    /// Whether the four bytes are the digits of DC00 to DFFF.
    @inline(__always) fileprivate var isLowSurrogate: Bool {
        isHexadecimal && (self & 0xDF) == 0x44 && secondDigit >= 0x63
    }

    /// The second byte, with letters in lower case.
    private var secondDigit: UInt32 { (self &>> 8 & 0xFF) | 0x20 }
}

extension JSONSource {
    /// Returns the end of the white space that begins at `start`, or `start` if there is none.
    @inline(never) func endOfWhiteSpace(from start: Int) -> Int {
        var i = start
        while i &+ 16 <= count {
            let others = vector(at: i).nonWhiteSpace
            i &+= others.first
            if !others.isEmpty { return i }
        }
        while i < count, self[i].isJSONWhiteSpace { i &+= 1 }
        return i
    }
}

extension UInt8 {
    @inline(__always) fileprivate var isDigit: Bool { self &- UInt8(ascii: "0") <= 9 }

    /// Whether the byte is white space (RFC 8259 §2).
    @inlinable package var isJSONWhiteSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
