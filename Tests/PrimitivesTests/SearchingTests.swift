import Testing

@testable import Primitives

@Suite struct SearchingTests {
    /// Few different bytes occur, so that there are several matches in a word. The first two differ in one bit, the
    /// highest, and others would carry into the next byte.
    private static let alphabet: [UInt8] = [0x2F, 0xAF, 0x2E, 0x00, 0xFF, 0x30]

    /// Returns random bytes. Every second length has only a few that are searched for.
    private static func bytes(_ length: Int) -> [UInt8] {
        (0..<length).map { offset in
            let number = SplitMix64.mix(UInt64(length * 100 + offset))
            return length % 2 == 0 && number % 16 != 0 ? 0x61 : alphabet[Int(number >> 32) % alphabet.count]
        }
    }

    @Test func `the first and the last offset of a byte agree with a search byte by byte`() {
        var faults: [String] = []
        for length in 0...70 {
            let bytes = Self.bytes(length)
            for start in 0...length {
                for end in start...length {
                    let byte = Self.alphabet[(start + end) % Self.alphabet.count]
                    let first = bytes.span.firstOffset(of: byte, in: start..<end)
                    let last = bytes.span.lastOffset(of: byte, in: start..<end)
                    let range = bytes[start..<end]
                    guard first != range.firstIndex(of: byte) || last != range.lastIndex(of: byte) else { continue }
                    faults.append("\(byte) in \(start)..<\(end) of \(bytes): \(String(describing: (first, last)))")
                }
            }
        }
        #expect(faults == [])
    }

    @Test(arguments: 0...70)
    func `a byte is found at every offset, and not beyond the range`(offset: Int) {
        var bytes = [UInt8](repeating: 0x2E, count: 71)
        bytes[offset] = 0x2F
        let last = (0...71).map { bytes.span.lastOffset(of: 0x2F, in: 0..<$0) }
        let first = (0...71).map { bytes.span.lastOffset(of: 0x2F, in: $0..<71) }
        #expect(last == (0...71).map { $0 > offset ? offset : nil })
        #expect(first == (0...71).map { $0 <= offset ? offset : nil })
    }
}
