internal import Serialization

/// Distinguishes content in a content coding from content that a client has decoded without removing `Content-Encoding`.
enum CodingSignature {
    /// Returns whether `content` may be in the coding with this name, which is in lower case.
    ///
    /// gzip, zlib and zstd have a signature. br, raw deflate and unknown codings do not have one: content is treated as decoded if
    /// it begins like text, or like content of a known type.
    static func beginsLike(_ coding: String, _ content: Span<UInt8>) -> Bool {
        switch coding {
        // RFC 1952 §2.3.1.
        case "gzip", "x-gzip": hasPrefix([0x1F, 0x8B], content)
        // RFC 8878 §3.1.1, and a skippable frame (§3.1.2).
        case "zstd":
            hasPrefix([0x28, 0xB5, 0x2F, 0xFD], content)
                || content.count >= 4 && content[0] & 0xF0 == 0x50
                    && hasPrefix([0x2A, 0x4D, 0x18], content.extracting(1...))
        case "deflate": beginsLikeZlib(content) || !beginsLikeText(content)
        default: !beginsLikeText(content)
        }
    }

    /// RFC 1950 §2.2: the method is 8, and the first two bytes are a multiple of 31.
    private static func beginsLikeZlib(_ content: Span<UInt8>) -> Bool {
        guard content.count >= 2 else { return content.count == 1 && content[0] & 0x0F == 8 }
        return content[0] & 0x0F == 8 && (Int(content[0]) << 8 | Int(content[1])) % 31 == 0
    }

    private static func beginsLikeText(_ content: Span<UInt8>) -> Bool {
        if ContentSignature(of: content) != nil { return true }
        for index in 0..<min(content.count, 64) {
            let byte = content[index]
            guard byte >= 0x20 && byte != 0x7F || byte == 0x09 || byte == 0x0A || byte == 0x0D else { return false }
            guard byte < 0x80 else { return false }
        }
        return true
    }

    /// Returns whether the content begins with `prefix`, or with the beginning of `prefix` if the content is shorter.
    private static func hasPrefix(_ prefix: [UInt8], _ content: Span<UInt8>) -> Bool {
        for index in 0..<min(prefix.count, content.count) where content[index] != prefix[index] { return false }
        return true
    }
}
