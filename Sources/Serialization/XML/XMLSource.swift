// In which encoding an XML content is (RFC 7303 §3): the byte order mark says it, else the charset parameter, else the
// declaration, else it is UTF-8. The library is given UTF-8 in every case, and told to believe nothing else.
//
// Loose ends, and our choice for each:
// · UTF-16 and UTF-32 without a mark show in the zero bytes around the first `<`, and need no label.
// · A label that says UTF-16 or UTF-32 of content that shows no such thing: the charset parameter is ignored, with a
//   warning; the declaration is an error, as in the library.
// · A declaration that a mark or the charset parameter outweighs is a warning where it says something else.
// · `us-ascii` is UTF-8 where the bytes are; WHATWG's meaning, windows-1252, only where they are not.

/// A content as UTF-8 text, and the way back from places in the text to places in the content.
package struct XMLSource {
    /// The name of the encoding, in lower case.
    package let encoding: String

    /// What the declaration calls it. Nil where it says nothing.
    package let declaredEncoding: String?

    /// Whether the text has an XML declaration.
    package let hasDeclaration: Bool

    /// How the text begins in the content: after a byte order mark.
    private let start: Int

    /// Nil if the text is the content's own.
    private let transcoded: Transcoded?

    /// Whether the text is not a part of the content.
    var isTranscoded: Bool { transcoded != nil }

    private enum Transcoding {
        case unicode(UnicodeEncoding)
        case charset(Charset)
    }

    /// A text that may be three times as long as the content: who reads it takes it, so that there is only one of it.
    private final class Transcoded {
        var text: OutputBuffer?
        let from: Transcoding

        init(_ text: consuming OutputBuffer, from: Transcoding) {
            self.text = consume text
            self.from = from
        }

        /// The text, transcoded again if it was taken before.
        func take(_ content: Span<UInt8>, from start: Int) -> OutputBuffer {
            if let text = text.take() { return text }
            let text =
                switch from {
                case .unicode(let encoding): try? encoding.transcodeIntoBuffer(content, from: start)
                case .charset(let charset): try? charset.transcodeIntoBuffer(content)
                }
            guard let text else { preconditionFailure("a content that was transcoded once can be transcoded again") }
            return text
        }

        /// The lines and columns of offsets in the text, without the text.
        func locate(_ offsets: [Int], _ content: Span<UInt8>, from start: Int) -> [SourceLocation] {
            var locator = LineLocator(offsets)
            switch from {
            case .unicode(let encoding): _ = encoding.transcode(content, from: start) { locator.append($0) }
            case .charset(let charset): charset.transcode(content) { locator.append($0) }
            }
            locator.finish()
            return locator.locations
        }
    }

    /// - Parameters:
    ///   - label: the `charset` parameter of the media type, where there is one.
    ///   - memory: the source of memory for a copy of the text in UTF-8; `nil` if it is not limited.
    /// - Throws: what is no text in its encoding, or is in a charset that is not read here.
    package init(
        _ content: Span<UInt8>,
        charset label: String?,
        memory: (any MemoryGrant)? = nil,
        warnings: inout WarningList
    ) throws(XMLError) {
        let (unicode, markBytes) = UnicodeEncoding.detect(content)
        let agrees: (String) -> Bool
        start = markBytes
        if markBytes > 0 || unicode != .utf8 {
            if let label, !unicode.isNamed(label) {
                warnings.append(Warning(.charsetMismatch(declared: label, actual: unicode.rawValue)))
            }
            encoding = unicode.rawValue
            agrees = { unicode.isNamed($0) || Self.isWide($0, unicode) }
            transcoded = try Self.text(of: content, from: markBytes, in: unicode, memory)
        } else {
            let charset = try Self.charset(of: content, label: label, warnings: &warnings)
            encoding = charset.name
            agrees = { Charset(label: $0) == charset || $0.isASCIILabel && charset == .utf8 }
            transcoded = try Self.text(of: content, in: charset, memory)
        }
        var declaration: XMLDeclaration?
        if let transcoded {
            let text = transcoded.take(content, from: start)
            declaration = text.withBytes { XMLDeclaration($0) }
            transcoded.text = consume text
        } else {
            declaration = XMLDeclaration(content.extracting(markBytes...))
        }
        hasDeclaration = declaration != nil
        declaredEncoding = declaration?.encoding
        if let declaredEncoding, !agrees(declaredEncoding) {
            warnings.append(Warning(.declarationMismatch(declared: declaredEncoding, actual: encoding)))
        }
    }

    /// Hands over the text, which must be transcoded.
    func takeText(of content: Span<UInt8>) -> OutputBuffer {
        guard let transcoded else { preconditionFailure("only a transcoded text is not a part of the content") }
        return transcoded.take(content, from: start)
    }

    /// Lends the text. It is transcoded for the call if it was taken.
    package func withText<Result: ~Copyable, Failure: Error>(
        of content: Span<UInt8>,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if let transcoded { return try transcoded.take(content, from: start).withBytes(body) }
        return try body(content.extracting(start...))
    }

    /// The place of the byte `offset` of the text.
    package func location(_ offset: Int, in content: Span<UInt8>) -> SourceLocation {
        locations([offset], in: content)[0]
    }

    /// The same for many offsets, which must ascend, in one walk.
    package func locations(_ offsets: [Int], in content: Span<UInt8>) -> [SourceLocation] {
        var locations =
            transcoded?.locate(offsets, content, from: start) ?? content.extracting(start...).locate(offsets)
        for (index, byte) in bytes(offsets, in: content).enumerated() { locations[index].byte = byte }
        return locations
    }

    /// Where in the content the bytes `offsets` of the text come from.
    private func bytes(_ offsets: [Int], in content: Span<UInt8>) -> [Int] {
        switch transcoded?.from {
        case .unicode(let encoding): encoding.offsets(ofUTF8: offsets, in: content, from: start)
        case .charset(let charset): charset.offsets(ofUTF8: offsets, in: content)
        case nil: offsets.map { start + $0 }
        }
    }

    // MARK: The encoding

    /// Of content that is in no encoding that shows by itself.
    private static func charset(
        of content: Span<UInt8>,
        label: String?,
        warnings: inout WarningList
    ) throws(XMLError) -> Charset {
        if let label {
            if isWide(label) {
                warnings.append(Warning(.charsetMismatch(declared: label, actual: Charset.utf8.name)))
            } else {
                return try charset(label, of: content)
            }
        }
        guard let declared = XMLDeclaration(content)?.encoding else { return .utf8 }
        guard !isWide(declared) else {
            // libxml2: "Document labelled UTF-16 but has UTF-8 content".
            throw XMLError(.invalidEncoding(declared), number: 81, at: SourceLocation(byte: 0, line: 1, column: 1))
        }
        return try charset(declared, of: content)
    }

    private static func charset(_ label: String, of content: Span<UInt8>) throws(XMLError) -> Charset {
        guard let charset = Charset(label: label) else {
            throw XMLError(.unsupportedCharset(label), number: 32, at: SourceLocation(byte: 0, line: 1, column: 1))
        }
        if label.isASCIILabel, (try? UTF8Span(validating: content)) != nil { return .utf8 }
        return charset
    }

    /// Whether the label is that of an encoding with more than one byte for every character.
    private static func isWide(_ label: String) -> Bool {
        [.utf16LittleEndian, .utf16BigEndian].contains(Charset(label: label))
            || ["utf-32", "utf-32le", "utf-32be", "iso-10646-ucs-4"].contains(label.lowercasedASCII)
    }

    /// Whether the label is another one of `encoding`, or of its kind where it says no order of bytes.
    private static func isWide(_ label: String, _ encoding: UnicodeEncoding) -> Bool {
        switch encoding {
        case .utf8: false
        case .utf16LittleEndian: Charset(label: label) == .utf16LittleEndian
        case .utf16BigEndian:
            Charset(label: label) == .utf16BigEndian
                || Charset(label: label) == .utf16LittleEndian && label.lowercasedASCII != "utf-16le"
        case .utf32LittleEndian, .utf32BigEndian: label.lowercasedASCII == "iso-10646-ucs-4"
        }
    }

    // MARK: The text

    private static func text(
        of content: Span<UInt8>,
        from start: Int,
        in encoding: UnicodeEncoding,
        _ memory: (any MemoryGrant)?
    ) throws(XMLError) -> Transcoded? {
        guard encoding != .utf8 else {
            try validate(content.extracting(start...), from: start)
            return nil
        }
        guard memory.grants(text: encoding.maxTextBytes(of: content), of: content, row: .xml) else { throw outOfMemory }
        do throws(UnicodeEncoding.Malformed) {
            return Transcoded(try encoding.transcodeIntoBuffer(content, from: start), from: .unicode(encoding))
        } catch {
            throw XMLError(.invalidEncoding(encoding.rawValue), number: 81, at: SourceLocation(byte: error.offset))
        }
    }

    private static func text(
        of content: Span<UInt8>,
        in charset: Charset,
        _ memory: (any MemoryGrant)?
    ) throws(XMLError) -> Transcoded? {
        guard charset != .utf8 else {
            try validate(content, from: 0)
            return nil
        }
        guard memory.grants(text: charset.maxTextBytes(of: content), of: content, row: .xml) else { throw outOfMemory }
        do throws(CharsetError) {
            return Transcoded(try charset.transcodeIntoBuffer(content), from: .charset(charset))
        } catch {
            switch error {
            case .malformed(let offset):
                throw XMLError(.invalidEncoding(charset.name), number: 81, at: SourceLocation(byte: offset))
            case .unsupported(let charset):
                throw XMLError(.unsupportedCharset(charset.name), number: 32, at: SourceLocation(byte: 0))
            }
        }
    }

    private static var outOfMemory: XMLError {
        XMLError(.outOfMemory, number: XMLError.stoppedByLimit, at: SourceLocation(byte: 0))
    }

    private static func validate(_ text: Span<UInt8>, from start: Int) throws(XMLError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: text)
        } catch {
            let offset = error.byteOffsets.lowerBound
            var location = text.extracting(..<offset).locate([offset])[0]
            location.byte = start + offset
            let excerpt = JSONExcerpt(text, at: offset)
            throw XMLError(
                .invalidEncoding(UnicodeEncoding.utf8.rawValue),
                number: 81,
                at: location,
                found: excerpt.found,
                excerpt: excerpt.text
            )
        }
    }
}

extension String {
    /// Whether it is a label of ASCII, which is UTF-8 as well.
    fileprivate var isASCIILabel: Bool { ["us-ascii", "ascii"].contains(lowercasedASCII) }
}
