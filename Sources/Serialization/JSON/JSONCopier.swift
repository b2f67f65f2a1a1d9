/// Checks strings, numbers and literals against RFC 8259 and copies them as they are.
///
/// Every function moves the two indices past what it has checked and written. The short forms are inlined into the
/// kernel; what they cannot finish in one look goes to a function of its own.
struct JSONCopier {
    let source: JSONSource
    let sink: JSONSink
    let maxNumberBytes: Int

    // MARK: White space (RFC 8259 §2)

    @inline(__always) func skipWhiteSpace(_ i: inout Int) {
        if i < source.count, source[i] <= 0x20 { i = endOfWhiteSpace(from: i) }
    }

    /// Skips what stands between a colon and its value: nothing or one space, nearly always.
    @inline(__always) func skipWhiteSpaceAfterColon(_ i: inout Int) {
        if source[i] == 0x20 { i &+= 1 }
        skipWhiteSpace(&i)
    }

    /// Whether `byte` comes next, after white space or none, which is skipped.
    @inline(__always) func finds(_ byte: UInt8, _ i: inout Int) -> Bool {
        if i < source.count, source[i] == byte { return true }
        skipWhiteSpace(&i)
        return i < source.count && source[i] == byte
    }

    /// Skips what stands before a member, an element or a closing bracket, which in an indented text is as long each
    /// time at the same depth.
    ///
    /// To test the guess that it has `guess` bytes is no shorter than to count them, but the processor need not wait
    /// for the result: it goes on from `i + guess`, and nearly always was right.
    @inline(__always) func skipIndentation(_ i: inout Int, guess: inout UInt32) {
        guard _slowPath(i < source.count && source[i] <= 0x20) else { return }
        let end = i &+ Int(guess)
        if guess > 0, end &+ 16 <= source.count, source[end] > 0x20 {
            // All vectors but the last, then the one that ends with the guess, or as much of the first as there is.
            var others = ByteMask.none
            var position = i
            while position &+ 16 < end {
                others = others | source.vector(at: position).nonWhiteSpace
                position &+= 16
            }
            let last = source.vector(at: position).nonWhiteSpace
            if others.isEmpty, last.first >= end &- position {
                i = end
                return
            }
        }
        let start = i
        i = endOfWhiteSpace(from: i)
        guess = UInt32(truncatingIfNeeded: i &- start)
    }

    @inline(never) private func endOfWhiteSpace(from start: Int) -> Int {
        var i = start
        while i &+ 16 <= source.count {
            let others = source.vector(at: i).nonWhiteSpace
            i &+= others.first
            if !others.isEmpty { return i }
        }
        while i < source.count, source[i].isJSONWhiteSpace { i &+= 1 }
        return i
    }

    // MARK: Literals (§3)

    static let trueWord: UInt32 = 0x6575_7274
    static let nullWord: UInt32 = 0x6C6C_756E
    private static let alseWord: UInt32 = 0x6573_6C61

    /// Copies a literal of four letters.
    @inline(__always) func copyLiteral(_ word: UInt32, _ i: inout Int, _ o: inout Int) throws(JSONFault) {
        guard i &+ 4 <= source.count, source.halfWord(at: i) == word else { throw JSONFault(.invalidLiteral, at: i) }
        sink.put(word, at: o)
        i &+= 4
        o &+= 4
    }

    @inline(__always) func copyFalse(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        guard i &+ 5 <= source.count, source.halfWord(at: i &+ 1) == Self.alseWord else {
            throw JSONFault(.invalidLiteral, at: i)
        }
        sink.put(UInt8(ascii: "f"), at: o)
        sink.put(Self.alseWord, at: o &+ 1)
        i &+= 5
        o &+= 5
    }

