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

    @inline(never) private func endOfWhiteSpace(from start: Int) -> Int {
        var i = start
        while i &+ 16 <= source.count {
            let others = source.vector(at: i).nonWhiteSpace
            i &+= others.firstLane
            if others != 0 { return i }
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

    // MARK: Numbers (§6)

    /// Copies the number that starts at `i` with a minus or a digit.
    @inline(__always) func copyNumber(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        // One look at sixteen bytes is enough for `-?digits` and `-?digits.digits` that end within them.
        if i &+ 16 <= source.count {
            let bytes = source.vector(at: i)
            let signed = source[i] == UInt8(ascii: "-") ? 1 : 0
            let others = bytes.nonDigits & (~0 &<< UInt64(truncatingIfNeeded: signed &* 4))
            let point = others.firstLane
            let startsWell = source[i &+ signed] != UInt8(ascii: "0") || point == signed &+ 1
            if point > signed, point < 16, startsWell {
                var end = point
                if source[i &+ point] == UInt8(ascii: ".") {
                    end = (others & (~0xF &<< UInt64(truncatingIfNeeded: point &* 4))).firstLane
                    if end == point &+ 1 { end = 16 }
                }
                if end < 16, end <= maxNumberBytes, source[i &+ end] | 0x20 != UInt8(ascii: "e") {
                    sink.put(bytes, at: o)
                    i &+= end
                    o &+= end
                    return
                }
            }
        }
        (i, o) = try copyAnyNumber(i, o)
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
            i &+= others.firstLane
            o &+= others.firstLane
            if others != 0 {
                if i == start { throw JSONFault(.invalidNumber, at: i) }
                return
            }
        }
        while i < source.count, source[i] &- UInt8(ascii: "0") <= 9 { copyByte(&i, &o) }
        if i == start { throw JSONFault(.invalidNumber, at: i) }
    }

    // MARK: Strings (§7)

    /// Copies the string whose opening quote is at `i`, quotes included.
    /// - Returns: whether it has an escape.
    @inline(__always) @discardableResult
    func copyString(_ i: inout Int, _ o: inout Int) throws(JSONFault) -> Bool {
        // One look at sixteen bytes, the opening quote first, is enough for up to fourteen plain characters.
        if i &+ 16 <= source.count {
            let bytes = source.vector(at: i)
            sink.put(bytes, at: o)
            let stops = bytes.stringStops & ~0xF
            let end = stops.firstLane
            if stops != 0, source[i &+ end] == UInt8(ascii: "\"") {
                i &+= end &+ 1
                o &+= end &+ 1
                return false
            }
        }
        let hasEscapes: Bool
        (i, o, hasEscapes) = try copyAnyString(i, o)
        return hasEscapes
    }

    @inline(never) private func copyAnyString(_ start: Int, _ output: Int) throws(JSONFault) -> (Int, Int, Bool) {
        var i = start
        var o = output
        var hasEscapes = false
        copyByte(&i, &o)
        while true {
            // Plain characters, sixteen at a time.
            while i &+ 16 <= source.count {
                let bytes = source.vector(at: i)
                sink.put(bytes, at: o)
                let stops = bytes.stringStops
                i &+= stops.firstLane
                o &+= stops.firstLane
                if stops != 0 { break }
            }
            // Then whatever stands here, until plain characters come again.
            guard i < source.count else { throw JSONFault(.unterminatedString, at: i) }
            let byte = source[i]
            if byte == UInt8(ascii: "\"") {
                copyByte(&i, &o)
                return (i, o, hasEscapes)
            } else if byte >= 0x80 {
                repeat { try copyMultibyte(&i, &o) } while i < source.count && source[i] >= 0x80
            } else if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                try copyEscape(&i, &o)
            } else if byte < 0x20 {
                throw JSONFault(.controlCharacter, at: i)
            } else {
                copyByte(&i, &o)
            }
        }
    }

    /// Copies one escape sequence, or two where they are a surrogate pair.
    @inline(__always) private func copyEscape(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        let start = i
        guard i &+ 1 < source.count else { throw JSONFault(.unterminatedString, at: i &+ 1) }
        switch source[i &+ 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            copyByte(&i, &o)
            copyByte(&i, &o)
        case UInt8(ascii: "u"):
            let unit = try copyUnit(&i, &o)
            if unit & 0xF800 != 0xD800 { return }
            // RFC 8259 §7: a character beyond U+FFFF is a pair of escapes, the high surrogate first.
            guard unit < 0xDC00, i &+ 1 < source.count, source[i] == UInt8(ascii: "\\"),
                source[i &+ 1] == UInt8(ascii: "u"),
                try copyUnit(&i, &o) & 0xFC00 == 0xDC00
            else { throw JSONFault(.loneSurrogate, at: start) }
        default:
            throw JSONFault(.invalidEscape, at: start)
        }
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

    /// Copies one character beyond ASCII, as RFC 3629 §4 allows it.
    @inline(__always) private func copyMultibyte(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        guard i &+ 4 <= source.count else { return try copyMultibyteNearEnd(&i, &o) }
        let word = source.halfWord(at: i)
        if word & 0x00C0_C0F0 == 0x0080_80E0 {
            // Three bytes; the first 4 bits of the character tell an overlong form (0) and a surrogate (D, second half).
            let lead = word & 0x200F
            guard lead != 0, lead != 0x200D else { throw JSONFault(.invalidEncoding, at: i) }
            sink.put(UInt16(truncatingIfNeeded: word), at: o)
            sink.put(UInt8(truncatingIfNeeded: word &>> 16), at: o &+ 2)
            i &+= 3
            o &+= 3
        } else if word & 0x0000_C0E0 == 0x0000_80C0 {
            guard word & 0x1E != 0 else { throw JSONFault(.invalidEncoding, at: i) }
            sink.put(UInt16(truncatingIfNeeded: word), at: o)
            i &+= 2
            o &+= 2
        } else if word & 0xC0C0_C0F8 == 0x8080_80F0 {
            // Four bytes, U+10000 to U+10FFFF.
            let lead = UInt32(word & 0x07) &<< 2 | (word &>> 12) & 0x03
            guard lead >= 1, lead <= 16 else { throw JSONFault(.invalidEncoding, at: i) }
            sink.put(word, at: o)
            i &+= 4
            o &+= 4
        } else {
            throw JSONFault(.invalidEncoding, at: i)
        }
    }

    /// The same within the last three bytes of the source, where no word can be read.
    @inline(never) private func copyMultibyteNearEnd(_ i: inout Int, _ o: inout Int) throws(JSONFault) {
        let left = source.withBytes(i..<source.count) { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes -> Int? in
                var decoder = UTF8()
                var iterator = unsafe bytes.makeIterator()
                guard case .scalarValue(let scalar) = unsafe decoder.decode(&iterator) else { return nil }
                return UTF8.width(scalar)
            }
        }
        guard let width = left else { throw JSONFault(.invalidEncoding, at: i) }
        for _ in 0..<width { copyByte(&i, &o) }
    }

    @inline(__always) private func copyByte(_ i: inout Int, _ o: inout Int) {
        sink.put(source[i], at: o)
        i &+= 1
        o &+= 1
    }
}

extension UInt8 {
    /// White space as RFC 8259 §2 has it.
    var isJSONWhiteSpace: Bool {
        self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09
    }

    /// The value of a hexadecimal digit, either case.
    var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
            (self | 0x20) &- UInt8(ascii: "a") &+ 10
        default: nil
        }
    }
}
