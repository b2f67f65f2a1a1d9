internal import Primitives

/// The `CDN-Loop` field (RFC 8586), by which a request that Decant sent to itself is detected.
///
///     CDN-Loop: decant-5f2c…, other-cdn; trace="a, decant-5f2c…"
///
/// Only the identifiers of the list count. What is in a quoted string is a parameter of another CDN.
package struct CDNLoop: Equatable, Sendable {
    /// The identifier of this process: a token.
    package let identifier: String

    /// Creates the identifier `decant-` and 32 hexadecimal digits.
    /// - Parameter random: A number that differs in each process and cannot be guessed.
    package init(random: UInt128) {
        identifier = "decant-" + Hexadecimal.text(of: random)
    }

    /// Returns whether a request has the identifier of this process, so that it must be rejected as a loop.
    ///
    /// Values that RFC 8586 does not permit are read as far as possible: the field is a protection, and nothing else
    /// depends on it. Identifiers are compared case-insensitively, because other software can change their case.
    /// - Parameter values: The values of all `CDN-Loop` fields of the request.
    package func isIn(_ values: [String]) -> Bool {
        values.contains { value in
            let text = value.utf8.span
            var start = 0
            while start <= text.count {
                // RFC 8586 §2: cdn-id *( OWS ";" OWS parameter )
                let end = text.endOfListElement(from: start)
                let idEnd = text.firstOffset(of: UInt8(ascii: ";"), in: start..<end) ?? end
                if text.text(text.trimmingBlanks(start..<idEnd)).equalsIgnoringASCIICase(identifier) { return true }
                start = end + 1
            }
            return false
        }
    }
}
