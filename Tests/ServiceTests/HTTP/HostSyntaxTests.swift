import Testing

@testable import HTTP

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
