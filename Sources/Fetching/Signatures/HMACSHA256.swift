internal import Primitives

/// HMAC (RFC 2104) with SHA-256.
enum HMACSHA256 {
    private static let blockBytes = 64

    /// Returns the 32 bytes of the code of `message`.
    static func code(of message: Span<UInt8>, key: [UInt8]) -> [UInt8] {
        // RFC 2104 §2: a key that is longer than a block is hashed, a shorter one is filled with zeros.
        var block = key.count > blockBytes ? SHA256.digest(of: key.span) : key
        block += [UInt8](repeating: 0, count: blockBytes - block.count)

        let innerBlock = block.map { $0 ^ 0x36 }
        var inner = SHA256()
        inner.update(innerBlock.span)
        inner.update(message)
        let digest = inner.finalize()
        let outerBlock = block.map { $0 ^ 0x5C }
        var outer = SHA256()
        outer.update(outerBlock.span)
        outer.update(digest.span)
        return outer.finalize()
    }
}
