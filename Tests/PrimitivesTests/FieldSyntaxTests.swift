import Testing

@testable import Primitives

@Suite struct FieldSyntaxTests {
    @Test func `a token has the characters of RFC 9110`() {
        let allowed = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min ... .max {
            #expect(byte.isTokenCharacter == allowed.contains(byte), "\(byte)")
            let bytes = [byte]
            let isToken = bytes.span.isToken
            #expect(isToken == allowed.contains(byte), "\(byte)")
        }
        #expect(!"".isToken)
    }

    @Test func `a value of a field has no control character other than the tab`() {
        for byte in UInt8.min ... .max {
            let isControl = byte < 32 || byte == 127
            #expect(byte.isForbiddenInField == (isControl && byte != 9), "\(byte)")
        }
    }

    /// Every byte is tested at every offset of a word, and after it.
    @Test func `the checks of words agree with the checks of bytes`() {
        for length in [1, 2, 7, 8, 9, 15, 16, 17, 24] {
            for offset in 0..<length {
                for byte in UInt8.min ... .max {
                    var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                    bytes[offset] = byte
                    let expected = bytes.span.isToken
                    let forbidden = bytes.span.firstForbiddenInField().map { bytes[$0] }
                    // Bytes after the text, which are control characters here, must not be checked.
                    bytes.append(contentsOf: [UInt8](repeating: 0x7F, count: 8))
                    var results = [bytes.span.isToken(0..<length)]
                    var bytesFound = [bytes.span.byteForbiddenInField(0..<length)]
                    // Bytes after the end of the memory must not be read.
                    let exact = bytes.span.extracting(0..<length)
                    results.append(exact.isToken(0..<length))
                    bytesFound.append(exact.byteForbiddenInField(0..<length))
                    #expect(results == [expected, expected], "\(byte) at \(offset) of \(length)")
                    #expect(bytesFound == [forbidden, forbidden], "\(byte) at \(offset) of \(length)")
                }
            }
        }
    }

    @Test(arguments: [
        ("a", true), ("A-z_09", true), (String(repeating: "x", count: 128), true), ("", false), ("a.b", false),
        ("é", false), (String(repeating: "x", count: 129), false),
    ])
    func `a name has 1 to 128 letters, digits, hyphens and underscores`(text: String, isName: Bool) {
        #expect(NameSyntax.isName(text.utf8.span) == isName)
    }
}
