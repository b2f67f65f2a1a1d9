import Serialization

/// The properties of the property list reader for any content.
///
/// The first byte of an input selects the options; the rest is the content:
///
///     nulls (bits 0–1), duplicates (2–3), surrogates (4), archive (5), hints (6), small limits (7)
package struct PropertyListOracle {
    private var options = PropertyListReader.Options(memory: .unlimited)

    /// Returns a description of the violated property, or `nil` if all properties hold for `input`.
    /// - Parameter head: The start of the content, so that the fuzzer does not have to find it.
    package static func violation(for input: [UInt8], head: [UInt8] = []) -> String? {
        guard let first = input.first else { return nil }
        let bytes = head + input.dropFirst()
        // A copy of exactly this size: the sanitizer detects a read beyond its end.
        let content = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        defer { content.deallocate() }
        _ = content.initialize(fromContentsOf: bytes)
        return PropertyListOracle(first).violation(content.span)
    }

    private init(_ head: UInt8) {
        options.nulls = NullPolicy.allCases[Int(head & 3) % 3]
        options.duplicates = DuplicateNames.allCases[Int(head >> 2 & 3)]
        options.surrogates = head & 0x10 == 0 ? .reject : .replace
        options.archive = head & 0x20 == 0 ? .keep : .resolve
        options.hints = head & 0x40 != 0
        if head & 0x80 != 0 {
            options.limits.maxNestingDepth = 4
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
        let summary: PropertyListReader.Summary
        do throws(PropertyListError) {
            summary = try PropertyListReader.read(content, options: options, into: &writer, warnings: &warnings)
        } catch {
            if !(0...content.count ~= error.location.byte) { return "an error is outside the content" }
            if (error.excerpt?.utf8.count ?? 0) > 64 { return "an excerpt is longer than 64 bytes" }
            return nil
        }
        if warnings.warnings.count > options.limits.maxWarnings + 1 { return "more warnings are listed than allowed" }
        for warning in warnings.warnings {
            if let place = warning.location, !(0...content.count ~= place.byte) {
                return "a warning is outside the content"
            }
        }
        if options.nulls == .keep, summary.nullsDropped != 0 { return "nulls were dropped that should be kept" }
        if writer.isOverLimit { return nil }
        let text = [UInt8](writer.buffer)
        if text.count > options.limits.maxOutputBytes { return "the output is too long" }
        return violation(ofText: text) ?? summary.hints.flatMap { violation(ofText: $0) }
    }

    /// Checks that the strictest JSON reader accepts the text and leaves it unchanged.
    private func violation(ofText text: [UInt8]) -> String? {
        var strict = JSONReader.Options()
        strict.nulls = .keep
        strict.duplicates = options.duplicates == .keep || options.archive == .resolve ? .keep : .reject
        strict.prefixes = .reject
        strict.limits.maxNestingDepth = Limits.hardMaxNestingDepth
        var writer = JSONWriter()
        var warnings = WarningList(max: 100)
        do throws(JSONError) {
            _ = try JSONReader.read(text.span, options: strict, memory: .unlimited, into: &writer, warnings: &warnings)
        } catch {
            return "the output is not JSON: \(error)"
        }
        return [UInt8](writer.buffer) == text ? nil : "the strict reader changes the output"
    }
}
