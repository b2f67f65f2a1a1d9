/// The errors of parsing a set of status codes. Offsets are in bytes, from 0.
public enum StatusCodesError: Error, Equatable, Sendable {
    /// The text contains something other than codes, a hyphen between two codes or a comma between two ranges.
    case malformed(at: Int)
    /// The upper bound of a range is less than the lower bound.
    case descendingRange(from: Int, to: Int, at: Int)
}

extension StatusCodes {
    /// Parses `200-299,304`, `*` (any code) or `none`. Bounds are inclusive. White space around commas is allowed.
    ///
    /// A code has exactly three digits, the first of which is not zero.
    public init(parsing text: String) throws(StatusCodesError) {
        switch text {
        case "*": self = .all
        case "none": self = .none
        default: self.init(ranges: try Self.ranges(in: text.utf8.span))
        }
    }

    private static func ranges(in text: Span<UInt8>) throws(StatusCodesError) -> [ClosedRange<Int>] {
        var ranges: [ClosedRange<Int>] = []
        var offset = 0
        while true {
            text.skipBlanks(&offset)
            let start = offset
            let lower = try code(in: text, at: &offset)
            var upper = lower
            if offset < text.count, text[offset] == UInt8(ascii: "-") {
                offset += 1
                upper = try code(in: text, at: &offset)
            }
            guard lower <= upper else { throw .descendingRange(from: lower, to: upper, at: start) }
            ranges.append(lower...upper)

            text.skipBlanks(&offset)
            if offset == text.count { return ranges }
            guard text[offset] == UInt8(ascii: ",") else { throw .malformed(at: offset) }
            offset += 1
        }
    }

    private static func code(in text: Span<UInt8>, at offset: inout Int) throws(StatusCodesError) -> Int {
        var code = 0
        for digit in 0..<3 {
            let lowest = UInt8(ascii: digit == 0 ? "1" : "0")
            guard offset < text.count, lowest...UInt8(ascii: "9") ~= text[offset] else { throw .malformed(at: offset) }
            code = code * 10 + Int(text[offset] - UInt8(ascii: "0"))
            offset += 1
        }
        return code
    }
}
