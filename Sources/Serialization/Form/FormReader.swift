// Content of the type application/x-www-form-urlencoded (WHATWG URL Standard §5.1) becomes one object.
//
// Worked example: `tag=a&name=J%C3%BCrgen+M.&tag=b` becomes `{"tag":["a","b"],"name":"Jürgen M."}`.
//
// The pairs are read in the order of the content. A table contains each distinct name once, and links the pairs that
// have it. The members are then written in the order in which their names first appear: a name that occurs several
// times is an array, at the position of its first occurrence. Nothing is sorted, and no value is copied except to
// decode its escapes, so that the time is linear in the length of the content.
//
// Ambiguities in the standard, and how we resolve them:
// · The standard replaces invalid UTF-8 with U+FFFD. Here it is an error, unless the media type has a charset in which
//   the text is valid.
// · `%` without two hexadecimal digits after it is an ordinary character, as in the standard, with a warning.
// · A pair without `=` has the empty string as its value. Nothing between two `&` is not a pair. A name may be empty.
// · The standard does not remove white space or line ends, also not at the end of the content.

/// Reads pairs of names and values, and writes them as one object.
package enum FormReader {
    /// The maximum length of content, in bytes, inclusive. Offsets have 32 bits, and names in another charset become at
    /// most three times as long.
    package static let maxBytes = Int(Int32.max) / 3

    package struct Options: Sendable {
        package var arrays: FormArrays = .auto
        package var limits = Limits()

        /// The source of memory for tables of many names, and for copies of the text.
        package var memory: any MemoryGrant

        package init(memory: any MemoryGrant) { self.memory = memory }
    }

    /// Facts about the content that are not part of the value.
    package struct Summary: Equatable, Sendable {
        /// The charset of the content, in lower case.
        package var charset: String
        package var facts = FormFacts()
    }

    /// Reads `content` and writes its value at the end of the writer. After an error, the writer contains its previous
    /// content.
    /// - Parameters:
    ///   - content: At most ``maxBytes``.
    ///   - label: The `charset` parameter of the media type, which is used for text that is not valid UTF-8.
    /// - Throws: The first error in the content.
    package static func read(
        _ content: Span<UInt8>,
        options: Options,
        charset label: String? = nil,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(FormError) -> Summary {
        precondition(content.count <= maxBytes, "the caller rejects longer content")
        let (encoding, markBytes) = UnicodeEncoding.detect(content)
        if markBytes > 0 {
            warnings.append(Warning(.byteOrderMark(encoding: encoding.rawValue), at: SourceLocation(byte: 0)))
        }
        guard encoding != .utf8 else {
            return try readBytes(content, from: markBytes, options, label, &writer, &warnings)
        }
        warnings.append(Warning(.transcoded(encoding: encoding.rawValue), at: SourceLocation(byte: 0)))
        let text = try options.memory.text(
            of: content,
            from: markBytes,
            in: encoding,
            for: FormSerializer.self,
            FormError.init(_:)
        )
        var pairs = FormPairs(options)
        let facts = try write(
            &pairs,
            text.span,
            { encoding.offsets(ofUTF8: $0, in: content, from: markBytes) },
            options,
            &writer,
            &warnings
        )
        return Summary(charset: encoding.rawValue, facts: facts)
    }

    /// Reads content without zero bytes at its start: UTF-8, or text in the charset of the label.
    private static func readBytes(
        _ content: Span<UInt8>,
        from start: Int,
        _ options: Options,
        _ label: String?,
        _ writer: inout JSONWriter,
        _ warnings: inout WarningList
    ) throws(FormError) -> Summary {
        let text = content.extracting(droppingFirst: start)
        let contentOffsets: ([Int]) -> [Int] = { $0.map { $0 + start } }
        var pairs = FormPairs(options)
        do throws(FormError) {
            let facts = try write(&pairs, text, contentOffsets, options, &writer, &warnings)
            if let label, !UnicodeEncoding.utf8.isNamed(label),
                pairs.firstNonASCII != nil || Charset(label: label)?.extendsASCII != true
            {
                let mismatch = Warning.Kind.charsetMismatch(declared: label, actual: UnicodeEncoding.utf8.rawValue)
                let contradictsAtOnce = start > 0 || label.isUnicodeLabel
                let offset = contradictsAtOnce ? 0 : pairs.firstNonASCII
                warnings.append(Warning(mismatch, at: offset.map { SourceLocation(byte: $0) }))
            }
            return Summary(charset: UnicodeEncoding.utf8.rawValue, facts: facts)
        } catch {
            guard case .invalidEncoding = error.reason, start == 0, let label else { throw error }
            guard let charset = Charset(label: label) else {
                throw FormError(.unsupportedCharset(label), at: error.location)
            }
            // These labels are wrong: text in UTF-16 contains zero bytes.
            if charset == .utf8 || charset == .utf16LittleEndian || charset == .utf16BigEndian { throw error }
            guard options.memory.permitsReadingAgain(text.count) else { throw .outOfMemory }
            var pairs = FormPairs(options, charset: charset)
            warnings.append(Warning(.transcoded(encoding: charset.name), at: SourceLocation(byte: 0)))
            let facts = try write(&pairs, text, contentOffsets, options, &writer, &warnings)
            return Summary(charset: charset.name, facts: facts)
        }
    }

    /// Reads the pairs and writes the object.
    /// - Parameter contentOffsets: Converts ascending offsets in `text` to offsets in the content.
    private static func write(
        _ pairs: inout FormPairs,
        _ text: Span<UInt8>,
        _ contentOffsets: ([Int]) -> [Int],
        _ options: Options,
        _ writer: inout JSONWriter,
        _ warnings: inout WarningList
    ) throws(FormError) -> FormFacts {
        let start = writer.mark
        do throws(FormFault) {
            try pairs.read(text)
            try pairs.write(text, into: &writer)
            guard pairs.notes.isEmpty || options.memory.permitsReadingAgain(text.count) else {
                throw FormFault.outOfMemory
            }
        } catch {
            writer.rollBack(to: start)
            guard error.reason != .outOfMemory, options.memory.permitsReadingAgain(error.offset) else {
                throw .outOfMemory
            }
            let excerpt = JSONExcerpt(text, at: error.offset)
            let locations = try locations([error.offset], text, pairs.charset, contentOffsets, options)
            let location = locations[error.offset, error.pointer]
            throw FormError(error.reason, at: location, found: excerpt.found, excerpt: excerpt.text)
        }
        let charset = pairs.charset
        do throws(FormError) {
            try pairs.notes.write(to: &warnings) { offsets throws(FormError) in
                try locations(offsets, text, charset, contentOffsets, options)
            }
        } catch {
            writer.rollBack(to: start)
            throw error
        }
        return FormFacts(inferredArrays: pairs.inferredArrays)
    }

    /// Returns the locations of offsets in the text. In another charset than UTF-8, columns are counted in a copy.
    private static func locations(
        _ offsets: [Int],
        _ text: Span<UInt8>,
        _ charset: Charset?,
        _ contentOffsets: ([Int]) -> [Int],
        _ options: Options
    ) throws(FormError) -> LocationTable {
        guard let charset else { return LocationTable(of: offsets, in: text, contentOffsets) }
        guard options.memory.grow(by: text.count) else { throw .outOfMemory }
        let outline = charset.outline(of: text)
        return LocationTable(of: offsets, in: outline.span, contentOffsets)
    }
}