    /// Copies a value that is no container.
    @inline(never) func copyScalar(_ start: Int, _ output: Int, isAllowed: Bool) throws(JSONFault) -> (Int, Int) {
        var i = start
        var o = output
        switch source[i] {
        case UInt8(ascii: "\""), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            guard isAllowed else { throw JSONFault(.topLevelScalar, at: i) }
        default:
            throw JSONFault(.expectedValue, at: i)
        }
        switch source[i] {
        case UInt8(ascii: "\""): try copyString(&i, &o)
        case UInt8(ascii: "t"): try copyLiteral(Self.trueWord, &i, &o)
        case UInt8(ascii: "f"): try copyFalse(&i, &o)
        case UInt8(ascii: "n"): try copyLiteral(Self.nullWord, &i, &o)
        default: (i, o) = try copyAnyNumber(i, o)
        }
        return (i, o)
    }

    // MARK: Numbers (§6)

    /// Copies the number that starts at `i` with a digit from 1 to 9.
    @inline(__always) func copyNumber(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        if _fastPath(i &+ 16 <= source.count) {
            let bytes = source.vector(at: i)
            sink.put(bytes, at: o)
            if _fastPath(copyRestOfNumber(bytes.nonDigits, &i, &o)) { return }
        }
        (i, o) = try copyAnyNumber(i, o)
    }

    /// Copies the number that starts at `i` with a minus or a zero.
    @inline(__always) func copySignOrZero(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        if _fastPath(i &+ 16 <= source.count) {
            let bytes = source.vector(at: i)
            sink.put(bytes, at: o)
            var others = bytes.nonDigits
            var digits = i
            if source[i] == UInt8(ascii: "-") {
                digits &+= 1
                others = others.droppingFirst()
            }
            let isZero = source[digits] == UInt8(ascii: "0")
            if isZero ? !source[digits &+ 1].isDigit : source[digits].isDigit, copyRestOfNumber(others, &i, &o) {
                return
            }
        }
        (i, o) = try copyAnyNumber(i, o)
    }

    /// Copies what is `digits` or `digits.digits` behind a sign, if any: in one look where all of it and what follows are
    /// sixteen bytes at most, and where the fraction goes on, in as many more as it takes.
    /// - Parameter others: which of the first sixteen bytes, already copied, are neither sign nor digit; not the first digit.
    /// - Returns: false for a number that is of another form or faulty.
    @inline(__always) private func copyRestOfNumber(_ others: ByteMask, _ i: inout Int, _ o: inout Int) -> Bool {
        guard let point = others.firstLane else { return false }
        var end = point
        if source[i &+ point] == UInt8(ascii: ".") {
            let rest = others.droppingFirst()
            if let stop = rest.firstLane {
                if stop == point &+ 1 { return false }
                end = stop
            } else {
                end = 16
                copyDigitRun(i &+ 16, o &+ 16, &end)
                if end == point &+ 1 || i &+ end == source.count || source[i &+ end].isDigit {
                    return false
                }
            }
        }
        if source[i &+ end] | 0x20 == UInt8(ascii: "e") || end > maxNumberBytes { return false }
        i &+= end
        o &+= end
        return true
    }

