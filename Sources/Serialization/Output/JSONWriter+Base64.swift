extension JSONWriter {
    /// Writes `content` as a Base64 string (RFC 4648 §4, with padding), which needs no escapes.
    package mutating func base64(_ content: Span<UInt8>) {
        separate()
        guard admit((content.count + 2) / 3 * 4 + 2) else { return }
        buffer.reserve((content.count + 2) / 3 * 4 + 2)
        buffer.append(UInt8(ascii: "\""))
        Base64.encode(content) { buffer.append($0) }
        buffer.append(UInt8(ascii: "\""))
        needsComma = true
    }
}
