extension ResponseSerializer {
    /// Returns what `reader` reads from an image.
    /// - Parameter reader: The reader; `nil` if this thread must not read images.
    func imageRecord(
        _ form: ImageOrder.Form,
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        with reader: (any ImageReader)?
    ) throws(ImageError) -> ImageRecord {
        guard let reader else { throw ImageError(.deferred) }
        guard let result = reader.read(content, [ImageOrder(form, options, limits)]).first else {
            throw ImageError(.decoderCrashed)
        }
        switch result {
        case .success(let record):
            message.take(record.findings, content)
            return record
        case .failure(let rejection):
            message.take(rejection.findings, content)
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
            buffer.append(json.extracting(start..<offset))
            Base64.encode(thumbnail.content.span) { buffer.append($0) }
            start = offset
        }
        buffer.append(json.extracting(start...))
        needsComma = true
    }
}

extension ImageRecord {
    /// The length of the value with its thumbnails, in bytes.
    package var jsonBytes: Int {
        zip(insertions, thumbnails).reduce(json.count) { $0 + ($1.1.content.count + 2) / 3 * 4 }
    }
}