    /// Copies the digits at `i`, as long as sixteen bytes can be read at once, and adds their count to `end`.
    @inline(__always) private func copyDigitRun(_ i: Int, _ o: Int, _ end: inout Int) {
        var run = 0
        while i &+ run &+ 16 <= source.count {
            let bytes = source.vector(at: i &+ run)
            sink.put(bytes, at: o &+ run)
            let others = bytes.nonDigits
            if !others.isEmpty {
                end &+= run &+ others.first
                return
            }
            run &+= 16
        }
        end &+= run
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

    /// Copies one digit or more.
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

    /// Whether an expected name is what comes next.
    ///
    /// The processor goes on behind the name while it is being compared, and nearly always was right.
    @inline(__always) func finds(_ name: Shapes.Guess, at i: Int) -> Bool {
        guard i &+ Shapes.maxGuessBytes <= source.count else { return false }
        let start = Int(name.start)
        guard name.lanes.isSubset(of: source.equals(i, start)) else { return false }
        let last = Int(name.count) &- 16
        return last <= 0 || ByteMask.all.isSubset(of: source.equals(i &+ last, start &+ last))
    }

    /// Copies an expected name that was found.
    @inline(__always) func copy(_ name: Shapes.Guess, _ i: inout Int, _ o: inout Int) {
        sink.put(source.vector(at: i), at: o)
        if name.count > 16 { sink.put(source.vector(at: i &+ 16), at: o &+ 16) }
        i &+= Int(name.count)
        o &+= Int(name.outputCount)
    }

    /// Copies the string whose opening quote is at `i`, quotes included.
    /// - Returns: whether it has an escape.
    @inline(__always) @discardableResult
    func copyString(_ i: inout Int, _ o: inout Int) throws(JSONFault) -> Bool {
        // Plain characters and a closing quote, sixteen bytes at a time; the first look begins with the opening quote.
        var end = i
        if _fastPath(end &+ 16 <= source.count) {
            let bytes = source.vector(at: end)
            sink.put(bytes, at: o)
            var stops = bytes.stringStops.dropping(1)
            if let stop = stops.firstLane, source[i &+ stop] == UInt8(ascii: "\"") {
                i &+= stop &+ 1
                o &+= stop &+ 1
                return false
            }
            while stops.isEmpty, end &+ 32 <= source.count {
                end &+= 16
                let more = source.vector(at: end)
                sink.put(more, at: o &+ (end &- i))
                stops = more.stringStops
            }
            if let stop = stops.firstLane {
                end &+= stop
                if source[end] == UInt8(ascii: "\"") {
                    end &+= 1
                    o &+= end &- i
                    i = end
                    return false
                }
            }
        }
        if end == i {
            sink.put(UInt8(ascii: "\""), at: o)
            end &+= 1
        }
        let hasEscapes: Bool
        (i, o, hasEscapes) = try copyRestOfString(end, o &+ (end &- i))
        return hasEscapes
    }

    /// Copies what is left of a string, whatever it holds, its closing quote included.
    /// - Parameter start: after the opening quote.
    @inline(never) private func copyRestOfString(_ start: Int, _ output: Int) throws(JSONFault) -> (Int, Int, Bool) {
        var i = start
        var o = output
        var hasEscapes = false
        while true {
            try copyCharacters(&i, &o)
            guard i < source.count else { throw JSONFault(.unterminatedString, at: i) }
            switch source[i] {
            case UInt8(ascii: "\""):
                copyByte(&i, &o)
                return (i, o, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                repeat { try copyEscape(&i, &o) } while i < source.count && source[i] == UInt8(ascii: "\\")
            case 0..<0x20:
                throw JSONFault(.controlCharacter, at: i)
            case 0x80...:
                try copyMultibyte(&i, &o)
            default:
                copyByte(&i, &o)
            }
        }
    }

    /// Copies characters, plain or beyond ASCII, sixteen bytes at a time, up to what ends a run of them or until there
    /// are fewer than sixteen bytes left. Stops between two characters.
    @inline(__always) private func copyCharacters(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        // Once there has been a character beyond ASCII, more are likely, and what follows is checked for them at once.
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
                // The three bytes before a string's first are of the quote and what was checked before it.
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
            // A character that is cut short shows at the byte after it, which may be the one that ends the run.
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

    /// Where the character begins that ends at `end` or goes on there; at most three bytes before it.
    private func startOfCharacter(before end: Int) -> Int {
        var start = end &- 1
        while start > end &- 3, source[start] & 0xC0 == 0x80 { start &-= 1 }
        return source[start] >= 0xC0 ? start : end
    }

    /// The place of an error that is known to be in the sixteen bytes at `start`, or in a character that goes on there.
    @inline(never) private func findEncodingFault(near start: Int) -> JSONFault {
        var i = startOfCharacter(before: start)
        do throws(JSONFault) {
            while i < source.count { i &+= source[i] < 0x80 ? 1 : try widthOfMultibyte(at: i) }
        } catch {
            return error
        }
        return JSONFault(.invalidEncoding, at: start)
    }

    // MARK: Escapes

    /// Copies one escape sequence, or two where they are a surrogate pair.
    @inline(__always) private func copyEscape(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        guard i &+ 1 < source.count else { throw JSONFault(.unterminatedString, at: i &+ 1) }
        switch source[i &+ 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            copyByte(&i, &o)
            copyByte(&i, &o)
        case UInt8(ascii: "u"):
            try copyUnicodeEscape(&i, &o)
        default:
            throw JSONFault(.invalidEscape, at: i)
        }
    }

    @inline(__always) private func copyUnicodeEscape(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        // Four hexadecimal digits, the first no D: all that is not a surrogate, and a little that is not one either.
        if i &+ 8 <= source.count {
            let word = source.word(at: i)
            let digits = UInt32(truncatingIfNeeded: word &>> 16)
            if digits.isHexadecimal, digits & 0xDF != 0x44 {
                sink.put(word, at: o)
                i &+= 6
                o &+= 6
                return
            }
        }
        // A surrogate pair, of two such sequences.
        if i &+ 14 <= source.count {
            let high = source.word(at: i)
            let low = source.word(at: i &+ 6)
            let highDigits = UInt32(truncatingIfNeeded: high &>> 16)
            let lowDigits = UInt32(truncatingIfNeeded: low &>> 16)
            if low & 0xFFFF == 0x755C, highDigits.isHighSurrogate, lowDigits.isLowSurrogate {
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
        if unit & 0xF800 != 0xD800 { return (i, o) }
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

    // MARK: Characters beyond ASCII

    /// Copies one character beyond ASCII.
    @inline(__always) private func copyMultibyte(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        for _ in 0..<(try widthOfMultibyte(at: i)) { copyByte(&i, &o) }
    }

    /// The length in bytes of the character beyond ASCII at `i`, where RFC 3629 §4 allows it.
    private func widthOfMultibyte(at i: Int) throws(JSONFault) -> Int {
        let width = source.withBytes(i..<min(i &+ 4, source.count)) { bytes in
            // Lent for the call.
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
    /// Whether all four bytes are hexadecimal digits. A byte plus (0x80 − limit) has its highest bit set from the limit
    /// on, as long as no byte had it before.
    @inline(__always) fileprivate var isHexadecimal: Bool {
        let letters = self | 0x2020_2020
        let isDigit = (self &+ 0x5050_5050) & ~(self &+ 0x4646_4646)
        let isLetter = (letters &+ 0x1F1F_1F1F) & ~(letters &+ 0x1919_1919)
        return self & 0x8080_8080 == 0 && (isDigit | isLetter) & 0x8080_8080 == 0x8080_8080
    }

    /// Whether the four bytes are the digits of D800 to DBFF.
    @inline(__always) fileprivate var isHighSurrogate: Bool {
        isHexadecimal && self & 0xDF == 0x44
            && (secondDigit == 0x38 || secondDigit == 0x39 || secondDigit == 0x61 || secondDigit == 0x62)
    }

    /// Whether the four bytes are the digits of DC00 to DFFF.
    @inline(__always) fileprivate var isLowSurrogate: Bool {
        isHexadecimal && self & 0xDF == 0x44 && secondDigit >= 0x63
    }

    /// The second byte; letters in lower case.
    private var secondDigit: UInt32 {
        (self &>> 8 & 0xFF) | 0x20
    }
}

extension UInt8 {
    @inline(__always) fileprivate var isDigit: Bool { self &- UInt8(ascii: "0") <= 9 }

    /// White space as RFC 8259 §2 has it.
    var isJSONWhiteSpace: Bool {
        self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09
    }

    /// The value of a hexadecimal digit, either case.
    package var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
            (self | 0x20) &- UInt8(ascii: "a") &+ 10
        default: nil
        }
    }
}
