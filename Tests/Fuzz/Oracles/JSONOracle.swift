import Serialization

/// The properties of the JSON reader for any content.
///
/// The first bytes of an input select the options; the rest is the content:
///
///     byte 0   nulls (bits 0–1), duplicates (2–3), records (4–5), fragments (6), surrogates (7)
///     byte 1   leniencies (0–4, all of them imply the others), sorted (5), canonical (6), prefixes and JSONP (7)
///     byte 2   small limits (0–1), charset label (2–5), text before the value (6), compare with the model (7)
package struct JSONOracle {
    package static let headBytes = 3

    private static let labels = [
        nil, nil, nil, nil, "utf-8", "iso-8859-1", "windows-1252", "shift_jis", "gb18030", "big5", "euc-kr", "euc-jp",
        "gbk", "utf-16", "koi8-r", "nonsense",
    ]

    private var options = JSONReader.Options()
    private var label: String?
    private var writesSecond = false
    private var comparesWithModel = false

    /// Returns a description of the violated property, or `nil` if all properties hold for `input`.
    package static func violation(for input: [UInt8]) -> String? {
        guard input.count >= headBytes else { return nil }
        let oracle = JSONOracle(head: input[0], input[1], input[2])
        // A copy of exactly this size: the sanitizer detects a read beyond its end.
        let content = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: input.count - headBytes)
        defer { content.deallocate() }
        _ = content.initialize(fromContentsOf: input[headBytes...])
        return oracle.violation(content.span)
    }

    private init(head first: UInt8, _ second: UInt8, _ third: UInt8) {
        options.nulls = NullPolicy.allCases[Int(first & 3) % 3]
        options.duplicates = DuplicateNames.allCases[Int(first >> 2 & 3)]
        options.records = [nil, .lines, .sequence, .concatenated][Int(first >> 4 & 3)]
        options.fragments = first & 0x40 == 0
        options.surrogates = first & 0x80 == 0 ? .reject : .replace
        options.leniencies = second & 0x1F == 0x1F ? .all : Leniencies(rawValue: UInt16(second & 0x1F))
        options.keys = second & 0x20 == 0 ? .source : .sorted
        options.isCanonical = second & 0x40 != 0
        options.prefixes = second & 0x80 == 0 ? .reject : .strip
        options.acceptsJSONP = second & 0x80 != 0
        switch third & 3 {
        case 0: break
        case 1:
            options.limits.maxNestingDepth = 4
            options.limits.maxWarnings = 2
            options.limits.maxPointerBytes = 12
        case 2:
            options.limits.maxNumberBytes = 8
            options.limits.maxKeyBytes = 5
            options.limits.maxObjectMembers = 3
        default:
            options.limits.maxNestingDepth = 1024
            options.limits.maxWarnings = 0
        }
        label = Self.labels[Int(third >> 2 & 15)]
        writesSecond = third & 0x40 != 0
        comparesWithModel = third & 0x80 != 0
    }

    private func violation(_ content: Span<UInt8>) -> String? {
        switch Reading(content, options, label: label, afterAnother: writesSecond) {
        case .read(let text, let nullsDropped, let warnings):
            return violation(ofWarnings: warnings, content)
                ?? violation(ofText: text, nullsDropped, content)
                ?? (comparesWithModel ? violation(ofModel: .read(text, nullsDropped, warnings), content) : nil)
        case .refused(let error, let left, let warnings):
            return violation(ofWarnings: warnings, content)
                ?? violation(ofError: error, left, content)
                ?? (comparesWithModel ? violation(ofModel: .refused(error, left, []), content) : nil)
        }
    }

    // MARK: Accepted content

    private func violation(ofText text: [UInt8], _ nullsDropped: Int, _ content: Span<UInt8>) -> String? {
        guard String(validating: text, as: UTF8.self) != nil else { return "the output is not UTF-8" }
        if options.nulls == .keep, nullsDropped != 0 { return "nulls were dropped that should be kept" }
        if nullsDropped * 4 > content.count { return "more nulls were dropped than the content has" }
        if text.count > longestOutput(content) { return "the output is too long" }

        // The strictest reader accepts it and leaves it unchanged.
        var strict = JSONReader.Options()
        strict.nulls = .keep
        strict.duplicates = options.duplicates == .keep ? .keep : .reject
        strict.prefixes = .reject
        // Many records are one array, which has one more level than each of them.
        strict.limits.maxNestingDepth = Limits.hardMaxNestingDepth
        let again = Reading(text.span, strict, label: nil, afterAnother: false)
        guard again == .read(text, nullsDropped: 0, []) else {
            if options.records != nil, case .refused(let error, _, _) = again, case .nestingTooDeep = error.reason {
                return nil
            }
            return "the strict reader changes the output: \(again)"
        }

        // The same options leave it unchanged too; many records are now one array.
        var same = options
        same.records = nil
        same.fragments = true
        same.limits = strict.limits
        guard Reading(text.span, same, label: nil, afterAnother: false) == .read(text, nullsDropped: 0, []) else {
            return "the same options change the output"
        }
        return nil
    }

    private func longestOutput(_ content: Span<UInt8>) -> Int {
        // A comma between two records may be new, and so may the brackets around them.
        if options.records != nil { return 24 * content.count + 2 }
        // `1e20` in the canonical form; a byte of a charset that is three in UTF-8; a quote that was a single one.
        let isPlain = options.leniencies.isEmpty && !options.isCanonical && label == nil
        return isPlain && isUTF8(content) ? content.count : 24 * content.count
    }

    private func isUTF8(_ content: Span<UInt8>) -> Bool {
        (try? UTF8Span(validating: content)) != nil && !(0..<min(2, content.count)).contains { content[$0] == 0 }
    }

    // MARK: Rejected content

    private func violation(ofError error: JSONError, _ left: [UInt8], _ content: Span<UInt8>) -> String? {
        if left != Reading.before(writesSecond) { return "a rejection left something in the writer" }
        if (error.excerpt?.utf8.count ?? 0) > 64 { return "an excerpt is longer than 64 bytes" }
        if (error.found?.utf8.count ?? 0) > 18 { return "a quoted character is too long" }
        return violation(ofLocation: error.location, content)
    }

    private func violation(ofWarnings warnings: [Warning], _ content: Span<UInt8>) -> String? {
        var listed = warnings
        if case .truncated(let count) = listed.last?.kind {
            if count <= 0 { return "no warning was omitted" }
            listed.removeLast()
        }
        if listed.count > options.limits.maxWarnings { return "more warnings are listed than allowed" }
        for warning in listed {
            if warning.message.isEmpty { return "a warning has no message" }
            if let location = warning.location, let violation = violation(ofLocation: location, content) {
                return violation
            }
        }
        return nil
    }

    private func violation(ofLocation location: SourceLocation, _ content: Span<UInt8>) -> String? {
        if !(0...content.count).contains(location.byte) { return "a location is outside the content: \(location)" }
        if (location.line ?? 1) < 1 || (location.column ?? 1) < 1 { return "a line or column is below 1: \(location)" }
        // "/…" replaces the part that did not fit.
        if let pointer = location.pointer, pointer.utf8.count > options.limits.maxPointerBytes + 4 {
            return "a pointer is too long: \(pointer)"
        }
        if (location.record ?? 0) < 0 { return "the index of a record is negative" }
        return nil
    }

    // MARK: The model

    /// Compares with the model of strict JSON if it applies: nothing beyond RFC 8259 is allowed, no text is rewritten,
    /// and no limit is reached.
    private func violation(ofModel reading: Reading, _ content: Span<UInt8>) -> String? {
        let isStrict =
            options.leniencies.isEmpty && options.records == nil && options.surrogates == .reject && options.fragments
            && options.prefixes == .reject && !options.isCanonical && label == nil
            && options.limits.maxNumberBytes > 8
        let bytes = (0..<content.count).map { content[$0] }
        if !isStrict || bytes.prefix(2).contains(0) || [0xEF, 0xFE, 0xFF].contains(bytes.first) { return nil }

        let expected = Verdict(model: bytes, options)
        let actual: Verdict =
            switch reading {
            case .read(let text, let nullsDropped, _): .read(text, nullsDropped: nullsDropped)
            case .refused(let error, _, _): .refused(byte: error.location.byte)
            }
        return actual == expected ? nil : "expected by the model: \(expected), actual: \(actual)"
    }

    private enum Verdict: Equatable, CustomStringConvertible {
        case read([UInt8], nullsDropped: Int)
        case refused(byte: Int)

        init(model content: [UInt8], _ options: JSONReader.Options) {
            do throws(ModelParser.Failure) {
                let document = try ModelParser.parse(
                    content,
                    maxDepth: options.limits.maxNestingDepth,
                    rejectsDuplicates: options.duplicates == .reject
                )
                let output = ModelOutput(document, options.nulls, options.duplicates, options.keys)
                self = .read(output.text, nullsDropped: output.nullsDropped)
            } catch {
                self = .refused(byte: error.offset)
            }
        }

        var description: String {
            switch self {
            case .read(let text, let nullsDropped):
                "\(String(decoding: text, as: UTF8.self)) without \(nullsDropped) nulls"
            case .refused(let byte): "refused at \(byte)"
            }
        }
    }
}

