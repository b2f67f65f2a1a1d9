// The use of the `charset` parameter (formats.md §1). It is ignored if the content is Unicode: RFC 8259 §8.1 allows no
// other encoding, and a wrong parameter is more likely than accidentally valid UTF-8. Only content that is not valid
// UTF-8 is read again in its declared charset, and if that fails, with `lenient=declared-charset`, in windows-1252.

extension JSONReader {
    /// Reads `content` as one JSON value and writes it at the end of the writer.
    ///
    /// After an error, the writer contains its previous content.
    /// - Parameters:
    ///   - memory: The source of memory for tables of many names and for copies of the text.
    ///   - charset: The `charset` parameter of the media type, if there is one.
    /// - Throws: The first error in the content.
    package static func read(
        _ content: Span<UInt8>,
        options: Options,
        memory: any MemoryGrant,
        charset label: String? = nil,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(JSONError) -> Summary {
        var reader = JSONReader(options: options, memory: memory)
        return try reader.read(content, charset: label, into: &writer, warnings: &warnings)
    }

    /// Reads `content` as one JSON value and writes it at the end of the writer, as the static method.
    mutating func read(
        _ content: Span<UInt8>,
        charset label: String?,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(JSONError) -> Summary {
        guard label != nil || options.leniencies.contains(.declaredCharset) else {
            return try readUnicode(content, charset: nil, into: &writer, warnings: &warnings)
        }
        var found = warnings
        do throws(JSONError) {
            let summary = try readUnicode(content, charset: label, into: &writer, warnings: &found)
            warnings = found
            return summary
        } catch {
            guard let invalid = offsetOfInvalidUTF8(content) else {
                warnings = found
                throw error
            }
            let text: TranscodedText
            do throws(JSONError) {
                guard let label, !isUnicode(label) else {
                    if !options.leniencies.contains(.declaredCharset) { warnings = found }
                    throw error
                }
                text = try transcode(content, from: label, invalid)
            } catch {
                guard options.leniencies.contains(.declaredCharset), !error.isOutOfMemory else { throw error }
                text = try transcode(content, from: Charset.windows1252.name, invalid)
                let location = content.extracting(first: invalid).locate([invalid])[0]
                warnings.append(Warning(.charsetReplaced(declared: label, used: text.charset.name), at: location))
                warnings.note(.declaredCharset)
            }
            return try read(content, as: text, into: &writer, warnings: &warnings)
        }
    }

    /// - Parameter invalid: The offset of the first invalid UTF-8.
    private func transcode(
        _ content: Span<UInt8>,
        from label: String,
        _ invalid: Int
    ) throws(JSONError) -> TranscodedText {
        guard memory.permitsReadingAgain(invalid) else { throw JSONError(.outOfMemory, at: SourceLocation(byte: 0)) }
        let location = content.extracting(first: invalid).locate([invalid])[0]
        let unsupported = JSONError(.unsupportedCharset(label), at: location)
        guard let charset = Charset(label: label) else { throw unsupported }
        let text = try memory.text(of: content, in: charset, for: JSONSerializer.self) { error in
            if case .unsupported = error.cause { unsupported } else { JSONError(error) }
        }
        return TranscodedText(bytes: text, charset: charset)
    }

    /// The content in UTF-8.
    private struct TranscodedText {
        let bytes: [UInt8]
        /// The charset of the content.
        let charset: Charset
    }

    private mutating func read(
        _ content: Span<UInt8>,
        as text: TranscodedText,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(JSONError) -> Summary {
        reset()
        let charset = text.charset
        warnings.append(Warning(.transcoded(encoding: charset.name), at: SourceLocation(byte: 0)))
        var found = WarningList(max: options.limits.maxWarnings)
        do throws(JSONError) {
            var summary = try readUnicode(text.bytes.span, charset: nil, into: &writer, warnings: &found)
            warnings.append(found) { charset.offsets(ofUTF8: $0, in: content) }
            summary.encoding = charset.name
            return summary
        } catch {
            warnings.append(found) { charset.offsets(ofUTF8: $0, in: content) }
            var error = error
            error.location.byte = charset.offset(ofUTF8: error.location.byte, in: content)
            if let first = error.first { error.first?.byte = charset.offset(ofUTF8: first.byte, in: content) }
            throw error
        }
    }

    /// Returns the offset of the first invalid UTF-8, or `nil` if all of it is valid, if its bytes indicate another
    /// encoding, or if a text of three times the length could exceed the range of the kernel.
    private func offsetOfInvalidUTF8(_ content: Span<UInt8>) -> Int? {
        guard UnicodeEncoding.detect(content) == (.utf8, 0), content.count <= JSONLevels.maxSourceBytes / 3 else {
            return nil
        }
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: content)
            return nil
        } catch { return error.byteOffsets.lowerBound }
    }

    /// Returns whether the label adds no information. A JSON text begins with an ASCII character, so zero bytes
    /// identify UTF-16 and UTF-32; content without them is in neither of these encodings, whatever its label is.
    private func isUnicode(_ label: String) -> Bool {
        [.utf8, .utf16LittleEndian, .utf16BigEndian].contains(Charset(label: label))
            || ["utf-32", "utf-32le", "utf-32be"].contains(label.asciiLowercased)
    }
}

extension WarningList {
    /// Appends the warnings of `other`, with the offsets that `contentOffsets` returns for their ascending offsets.
    fileprivate mutating func append(_ other: WarningList, contentOffsets: ([Int]) -> [Int]) {
        append(unlisted: other.unlistedCount)
        note(other.leniencies)
        let offsets = Set(other.listed.flatMap { [$0.location?.byte, $0.first?.byte].compactMap(\.self) }).sorted()
        let converted = Dictionary(uniqueKeysWithValues: zip(offsets, contentOffsets(offsets)))
        for var warning in other.listed {
            if let byte = warning.location?.byte { warning.location?.byte = converted[byte] ?? byte }
            if let byte = warning.first?.byte { warning.first?.byte = converted[byte] ?? byte }
            append(warning)
        }
    }
}
