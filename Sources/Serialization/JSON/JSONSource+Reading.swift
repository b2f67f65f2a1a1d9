// Looks at a source that are taken once something is known to be there: names, numbers, what comes before and after.

extension JSONSource {
    /// The name whose opening quote is at `offset`, as it reads.
    func name(at offset: Int) -> String {
        name(rangeOfName(at: offset + 1).range)
    }

    /// The name that stands at `range` between its quotes, as it reads.
    func name(_ range: Range<Int>) -> String {
        withBytes(range) { String(decoding: JSONString.unescape($0), as: UTF8.self) }
    }

    /// Whether the last byte before `offset` that is not white space is `byte`.
    func follows(_ byte: UInt8, at offset: Int) -> Bool {
        var index = min(offset, count) - 1
        while index >= 0, self[index].isJSONWhiteSpace { index -= 1 }
        return index >= 0 && self[index] == byte
    }

    /// Whether a line ends in the white space right before `offset`.
    func hasLineEnd(before offset: Int) -> Bool {
        var index = offset - 1
        while index >= 0, self[index].isJSONWhiteSpace {
            if self[index] == 0x0A || self[index] == 0x0D { return true }
            index -= 1
        }
        return false
    }

    /// The end of the white space that begins at `start`, or `start`.
    func endOfWhiteSpace(from start: Int) -> Int {
        var index = start
        while index < count, self[index].isJSONWhiteSpace { index += 1 }
        return index
    }

    /// Where the numbers of a strict text stand, in order.
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

extension String {
    /// The text of `bytes`, which are UTF-8.
    init(copying bytes: Span<UInt8>) {
        // Lent for the call, which copies.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
