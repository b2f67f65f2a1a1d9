import Serialization

/// The properties for any content: the reader either rejects it with a location inside it, or writes one JSON text that
/// is a feed.
///
/// The first byte of an input selects the options; the rest is the content.
package enum FeedOracle {
    package static let headBytes = 1

    /// Returns a description of the violated property, or `nil` if all properties hold.
    package static func violation(for input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        // A copy of exactly this size: the sanitizer detects a read beyond its end.
        let content = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: input.count - 1)
        defer { content.deallocate() }
        _ = content.initialize(fromContentsOf: input.dropFirst())
        return violation(content.span, options(choice), charset: choice & 4 == 0 ? nil : "iso-8859-1")
    }

    private static func violation(
        _ content: Span<UInt8>,
        _ options: FeedReader.Options,
        charset: String?
    ) -> String? {
        var writer = JSONWriter(maxBytes: options.limits.maxOutputBytes)
        var warnings = WarningList(max: options.limits.maxWarnings)
        let summary: FeedReader.Summary
        do throws(FeedFault) {
            summary = try FeedReader.read(
                content,
                options: options,
                charset: charset,
                into: &writer,
                warnings: &warnings
            )
        } catch {
            let location =
                switch error {
                case .xml(let error): error.location
                case .json(let error): error.location
                case .feed(let error): error.location
                }
            guard (0...content.count).contains(location.byte) else { return "a location outside the content: \(error)" }
            return writer.buffer.count == 0 ? nil : "a rejection that writes something: \(error)"
        }
        for warning in warnings.warnings {
            guard let byte = warning.location?.byte else { continue }
            guard (0...content.count).contains(byte) else { return "a location outside the content: \(warning)" }
        }
        if writer.isOverLimit { return nil }
        let json = [UInt8](writer.finish())
        if let violation = XMLOracle.notOneJSONText(json) { return violation }
        let beginning = Array(#"{"version":"https://jsonfeed.org/version/1.1""#.utf8)
        guard json.starts(with: beginning) else { return "the value is not a feed" }
        return items(of: json.span) == summary.facts.items ? nil : "another number of items than in the facts"
    }

    /// Returns the number of elements of `items`.
    private static func items(of json: Span<UInt8>) -> Int {
        var cursor = JSONCursor()
        var count = 0
        cursor.enter(in: json)
        while cursor.next(in: json) {
            guard cursor.name(in: json).text(in: json) == "items", cursor.kind(in: json) == .array else {
                _ = cursor.skip(in: json)
                continue
            }
            cursor.enter(in: json)
            while cursor.next(in: json) {
                _ = cursor.skip(in: json)
                count += 1
            }
        }
        return count
    }

    private static func options(_ choice: UInt8) -> FeedReader.Options {
        var options = FeedReader.Options(memory: .unlimited)
        options.isDeclaredJSON = choice & 1 != 0
        options.url = choice & 2 == 0 ? nil : "https://a.example/b/c?d#e"
        if choice & 8 != 0 { options.leniencies = .all }
        if choice & 16 != 0 { options.json.leniencies = .all }
        if choice & 128 != 0 {
            options.limits.maxNestingDepth = 4
            options.limits.maxWarnings = 2
            options.limits.maxPointerBytes = 12
            options.limits.maxOutputBytes = 300
            options.json.limits = options.limits
        }
        return options
    }
}
