/// A field line of a head or of a trailer section: `field-name ":" OWS field-value OWS` (RFC 9112 §5, §7.1.2).
package struct FieldLine {
    /// The offsets of the name and of the value, which has no leading or trailing white space.
    package let name: Range<Int>
    package let value: Range<Int>

    /// Parses a line without its CRLF, which is not empty.
    package init(parsing window: Span<UInt8>, _ line: Range<Int>) throws(FieldLineError) {
        guard let name = Self.name(in: window, line),
            let parsed = FieldLine(window, line, name: name, isToken: window.isToken(name))
        else { throw Self.fault(in: window, line) }
        self = parsed
    }

    /// Returns the offsets of the text before the colon of a line that is not empty; `nil` if the line is rejected.
    private static func name(in window: Span<UInt8>, _ line: Range<Int>) -> Range<Int>? {
        // RFC 9112 §5.2: a recipient must reject a folded line or unfold it.
        guard !window[line.lowerBound].isBlank, let colon = window.firstOffset(of: UInt8(ascii: ":"), in: line) else {
            return nil
        }
        return line.lowerBound..<colon
    }

    /// Parses a line whose name has been found. It does not throw, because a function that throws a typed error is not
    /// inlined into another module.
    /// - Parameter isToken: whether the name is a token.
    /// - Returns: `nil` if the line is rejected.
    @inlinable @inline(__always)
    package init?(_ window: Span<UInt8>, _ line: Range<Int>, name: Range<Int>, isToken: Bool) {
        guard isToken else { return nil }
        self.name = name
        value = window.trimmingBlanks((name.upperBound + 1)..<line.upperBound)
        guard window.byteForbiddenInField(value) == nil else { return nil }
    }

    /// Returns the reason why a line is rejected.
    package static func fault(in window: Span<UInt8>, _ line: Range<Int>) -> FieldLineError {
        guard let name = name(in: window, line) else {
            return window[line.lowerBound].isBlank ? .folded : .missingColon
        }
        guard window.isToken(name) else {
            // RFC 9112 §5.1: a server must reject white space before the colon, which has been used to hide
            // `Content-Length`. A proxy must remove it from a response.
            let hasWhitespace = !name.isEmpty && window[name.upperBound - 1].isBlank
            return hasWhitespace ? .whitespaceBeforeColon(name: window.trimmingBlanks(name)) : .invalidName(name)
        }
        let value = window.trimmingBlanks((name.upperBound + 1)..<line.upperBound)
        return .invalidValue(name: name, byte: window.byteForbiddenInField(value) ?? 0)
    }
}

/// The reason why a field line is rejected. Ranges are offsets of the window.
package enum FieldLineError: Error, Equatable {
    /// The line begins with white space, and continues the previous one (RFC 9112 §5.2).
    case folded

    case missingColon

    /// White space precedes the colon. `name` is the name without white space.
    case whitespaceBeforeColon(name: Range<Int>)

    /// The name is not a token.
    case invalidName(Range<Int>)

    /// The value contains a control character other than the tab.
    case invalidValue(name: Range<Int>, byte: UInt8)
}
