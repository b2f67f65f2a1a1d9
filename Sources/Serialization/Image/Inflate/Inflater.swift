// Decompresses the compressed parts of an image's header: texts and profiles of a few KiB, in the zlib format (RFC 1950,
// RFC 1951). Bits are taken from a word that contains at least as many as the next step needs. After the end of the
// stream, zeros are taken; the end of a block checks whether more bits were taken than the stream has.

/// A small inflater with a limit on its output.
package struct Inflater {
    /// Returns the first `prefix` bytes of the content of a zlib stream, or fewer if it ends earlier. The checksum is not
    /// verified.
    /// - Returns: `nil` if the stream is malformed before that position.
    package static func zlib(_ stream: Span<UInt8>, prefix: Int) -> [UInt8]? {
        inflate(stream, max: prefix)?.output
    }

    /// Returns the complete content of a zlib stream.
    /// - Returns: `nil` if the stream is malformed, or its content is longer than `max` bytes.
    package static func zlib(_ stream: Span<UInt8>, max: Int) -> [UInt8]? {
        guard let inflater = inflate(stream, max: max), inflater.isAtEnd else { return nil }
        let end = inflater.position - inflater.bitCount / 8
        guard stream.number32(end, .big) == inflater.output.adler32 else { return nil }
        return inflater.output
    }

    private static func inflate(_ stream: Span<UInt8>, max: Int) -> Inflater? {
        // RFC 1950 §2.2: method 8, no preset dictionary, and a check.
        guard let head = stream.number16(0, .big), ((head >> 8) & 15) == 8, head % 31 == 0, (head & 0x20) == 0 else {
            return nil
        }
        var inflater = Inflater(max: max)
        do throws(Malformed) {
            try inflater.run(stream)
        } catch {
            return nil
        }
        return inflater
    }

    private struct Malformed: Error {}

    private let max: Int
    private var output: [UInt8] = []
    private var position = 2
    private var bits: UInt64 = 0
    private var bitCount = 0
    private var isAtEnd = false

    private init(max: Int) {
        self.max = max
        output.reserveCapacity(Swift.min(max, 4_096))
    }

    private mutating func run(_ stream: Span<UInt8>) throws(Malformed) {
        var isLast = false
        while !isLast, output.count < max {
            isLast = try take(1, stream) == 1
            switch try take(2, stream) {
            case 0: try copyStored(stream)
            case 1: try decode(stream, Self.fixedLengths, Self.fixedDistances)
            case 2:
                let (lengths, distances) = try readCodes(stream)
                try decode(stream, lengths, distances)
            default: throw Malformed()
            }
            if output.count >= max, !isLast { return }
        }
        isAtEnd = isLast && !wasCut
    }

    /// Whether a block ended because the maximum output was reached.
    private var wasCut = false

    // MARK: Bits

    /// Makes at least 48 bits available. After the end of the stream, they are zeros.
    private mutating func refill(_ stream: Span<UInt8>) throws(Malformed) {
        while bitCount <= 56 {
            if position < stream.count { bits |= UInt64(stream[position]) << UInt64(bitCount) }
            position += 1
            bitCount += 8
        }
        // More bytes beyond the end than the word contains: some of these bits were taken.
        guard position - stream.count <= 8 else { throw Malformed() }
    }

    private mutating func take(_ count: Int, _ stream: Span<UInt8>) throws(Malformed) -> Int {
        if bitCount < count { try refill(stream) }
        let value = Int(bits & ((1 << UInt64(count)) - 1))
        drop(count)
        return value
    }

    private mutating func drop(_ count: Int) {
        bits >>= UInt64(count)
        bitCount -= count
    }

    // MARK: Blocks

    /// Copies a stored block (RFC 1951 §3.2.4).
    private mutating func copyStored(_ stream: Span<UInt8>) throws(Malformed) {
        drop(bitCount % 8)
        position -= bitCount / 8
        (bits, bitCount) = (0, 0)
        guard let length = stream.number16(position, .little), let check = stream.number16(position + 2, .little),
            length == ~check & 0xFFFF
        else { throw Malformed() }
        position += 4
        guard position + length <= stream.count else { throw Malformed() }
        let room = Swift.min(length, max - output.count)
        for index in position..<position + room { output.append(stream[index]) }
        if room < length { wasCut = true }
        position += length
    }

    /// Reads the codes of a dynamic block (RFC 1951 §3.2.7).
    private mutating func readCodes(_ stream: Span<UInt8>) throws(Malformed) -> (HuffmanCode, HuffmanCode) {
        let lengthCount = try take(5, stream) + 257
        let distanceCount = try take(5, stream) + 1
        let codeCount = try take(4, stream) + 4
        guard lengthCount <= 286, distanceCount <= 30 else { throw Malformed() }
        var codeLengths = [UInt8](repeating: 0, count: 19)
        for index in 0..<codeCount { codeLengths[Int(Self.codeOrder[index])] = UInt8(try take(3, stream)) }
        guard let codes = HuffmanCode(codeLengths[...]) else { throw Malformed() }
        var lengths: [UInt8] = []
        lengths.reserveCapacity(lengthCount + distanceCount)
        while lengths.count < lengthCount + distanceCount {
            let symbol = try symbol(stream, codes)
            let (value, times): (UInt8, Int)
            switch symbol {
            case 0...15: (value, times) = (UInt8(symbol), 1)
            case 16:
                guard let last = lengths.last else { throw Malformed() }
                (value, times) = (last, 3 + (try take(2, stream)))
            case 17: (value, times) = (0, 3 + (try take(3, stream)))
            default: (value, times) = (0, 11 + (try take(7, stream)))
            }
            guard lengths.count + times <= lengthCount + distanceCount else { throw Malformed() }
            for _ in 0..<times { lengths.append(value) }
        }
        guard lengths[256] != 0, let literals = HuffmanCode(lengths[..<lengthCount]),
            let distances = HuffmanCode(lengths[lengthCount...])
        else { throw Malformed() }
        return (literals, distances)
    }

    private mutating func symbol(_ stream: Span<UInt8>, _ code: borrowing HuffmanCode) throws(Malformed) -> Int {
        if bitCount < HuffmanCode.maxBits { try refill(stream) }
        guard let (symbol, length) = code.symbol(bits) else { throw Malformed() }
        drop(length)
        return symbol
    }

    /// Decodes literals, and pairs of length and distance (RFC 1951 §3.2.3).
    private mutating func decode(
        _ stream: Span<UInt8>,
        _ literals: borrowing HuffmanCode,
        _ distances: borrowing HuffmanCode
    ) throws(Malformed) {
        while true {
            let symbol = try symbol(stream, literals)
            if symbol == 256 { return }
            guard output.count < max else {
                wasCut = true
                return
            }
            if symbol < 256 {
                output.append(UInt8(symbol))
                continue
            }
            guard symbol <= 285 else { throw Malformed() }
            let length = Int(Self.lengthBases[symbol - 257]) + (try take(Int(Self.lengthBits[symbol - 257]), stream))
            let distanceSymbol = try self.symbol(stream, distances)
            guard distanceSymbol < 30 else { throw Malformed() }
            let extra = try take(Swift.max(0, distanceSymbol / 2 - 1), stream)
            let distance =
                distanceSymbol < 4
                ? distanceSymbol + 1 : (2 + distanceSymbol % 2) << (distanceSymbol / 2 - 1) + 1 + extra
            guard distance <= output.count else { throw Malformed() }
            let copied = Swift.min(length, max - output.count)
            for _ in 0..<copied { output.append(output[output.count - distance]) }
            if copied < length {
                wasCut = true
                return
            }
        }
    }

    // MARK: Tables of RFC 1951

    /// The order of the lengths of the code length codes (§3.2.7).
    private static let codeOrder: [UInt8] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    /// The base values of the length and distance codes, and their numbers of extra bits (§3.2.5).
    private static let lengthBases: [UInt16] = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits: [UInt8] = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]

    /// The fixed codes (§3.2.6).
    private static let fixedLengths = HuffmanCode(
        fixed: (0..<288).map { symbol in
            switch symbol {
            case 0..<144: 8
            case 144..<256: 9
            case 256..<280: 7
            default: 8
            }
        }
    )
    private static let fixedDistances = HuffmanCode(fixed: [UInt8](repeating: 5, count: 30))
}

extension [UInt8] {
    /// The Adler-32 checksum (RFC 1950 §8.2).
    fileprivate var adler32: Int {
        var low = 1
        var high = 0
        for byte in self {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}
