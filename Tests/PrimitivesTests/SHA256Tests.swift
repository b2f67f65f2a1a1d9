import Testing

@testable import Primitives

@Suite struct SHA256Tests {
    /// NIST's examples for FIPS 180-4, and lengths around those at which padding needs another block (results of
    /// hashlib).
    @Test(arguments: [
        ("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ("\0", 55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"),
        ("\0", 56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"),
        ("\0", 63, "c7723fa1e0127975e49e62e753db53924c1bd84b8ac1ac08df78d09270f3d971"),
        ("\0", 64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"),
        ("\0", 65, "98ce42deef51d40269d542f5314bef2c7468d401ad5d85168bfab4c0108f75f7"),
    ])
    func `has the digest that the standard's authors published`(text: String, count: Int, digest: String) {
        let content = Array(String(repeating: text, count: count).utf8)
        #expect(hex(SHA256.digest(of: content.span)) == digest)
    }

    @Test(arguments: [1, 3, 63, 64, 65, 127, 128, 200])
    func `pieces of any length have the same digest as the whole`(pieceBytes: Int) {
        let content = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 131) }
        var hash = SHA256()
        for start in stride(from: 0, to: content.count, by: pieceBytes) {
            hash.update(content[start..<min(start + pieceBytes, content.count)].span)
        }
        #expect(hash.finalize() == SHA256.digest(of: content.span))
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test func `the words of a digest are those of the digest`() {
        for count in 0...300 {
            let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let state = SHA256.state(of: content.span)
            let bytes = (0..<8).flatMap { word -> [UInt8] in
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: state[word] >> $0) }
            }
            #expect(bytes == SHA256.digest(of: content.span))
        }
    }
}
