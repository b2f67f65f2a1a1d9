internal import Primitives

/// Finds the end of a JSON value whose bytes arrive in pieces, in one pass.
///
/// Brackets and strings are matched. The grammar of what is between them is not checked.
struct JSONValueScanner: Sendable {
    /// A bracket that does not close the innermost object or array, or a byte that begins no value.
    struct Mismatch: Error {}

    private enum State {
        /// Between tokens of an object or array.
        case tokens
        case string
        /// After a backslash.
        case escape
        /// A number or a literal, which is the value.
        case scalar
    }

    private var state = State.tokens
    private var depth = 0
    /// Whether each of the outermost ``typedDepth`` open levels is an array.
    private var arrays: [Bool] = []

    /// The number of levels whose brackets are compared. Deeper values exceed every limit on depth, and their brackets
    /// are only counted.
    private static let typedDepth = 2_048

    /// Begins with the value whose first byte is `byte`.
    mutating func begin(_ byte: UInt8) {
        depth = 0
        arrays.removeAll(keepingCapacity: true)
        let isContainer = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\"")
        state = isContainer ? .tokens : .scalar
    }

    /// Moves `index` behind further bytes of the value.
    /// - Returns: whether the value is complete.
    /// - Throws: the mismatch of the byte at `index`, also if the call is repeated.
    mutating func scan(_ bytes: Span<UInt8>, _ index: inout Int) throws(Mismatch) -> Bool {
        while index < bytes.count {
            switch state {
            case .string:
                bytes.skipStringBytes(&index)
                guard index < bytes.count else { return false }
                state = bytes[index] == UInt8(ascii: "\"") ? .tokens : .escape
                index += 1
                if depth == 0, case .tokens = state { return true }
            case .escape:
                index += 1
                state = .string
            case .scalar:
                guard bytes[index].continuesScalar else { return true }
                index += 1
            case .tokens:
                let byte = bytes[index]
                switch byte {
                case UInt8(ascii: "\""): state = .string
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    if depth < Self.typedDepth { arrays.append(byte == UInt8(ascii: "[")) }
                    depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth <= Self.typedDepth {
                        guard arrays.last == (byte == UInt8(ascii: "]")) else { throw Mismatch() }
                        arrays.removeLast()
                    }
                    depth -= 1
                    if depth == 0 {
                        index += 1
                        return true
                    }
                default: break
                }
                index += 1
            }
        }
        return false
    }
}

extension UInt8 {
    /// Whether the byte may be a part of a number or of a literal.
    fileprivate var continuesScalar: Bool {
        isLetter || isDecimalDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "+")
            || self == UInt8(ascii: ".")
    }
}

extension Span<UInt8> {
    /// Moves `index` to the next quote or backslash, or to the end.
    fileprivate func skipStringBytes(_ index: inout Int) {
        // Eight bytes at a time: a byte that is zero after the exclusive or borrows from its high bit.
        let low: UInt64 = 0x0101_0101_0101_0101
        while index + 8 <= count {
            let word = word(at: index)
            let quotes = word ^ (low &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (low &* UInt64(UInt8(ascii: "\\")))
            let found = ((quotes &- low) & ~quotes | (backslashes &- low) & ~backslashes) & (low << 7)
            guard found == 0 else {
                index += found.trailingZeroBitCount / 8
                return
            }
            index += 8
        }
        while index < count, self[index] != UInt8(ascii: "\""), self[index] != UInt8(ascii: "\\") { index += 1 }
    }
}
