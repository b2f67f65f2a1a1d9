/// The value of the `http` serializer: `{"text":"…"}`, or `{"base64":"…"}` if the content is not text.
enum RawContent {
    /// Writes the content, and its text if the content is valid in its declared charset.
    ///
    /// The text is exact: a byte order mark is kept.
    /// - Parameter keepsBytes: Whether the bytes are written in addition to a text.
    /// - Returns: The charset of the text, or `nil` if the content is not text.
    /// - Throws: ``SerializationError/outputTooLong(max:)`` before anything of that length is written.
    static func write(
        _ content: Span<UInt8>,
        charset: String?,
        keepsBytes: Bool,
        into writer: inout JSONWriter,
        limits: Limits,
        warnings: inout WarningList
    ) throws(SerializationError) -> String? {
        let text = Text(content, label: charset)
        let writesBytes = text.charset == nil || keepsBytes
        // 4 characters for 3 bytes, and `{"base64":""}` around them. The writer limits text.
        guard !writesBytes || content.count / 3 * 4 + 17 <= limits.maxOutputBytes else {
            throw .outputTooLong(max: limits.maxOutputBytes)
        }
        if let charset, let encoding = text.marked, !encoding.isNamed(charset) {
            let kind = Warning.Kind.charsetMismatch(declared: charset, actual: encoding.rawValue)
            warnings.append(Warning(kind, at: SourceLocation(byte: 0)))
        }
        if let encoding = text.marked {
            let kind = Warning.Kind.byteOrderMark(encoding: encoding.rawValue, isKept: true)
            warnings.append(Warning(kind, at: SourceLocation(byte: 0)))
        }
        if let charset = text.charset, charset != Charset.utf8.name, text.marked != nil || !content.isASCII {
            warnings.append(Warning(.transcoded(encoding: charset), at: SourceLocation(byte: 0)))
        }
        writer.beginObject()
        if writesBytes {
            writer.name("base64")
            writer.base64(content)
        }
        switch text {
        case .none: break
        case .utf8, .marked(.utf8):
            writer.name("text")
            writer.string(utf8: content)
        case .marked(let encoding):
            writer.name("text")
            writer.beginString()
            // It has already been read without an error.
            try? encoding.transcode(content) { writer.append(utf8: $0) }
            writer.endString()
        case .transcoded(let charset):
            writer.name("text")
            writer.beginString()
            // It has already been read without an error.
            try? charset.transcode(content) { writer.append(utf8: $0) }
            writer.endString()
        }
        writer.endObject()
        return text.charset
    }

    /// The content as text, if it is valid in its charset.
    private enum Text {
        case none
        case utf8
        case transcoded(Charset)
        /// Text with a byte order mark.
        case marked(UnicodeEncoding)

        /// A byte order mark decides (WHATWG Encoding §6), if the content is valid in its encoding. Otherwise the
        /// declared charset is used, and UTF-8 if there is none: text in another charset could also be valid UTF-8 and
        /// have a different meaning.
        init(_ content: Span<UInt8>, label: String?) {
            let (unicode, markBytes) = UnicodeEncoding.detect(content)
            if markBytes > 0, unicode.isEncoding(of: content) {
                self = .marked(unicode)
                return
            }
            var charset = label.map { Charset(label: $0) } ?? .utf8
            // WHATWG Encoding §6: a byte order mark decides between the two forms of UTF-16, whichever the label means.
            if charset == .utf16LittleEndian, content.count >= 2, content[0] == 0xFE, content[1] == 0xFF {
                charset = .utf16BigEndian
            }
            // The labels of ASCII mean windows-1252, but UTF-8 is more likely under these labels.
            let canBeUTF8 = charset == .utf8 || label == "us-ascii" || label == "ascii"
            if canBeUTF8, (try? UTF8Span(validating: content)) != nil {
                self = .utf8
            } else if let charset, (try? charset.transcode(content, pieces: { _ in })) != nil {
                self = .transcoded(charset)
            } else {
                self = .none
            }
        }

        /// The encoding that the byte order mark indicates; `nil` if there is none.
        var marked: UnicodeEncoding? {
            guard case .marked(let encoding) = self else { return nil }
            return encoding
        }

        var charset: String? {
            switch self {
            case .none: nil
            case .utf8: Charset.utf8.name
            case .transcoded(let charset): charset.name
            case .marked(let encoding): encoding.rawValue
            }
        }
    }
}

extension UnicodeEncoding {
    /// Returns whether the content is valid in this encoding.
    fileprivate func isEncoding(of content: Span<UInt8>) -> Bool {
        switch self {
        case .utf8: (try? UTF8Span(validating: content)) != nil
        case .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian:
            (try? transcode(content, pieces: { _ in })) != nil
        }
    }
}
