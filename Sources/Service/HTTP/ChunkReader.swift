internal import Serialization

/// Follows content in chunks to its end (RFC 9112 §7.1), strictly: every line ends in CRLF.
struct ChunkReader {
    private enum State {
        case size(digits: Int)
        case sizeExtension
        /// After the CR of a line with a size.
        case sizeEnd
        case data(left: UInt64)
        case dataCR
        case dataLF
        case trailerStart
        case trailerName
        case trailerValue
        case trailerEnd
        case lastLF
        case complete
        case broken
    }

    private var state = State.size(digits: 0)
    private var size: UInt64 = 0

    /// Bytes of the line with a size, or of all trailers.
    private var usedBytes = 0

    /// Most bytes of a line with a size, and of all trailers, that are let through.
    static let maxUsedBytes = 1 << 10

    var isComplete: Bool { if case .complete = state { true } else { false } }
    var isBroken: Bool { if case .broken = state { true } else { false } }

    /// Reads on from `start`.
    /// - Returns: after the last byte that was read: the content's last, where it ``isComplete``.
    mutating func read(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count, !isComplete, !isBroken {
            if case .data(let left) = state {
                let count = Int(min(left, UInt64(bytes.count - index)))
                index += count
                state = left > UInt64(count) ? .data(left: left - UInt64(count)) : .dataCR
            } else {
                state = next(bytes[index])
                index += 1
            }
        }
        return index
    }

    private mutating func next(_ byte: UInt8) -> State {
        usedBytes += 1
        guard usedBytes <= Self.maxUsedBytes else { return .broken }
        switch state {
        case .size(let digits): return nextOfSize(byte, digits)
        case .sizeExtension: return byte == UInt8(ascii: "\r") ? .sizeEnd : Self.isText(byte) ? .sizeExtension : .broken
        case .sizeEnd:
            guard byte == UInt8(ascii: "\n") else { return .broken }
            usedBytes = 0
            return size > 0 ? .data(left: size) : .trailerStart
        case .dataCR: return byte == UInt8(ascii: "\r") ? .dataLF : .broken
        case .dataLF:
            guard byte == UInt8(ascii: "\n") else { return .broken }
            usedBytes = 0
            size = 0
            return .size(digits: 0)
        case .trailerStart:
            return byte == UInt8(ascii: "\r") ? .lastLF : FieldSyntax.isTokenByte(byte) ? .trailerName : .broken
        case .trailerName:
            return byte == UInt8(ascii: ":") ? .trailerValue : FieldSyntax.isTokenByte(byte) ? .trailerName : .broken
        case .trailerValue:
            return byte == UInt8(ascii: "\r") ? .trailerEnd : Self.isText(byte) ? .trailerValue : .broken
        case .trailerEnd:
            guard byte == UInt8(ascii: "\n") else { return .broken }
            usedBytes += HeadLines.recordBytes
            return .trailerStart
        case .lastLF: return byte == UInt8(ascii: "\n") ? .complete : .broken
        case .data, .complete, .broken: return .broken
        }
    }

    private mutating func nextOfSize(_ byte: UInt8, _ digits: Int) -> State {
        switch byte {
        case UInt8(ascii: "\r") where digits > 0: return .sizeEnd
        case UInt8(ascii: ";") where digits > 0: return .sizeExtension
        default:
            guard let digit = byte.hexDigit, size >> 60 == 0 else { return .broken }
            size = size << 4 | UInt64(digit)
            return .size(digits: digits + 1)
        }
    }

    private static func isText(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == 0x09
    }
}
