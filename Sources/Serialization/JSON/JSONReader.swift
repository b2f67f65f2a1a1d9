/// Reads one JSON text and writes it, normalized, in the same pass.
package struct JSONReader {
    package struct Options: Sendable {
        package var nulls: NullPolicy = .drop
        package var duplicates: DuplicateNames = .last
        package var fragments = true
        package var limits = Limits()

        package init() {}
    }

    /// What was learnt besides the text that was written.
    package struct Summary: Equatable, Sendable {
        /// Nulls taken out.
        package var nullsDropped = 0
        /// The encoding that the content was in.
        package var encoding: UnicodeEncoding
    }

    /// Reads `content` as one JSON value and writes it where the writer stands.
    ///
    /// On an error the writer holds what it held before.
    /// - Parameter charset: the `charset` parameter of the media type, where there is one; only compared, with a warning.
    /// - Throws: the first thing in the content that is not acceptable JSON.
    package static func read(
        _ content: Span<UInt8>,
        options: Options,
        charset: String? = nil,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(JSONError) -> Summary {
        let (encoding, markBytes) = UnicodeEncoding.detect(content)
        if let charset, !encoding.isNamed(charset) {
            warnings.append(Warning(.charsetMismatch(declared: charset, actual: encoding.rawValue)))
        }
        if markBytes > 0 {
            warnings.append(Warning(.byteOrderMark(encoding: encoding.rawValue), at: SourceLocation(byte: 0)))
        }
        var nullsDropped = 0
        if encoding == .utf8 {
            let text = content.extracting(markBytes...)
            try read(text, options: options, place: { $0 + markBytes }, &writer, &warnings, &nullsDropped)
        } else {
            warnings.append(Warning(.transcoded(encoding: encoding.rawValue), at: SourceLocation(byte: 0)))
            let text: [UInt8]
            do throws(UnicodeEncoding.Malformed) {
                text = try encoding.transcode(content, from: markBytes)
            } catch {
                throw JSONError(.invalidEncoding(encoding.rawValue), at: SourceLocation(byte: error.offset))
            }
            try read(
                text.span,
                options: options,
                place: { encoding.offset(ofUTF8: $0, in: content, from: markBytes) },
                &writer,
                &warnings,
                &nullsDropped
            )
        }
        return Summary(nullsDropped: nullsDropped, encoding: encoding)
    }

    /// - Parameter place: from an offset in `text` to the offset in the content.
    private static func read(
        _ text: Span<UInt8>,
        options: Options,
        place: (Int) -> Int,
        _ writer: inout JSONWriter,
        _ warnings: inout WarningList,
        _ nullsDropped: inout Int
    ) throws(JSONError) {
        // The kernel counts in 31 bits. No configuration allows contents that long.
        precondition(text.count <= JSONLevels.maxSourceBytes, "a content is shorter than 2 GiB")
        let result = unsafe text.withUnsafeBufferPointer { bytes in
            let source = unsafe JSONSource(bytes)
            return writer.value(maxBytes: text.count) { sink in
                run(source, sink, options)
            }
        }
        switch result {
        case .success(let found):
            nullsDropped = found.nullsDropped
            for duplicate in found.duplicates {
                var location = duplicate.location
                location.byte = place(location.byte)
                warnings.append(Warning(.duplicateName(duplicate.name, kept: options.duplicates), at: location))
            }
            warnings.append(unlisted: found.unlistedDuplicates)
        case .failure(var error):
            error.location.byte = place(error.location.byte)
            throw error
        }
    }

    private struct Findings {
        var nullsDropped: Int
        var duplicates: [(name: String, location: SourceLocation)] = []
        var unlistedDuplicates = 0
    }

    /// One run of the kernel, with what it found put into words while the source is at hand.
    private static func run(
        _ source: JSONSource,
        _ sink: JSONSink,
        _ options: Options
    ) -> (bytes: Int, Result<Findings, JSONError>) {
        var levels = JSONLevels(source: source, sink: sink, options: options)
        do throws(JSONFault) {
            let output = try JSONKernel(source: source, sink: sink, options: options).run(&levels)
            var findings = Findings(nullsDropped: output.nullsDropped)
            if levels.duplicateCount > 0 {
                let offsets = levels.duplicates
                let locations = JSONLocator(source: source, limits: options.limits).locate(offsets)
                findings.duplicates = zip(offsets, locations).map { (JSONError.name(at: $0, in: source), $1) }
                findings.unlistedDuplicates = levels.duplicateCount - offsets.count
            }
            return (output.count, .success(findings))
        } catch {
            return (0, .failure(JSONError(error, in: source, limits: options.limits)))
        }
    }
}

extension UnicodeEncoding {
    /// Whether `charset` is a name of this encoding, or of a larger one that it is a form of (`utf-16`, and ASCII's).
    fileprivate func isNamed(_ charset: String) -> Bool {
        let name = charset.lowercased()
        return switch self {
        case .utf8: name == "utf-8" || name == "utf8" || name == "us-ascii" || name == "ascii"
        case .utf16LittleEndian, .utf16BigEndian: name == rawValue || name == "utf-16"
        case .utf32LittleEndian, .utf32BigEndian: name == rawValue || name == "utf-32"
        }
    }
}
