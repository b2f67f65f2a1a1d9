// What a label is good for (formats.md §1): nothing, as long as the content is Unicode. RFC 8259 §8.1 knows no other
// encoding, and labels are wrong more often than valid UTF-8 comes about by chance. Only a content that is not valid
// UTF-8 is read once more, as its label says.

extension JSONReader {
    /// Reads `content` as one JSON value and writes it where the writer stands.
    ///
    /// On an error the writer holds what it held before.
    /// - Parameters:
    ///   - memory: the source of memory for tables of many names and for copies of the text; `nil` if it is not limited.
    ///   - charset: the `charset` parameter of the media type, where there is one.
    /// - Throws: the first thing in the content that is not acceptable JSON.
    package static func read(
        _ content: Span<UInt8>,
        options: Options,
        memory: (any MemoryGrant)? = nil,
        charset label: String? = nil,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(JSONError) -> Summary {
        guard let label else {
            return try readUnicode(
                content,
                options: options,
                memory: memory,
                charset: nil,
                into: &writer,
                warnings: &warnings
            )
        }
        var found = warnings
        do throws(JSONError) {
            let summary = try readUnicode(
                content,
                options: options,
                memory: memory,
                charset: label,
                into: &writer,
                warnings: &found
            )
            warnings = found
            return summary
        } catch {
            guard let invalid = offsetOfInvalidUTF8(content), !isUnicode(label) else {
                warnings = found
                throw error
            }
            let unsupported = JSONError(.unsupportedCharset(label), at: SourceLocation(byte: invalid))
            guard let charset = Charset(label: label) else { throw unsupported }
            guard memory.grants(text: charset.maxTextBytes(of: content), of: content, row: options.row) else {
                throw JSONError(.outOfMemory, at: SourceLocation(byte: 0))
            }
            let text: [UInt8]
            do throws(CharsetError) {
                text = try charset.transcode(content)
            } catch {
                switch error {
                case .malformed(let offset):
                    throw JSONError(.invalidEncoding(charset.name), at: SourceLocation(byte: offset))
                case .unsupported:
                    throw unsupported
                }
            }
            return try read(
                content,
                as: text,
                in: charset,
                options: options,
                memory: memory,
                into: &writer,
                warnings: &warnings
            )
        }
    }

    /// - Parameter text: the content, transcoded from `charset`.
    private static func read(
        _ content: Span<UInt8>,
        as text: [UInt8],
        in charset: Charset,
        options: Options,
        memory: (any MemoryGrant)?,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(JSONError) -> Summary {
        warnings.append(Warning(.transcoded(encoding: charset.name), at: SourceLocation(byte: 0)))
        var found = WarningList(max: options.limits.maxWarnings)
        do throws(JSONError) {
            var summary = try readUnicode(
                text.span,
                options: options,
                memory: memory,
                charset: nil,
                into: &writer,
                warnings: &found
            )
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

    /// Nil where all of it is valid, where the bytes themselves tell their encoding, or where three times as much text
    /// could be more than the kernel counts.
    private static func offsetOfInvalidUTF8(_ content: Span<UInt8>) -> Int? {
        guard UnicodeEncoding.detect(content) == (.utf8, 0), content.count <= JSONLevels.maxSourceBytes / 3 else {
            return nil
        }
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: content)
            return nil
        } catch {
            return error.byteOffsets.lowerBound
        }
    }

    /// Whether the label has nothing to add. A JSON text begins with an ASCII character, so that UTF-16 and UTF-32 show
    /// in its zero bytes; a content without these is in neither, whatever its label says.
    private static func isUnicode(_ label: String) -> Bool {
        [.utf8, .utf16LittleEndian, .utf16BigEndian].contains(Charset(label: label))
            || ["utf-32", "utf-32le", "utf-32be"].contains(label.lowercasedASCII)
    }
}

extension WarningList {
    /// Appends the warnings of `other`, at the offsets that `place` returns for theirs, in ascending order.
    fileprivate mutating func append(_ other: WarningList, place: ([Int]) -> [Int]) {
        append(unlisted: other.unlistedCount)
        let offsets = Set(other.listed.flatMap { [$0.location?.byte, $0.first?.byte].compactMap(\.self) }).sorted()
        let places = Dictionary(uniqueKeysWithValues: zip(offsets, place(offsets)))
        for var warning in other.listed {
            if let byte = warning.location?.byte { warning.location?.byte = places[byte] ?? byte }
            if let byte = warning.first?.byte { warning.first?.byte = places[byte] ?? byte }
            append(warning)
        }
    }
}
