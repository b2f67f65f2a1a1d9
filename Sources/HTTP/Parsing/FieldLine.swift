internal import Primitives

/// A field line of a head or of a trailer section: `field-name ":" OWS field-value OWS` (RFC 9112 §5, §7.1.2).
package struct FieldLine {
    package let field: FieldName

    /// The offsets of the name and of the value, which has no leading or trailing white space.
    package let name: Range<Int>
    package let value: Range<Int>

    /// Parses a line without its CRLF, which is not empty.
    @inline(__always)
    package init(parsing window: Span<UInt8>, _ line: Range<Int>) throws(FieldLineError) {
        // RFC 9112 §5.2: a recipient must reject a folded line or unfold it.
        guard !FieldSyntax.isWhitespace(window[line.lowerBound]) else { throw .folded }
        guard let colon = window.firstOffset(of: UInt8(ascii: ":"), in: line) else { throw .missingColon }
        name = line.lowerBound..<colon
        field = FieldName(window.extracting(name))
        if !field.isToken, !FieldSyntax.isToken(window, name) { throw Self.nameFault(window, name) }
        value = FieldSyntax.trimmed(window, (colon + 1)..<line.upperBound)
        if let byte = FieldSyntax.forbiddenByte(in: window, value) {
            throw .invalidValue(name: name, byte: byte)
        }
    }

    private static func nameFault(_ window: Span<UInt8>, _ name: Range<Int>) -> FieldLineError {
        // RFC 9112 §5.1: a server must reject white space before the colon, which has been used to hide
        // `Content-Length`. A proxy must remove it from a response.
        if !name.isEmpty, FieldSyntax.isWhitespace(window[name.upperBound - 1]) {
            return .whitespaceBeforeColon(name: FieldSyntax.trimmed(window, name))
        }
        return .invalidName(name)
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
