import Testing

@testable import Primitives

@Suite struct HexadecimalTests {
    @Test(arguments: [0, 1, 0xDEAD_BEEF, 0x0123_4567, 0x89AB_CDEF, 0xFFFF_FFFF] as [UInt32])
    func `digits of words are written and read`(number: UInt32) {
        let text = String(number, radix: 16)
        let digits = String(repeating: "0", count: 8 - text.count) + text
        let word = Hexadecimal.digits(of: UInt64(number) | 0xFFFF_FFFF_0000_0000)
        #expect(String(decoding: (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }, as: UTF8.self) == digits)
        #expect(Hexadecimal.number(of: word) == number)
    }

    @Test func `a digit has a value in either case`() {
        for byte in UInt8.min ... .max {
            let digit = Character(Unicode.Scalar(byte))
            #expect(byte.hexDigit.map { Int($0) } == (digit.isASCII ? digit.hexDigitValue : nil), "\(byte)")
        }
    }

    @Test func `bytes are written and read as pairs of digits`() {
        #expect(Hexadecimal.text(of: [0, 0x0F, 0xF0, 0xAB] as [UInt8]) == "000ff0ab")
        #expect(Hexadecimal.text(of: UInt128(0xAB) << 120 | 1) == "ab000000000000000000000000000001")
        #expect(Hexadecimal.bytes("000fF0Ab".utf8.span) == [0, 0x0F, 0xF0, 0xAB])
        #expect(Hexadecimal.bytes("0 0\n0f".utf8.span, ignoring: { $0 <= 0x20 }) == [0, 0x0F])
    }

    @Test(arguments: ["0", "0g", "0 0"])
    func `other text is rejected`(text: String) {
        #expect(Hexadecimal.bytes(text.utf8.span) == nil)
    }
}