/// The result of reading content.
private enum Reading: Equatable {
    case read([UInt8], nullsDropped: Int, [Warning])
    /// A rejection, with the content of the writer afterwards.
    case refused(JSONError, [UInt8], [Warning])

    static func read(_ text: [UInt8], _ nullsDropped: Int, _ warnings: [Warning]) -> Reading {
        .read(text, nullsDropped: nullsDropped, warnings)
    }

    /// Returns the content of the writer before the value.
    static func before(_ isAfterAnother: Bool) -> [UInt8] {
        Array((isAfterAnother ? "[0" : "").utf8)
    }

    init(_ content: Span<UInt8>, _ options: JSONReader.Options, label: String?, afterAnother: Bool) {
        var writer = JSONWriter(capacity: 0)
        var warnings = WarningList(max: options.limits.maxWarnings)
        if afterAnother {
            writer.beginArray()
            writer.integer(0)
        }
        do throws(JSONError) {
            let summary = try JSONReader.read(
                content,
                options: options,
                memory: .unlimited,
                charset: label,
                into: &writer,
                warnings: &warnings
            )
            let text = [UInt8](writer.buffer)
            self = .read(
                Array(text.dropFirst(afterAnother ? 3 : 0)),
                nullsDropped: summary.nullsDropped,
                warnings.warnings
            )
        } catch {
            self = .refused(error, [UInt8](writer.buffer), warnings.warnings)
        }
    }
}
