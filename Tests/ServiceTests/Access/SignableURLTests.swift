import Fetching
import Testing

@testable import Service

/// The URLs that `decant sign` signs, and the files of keys.
@Suite struct SignableURLTests {
    private func sign(_ url: String, expires: Int? = nil) throws -> String {
        try SignableURL(parsing: url, expires: expires).signed(with: SigningKeys(parsing: TokenFile.signingKeys))
    }

    @Test(arguments: [
        "", "http://127.0.0.1:8080", "https://decant.example", "https://decant.example/proxied/path",
        "http://[::1]:8080",
    ])
    func `the target is signed, and what precedes it is not`(base: String) throws {
        let target = "/v1/fetch?url=https%3A%2F%2Fa.example%2Fx&options"
        let signed = try sign(base + target)
        #expect(signed.hasPrefix(base + target + "&signature="))
        let received = String(signed.dropFirst(base.utf8.count))
        try SigningKeys(parsing: TokenFile.signingKeys).verify(received, now: 0)
        #expect(try sign(target) == received)
    }

    @Test func `the time of expiry is a part of what is signed`() throws {
        let signed = try sign("/v1/image?url=x", expires: 1_800_000_000)
        #expect(signed.hasPrefix("/v1/image?url=x&expires=1800000000&signature="))
        let keys = try SigningKeys(parsing: TokenFile.signingKeys)
        try keys.verify(signed, now: 1_799_999_999)
        #expect(throws: SignatureError.expired(at: 1_800_000_000)) { try keys.verify(signed, now: 1_800_000_000) }
    }

    @Test(arguments: [
        ("https://example.com/", SignableURLError.otherPath), ("/v1/normalize?url=x", .otherPath), ("", .otherPath),
        ("v1/fetch?url=x", .otherPath), ("ftp://a/v1/fetch?url=x", .otherPath), ("/V1/fetch?url=x", .otherPath),
        ("/v1/fetch/?url=x", .otherPath), ("/v1/fetch", .withoutURL), ("/v1/fetch?", .withoutURL),
        ("/v1/fetch?slot=a", .withoutURL), ("/v1/fetch?url=x&signature=y", .alreadySigned),
        ("/v1/fetch?url=x&s%69gnature=y", .alreadySigned), ("/v1/fetch?url=%zz", .malformedQuery),
        ("/v1/fetch?url=a b", .mustBeEncoded(0x20, at: 15)), ("/v1/fetch?url=it's", .mustBeEncoded(0x27, at: 16)),
        ("/v1/fetch?url=x#a", .mustBeEncoded(0x23, at: 15)), ("/v1/fetch?url=é", .mustBeEncoded(0xC3, at: 14)),
        ("/v1/fetch?url=[", .mustBeEncoded(0x5B, at: 14)), ("/v1/fetch?url=x\n", .mustBeEncoded(0x0A, at: 15)),
    ])
    func `a URL that would not be accepted is not signed`(url: String, error: SignableURLError) {
        #expect(throws: error) { try sign(url) }
    }

    @Test func `a URL with a time of expiry does not receive another one`() throws {
        #expect(throws: SignableURLError.expiresTwice) { try sign("/v1/fetch?url=x&expires=1", expires: 2) }
        #expect(try sign("/v1/fetch?url=x&expires=1").contains("&expires=1&signature="))
    }

    // MARK: The file of keys

    @Test(arguments: [
        ("", "line 1, column 1: the file has no key"), ("\n\n", "line 1, column 1: the file has no key"),
        ("00", "line 1, column 1: the key has 1 bytes; at least 32 are required"),
        ("\nsecret\n", "line 2, column 1: a key is a line of hexadecimal digits, two for each byte"),
        ("00secret", "line 1, column 3: a key is a line of hexadecimal digits, two for each byte"),
        (
            String(repeating: String(repeating: "00", count: 32) + "\n", count: 17),
            "line 17, column 1: there are more than 16 keys"
        ),
    ])
    func `an invalid file of keys is rejected with a location, and without the key`(text: String, message: String)
        throws
    {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = try folder.write(text, to: "keys")
        do throws(ConfigurationFileError) {
            _ = try SigningKeysReader.read(path: path)
            Issue.record("the file is accepted")
        } catch {
            #expect(error.description == "\(path), \(message)")
        }
    }
}
