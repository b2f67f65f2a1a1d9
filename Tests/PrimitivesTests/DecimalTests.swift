import Testing

@testable import Primitives

@Suite struct DecimalTests {
    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("9223372036854775807", .max), ("9223372036854775808", nil), ("", nil), ("+1", nil),
            ("-1", nil), ("1 ", nil), ("1a", nil), ("١", nil), ("99999999999999999999", nil),
        ] as [(String, Int?)]
    )
    func `a decimal number consists of digits`(text: String, number: Int?) {
        #expect(text.decimal() == number)
    }

    @Test func `a number above the maximum is rejected`() {
        #expect("65535".decimal(max: 65_535) == 65_535)
        #expect("65536".decimal(max: 65_535) == nil)
    }

    @Test(arguments: [("99999999999999999999", 60), ("9", 9), ("61", 60), ("6x", nil), ("", nil)] as [(String, Int?)])
    func `a number above the maximum becomes the maximum`(text: String, number: Int?) {
        let bytes = text.utf8.span
        let result = bytes.decimal(0..<bytes.count, clampedTo: 60)
        #expect(result == number)
    }

    @Test(arguments: [("0", 0), ("10", 10), ("00", nil), ("01", nil), ("", nil)] as [(String, Int?)])
    func `a canonical number has no leading zeros`(text: String, number: Int?) {
        let bytes = text.utf8.span
        let result = bytes.canonicalDecimal(0..<bytes.count, max: 100)
        #expect(result == number)
    }

    @Test func `numbers are appended in decimal digits`() {
        var text: [UInt8] = []
        text.append(decimal: 0)
        text.append(decimal: 1_205)
        text.append(decimal: 7, digits: 4)
        #expect(String(decoding: text, as: UTF8.self) == "012050007")
    }
}
