import Serialization
import Testing

@testable import Fetching

@Suite struct SigningKeysTests {
    private static let first = String(repeating: "0b", count: 32)
    private static let second = String(repeating: "aA", count: 33)
    private static let target = "/v1/fetch?url=http%3A%2F%2Fa.example%2F"

    /// RFC 4231 §4.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `the code is that of RFC 4231`(key: [UInt8], message: [UInt8], code: String) {
        let digits = HMACSHA256.code(of: message.span, key: key).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        #expect(digits.joined() == code)
    }

    /// The value was computed with Python's `hmac`, `hashlib` and `base64`.
    @Test func `signs with the first key`() throws {
        let keys = try SigningKeys(parsing: "\(Self.first)\n\(Self.second)\n")
        #expect(keys.sign(Self.target) == Self.target + "&signature=ESWCiA0LKMj6-ooxbZWHleNPESLeULMzvumjjlcMbAo")
    }

    @Test func `verifies with every key`() throws {
        let both = try SigningKeys(parsing: "\r\n \(Self.first)\t\r\n\n\(Self.second)")
        let second = try SigningKeys(parsing: Self.second)
        try both.verify(both.sign(Self.target), now: 0)
        try both.verify(second.sign(Self.target), now: 0)
        #expect(throws: SignatureError.invalid) { try second.verify(both.sign(Self.target), now: 0) }
    }

    @Test func `every change of the target or the signature is invalid`() throws {
        let keys = try SigningKeys(parsing: Self.first)
        let signed = Array(keys.sign(Self.target).utf8)
        for index in signed.indices {
            var changed = signed
            changed[index] ^= 1
            #expect(throws: SignatureError.self) {
                try keys.verify(String(decoding: changed, as: UTF8.self), now: 0)
            }
        }
        for target in [
            keys.sign(Self.target) + "=", keys.sign(Self.target) + "&x=1", keys.sign(Self.target) + " ",
            keys.sign(Self.target).replacing("%3A", with: "%3a"), "/" + keys.sign(Self.target),
            String(keys.sign(Self.target).dropLast()), keys.sign(keys.sign(Self.target)) + "&signature=",
        ] {
            #expect(throws: SignatureError.invalid, "\(target)") { try keys.verify(target, now: 0) }
        }
        // An earlier signature is a part of what is signed.
        try keys.verify(keys.sign(keys.sign(Self.target)), now: 0)
    }

    @Test(arguments: [
        "", "/v1/fetch", "/v1/fetch?url=x", "/v1/fetch?signature=x", "&signature", "/v1/fetch?url=x&Signature=x",
    ])
    func `a target without a signature is not signed`(target: String) throws {
        let keys = try SigningKeys(parsing: Self.first)
        #expect(throws: SignatureError.missing) { try keys.verify(target, now: 0) }
    }

    @Test(arguments: [
        "expires=1800000000", "%65xpires=1800000000", "a=b&expires=18%300000000", "expires=1800000000&a=b",
    ])
    func `a signature expires`(parameters: String) throws {
        let keys = try SigningKeys(parsing: Self.first)
        let signed = keys.sign("\(Self.target)&\(parameters)")
        try keys.verify(signed, now: 1_799_999_999)
        #expect(throws: SignatureError.expired(at: 1_800_000_000)) { try keys.verify(signed, now: 1_800_000_000) }
        #expect(throws: SignatureError.expired(at: 1_800_000_000)) { try keys.verify(signed, now: .max) }
    }

    @Test(arguments: [
        "expires=", "expires", "expires=x", "expires=-1", "expires=1.5", "expires=01", "expires=99999999999999999999",
        "expires=9&expires=9", "expires=9&%65xpires=8", "expires= 9",
    ])
    func `a malformed time of expiry is invalid`(parameters: String) throws {
        let keys = try SigningKeys(parsing: Self.first)
        #expect(throws: SignatureError.invalid) { try keys.verify(keys.sign("/v1/fetch?\(parameters)"), now: 0) }
    }

    @Test func `other parameters do not expire`() throws {
        let keys = try SigningKeys(parsing: Self.first)
        for parameters in ["Expires=1", "expire=1", "x=expires=1", "xexpires=1", "url=%26expires=1"] {
            try keys.verify(keys.sign("/v1/fetch?\(parameters)"), now: .max)
        }
        try keys.verify(keys.sign("/expires=1"), now: .max)
    }

    @Test(
        arguments: [
            ("", .empty), (" \r\n\n", .empty), (first + "\n0g", .malformed(line: 2, column: 1)),
            ("\n " + first + "0", .malformed(line: 2, column: 66)), ("0x" + first, .malformed(line: 1, column: 1)),
            (first + " " + first, .malformed(line: 1, column: 64)),
            (String(repeating: "ab", count: 31), .tooShort(bytes: 31, min: 32, line: 1)),
        ] as [(String, SigningKeysError)]
    )
    func `rejects text that is not a list of keys, with its location`(text: String, error: SigningKeysError) {
        #expect(throws: error) { try SigningKeys(parsing: text) }
    }
}
