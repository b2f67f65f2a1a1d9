import Testing

@testable import Service

/// The field `Authorization` (RFC 6750 §2.1, RFC 9110 §11.4).
@Suite struct BearerTokenTests {
    private func token(_ value: String) throws(AccessError) -> String? {
        let bytes = Array(value.utf8)
        guard let range = try BearerToken.range(in: bytes.span) else { return nil }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    @Test(arguments: [
        ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER abc", "abc"), ("bEaReR   abc", "abc"),
        ("Bearer a", "a"), ("Bearer aA0-._~+/", "aA0-._~+/"), ("Bearer YQ==", "YQ=="), ("Bearer a=======", "a======="),
        ("Bearer Bearer", "Bearer"), ("Bearer 9", "9"), ("Bearer /", "/"), ("Bearer -", "-"),
    ])
    func `a token is read`(value: String, expected: String) throws {
        #expect(try token(value) == expected)
    }

    @Test(arguments: [
        "", "abc", "Basic YTpi", "Bearerabc", "Bearer\tabc", "Beare", "Bearer=abc", "Digest a=b", "\"Bearer\" a",
    ])
    func `another scheme is not a token`(value: String) throws {
        #expect(try token(value) == nil)
    }

    @Test(arguments: [
        "Bearer", "Bearer ", "Bearer =", "Bearer ====", "Bearer a b", "Bearer a,b", "Bearer a=b", "Bearer \"a\"",
        "Bearer a,Bearer b", "Bearer token=\"a\"", "Bearer é", "Bearer a\tb", "Bearer a\u{0}", "Bearer a:b",
        "Bearer {a}",
        "Bearer \ta", "Bearer a,",
    ])
    func `what follows the scheme must be a token`(value: String) {
        #expect(throws: AccessError.invalidToken) { try token(value) }
    }

    @Test func `every byte of a token is checked`() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/".utf8)
        for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: "=") {
            let value = Array("Bearer a".utf8) + [byte] + Array("b".utf8)
            let isAccepted = (try? BearerToken.range(in: value.span)) != nil
            #expect(isAccepted == allowed.contains(byte), "\(byte)")
        }
    }

    @Test(arguments: [(BearerToken.maxBytes, true), (BearerToken.maxBytes + 1, false), (16_000, false)])
    func `the length of a token is limited`(length: Int, isAccepted: Bool) {
        let text = String(repeating: "a", count: length)
        #expect(((try? token("Bearer " + text)) == text) == isAccepted)
    }
}
