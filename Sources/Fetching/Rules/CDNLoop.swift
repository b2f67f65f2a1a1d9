internal import Primitives

// The `CDN-Loop` field (RFC 8586), by which a request that Decant sent to itself is detected.
//
//     received   CDN-Loop: other-cdn; trace="a, decant-5f2c…"
//     sent       CDN-Loop: decant-5f2c…
//                CDN-Loop: other-cdn; trace="a, decant-5f2c…"
//
// Only the identifiers of the list count. What is in a quoted string is a parameter of another CDN. What was received
// is passed on unchanged (RFC 8586 §2), so that every CDN of a loop can detect it. It is a part of no key: a request
// that joins another one is not sent.
//
// Ambiguities, and how we resolve them:
// - The own identifier precedes what was received, in a line of its own. So a quotation mark that is not closed, in a
//   received line, cannot hide it, even if a server joins the lines.
// - A quoted string that is not closed is none: the list is then read as if it had no quotation marks.
// - Values that RFC 8586 does not permit are read and passed on as far as they are ASCII. Others are rejected, because
//   they could not be passed on unchanged.

package struct CDNLoop: Equatable, Sendable {
    /// The maximum length of the received values that are passed on, as ``FieldRules/maxBytes`` counts them, in bytes,
    /// inclusive. The head of a request is not longer.
    package static let maxBytes = 16 << 10

    /// The maximum length of an identifier that is configured, in bytes, inclusive.
    package static let maxIdentifierBytes = 255

    /// The identifier of this deployment: a `cdn-id` of RFC 8586.
    package let identifier: String

    /// Creates the identifier `decant-` and 32 hexadecimal digits.
    /// - Parameter random: A number that differs in each process and cannot be guessed.
    package init(random: UInt128) { identifier = "decant-" + Hexadecimal.text(of: random) }

    /// - Returns: `nil` if the text is neither a token nor a host with a port.
    package init?(identifier: String) {
        let text = identifier.utf8.span
        guard text.count <= Self.maxIdentifierBytes else { return nil }
        if !text.isToken {
            // RFC 8586 §2: cdn-id = ( uri-host [ ":" port ] ) / pseudonym
            guard let colon = text.firstOffset(of: UInt8(ascii: ":"), in: 0..<text.count), text.isToken(0..<colon),
                colon + 1 < text.count, case .valid = Authority.port(text, (colon + 1)..<text.count)
            else { return nil }
        }
        self.identifier = identifier
    }

    /// Returns whether a request has the identifier of this deployment, so that it must be rejected as a loop.
    ///
    /// Identifiers are compared case-insensitively, because other software can change their case.
    /// - Parameter values: The values of all `CDN-Loop` fields of the request.
    package func isIn(_ values: [String]) -> Bool {
        values.contains { value in
            let text = value.utf8.span
            return isIn(text, respectsQuotes: Self.closesQuotes(value))
        }
    }

    private func isIn(_ text: Span<UInt8>, respectsQuotes: Bool) -> Bool {
        var start = 0
        while start <= text.count {
            // RFC 8586 §2: cdn-id *( OWS ";" OWS parameter )
            let end =
                respectsQuotes
                ? text.endOfListElement(from: start)
                : text.firstOffset(of: UInt8(ascii: ","), in: start..<text.count) ?? text.count
            let idEnd = text.firstOffset(of: UInt8(ascii: ";"), in: start..<end) ?? end
            if text.text(text.trimmingBlanks(start..<idEnd)).equalsIgnoringASCIICase(identifier) { return true }
            start = end + 1
        }
        return false
    }

    /// Returns whether every quoted string is closed, so that a comma after the text would be a separator.
    private static func closesQuotes(_ value: String) -> Bool {
        let value = value + ","
        let text = value.utf8.span
        var start = 0
        while start < text.count {
            let end = text.endOfListElement(from: start)
            guard end < text.count else { return false }
            start = end + 1
        }
        return true
    }

    /// Returns whether the values can be passed on unchanged.
    package static func canBePassedOn(_ values: [String]) -> Bool {
        values.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } } && bytes(of: values) <= maxBytes
    }

    /// The length of the fields with these values, as ``FieldRules/maxBytes`` counts them.
    private static func bytes(of values: [String]) -> Int {
        values.reduce(0) { $0 + name.utf8.count + $1.utf8.count + 4 }
    }

    /// The name of the field.
    package static var name: String { "CDN-Loop" }
}
