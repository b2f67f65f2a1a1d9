/// Decodes `deflate`: deflate data in zlib's wrapper, as RFC 9110 §8.4.1.2 requires, or without it, as some servers
/// send it.
final class DeflateReader: CodingReader {
    /// The next part of the input.
    private enum Phase {
        case head
        case wrappedData
        case rawData
        case trailer
    }

    private var phase = Phase.head
    private var data = DeflateData(.adler32)

    let windowBytes = ZlibInflater.bytes

    /// The header of zlib's wrapper.
    static let headBytes = 2
    private static let trailerBytes = 4

    /// Returns whether content begins like zlib's wrapper (RFC 1950 §2.2): method 8, a window of at most 32 KiB, and a
    /// check.
    static func beginsWrapped(_ content: Span<UInt8>) -> Bool {
        guard let head = content.number16(0, .big) else { return false }
        return (head >> 8) & 0xF == 8 && head >> 12 <= 7 && head % 31 == 0
    }

    /// Whether the header of a wrapper requires a dictionary (FDICT).
    /// - Precondition: the content begins with a header.
    static func hasDictionary(_ content: Span<UInt8>) -> Bool { content[1] & 0x20 != 0 }

    func read(_ input: Span<UInt8>, isLast: Bool, into output: inout OutputBuffer, room: Int) -> CodingStep {
        var used = 0
        while true {
            let rest = input.extracting(droppingFirst: used)
            switch phase {
            case .head:
                guard rest.count >= 2 || isLast else { return CodingStep(0, .more) }
                guard Self.beginsWrapped(rest) else {
                    phase = .rawData
                    continue
                }
                // FDICT: the data needs a preset dictionary.
                guard !Self.hasDictionary(rest) else { return CodingStep(1, .failed(.dictionary)) }
                used = Self.headBytes
                phase = .wrappedData
            case .wrappedData, .rawData:
                let (consumed, _, state) = data.read(rest, isLast: isLast, into: &output, room: room)
                used += consumed
                if let state { return CodingStep(used, state) }
                if case .rawData = phase { return CodingStep(used, .end(lacksTrailer: false)) }
                phase = .trailer
            case .trailer:
                guard let sum = rest.number32(0, .big) else {
                    return isLast ? CodingStep(input.count, .end(lacksTrailer: true)) : CodingStep(used, .more)
                }
                guard sum == data.checksum else { return CodingStep(used, .failed(.corrupt(part: .checksum))) }
                return CodingStep(used + Self.trailerBytes, .end(lacksTrailer: false))
            }
        }
    }
}
