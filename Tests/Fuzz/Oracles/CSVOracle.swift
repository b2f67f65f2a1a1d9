import Serialization

/// The properties of the CSV reader for any content.
///
/// The first two bytes of an input select the options; the rest is the content:
///
///     header (bit 0), escape (1), empty (2), hints (3), leniencies (4), delimiter (5–6), small limits (7)
///     nulls (0–1), charset (2–3), quote (4), truncated (5)
package struct CSVOracle {
    package static let headBytes = 2

    private var options = CSVReader.Options(memory: .unlimited)
    private let charset: String?

    /// Returns a description of the violated property, or `nil` if all properties hold for `input`.
    package static func violation(for input: [UInt8]) -> String? {
        guard input.count >= headBytes else { return nil }
        let bytes = input.dropFirst(headBytes)
        // A copy of exactly this size: the sanitizer detects a read beyond its end.
        let content = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        defer { content.deallocate() }
        _ = content.initialize(fromContentsOf: bytes)
        return CSVOracle(input[0], input[1]).violation(content.span)
    }

    private init(_ first: UInt8, _ second: UInt8) {
        options.header = first & 1 == 0 ? .present : .absent
        options.escape = first & 2 == 0 ? .quote : .backslash
        options.empty = first & 4 == 0 ? .string : .null
        options.hints = first & 8 != 0
        if first & 16 != 0 { options.leniencies = [.ragged, .declaredCharset] }
        options.delimiter =
            [
                .auto, .character(UInt8(ascii: ",")), .character(UInt8(ascii: ";")), .character(0x09),
            ][Int(first >> 5 & 3)]
        options.nulls = [.drop, .dropAll, .keep, .drop][Int(second & 3)]
        options.quote = second & 16 == 0 ? .double : .none
        options.isTruncated = second & 32 != 0
        charset = [nil, "iso-8859-1", "gb18030", "utf-16"][Int(second >> 2 & 3)]
        if first & 0x80 != 0 {
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
        let summary: CSVReader.Summary
        do throws(CSVError) {
            summary = try CSVReader.read(
                content,
                options: options,
                charset: charset,
                into: &writer,
                warnings: &warnings
            )
        } catch {
            if !(0...content.count ~= error.location.byte) { return "an error is outside the content" }
            if (error.excerpt?.utf8.count ?? 0) > 64 { return "an excerpt is longer than 64 bytes" }
            if writer.buffer.count > 0 { return "a part of rejected content was written" }
            guard isModelled(content) else { return nil }
            return Self.model(content, options) == nil ? nil : "the model accepts the content: \(error)"
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
        if let hints = summary.hints, let violation = hints.violationOfStrictJSON { return "hints: " + violation }
        guard isModelled(content) else { return nil }
        guard let model = Self.model(content, options) else { return "the model rejects the content" }
        return model == text ? nil : "the model has another value"
    }

    // MARK: The model

    private func isModelled(_ content: Span<UInt8>) -> Bool {
        guard case .character = options.delimiter, options.escape == .quote || options.quote == .none,
            options.empty == .string, options.leniencies == [], options.limits == Limits(), charset == nil
        else { return false }
        let bytes = content.indices.map { content[$0] }
        return String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
            && !bytes.starts(with: [0xEF, 0xBB])
            && !bytes.prefix(5).map({ $0 | 0x20 }).contains(UInt8(ascii: "="))
    }

    /// A parser that shares no code with the reader: it reads one character after the other.
    /// - Returns: `nil` if the content is rejected.
    private static func model(_ content: Span<UInt8>, _ options: CSVReader.Options) -> [UInt8]? {
        guard case .character(let delimiter) = options.delimiter,
            let records = records(content.indices.map { content[$0] }, delimiter, options)
        else { return nil }
        var rows = records[...]
        // An empty line is no record, unless it is known that there is one column.
        while rows.first == [[]] && (rows.first?.first?.isEmpty ?? false) && !isQuotedEmpty(rows.first) {
            rows = rows.dropFirst()
        }
        return write(Array(rows), hasHeader: options.header == .present)
    }

    private static func isQuotedEmpty(_ row: [Field]?) -> Bool { row?.first?.isQuoted ?? false }

    private struct Field: Equatable, ExpressibleByArrayLiteral {
        var bytes: [UInt8] = []
        var isQuoted = false
        var isEmpty: Bool { bytes.isEmpty }

        init() {}
        init(arrayLiteral elements: UInt8...) { bytes = elements }

        static func == (one: Field, other: Field) -> Bool { one.bytes == other.bytes }
    }

    private static func records(
        _ bytes: [UInt8],
        _ delimiter: UInt8,
        _ options: CSVReader.Options
    ) -> [[Field]]? {
        let hasQuotes = options.quote == .double
        let escaped: [UInt8] =
            !hasQuotes && options.escape == .backslash ? [delimiter, 0x0A, 0x0D] + "\"\\".utf8 : []
        var rows: [[Field]] = []
        var row: [Field] = []
        var field = Field()
        var isInQuotes = false
        /// Whether the field ended with a quote.
        var isClosed = false
        var index = 0
        var hasRecord = false
        func byte(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }
        while let next = byte(index) {
            index += 1
            hasRecord = true
            if isInQuotes {
                if next != UInt8(ascii: "\"") {
                    field.bytes.append(next)
                } else if byte(index) == next {
                    field.bytes.append(next)
                    index += 1
                } else {
                    isInQuotes = false
                    isClosed = true
                }
            } else if next == UInt8(ascii: "\\"), let second = byte(index), escaped.contains(second) {
                field.bytes.append(second)
                index += 1
                if second == 0x0D, byte(index) == 0x0A {
                    field.bytes.append(0x0A)
                    index += 1
                }
            } else if next == delimiter {
                row.append(field)
                field = Field()
                isClosed = false
            } else if next == 0x0A || next == 0x0D {
                if next == 0x0D, byte(index) == 0x0A { index += 1 }
                rows.append(row + [field])
                (row, field, isClosed, hasRecord) = ([], Field(), false, false)
            } else if isClosed {
                return nil
            } else if hasQuotes, next == UInt8(ascii: "\""), field.isEmpty {
                field.isQuoted = true
                isInQuotes = true
            } else {
                field.bytes.append(next)
            }
        }
        // The last record of truncated content is omitted, unless a line end follows it.
        if options.isTruncated { return rows }
        if isInQuotes { return nil }
        return hasRecord ? rows + [row + [field]] : rows
    }

    private static func write(_ rows: [[Field]], hasHeader: Bool) -> [UInt8]? {
        var writer = JSONWriter()
        writer.beginArray()
        let names = hasHeader ? uniqueNames((rows.first ?? []).map(\.bytes)) : []
        let count = rows.first?.count ?? 0
        for row in hasHeader ? rows.dropFirst() : rows[...] {
            if count != 1, row.count == 1, row[0].isEmpty, !row[0].isQuoted { continue }
            guard row.count == count else { return nil }
            if hasHeader { writer.beginObject() } else { writer.beginArray() }
            for (index, field) in row.enumerated() {
                if hasHeader {
                    let name = names[index]
                    writer.name(utf8: name.span)
                }
                writer.string(utf8: field.bytes.span)
            }
            if hasHeader { writer.endObject() } else { writer.endArray() }
        }
        writer.endArray()
        return [UInt8](writer.buffer)
    }

    private static func uniqueNames(_ names: [[UInt8]]) -> [[UInt8]] {
        var used = Set(names)
        var seen: Set<[UInt8]> = []
        return names.enumerated().map { index, name in
            var candidates: [[UInt8]] = []
            if name.isEmpty {
                candidates.append(Array("_\(index + 1)".utf8))
            } else if seen.insert(name).inserted {
                return name
            }
            let base = name.isEmpty ? Array("_\(index + 1)".utf8) : name
            candidates += (2...names.count + 2).map { base + Array("_\($0)".utf8) }
            let unique = candidates.first { !used.contains($0) } ?? []
            used.insert(unique)
            return unique
        }
    }
}

extension [UInt8] {
    /// Checks that the strictest JSON reader accepts the text and leaves it unchanged.
    var violationOfStrictJSON: String? {
        var strict = JSONReader.Options()
        strict.nulls = .keep
        strict.duplicates = .reject
        strict.prefixes = .reject
        strict.limits.maxKeyBytes = count
        strict.limits.maxNumberBytes = count
        strict.limits.maxObjectMembers = count
        var writer = JSONWriter()
        var warnings = WarningList(max: 100)
        do throws(JSONError) {
            _ = try JSONReader.read(span, options: strict, memory: .unlimited, into: &writer, warnings: &warnings)
        } catch {
            return "the output is not JSON: \(error)"
        }
        return [UInt8](writer.buffer) == self ? nil : "the strict reader changes the output"
    }
}
