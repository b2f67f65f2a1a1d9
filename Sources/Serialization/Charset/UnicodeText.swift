/// The content of a text format as UTF-8, with the mapping of its offsets to locations in the content.
///
/// The encoding is that of a byte order mark, or of zero bytes between most of the first characters. A label of UTF-16
/// or UTF-32 is used if the content contains ASCII in that encoding. Otherwise the content is UTF-8 if it is valid,
/// whatever its label. Only text that is not valid UTF-8 is read in the charset of its label, and if that fails, with
/// `lenient=declared-charset`, in windows-1252.
struct UnicodeText {
    /// The name of the encoding of the content, in lower case.
    let encoding: String

    /// The offset of the first invalid UTF-8 in the text; `nil` if all of it is valid.
    let invalid: Int?

    /// The offset of a character at the end of truncated content that is not complete, and not a part of the text.
    let incomplete: Int?

    /// The offset of the text in the content: after a byte order mark.
    private let start: Int

    /// The text, if it is not a part of the content, and its encoding.
    private let transcoded: (text: [UInt8], encoding: any TextEncoding)?

    /// What determines how content is read as text, for a format with these reasons for errors.
    struct Rules<Reason: TextErrorReason> {
        /// The `charset` parameter of the media type, if there is one.
        var label: String?
        /// Only ``Leniencies/declaredCharset`` is used.
        var leniencies: Leniencies
        /// Whether the content may end within a character.
        var isTruncated: Bool
        /// The source of memory for a copy of the text.
        var memory: any MemoryGrant
        /// The serializer that reads the text.
        var row: any ContentSerializer.Type

        fileprivate func text(
            of content: Span<UInt8>,
            from start: Int = 0,
            in encoding: some TextEncoding
        ) throws(TextError<Reason>) -> [UInt8] {
            try memory.text(of: content, from: start, in: encoding, for: row, TextError<Reason>.init(_:))
        }
    }

    /// Calls `body` with the text of `content`. After an error, the writer contains its previous content.
    static func read<Reason, Result>(
        _ content: Span<UInt8>,
        _ rules: Rules<Reason>,
        into writer: inout JSONWriter,
        warnings: inout WarningList,
        _ body: (UnicodeText, Span<UInt8>, inout JSONWriter, inout WarningList) throws(TextFault<Reason>) -> Result
    ) throws(TextError<Reason>) -> Result {
        let text = try UnicodeText(content, rules, &warnings)
        let start = writer.mark
        do throws(TextFault<Reason>) {
            return try text.withText(of: content) { bytes throws(TextFault<Reason>) in
                try body(text, bytes, &writer, &warnings)
            }
        } catch {
            writer.rollBack(to: start)
            guard error.reason != .outOfMemory, rules.memory.permitsReadingAgain(error.offset) else {
                throw .outOfMemory
            }
            let excerpt = text.excerpt(at: error.offset, in: content)
            let location = text.locations(of: [error.offset], in: content)[error.offset, error.pointer]
            throw TextError(error.reason, at: location, found: excerpt.found, excerpt: excerpt.text)
        }
    }

    private init<Reason>(
        _ content: Span<UInt8>,
        _ rules: Rules<Reason>,
        _ warnings: inout WarningList
    ) throws(TextError<Reason>) {
        let label = rules.label
        let (detected, markBytes) = Self.encoding(of: content)
        let declared = detected == .utf8 && markBytes == 0 ? label.flatMap { UnicodeEncoding($0, of: content) } : nil
        let unicode = declared ?? detected
        start = markBytes
        if markBytes > 0 {
            warnings.append(Warning(.byteOrderMark(encoding: unicode.rawValue), at: SourceLocation(byte: 0)))
        }
        guard unicode == .utf8 else {
            if let label, declared == nil, !unicode.isNamed(label) {
                warnings.append(Warning(mismatchOf: label, unicode, markBytes: markBytes, content))
            }
            warnings.append(Warning(.transcoded(encoding: unicode.rawValue), at: SourceLocation(byte: 0)))
            encoding = unicode.rawValue
            (invalid, incomplete) = (nil, nil)
            let text = try rules.text(of: content, from: markBytes, in: unicode)
            transcoded = (text, unicode)
            return
        }
        let bytes = content.extracting(droppingFirst: markBytes)
        let fault = bytes.utf8Fault
        // Such a byte may be a complete character of another charset.
        let endsInCharacter = rules.isTruncated && fault?.endsText == true && label?.isUnicodeLabel != false
        incomplete = endsInCharacter ? fault?.offset : nil
        if let offset = fault?.offset, !endsInCharacter {
            let charset = try markBytes > 0 ? nil : Self.charset(rules, of: content, invalid: offset)
            if let (charset, text) = charset {
                encoding = charset.name
                invalid = nil
                transcoded = (text, charset)
                let isDeclared = label.flatMap { Charset(label: $0) } == charset
                if !isDeclared {
                    let kind = Warning.Kind.charsetReplaced(declared: label, used: charset.name)
                    warnings.append(Warning(kind, at: content.extracting(first: offset).locate([offset])[0]))
                    warnings.note(.declaredCharset)
                }
                warnings.append(Warning(.transcoded(encoding: charset.name), at: SourceLocation(byte: 0)))
                return
            }
            invalid = offset
        } else {
            invalid = nil
            if let label, !unicode.isNamed(label), Charset(label: label)?.extendsASCII != true || !bytes.isASCII {
                warnings.append(Warning(mismatchOf: label, unicode, markBytes: markBytes, content))
            }
        }
        encoding = unicode.rawValue
        transcoded = nil
    }

