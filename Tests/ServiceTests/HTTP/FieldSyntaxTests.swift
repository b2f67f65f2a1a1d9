import Testing

@testable import HTTP
@testable import Service

@Suite struct FieldSyntaxTests {
    /// Every byte is tested at every offset of a word, and after it.
    @Test func `the checks of words agree with the checks of bytes`() {
        for length in [1, 2, 7, 8, 9, 15, 16, 17, 24] {
            for position in 0..<length {
                for byte in UInt8.min ... .max {
                    var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                    bytes[position] = byte
                    let expected = FieldSyntax.isToken(bytes.span)
                    let forbidden = FieldSyntax.forbiddenByte(in: bytes.span)
                    // Bytes after the text, which are control characters here, must not be checked.
                    bytes.append(contentsOf: [UInt8](repeating: 0x7F, count: 8))
                    #expect(
                        FieldSyntax.isToken(bytes.span, 0..<length) == expected,
                        "\(byte) at \(position) of \(length)"
                    )
                    #expect(FieldSyntax.forbiddenByte(in: bytes.span, 0..<length) == forbidden)
                    // Bytes after the end of the memory must not be read.
                    let exact = bytes.span.extracting(0..<length)
                    #expect(FieldSyntax.isToken(exact, 0..<length) == expected)
                    #expect(FieldSyntax.forbiddenByte(in: exact, 0..<length) == forbidden)
                }
            }
        }
    }
}

struct HostSyntaxTests {
    @Test func `a name consists of the bytes that RFC 3986 allows, except the comma`() {
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
