extension ResponseSerializer {
    /// The maximum length of content that is rejected without a reader if it does not begin like an image, in bytes,
    /// inclusive. All of it may have to be read to determine what it is instead.
    private static let maxRecognizedBytes = 16 << 10

    /// Returns what `reader` reads from an image.
    /// - Parameter reader: The reader; `nil` if this thread must not read images.
    func imageRecord(
        _ form: ImageOrder.Form,
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        with reader: (any ImageReader)?
    ) throws(ImageError) -> ImageRecord {
        guard content.count > Self.maxRecognizedBytes || ImageFormat(of: content) != nil else {
            message.noteMismatch(content)
            throw ImageError(.notAnImage, at: 0)
        }
        guard let reader else { throw ImageError(.deferred) }
        guard let result = reader.read(content, [ImageOrder(form, options, limits)]).first else {
            throw ImageError(.decoderCrashed)
        }
        switch result {
        case .success(let record):
            message.take(record.findings, content)
            if let damage = record.damage, !record.findings.reportDamage { message.warnings.append(damage) }
            return record
        case .failure(let rejection):
            if rejection.error.reason == .deferred { throw rejection.error }
            var findings = rejection.findings
            if rejection.error.reason.mayPrecedeReading {
                findings.format = findings.format ?? ImageFormat(of: content)
            }
            message.take(findings, content)
            message.acceptsTruncated = rejection.acceptsTruncated
            throw rejection.error
        }
    }
}

extension ReceivedMessage {
    fileprivate mutating func take(_ findings: ImageFindings, _ content: Span<UInt8>) {
        if let format = findings.format, let actual = findings.mediaType {
            if let declared = type.mediaType, !declared.isUndecided, !format.isNamed(declared.essence) {
                warnings.append(Warning(.imageTypeMismatch(declared: declared.essence, actual: actual)))
            }
        } else {
            noteMismatch(content)
        }
        for warning in findings.warnings { warnings.append(warning) }
    }
}

extension JSONWriter {
    /// Writes the value of a record: its JSON, with the Base64 of its thumbnails.
    mutating func image(_ record: borrowing ImageRecord) {
        let json = record.json.span
        separate()
        guard admit(record.jsonBytes) else { return }
        buffer.reserve(record.jsonBytes)
        var start = 0
        for (offset, thumbnail) in zip(record.insertions, record.thumbnails) {
            buffer.append(json.extracting(first: offset).extracting(droppingFirst: start))
            Base64.encode(thumbnail.content.span) { buffer.append($0) }
            start = offset
        }
        buffer.append(json.extracting(droppingFirst: start))
        needsComma = true
    }
}

extension ImageRecord {
    /// The maximum nesting depth of ``json``, inclusive. That of the readers is half of it.
    private static let maxNestingDepth = 16

    /// Whether ``json`` is one minified object without duplicate names, and each insertion is at an empty string that
    /// is the value of a member `base64`. The text remains one such object when Base64 is inserted.
    package var hasValidJSON: Bool {
        guard json.first == UInt8(ascii: "{") else { return false }
        var options = JSONReader.Options()
        options.nulls = .keep
        options.duplicates = .reject
        options.prefixes = .reject
        options.limits.maxNestingDepth = Self.maxNestingDepth
        var writer = JSONWriter(capacity: json.count, maxBytes: json.count)
        var warnings = WarningList(max: 1)
        do throws(JSONError) {
            _ = try JSONReader.read(json.span, options: options, memory: .unlimited, into: &writer, warnings: &warnings)
        } catch { return false }
        guard !writer.isOverLimit, warnings.warnings.isEmpty, writer.buffer.withBytes({ $0.equals(json.span) }) else {
            return false
        }
        var last = 0
        for offset in insertions {
            let start = offset - Self.member.count
            // A quote inside a string is escaped, so that these are the quotes of the name and of its value.
            guard offset > last, start >= 0, offset < json.count, json[offset] == UInt8(ascii: "\""),
                json[start..<offset].elementsEqual(Self.member)
            else { return false }
            last = offset
        }
        return true
    }

    /// The text before an insertion.
    private static let member = Array(#""base64":""#.utf8)

    /// The length of the value with its thumbnails, in bytes.
    package var jsonBytes: Int {
        zip(insertions, thumbnails).reduce(json.count) { $0 + ($1.1.content.count + 2) / 3 * 4 }
    }
}
