import Testing

@testable import Serialization

@Suite struct SHA256Tests {
    /// NIST's examples for FIPS 180-4, and lengths on both sides of where padding takes another block (hashlib's results).
    @Test(arguments: [
        ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            Array(
                ("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                    + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu").utf8
            ),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (
            [UInt8](repeating: 0x61, count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
        ([UInt8](repeating: 0, count: 55), "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"),
        ([UInt8](repeating: 0, count: 56), "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"),
        ([UInt8](repeating: 0, count: 63), "c7723fa1e0127975e49e62e753db53924c1bd84b8ac1ac08df78d09270f3d971"),
        ([UInt8](repeating: 0, count: 64), "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"),
        ([UInt8](repeating: 0, count: 65), "98ce42deef51d40269d542f5314bef2c7468d401ad5d85168bfab4c0108f75f7"),
    ])
    func `has the digest that the standard's authors published`(content: [UInt8], digest: String) {
        #expect(hex(SHA256.digest(of: content.span)) == digest)
    }

    @Test(arguments: [1, 3, 63, 64, 65, 127, 128, 200])
    func `pieces of any length make the same digest as the whole`(pieceBytes: Int) {
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
}
