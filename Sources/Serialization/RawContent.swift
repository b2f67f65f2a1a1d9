/// The value of the `http` serializer: `{"base64":"…","text":"…"}`.
enum RawContent {
    /// Writes the content, and its text where it is text: valid UTF-8 in a charset that is no other.
    ///
    /// The text is exact: a byte order mark stays in it.
    /// - Returns: the charset that the text was read in; nil where there is none.
    /// - Throws: ``SerializationError/outputTooLong(max:)`` before anything of that length is written.
    static func write(
        _ content: Span<UInt8>,
        charset: String?,
        into writer: inout JSONWriter,
        limits: Limits
    ) throws(SerializationError) -> String? {
        // 4 characters for 3 bytes, and `{"base64":""}` around them.
        guard content.count / 3 * 4 + 17 <= limits.maxOutputBytes else {
            throw .outputTooLong(max: limits.maxOutputBytes)
        }
        let isText = canBeUTF8(charset) && (try? UTF8Span(validating: content)) != nil
        writer.beginObject()
        writer.name("base64")
        writer.base64(content)
        if isText {
            writer.name("text")
            writer.string(utf8: content)
        }
        writer.endObject()
        return isText ? "utf-8" : nil
    }

    /// Text in another charset could be valid UTF-8 by chance, and mean something else.
    private static func canBeUTF8(_ charset: String?) -> Bool {
        switch charset {
        case nil, "utf-8", "utf8", "us-ascii", "ascii": true
        default: false
        }
    }
}

extension JSONWriter {
    /// Writes `content` as a string in Base64 (RFC 4648 §4, with padding). The caller has compared its length with the
    /// limit; nothing in it needs an escape.
    fileprivate mutating func base64(_ content: Span<UInt8>) {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let alphabetSpan = alphabet.span
        let padding = UInt8(ascii: "=")
        buffer.reserve((content.count + 2) / 3 * 4 + 2)
        buffer.append(UInt8(ascii: "\""))
        var position = 0
        while position < content.count {
            let rest = content.count - position
            let first = content[position]
            let second = rest > 1 ? content[position + 1] : 0
            let third = rest > 2 ? content[position + 2] : 0
            buffer.append(alphabetSpan[Int(first >> 2)])
            buffer.append(alphabetSpan[Int((first & 0x03) << 4 | second >> 4)])
            buffer.append(rest > 1 ? alphabetSpan[Int((second & 0x0F) << 2 | third >> 6)] : padding)
            buffer.append(rest > 2 ? alphabetSpan[Int(third & 0x3F)] : padding)
            position += 3
        }
        buffer.append(UInt8(ascii: "\""))
        needsComma = true
    }
}
