package import Primitives

// The fields that a caller may send to an origin. The caller's own fields are never forwarded; these are the pairs in
// `headers`.
//
//     ("accept ", "a/b")          rejected: the name is not a token
//     ("Accept", " a/b\t")        ("Accept", "a/b")
//     ("Content_Length", "5")     rejected, like Content-Length
//
// Fields that frame the message, that belong to the connection, or that Decant writes itself are rejected, and those
// with which some origins replace the method or the URL, which the rules permitted.
//
// Ambiguities, and how we resolve them:
// - `_` is a token character, and many servers pass fields to programs as variables in which `-` has become `_` (RFC
//   3875 §4.1.18). So `_` counts as `-` when a name is looked up in the list.
// - RFC 9110 §5.5 requires CR, LF and NUL to be rejected, and calls other control characters invalid. All are rejected
//   except the tab.
// - White space around a value is not a part of it (RFC 9110 §5.5), and is removed.

/// The reason why a field is rejected. The index is that of the pair in the list, starting from 0.
package enum FieldRejection: Error, Equatable, Sendable {
    /// The name is not a token (RFC 9110 §5.6.2).
    case malformedName(index: Int)
    /// The value contains a control character other than the tab at `at`, in bytes.
    case malformedValue(index: Int, at: Int)
    /// Callers may not send this field. The name is that of the list, such as `proxy-*`.
    case notAllowed(name: String, index: Int)
    /// All names and values together, with four bytes per field, are longer than `max`.
    case tooLong(bytes: Int, max: Int)
    case tooMany(max: Int)
}

package enum FieldRules {
    /// The maximum length of all names and values, with `: ` and the line break of each field, in bytes. It is
    /// inclusive.
    package static let maxBytes = 64 * 1024

    /// The maximum number of fields, inclusive: the thread that serves all fetches compares and sorts them.
    package static let maxCount = 256

    /// The names that callers may not send, in lower case and in alphabetical order.
    package static let rejectedNames = [
        "accept-encoding", "cdn-loop", "connection", "content-length", "early-data", "expect", "forwarded", "host",
        "http2-settings", "if-range", "keep-alive", "max-forwards", "proxy", "range", "te", "trailer",
        "transfer-encoding", "upgrade", "via", "x-http-method", "x-http-method-override", "x-method-override",
        "x-original-url", "x-rewrite-url",
    ]

    /// The beginnings of names that callers may not send, in lower case.
    static let rejectedPrefixes = ["proxy-", "x-forwarded-"]

    /// Validates fields, and returns them without the white space around their values.
    package static func check(_ fields: [HeaderFields.Field]) throws(FieldRejection) -> [HeaderFields.Field] {
        var checked: [HeaderFields.Field] = []
        var bytes = 0
        guard fields.count <= maxCount else { throw .tooMany(max: maxCount) }
        for (index, field) in fields.enumerated() {
            bytes += field.name.utf8.count + field.value.utf8.count + 4
            guard bytes <= maxBytes else { throw .tooLong(bytes: bytes, max: maxBytes) }
            guard field.name.isToken else { throw .malformedName(index: index) }
            if let rule = rule(rejecting: field.name) { throw .notAllowed(name: rule, index: index) }
            if let offset = field.value.utf8.span.firstForbiddenInField() {
                throw .malformedValue(index: index, at: offset)
            }
            checked.append(HeaderFields.Field(name: field.name, value: field.value.trimmingBlanks()))
        }
        return checked
    }

    /// Returns a name in lower case, with `-` in place of `_`.
    package static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0.asciiLowercased },
            as: UTF8.self
        )
    }

    /// Returns the entry of the lists that rejects `name`.
    private static func rule(rejecting name: String) -> String? {
        let folded = Self.folded(name)
        if let prefix = rejectedPrefixes.first(where: { folded.hasPrefix($0) }) { return prefix + "*" }
        return rejectedNames.contains(folded) ? folded : nil
    }
}
