import Serialization

/// The properties for any content: the reader either rejects it with a location inside it, or writes one JSON text.
///
/// The first byte of an input selects the form and options; the rest is the content. It is read strictly, and with all
/// leniencies.
package enum XMLOracle {
    /// Returns a description of the violated property, or `nil` if all properties hold.
    package static func violation(for input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        // A copy of exactly this size: the sanitizer detects a read beyond its end.
        let content = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: input.count - 1)
        defer { content.deallocate() }
        _ = content.initialize(fromContentsOf: input.dropFirst())
        let options = options(choice)
        var lenient = options
        lenient.leniencies = .all
        return violation(content.span, options) ?? violation(content.span, lenient)
            ?? difference(content.span, options, lenient)
    }

    /// Leniencies do not change the value of content that is read without them.
    private static func difference(
        _ content: Span<UInt8>,
        _ options: XMLReader.Options,
        _ lenient: XMLReader.Options
    ) -> String? {
        func value(_ options: XMLReader.Options) -> [UInt8]? {
            var writer = JSONWriter(maxBytes: options.limits.maxOutputBytes)
            var warnings = WarningList(max: options.limits.maxWarnings)
            guard (try? XMLReader.read(content, options: options, into: &writer, warnings: &warnings)) != nil,
                !writer.isOverLimit
            else { return nil }
            return [UInt8](writer.finish())
        }
        guard let strict = value(options) else { return nil }
        return value(lenient) == strict ? nil : "leniencies change the value of strict content"
    }

    private static func violation(_ content: Span<UInt8>, _ options: XMLReader.Options) -> String? {
        var writer = JSONWriter(maxBytes: options.limits.maxOutputBytes)
        var warnings = WarningList(max: options.limits.maxWarnings)
        do {
            _ = try XMLReader.read(content, options: options, into: &writer, warnings: &warnings)
        } catch {
            guard (0...content.count).contains(error.location.byte) else {
                return "a location outside the content: \(error)"
            }
            return writer.buffer.count == 0 ? nil : "a rejection that writes something: \(error)"
        }
        for warning in warnings.warnings {
            guard let byte = warning.location?.byte else { continue }
            guard (0...content.count).contains(byte) else { return "a location outside the content: \(warning)" }
        }
        if writer.isOverLimit { return nil }
        return notOneJSONText([UInt8](writer.finish()))
    }

    private static func options(_ choice: UInt8) -> XMLReader.Options {
        var options = XMLReader.Options(choice & 1 == 0 ? .compact : .document, memory: .unlimited)
        options.arrays = choice & 2 == 0 ? .auto : choice & 4 == 0 ? .always : .paths([["a", "b"], ["a"]])
        options.text = choice & 8 == 0 ? .auto : .object
        options.names = choice & 16 == 0 ? .prefixed : choice & 32 == 0 ? .local : .clark
        options.trims = choice & 64 != 0
        if choice & 128 != 0 {
            options.limits.maxNestingDepth = 4
            options.limits.maxWarnings = 2
            options.limits.maxPointerBytes = 12
            options.limits.maxXMLAttributes = 3
            options.limits.maxXMLEntityExpansionBytes = 100
            options.limits.maxOutputBytes = 300
        }
        return options
    }

    /// Checks with the JSON reader: strict, with a sufficient depth, and without duplicate names.
    static func notOneJSONText(_ json: [UInt8]) -> String? {
        var options = JSONReader.Options()
        options.duplicates = .reject
        options.limits.maxNestingDepth = Limits.hardMaxNestingDepth
        options.limits.maxKeyBytes = .max
        var writer = JSONWriter()
        var warnings = WarningList(max: 10)
        do {
            _ = try JSONReader.read(json.span, options: options, memory: .unlimited, into: &writer, warnings: &warnings)
        } catch {
            return "the value is not JSON: \(error)"
        }
        return nil
    }
}
