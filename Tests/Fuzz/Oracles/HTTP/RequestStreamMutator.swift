/// Changes a stream at one offset at a time. Most results are almost requests.
package struct RequestStreamMutator {
    private var random: RandomSource

    private static let tokens: [[UInt8]] = [
        "\r\n", "\n", "\r", "\0", "\0\n", "\r\r\n", "\n\r", "\r\n\r\n", "\n\n", " ", "\t", "\r\n ", "\r\n\t", ":", " :",
        ": ",
        ",", ";", "0", "0\r\n\r\n", "0x", "+", "-", "_", "ffffffffffffffff", "7fffffffffffffff", "18446744073709551616",
        "00000000000000000", "Content-Length: 5\r\n", "Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: identity\r\n", "Host: b\r\n", "Connection: close\r\n", "Connection: keep-alive\r\n",
        "Expect: 100-continue\r\n", "HTTP/1.0", "HTTP/1.1", "HTTP/2.0", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "%", "[",
        "]",
        "http://", "?", "#", "*", "\u{7F}", "\u{1B}", "x: y\r\n",
    ].map { Array($0.utf8) }

    package init(seed: UInt64) {
        random = RandomSource(seed: seed)
    }

    package mutating func mutate(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let offset = interestingOffset(in: bytes)
        switch random.below(12) {
        case 0: bytes[offset] ^= 1 << UInt8(random.below(8))
        case 1: bytes[offset] = UInt8(truncatingIfNeeded: random.next())
        case 2: bytes[offset] = random.pick([0, 9, 10, 13, 32, 44, 48, 58, 59, 127, 128, 255])
        case 3:
            bytes.removeSubrange(offset..<min(bytes.count, offset + 1 + random.below(random.oneIn(3) ? 200 : 3)))
        case 4, 5, 6: bytes.insert(contentsOf: random.pick(Self.tokens), at: offset)
        case 7: replaceLineEnd(in: &bytes, from: offset)
        case 8: duplicateLine(in: &bytes, from: offset)
        case 9: bytes.insert(contentsOf: random.pick(SmugglingCase.all).bytes, at: offset)
        case 10: bytes.insert(contentsOf: [UInt8](repeating: 0x78, count: 16_000 + random.below(800)), at: offset)
        default: bytes.removeSubrange(offset...)
        }
    }

    /// A random offset, more often one near a line end or a colon than within content.
    private mutating func interestingOffset(in bytes: [UInt8]) -> Int {
        let start = random.below(bytes.count)
        guard !random.oneIn(4) else { return start }
        let window = bytes[start..<min(bytes.count, start + 100)]
        guard let sign = window.firstIndex(where: { $0 == 10 || $0 == 13 || $0 == 58 }) else { return start }
        return max(0, min(bytes.count - 1, sign + random.below(3) - 1))
    }

    /// Replaces the next CRLF.
    private mutating func replaceLineEnd(in bytes: inout [UInt8], from offset: Int) {
        guard let end = bytes[offset...].firstIndex(of: 10), end > 0 else { return }
        bytes.replaceSubrange((end - 1)...end, with: random.pick(Self.tokens))
    }

    /// Repeats the next line.
    private func duplicateLine(in bytes: inout [UInt8], from offset: Int) {
        guard let start = bytes[offset...].firstIndex(of: 10),
            let end = bytes[(start + 1)...].firstIndex(of: 10)
        else { return }
        bytes.insert(contentsOf: Array(bytes[(start + 1)...end]), at: start + 1)
    }
}
