internal import Primitives

extension CacheControl {
    /// The argument of a directive.
    private enum Argument {
        case none
        case token(Range<Int>)
        /// The range between the quotation marks. Escapes are not removed: no argument that has a meaning needs one.
        case quoted(Range<Int>)
        case malformed
    }

    /// Adds the directives of one field line.
    mutating func read(_ value: String) { read(value.utf8.span) }

    /// Adds the directives of one field line.
    package mutating func read(_ text: Span<UInt8>) {
        var reader = DirectiveReader(end: text.count)
        while let name = reader.nextName(in: text) {
            var argument = Argument.none
            let afterName = reader.offset
            text.skipBlanks(&reader.offset)
            if reader.isAt(UInt8(ascii: "="), text) {
                let hasBlanks = reader.offset != afterName
                reader.offset += 1
                let start = reader.offset
                text.skipBlanks(&reader.offset)
                let isExact = !hasBlanks && reader.offset == start
                if let range = reader.quotedString(in: text) {
                    argument = .quoted(range)
                } else {
                    argument = .token(reader.token(in: text))
                }
                if !isExact { argument = .malformed }
                text.skipBlanks(&reader.offset)
            }
            // Anything but a comma after a directive makes its argument malformed, and begins another member.
            if reader.offset < text.count, !reader.isAt(UInt8(ascii: ","), text) { argument = .malformed }
            apply(text.lowercasedText(name), argument, text)
        }
    }

    /// Returns whether a value is a list of the directives that requests have, each in the form of RFC 9111 §5.2.1 and
    /// RFC 5861 §4.
    static func hasOnlyRequestDirectives(_ value: String) -> Bool {
        let text = value.utf8.span
        return ListSyntax.entries(of: text).allSatisfy { entry in
            let equals = entry.first { text[$0] == UInt8(ascii: "=") }
            let seconds = equals.map { text.decimal($0 + 1..<entry.upperBound, clampedTo: CacheControl.maxSeconds) }
            switch (text.lowercasedText(entry.lowerBound..<(equals ?? entry.upperBound)), seconds) {
            case ("", nil), ("no-cache", nil), ("no-store", nil), ("no-transform", nil), ("only-if-cached", nil),
                ("max-stale", nil),
                ("max-age", .some(.some)), ("max-stale", .some(.some)), ("min-fresh", .some(.some)),
                ("stale-if-error", .some(.some)):
                return true
            default: return false
            }
        }
    }

    private mutating func apply(_ name: String, _ argument: Argument, _ text: Span<UInt8>) {
        switch name {
        case "max-age": Self.limit(&maxAge, Self.seconds(argument, text) ?? 0)
        case "s-maxage": Self.limit(&sMaxAge, Self.seconds(argument, text) ?? 0)
        case "stale-while-revalidate": Self.limit(&staleWhileRevalidate, Self.seconds(argument, text) ?? 0)
        case "stale-if-error": Self.limit(&staleIfError, Self.seconds(argument, text) ?? 0)
        case "max-stale":
            if case .none = argument {
                Self.limit(&maxStale, Self.maxSeconds)
            } else {
                Self.limit(&maxStale, Self.seconds(argument, text) ?? 0)
            }
        case "min-fresh": minFresh = max(minFresh ?? 0, Self.seconds(argument, text) ?? Self.maxSeconds)
        case "no-cache":
            if let names = Self.fieldNames(argument, text) { noCacheFields += names } else { noCache = true }
        case "no-store": noStore = true
        case "private": isPrivate = true
        case "public": isPublic = true
        case "must-revalidate": mustRevalidate = true
        case "proxy-revalidate": proxyRevalidate = true
        case "must-understand": mustUnderstand = true
        case "only-if-cached": onlyIfCached = true
        default: break
        }
    }

    private static func limit(_ value: inout Int?, _ seconds: Int) { value = min(value ?? maxSeconds, seconds) }

    private static func seconds(_ argument: Argument, _ text: Span<UInt8>) -> Int? {
        switch argument {
        case .token(let range), .quoted(let range): text.decimal(range, clampedTo: CacheControl.maxSeconds)
        case .none, .malformed: nil
        }
    }

    /// Returns the names of a quoted list of fields; `nil` for any other argument.
    private static func fieldNames(_ argument: Argument, _ text: Span<UInt8>) -> [String]? {
        guard case .quoted(let range) = argument else { return nil }
        var names: [String] = []
        var start = range.lowerBound
        for index in range.lowerBound...range.upperBound
        where index == range.upperBound || text[index] == UInt8(ascii: ",") {
            let name = text.trimmingBlanks(start..<index)
            start = index + 1
            // RFC 9110 §5.6.1.2: empty elements are ignored.
            if name.isEmpty { continue }
            guard text.isToken(name) else { return nil }
            names.append(text.lowercasedText(name))
        }
        return names.isEmpty ? nil : names
    }
}

/// Moves through the members of a field line.
private struct DirectiveReader {
    var offset = 0
    /// The length of the line, in bytes.
    let end: Int
    /// Whether a quotation mark that is never closed was found. All later ones are ignored, so that the line is not
    /// searched twice.
    var hasUnclosedQuote = false

    func isAt(_ byte: UInt8, _ text: Span<UInt8>) -> Bool { offset < end && text[offset] == byte }

    mutating func token(in text: Span<UInt8>) -> Range<Int> {
        let start = offset
        text.skipToken(&offset)
        return start..<offset
    }

    /// Returns the next token, or `nil` at the end. Strings and other bytes before it are skipped.
    mutating func nextName(in text: Span<UInt8>) -> Range<Int>? {
        while offset < end {
            if text[offset].isTokenCharacter { return token(in: text) }
            if quotedString(in: text) == nil { offset += 1 }
        }
        return nil
    }

    /// Returns the range inside a quoted string at the offset, and moves past it; `nil` if there is none.
    mutating func quotedString(in text: Span<UInt8>) -> Range<Int>? {
        guard isAt(UInt8(ascii: "\""), text), !hasUnclosedQuote else { return nil }
        let start = offset + 1
        var index = start
        while index < end {
            switch text[index] {
            case UInt8(ascii: "\""):
                offset = index + 1
                return start..<index
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        hasUnclosedQuote = true
        return nil
    }
}
