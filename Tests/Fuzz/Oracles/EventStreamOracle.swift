import Serialization

/// The properties of the reader of event streams for any content.
///
/// The first byte of an input selects the options; the rest is the content:
///
///     data (bit 0), truncated (1), charset (2–3), nulls (4), leniencies (5), small limits (7)
package struct EventStreamOracle {
    package static let headBytes = 1

    private var options = EventStreamReader.Options(memory: .unlimited)
    private let charset: String?

    /// Returns a description of the violated property, or `nil` if all properties hold for `input`.
    package static func violation(for input: [UInt8]) -> String? {
        guard let first = input.first else { return nil }
        let bytes = input.dropFirst(headBytes)
        // A copy of exactly this size: the sanitizer detects a read beyond its end.
        let content = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        defer { content.deallocate() }
        _ = content.initialize(fromContentsOf: bytes)
        return EventStreamOracle(first).violation(content.span)
    }

    private init(_ head: UInt8) {
        options.data = head & 1 == 0 ? .text : .json
        options.truncated = head & 2 == 0 ? .reject : .allow
        charset = [nil, "iso-8859-1", "gb18030", "utf-16"][Int(head >> 2 & 3)]
        if head & 16 != 0 { options.json.nulls = .keep }
        if head & 32 != 0 {
            options.leniencies = .declaredCharset
            options.json.leniencies = .jsonText
        }
        if head & 0x80 != 0 {
            options.limits.maxWarnings = 2
            options.limits.maxPointerBytes = 12
            options.limits.maxNumberBytes = 3
            options.limits.maxOutputBytes = 300
            options.json.limits = options.limits
        }
    }

    private func violation(_ content: Span<UInt8>) -> String? {
        var writer = JSONWriter(maxBytes: options.limits.maxOutputBytes)
        var warnings = WarningList(max: options.limits.maxWarnings)
        do throws(EventStreamError) {
            _ = try EventStreamReader.read(
                content,
                options: options,
                charset: charset,
                into: &writer,
                warnings: &warnings
            )
        } catch {
            if !(0...content.count ~= error.location.byte) { return "an error is outside the content" }
            if (error.excerpt?.utf8.count ?? 0) > 64 { return "an excerpt is longer than 64 bytes" }
            return writer.buffer.count == 0 ? nil : "a part of rejected content was written"
        }
        if warnings.warnings.count > options.limits.maxWarnings + 1 { return "more warnings are listed than allowed" }
        for warning in warnings.warnings {
            if let location = warning.location, !(0...content.count ~= location.byte) {
                return "a warning is outside the content"
            }
        }
        if writer.isOverLimit { return nil }
        let text = [UInt8](writer.buffer)
        if text.count > options.limits.maxOutputBytes { return "the output is too long" }
        if let violation = text.violationOfStrictJSON { return violation }
        let bytes = content.indices.map { content[$0] }
        guard options.data == .text, charset == nil, options.limits == Limits(), !bytes.contains(0),
            let string = String(validating: bytes, as: UTF8.self), !bytes.starts(with: [0xEF, 0xBB])
        else { return nil }
        return Self.model(Array(string.utf8)) == text ? nil : "the model has another value"
    }

    /// The algorithm of the standard (HTML §9.2.6), which shares no code with the reader.
    private static func model(_ bytes: [UInt8]) -> [UInt8] {
        var lines: [[UInt8]] = []
        var line: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if byte == 0x0A, index > 0, bytes[index - 1] == 0x0D { continue }
            if byte == 0x0A || byte == 0x0D {
                lines.append(line)
                line = []
            } else {
                line.append(byte)
            }
        }
        var writer = JSONWriter()
        writer.beginArray()
        var data: [UInt8] = []
        var (event, id, retry): ([UInt8], [UInt8]?, [UInt8]?) = ([], nil, nil)
        for line in lines {
            guard !line.isEmpty else {
                if !data.isEmpty {
                    writer.beginObject()
                    if !event.isEmpty {
                        writer.name("event")
                        writer.string(utf8: event.span)
                    }
                    writer.name("data")
                    let text = Array(data.dropLast())
                    writer.string(utf8: text.span)
                    if let id {
                        writer.name("id")
                        writer.string(utf8: id.span)
                    }
                    if let retry {
                        writer.name("retry")
                        writer.raw(retry.span)
                    }
                    writer.endObject()
                }
                (data, event, id, retry) = ([], [], nil, nil)
                continue
            }
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            var value = line[colon...].dropFirst()
            if value.first == 0x20 { value = value.dropFirst() }
            switch String(decoding: line[..<colon], as: UTF8.self) {
            case "data": data += value + [0x0A]
            case "event": event = Array(value)
            case "id": id = Array(value)
            case "retry" where !value.isEmpty && value.allSatisfy({ 0x30...0x39 ~= $0 }):
                let digits = value.drop { $0 == 0x30 }
                // The default limit for the length of a number.
                if digits.count <= Limits().maxNumberBytes { retry = digits.isEmpty ? [0x30] : Array(digits) }
            default: break
            }
        }
        writer.endArray()
        return [UInt8](writer.buffer)
    }
}
