import Images
import Serialization

/// The properties for any content: either the header readers reject it with a location inside it, or the facts are one
/// JSON object with distinct member names and locations inside the content.
///
/// The first byte of an input selects the entry point and the options; the rest is the content.
package enum ImageOracle {
    /// Returns a description of the violated property, or `nil` if all properties hold.
    package static func violation(for input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        // A copy of exactly this size: the sanitizer detects a read beyond its end.
        let content = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: input.count - 1)
        defer { content.deallocate() }
        _ = content.initialize(fromContentsOf: input.dropFirst())
        return switch choice & 12 {
        case 8: metadata(content.span, choice)
        case 12: compressed(content.span, max: Int(choice >> 4) << 8)
        default: header(content.span, choice)
        }
    }

    /// Detects the format by signature and calls its reader.
    private static func header(_ content: Span<UInt8>, _ choice: UInt8) -> String? {
        var options = ImageHeader.Options()
        options.exif = policy(choice)
        if choice & 16 != 0 { options.maxFrames = 2 }
        let facts: ImageFacts
        do {
            facts = try ImageHeader.read(content, options)
        } catch {
            guard let byte = error.byte else { return "a rejection without a location: \(error)" }
            return (0...content.count).contains(byte) ? nil : "a location outside the content: \(error)"
        }
        if facts.width ?? 1 < 0 || facts.height ?? 1 < 0 { return "a negative side" }
        for flaw in facts.flaws where facts.exifContent == nil && !(0...content.count).contains(flaw.byte) {
            return "a location outside the content: \(flaw)"
        }
        if let byte = facts.integrity.byte, !(0...content.count).contains(byte) {
            return "a location outside the content: \(facts.integrity)"
        }
        if facts.animation?.delaysMilliseconds.count ?? 0 > options.maxFrames { return "more frames than allowed" }
        var writer = JSONWriter()
        writer.image(facts, options.exif, content)
        return XMLOracle.notOneJSONText([UInt8](writer.finish()))
    }

    /// Reads EXIF and ICC without an image around them.
    private static func metadata(_ content: Span<UInt8>, _ choice: UInt8) -> String? {
        var facts = ImageFacts(.jpeg)
        var options = ImageHeader.Options()
        options.exif = policy(choice)
        var budget = HeaderBudget(content)
        facts.readEXIF(content, 0..<content.count, options, &budget)
        facts.readProfile(content, 0..<content.count, at: 0, &budget)
        var writer = JSONWriter()
        writer.image(facts, options.exif, content)
        return XMLOracle.notOneJSONText([UInt8](writer.finish()))
    }

    private static func compressed(_ content: Span<UInt8>, max: Int) -> String? {
        var budget = max
        let whole = ZlibStream.content(of: content, within: &budget)
        guard 0...max ~= budget else { return "a budget below 0, or above that before" }
        guard let all = whole else {
            return ZlibStream.content(of: content, prefix: max)?.count ?? 0 > max ? "more than requested" : nil
        }
        if all.count != max - budget { return "the budget was not reduced by the length of the content" }
        let half = ZlibStream.content(of: content, prefix: all.count / 2)
        return half == Array(all.prefix(all.count / 2)) ? nil : "the start differs from that of the complete data"
    }

    private static func policy(_ choice: UInt8) -> EXIFPolicy {
        switch choice & 3 {
        case 1: .none
        case 2: .public
        default: .typed
        }
    }
}
