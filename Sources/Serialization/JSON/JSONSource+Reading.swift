// Accessors for text that has been checked: names, numbers, and the text before and after them.

extension JSONSource {
    /// Returns the unescaped name whose opening quote is at `offset`.
    func name(at offset: Int) -> String {
        name(rangeOfName(at: offset + 1).range)
    }

    /// Returns the unescaped name at `range`, which excludes its quotes.
    func name(_ range: Range<Int>) -> String {
        withBytes(range) { String(decoding: JSONString.unescape($0), as: UTF8.self) }
    }

    /// Returns the start of the first member with the name of the member at `offset`, in the same object. The text
    /// before `offset` must have been read without an error.
    func firstMember(likeThatAt offset: Int) -> Int? {
        let wanted = name(at: offset)
        var openings: [Int] = []
        skipThrough(0..<offset) { index in
            switch self[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): openings.append(index)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = openings.popLast()
            default: break
            }
        }
        guard let object = openings.last else { return nil }
        var depth = 0
        var found: Int?
        var isName = true
        skipThrough((object + 1)..<offset) { index in
            switch self[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ",") where depth == 0: isName = true
            case UInt8(ascii: ":") where depth == 0: isName = false
            case UInt8(ascii: "\"") where depth == 0 && isName && found == nil:
                if name(at: index) == wanted { found = index }
            default: break
            }
        }
        return found
    }

    /// Calls `body` for every byte of the range that is not inside a string.
    private func skipThrough(_ range: Range<Int>, _ body: (Int) -> Void) {
        var index = range.lowerBound
        while index < range.upperBound {
            body(index)
            index = self[index] == UInt8(ascii: "\"") ? rangeOfName(at: index + 1).range.upperBound + 1 : index + 1
        }
    }

    /// Returns whether the last byte before `offset` that is not white space is `byte`.
    func follows(_ byte: UInt8, at offset: Int) -> Bool {
        var index = min(offset, count) - 1
        while index >= 0, self[index].isJSONWhiteSpace { index -= 1 }
        return index >= 0 && self[index] == byte
    }

    /// Returns whether the white space directly before `offset` contains a line end.
    func hasLineEnd(before offset: Int) -> Bool {
        var index = offset - 1
        while index >= 0, self[index].isJSONWhiteSpace {
            if self[index] == 0x0A || self[index] == 0x0D { return true }
            index -= 1
        }
        return false
    }

    /// Returns the end of the white space that begins at `start`, or `start` if there is none.
    func endOfWhiteSpace(from start: Int) -> Int {
        var index = start
        while index < count, self[index].isJSONWhiteSpace { index += 1 }
        return index
    }

    /// Returns whether the number at `range` has an exponent, or as many digits as the largest double.
    func mayExceedDouble(_ range: Range<Int>) -> Bool {
        range.count > 308 || range.contains { self[$0] | 0x20 == UInt8(ascii: "e") }
    }

    /// Returns the ranges of the numbers of a strict text, in order.
    func numbers() -> some Sequence<Range<Int>> {
        sequence(state: 0) { (index: inout Int) -> Range<Int>? in
            while index < count {
                switch self[index] {
                case UInt8(ascii: "\""):
                    index = rangeOfName(at: index + 1).range.upperBound + 1
                case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    let start = index
                    while index < count, self[index].isInNumber { index += 1 }
                    return start..<index
                default:
                    index += 1
                }
            }
            return nil
        }
    }
}

extension UInt8 {
    fileprivate var isInNumber: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