    /// Detects the encoding from the first bytes. Zero bytes indicate UTF-16 and UTF-32 only if there are several: a
    /// text may also begin with a null character.
    private static func encoding(of content: Span<UInt8>) -> (UnicodeEncoding, markBytes: Int) {
        let (unicode, markBytes) = UnicodeEncoding.detect(content)
        let width = unicode.unitBytes
        guard markBytes == 0, width > 1 else { return (unicode, markBytes) }
        let units = min(content.count / width, 32)
        let ascii = (0..<units).count { unit in
            (0..<width).count { content[unit * width + $0] == 0 } == width - 1
        }
        return ascii > 2 && ascii * 2 > units ? (unicode, 0) : (.utf8, 0)
    }

    /// Returns the charset in which content that is not valid UTF-8 is valid, and its text; `nil` if the content is
    /// read as UTF-8 up to the first error.
    private static func charset<Reason>(
        _ rules: Rules<Reason>,
        of content: Span<UInt8>,
        invalid: Int
    ) throws(TextError<Reason>) -> (Charset, [UInt8])? {
        let isLenient = rules.leniencies.contains(.declaredCharset)
        do throws(TextError<Reason>) {
            if let label = rules.label, !label.isUnicodeLabel {
                guard let charset = Charset(label: label) else {
                    guard rules.memory.permitsReadingAgain(invalid) else { throw .outOfMemory }
                    let location = content.extracting(first: invalid).locate([invalid])[0]
                    throw TextError(.unsupportedCharset(label), at: location)
                }
                return (charset, try rules.text(of: content, in: charset))
            }
            guard isLenient else { return nil }
        } catch { guard isLenient, !error.isOutOfMemory else { throw error } }
        let charset = Charset.windows1252
        return (charset, try rules.text(of: content, in: charset))
    }

    /// Calls `body` with the text up to the first invalid UTF-8, or up to the character that is not complete.
    func withText<Result, Failure: Error>(
        of content: Span<UInt8>,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if let transcoded { return try body(transcoded.text.span) }
        let text = content.extracting(droppingFirst: start)
        guard let end = invalid ?? incomplete else { return try body(text) }
        return try body(text.extracting(first: end))
    }

    /// Returns the excerpt around an offset in the text.
    func excerpt(at offset: Int, in content: Span<UInt8>) -> JSONExcerpt {
        if let transcoded { return JSONExcerpt(transcoded.text.span, at: offset) }
        return JSONExcerpt(content.extracting(droppingFirst: start), at: offset)
    }

    /// Returns the locations of offsets in the text.
    func locations(of offsets: [Int], in content: Span<UInt8>) -> LocationTable {
        if let (text, encoding) = transcoded {
            return LocationTable(of: offsets, in: text.span) { [start] in
                encoding.offsets(ofUTF8: $0, in: content, from: start)
            }
        }
        return LocationTable(of: offsets, in: content.extracting(droppingFirst: start)) { [start] in
            $0.map { $0 + start }
        }
    }
}

extension Span<UInt8> {
    /// The offset of the first byte that is not valid UTF-8, and whether it begins a character that is only incomplete
    /// because the bytes end; `nil` if all bytes are valid.
    fileprivate var utf8Fault: (offset: Int, endsText: Bool)? {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: self)
            return nil
        } catch {
            let endsText = error.kind == .truncatedScalar && error.byteOffsets.upperBound == count
            return (error.byteOffsets.lowerBound, endsText)
        }
    }
}
