import Testing

@testable import Service

@Suite struct FieldSyntaxTests {
    /// Every byte at every place of a word, and after it: told as the table of bytes tells it.
    @Test func `tells by words what it tells by bytes`() {
        for length in [1, 2, 7, 8, 9, 15, 16, 17, 24] {
            for place in 0..<length {
                for byte in UInt8.min ... .max {
                    var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                    bytes[place] = byte
                    let expected = FieldSyntax.isToken(bytes.span)
                    let forbidden = FieldSyntax.forbiddenByte(in: bytes.span)
                    // What follows the text, here what no text has, must not be looked at.
                    bytes.append(contentsOf: [UInt8](repeating: 0x7F, count: 8))
                    #expect(FieldSyntax.isToken(bytes.span, 0..<length) == expected, "\(byte) at \(place) of \(length)")
                    #expect(FieldSyntax.forbiddenByte(in: bytes.span, 0..<length) == forbidden)
                    // Nor is anything beyond the end of the memory.
                    let exact = bytes.span.extracting(0..<length)
                    #expect(FieldSyntax.isToken(exact, 0..<length) == expected)
                    #expect(FieldSyntax.forbiddenByte(in: exact, 0..<length) == forbidden)
                }
            }
        }
    }
}

struct HostSyntaxTests {
    @Test func `a name has the bytes that RFC 3986 gives it, but for the comma`() {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+;=".utf8)
        for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: ":") {
            #expect(HostSyntax.isValid([byte].span) == allowed.contains(byte), "\(byte)")
            #expect(HostSyntax.isValid([0x61, byte, 0x62].span) == allowed.contains(byte), "\(byte) inside")
        }
    }

    @Test(arguments: [("a%4A", true), ("%c3%bc", true), ("a%4", false), ("a%", false), ("%zz", false)])
    func `an encoded byte has two hexadecimal digits`(name: String, isValid: Bool) {
        #expect(HostSyntax.isValid(Array(name.utf8).span) == isValid)
    }
}
