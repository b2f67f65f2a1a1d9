// The encoding of XML content (RFC 7303 §3) is that of the byte order mark, else of the charset parameter, else of the
// declaration, else UTF-8. The library always receives UTF-8, and is configured to ignore the declaration.
//
// Ambiguities in the standards, and how we resolve them:
// · UTF-16 and UTF-32 without a mark are detected by the zero bytes around the first `<`, without a label.
// · A label of UTF-16 or UTF-32 for content that does not look like it: the charset parameter is ignored, with a
//   warning; the declaration is an error, as in the library.
// · A declaration that a mark or the charset parameter overrides produces a warning if it differs.
// · A charset parameter that the content contradicts is an error. With `lenient=declared-charset`, the declaration is
//   used instead, and windows-1252 if it fails too. It has a character for every byte.
// · `us-ascii` is UTF-8 if the bytes are valid UTF-8; only otherwise it is windows-1252, its meaning in the WHATWG
//   standard.

/// Content as UTF-8 text, with the mapping of offsets in the text to locations in the content.
package struct XMLSource {
    /// The name of the encoding, in lower case.
    package let encoding: String

    /// The XML declaration. `nil` if the text has none.
    let declaration: XMLDeclaration?

    /// The offset of the text in the content: after a byte order mark.
    private let start: Int

    /// The transcoded text, or `nil` if the text is a part of the content.
    private let transcoded: Transcoded?

    /// The repaired copy of the text, which is read instead of it; `nil` if nothing was repaired.
    private var repaired: Repaired?

    /// Whether the content was read in another charset than it specifies.
    let hasReplacedCharset: Bool

    /// Whether the text is a transcoded one, of which ``takeText(of:)`` transfers the ownership.
    var ownsText: Bool { transcoded != nil && repaired == nil }

    /// An object, because few texts are repaired and every source is moved.
    private final class Repaired {
        let text: RepairedText

        init(_ text: consuming RepairedText) { self.text = text }
    }

    /// A text that may be three times as long as the content. Its reader takes ownership, so that it exists only once.
    private final class Transcoded {
        var text: OutputBuffer?
        let encoding: any TextEncoding

        init(_ text: consuming OutputBuffer, from encoding: any TextEncoding) {
            self.text = consume text
            self.encoding = encoding
        }

        /// Returns the text, which is transcoded again if it was taken before.
        func take(_ content: Span<UInt8>, from start: Int) -> OutputBuffer {
            if let text = text.take() { return text }
            guard let text = try? encoding.transcodeIntoBuffer(content, from: start) else {
                preconditionFailure("content that was transcoded once can be transcoded again")
            }
            return text
        }

        /// Returns the lines and columns of offsets in the text, without storing the text.
        func locate(_ offsets: [Int], _ content: Span<UInt8>, from start: Int) -> [SourceLocation] {
            var locator = LineLocator(offsets)
            _ = encoding.transcode(content, from: start) { locator.append($0) }
            locator.finish()
            return locator.locations
        }
    }

    /// - Parameters:
    ///   - label: The `charset` parameter of the media type, if there is one.
    ///   - leniencies: The deviations that are accepted in the encoding and before the declaration.
    ///   - memory: The source of memory for a copy of the text in UTF-8.
    /// - Throws: An error if the content is not valid in its encoding, or if its charset is not supported.
    package init(
        _ content: Span<UInt8>,
        charset label: String?,
        leniencies: Leniencies = [],
        memory: any MemoryGrant,
        warnings: inout WarningList
    ) throws(XMLError) {
        let (unicode, markBytes) = UnicodeEncoding.detect(content)
        let agrees: (String) -> Bool
        start = markBytes
        if markBytes > 0 || unicode != .utf8 {
            if let label, !unicode.isNamed(label) {
                warnings.append(Warning(mismatchOf: label, unicode, markBytes: markBytes, content))
            }
            if markBytes > 0 {
                warnings.append(Warning(.byteOrderMark(encoding: unicode.rawValue), at: SourceLocation(byte: 0)))
            }
            encoding = unicode.rawValue
            agrees = { unicode.isNamed($0) || Self.isWide($0, unicode) }
            transcoded = try Self.text(of: content, from: start, in: unicode, memory)
            hasReplacedCharset = false
        } else {
            let declared = Self.declaration(of: content, leniencies)?.encoding
            let charset: Charset
            (charset, transcoded, hasReplacedCharset) = try Self.read(
                content,
                label,
                declared,
                leniencies,
                memory,
                &warnings
            )
            encoding = charset.name
            agrees = { Charset(label: $0) == charset || $0.isASCIILabel && charset == .utf8 }
        }
        if let transcoded {
            if unicode != .utf8 || !content.isASCII {
                warnings.append(Warning(.transcoded(encoding: encoding), at: SourceLocation(byte: 0)))
            }
            let text = transcoded.take(content, from: start)
            declaration = text.withBytes { Self.declaration(of: $0, leniencies) }
            transcoded.text = consume text
        } else {
            declaration = Self.declaration(of: content.extracting(droppingFirst: markBytes), leniencies)
        }
        if let declared = declaration?.encoding, !hasReplacedCharset, !agrees(declared) {
            warnings.append(Warning(.declarationMismatch(declared: declared, actual: encoding)))
        }
    }

    private static func declaration(of text: Span<UInt8>, _ leniencies: Leniencies) -> XMLDeclaration? {
        let start = leniencies.contains(.leadingSpace) ? text.endOfSpaceBeforeDeclaration : 0
        return XMLDeclaration(text.extracting(droppingFirst: start))
    }

    /// Repairs the text, which is then read instead of the original.
    /// - Returns: Whether anything was repaired.
    /// - Throws: An error if there is no memory.
    mutating func repair(
        _ content: Span<UInt8>,
        _ leniencies: Leniencies,
        maxNotes: Int,
        memory: any MemoryGrant,
        warnings: inout WarningList
    ) throws(XMLError) -> Bool {
        let text = withText(of: content) { text -> RepairedText in
            XMLRepair.repaired(text, leniencies, maxNotes: maxNotes, memory: memory)
        }
        let moreBytes = XMLSerializer.reservation.bytes(forLongerTextBy: text.addedBytes)
        guard !text.isOutOfMemory, moreBytes == 0 || memory.grow(by: moreBytes) else { throw .outOfMemory }
        guard text.isRepaired else { return false }
        for (note, location) in zip(text.notes, receivedLocations(text.notes.map(\.source), in: content)) {
            warnings.append(Warning(note.kind, at: location))
        }
        warnings.append(unlisted: text.unlistedNotes)
        warnings.note(text.used)
        repaired = Repaired(text)
        return true
    }

    /// Transfers ownership of the text, which must be transcoded and is transcoded again when it is needed again.
    func takeText(of content: Span<UInt8>) -> OutputBuffer {
        guard let transcoded else { preconditionFailure("the text is transcoded") }
        return transcoded.take(content, from: start)
    }

    /// Calls `body` with the text, which is valid for the duration of the call. The text is transcoded again if it was
    /// taken.
    func withText<Result: ~Copyable, Failure: Error>(
        of content: Span<UInt8>,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if let bytes = repaired?.text.bytes { return try body(bytes.span) }
        return try withReceivedText(of: content, body)
    }

    /// Calls `body` with the text before any repair.
    private func withReceivedText<Result: ~Copyable, Failure: Error>(
        of content: Span<UInt8>,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if let transcoded { return try transcoded.take(content, from: start).withBytes(body) }
        return try body(content.extracting(droppingFirst: start))
    }

    /// Returns the text around the byte at `offset` in the text, as it was received.
    func excerpt(at offset: Int, in content: Span<UInt8>) -> JSONExcerpt {
        let received = repaired?.text.origin(of: offset) ?? offset
        return withReceivedText(of: content) { JSONExcerpt($0, at: received) }
    }

    /// Returns the location of the byte at `offset` in the text.
    func location(_ offset: Int, in content: Span<UInt8>) -> SourceLocation { locations([offset], in: content)[0] }

    /// Returns the locations of several offsets, which must be in ascending order, in one pass.
    func locations(_ offsets: [Int], in content: Span<UInt8>) -> [SourceLocation] {
        guard let repaired else { return receivedLocations(offsets, in: content) }
        return receivedLocations(offsets.map { repaired.text.origin(of: $0) }, in: content)
    }

    /// Returns the locations of offsets in the text before any repair.
    private func receivedLocations(_ offsets: [Int], in content: Span<UInt8>) -> [SourceLocation] {
        var locations =
            transcoded?.locate(offsets, content, from: start)
            ?? content.extracting(droppingFirst: start).locate(offsets)
        for (index, byte) in bytes(offsets, in: content).enumerated() { locations[index].byte = byte }
        return locations
    }

    /// Returns the offsets in the content for `offsets` in the text.
    private func bytes(_ offsets: [Int], in content: Span<UInt8>) -> [Int] {
        transcoded?.encoding.offsets(ofUTF8: offsets, in: content, from: start) ?? offsets.map { start + $0 }
    }

    // MARK: The encoding

    /// Reads content whose bytes do not identify its encoding.
    /// - Parameter declared: The encoding of the declaration.
    /// - Returns: The charset, the text if it is not a part of the content, and whether the charset is another one than
    ///   the content specifies.
    private static func read(
        _ content: Span<UInt8>,
        _ label: String?,
        _ declared: String?,
        _ leniencies: Leniencies,
        _ memory: any MemoryGrant,
        _ warnings: inout WarningList
    ) throws(XMLError) -> (Charset, Transcoded?, isReplaced: Bool) {
        do throws(XMLError) {
            let charset = try charset(of: content, label: label, declared, warnings: &warnings)
            return (charset, try text(of: content, from: 0, in: charset, memory), false)
        } catch {
            guard leniencies.contains(.declaredCharset), error.reason != .outOfMemory else { throw error }
            let specified = declared.flatMap { isWide($0) ? nil : Charset(label: $0) } ?? .utf8
            for charset in [specified, .windows1252] {
                let transcoded: Transcoded?
                do throws(XMLError) {
                    transcoded = try text(of: content, from: 0, in: charset, memory)
                } catch {
                    if error.reason == .outOfMemory { throw error }
                    continue
                }
                let kind = Warning.Kind.charsetReplaced(declared: label ?? declared, used: charset.name)
                warnings.append(Warning(kind, at: SourceLocation(byte: error.location.byte)))
                warnings.note(.declaredCharset)
                return (charset, transcoded, true)
            }
            throw error
        }
    }

    /// Returns the charset of content whose bytes do not identify its encoding.
    private static func charset(
        of content: Span<UInt8>,
        label: String?,
        _ declared: String?,
        warnings: inout WarningList
    ) throws(XMLError) -> Charset {
        if let label {
            if isWide(label) {
                let kind = Warning.Kind.charsetMismatch(declared: label, actual: Charset.utf8.name)
                warnings.append(Warning(kind, at: SourceLocation(byte: 0)))
            } else {
                let charset = try charset(label, of: content)
                if declared == nil, charset.hasSingleBytes, let offset = content.firstNonASCII, content.isUTF8 {
                    warnings.append(Warning(.unlikelyCharset(declared: label), at: SourceLocation(byte: offset)))
                }
                return charset
            }
        }
        guard let declared else { return .utf8 }
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

    /// Returns whether the label is that of an encoding in which every character has more than one byte.
    private static func isWide(_ label: String) -> Bool {
        [.utf16LittleEndian, .utf16BigEndian].contains(Charset(label: label))
            || ["utf-32", "utf-32le", "utf-32be", "iso-10646-ucs-4"].contains(label.asciiLowercased)
    }

    /// Returns whether the label is a label of `encoding`, or of its family without a byte order.
    private static func isWide(_ label: String, _ encoding: UnicodeEncoding) -> Bool {
        switch encoding {
        case .utf8: false
        case .utf16LittleEndian: Charset(label: label) == .utf16LittleEndian
        case .utf16BigEndian:
            Charset(label: label) == .utf16BigEndian
                || Charset(label: label) == .utf16LittleEndian && label.asciiLowercased != "utf-16le"
        case .utf32LittleEndian, .utf32BigEndian: label.asciiLowercased == "iso-10646-ucs-4"
        }
    }

    // MARK: The text

    /// Returns a copy of the text in UTF-8, or `nil` if the text is valid UTF-8.
    private static func text(
        of content: Span<UInt8>,
        from start: Int,
        in encoding: some TextEncoding,
        _ memory: any MemoryGrant
    ) throws(XMLError) -> Transcoded? {
        guard encoding.name != UnicodeEncoding.utf8.rawValue else {
            try validate(content.extracting(droppingFirst: start), from: start)
            return nil
        }
        do throws(CharsetError) {
            guard memory.grants(text: encoding.maxTextBytes(of: content), of: content, XMLSerializer.self) else {
                throw .outOfMemory
            }
            return Transcoded(try encoding.transcodeIntoBuffer(content, from: start), from: encoding)
        } catch {
            let error = TranscodingError(error, encoding, of: content, from: start, memory)
            switch error.cause {
            case .malformed: throw XMLError(.invalidEncoding(error.encoding), number: 81, at: error.location)
            case .unsupported: throw XMLError(.unsupportedCharset(error.encoding), number: 32, at: error.location)
            case .outOfMemory: throw .outOfMemory
            }
        }
    }

    private static func validate(_ text: Span<UInt8>, from start: Int) throws(XMLError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: text)
        } catch {
            let offset = error.byteOffsets.lowerBound
            var location = text.extracting(first: offset).locate([offset])[0]
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
    /// Whether it is a label of ASCII, which is also UTF-8.
    fileprivate var isASCIILabel: Bool { ["us-ascii", "ascii"].contains(asciiLowercased) }
}
