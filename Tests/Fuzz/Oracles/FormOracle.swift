import Serialization

/// The properties of the form reader for any content.
///
/// The first byte of an input selects the options; the rest is the content:
///
///     arrays (bits 0–1), charset (2–3), small limits (7)
package struct FormOracle {
    private var options = FormReader.Options(memory: .unlimited)
    private let charset: String?

    /// Returns a description of the violated property, or `nil` if all properties hold for `input`.
    package static func violation(for input: [UInt8]) -> String? {
        guard let first = input.first else { return nil }
        let bytes = input.dropFirst()
        // A copy of exactly this size: the sanitizer detects a read beyond its end.
        let content = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        defer { content.deallocate() }
        _ = content.initialize(fromContentsOf: bytes)
        return FormOracle(first).violation(content.span)
    }

    private init(_ head: UInt8) {
        options.arrays = [.auto, .always, .names(["a", "b"]), .auto][Int(head & 3)]
        charset = [nil, "iso-8859-1", "gb18030", "utf-16"][Int(head >> 2 & 3)]
        if head & 0x80 != 0 {
            options.limits.maxWarnings = 2
            options.limits.maxPointerBytes = 12
            options.limits.maxKeyBytes = 5
            options.limits.maxObjectMembers = 3
            options.limits.maxOutputBytes = 300
        }
    }

    private func violation(_ content: Span<UInt8>) -> String? {
        var writer = JSONWriter(maxBytes: options.limits.maxOutputBytes)
        var warnings = WarningList(max: options.limits.maxWarnings)
        do throws(FormError) {
            _ = try FormReader.read(content, options: options, charset: charset, into: &writer, warnings: &warnings)
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
        if let violation = Self.violation(ofText: text) { return violation }
        guard charset == nil, UnicodeEncoding.detect(content) == (.utf8, 0), options.arrays == .auto else { return nil }
        return Self.model(content) == text ? nil : "the model has another value"
    }

    /// Checks that the strictest JSON reader accepts the text and leaves it unchanged.
    private static func violation(ofText text: [UInt8]) -> String? {
        var strict = JSONReader.Options()
        strict.nulls = .keep
        strict.duplicates = .reject
        strict.prefixes = .reject
        strict.limits.maxKeyBytes = text.count
        strict.limits.maxObjectMembers = text.count
        var writer = JSONWriter()
        var warnings = WarningList(max: 100)
        do throws(JSONError) {
            _ = try JSONReader.read(text.span, options: strict, memory: .unlimited, into: &writer, warnings: &warnings)
        } catch {
            return "the output is not JSON: \(error)"
        }
        return [UInt8](writer.buffer) == text ? nil : "the strict reader changes the output"
    }

    /// A simple parser, as the standard describes it (WHATWG URL §5.1), that shares no code with the reader.
    private static func model(_ content: Span<UInt8>) -> [UInt8] {
        var members: [(name: [UInt8], values: [[UInt8]])] = []
        let bytes = content.indices.map { content[$0] }
        for sequence in bytes.split(separator: UInt8(ascii: "&")) {
            let equals = sequence.firstIndex(of: UInt8(ascii: "=")) ?? sequence.endIndex
            let name = decoded(sequence[..<equals])
            let value = decoded(sequence[equals...].dropFirst())
            if let index = members.firstIndex(where: { $0.name == name }) {
                members[index].values.append(value)
            } else {
                members.append((name, [value]))
            }
        }
        var writer = JSONWriter()
        writer.beginObject()
        for member in members {
            writer.name(utf8: member.name.span)
            if member.values.count > 1 { writer.beginArray() }
            for value in member.values { writer.string(utf8: value.span) }
            if member.values.count > 1 { writer.endArray() }
        }
        writer.endObject()
        return [UInt8](writer.buffer)
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let escaped = UInt8(digits, radix: 16)
            {
                bytes.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return bytes
    }
}
