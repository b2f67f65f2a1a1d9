package import Primitives

// The directives of `Cache-Control`, of requests and responses (RFC 9111 §5.2, RFC 5861).
//
//     max-age=3600, No-Cache="Set-Cookie", foo="a, private"
//     maxAge 3600, noCacheFields ["set-cookie"]
//
// Unknown directives are ignored. Every byte is read a constant number of times.
//
// Ambiguities, and how we resolve them. Whatever is malformed must never make a response live longer:
// - A number is digits, with or without quotation marks. A directive that limits a lifetime and has any other argument,
//   or none, is 0: stale (RFC 9111 §4.2.1). A directive that permits more (`max-stale`, `stale-…`) is then ignored.
// - If a directive occurs twice, the stricter value applies: the smallest, and the greatest for `min-fresh`.
// - Numbers above 2³¹ are 2³¹ (RFC 9111 §1.2.2).
// - White space around `=` is not allowed, so the argument is malformed. Semicolons and spaces are not separators, but
//   services use them (`max-age=60; private`). The argument before them is malformed, and a directive after them
//   counts.
// - Arguments of directives that have none are ignored (`no-store=0` is `no-store`).
// - `no-cache="a, b"` names fields. If the list is not one of tokens, or is not quoted, the directive applies to the
//   whole response. `private` always does: RFC 9111 §5.2.2.7 notes that caches treat the qualified form so.
// - A quotation mark that is never closed is ignored, so that it does not hide the directives after it.

/// The directives of a message. Durations are in seconds, from 0 to ``maxSeconds``, and `nil` if the directive is
/// absent.
package struct CacheControl: Equatable, Sendable {
    /// The greatest duration, which also represents all greater ones (RFC 9111 §1.2.2).
    package static let maxSeconds = 1 << 31

    package var maxAge: Int?
    package var sMaxAge: Int?
    package var staleWhileRevalidate: Int?
    package var staleIfError: Int?
    /// ``maxSeconds`` if the directive has no argument, so that any staleness is accepted.
    package var maxStale: Int?
    package var minFresh: Int?

    /// Whether `no-cache` applies to the whole message.
    package var noCache = false
    /// The fields that `no-cache` names, in lower case.
    package var noCacheFields: [String] = []
    package var noStore = false
    package var isPrivate = false
    package var isPublic = false
    package var mustRevalidate = false
    package var proxyRevalidate = false
    package var mustUnderstand = false
    package var onlyIfCached = false

    package init() {}

    /// Reads the directives of a response. `Pragma` has no meaning in responses (RFC 9111 §5.4).
    package init(ofResponse fields: [HeaderFields.Field]) {
        for field in fields where field.name.equalsIgnoringASCIICase("Cache-Control") { read(field.value) }
    }

    /// Reads the directives of a request. `Pragma: no-cache` is `no-cache` if there is no `Cache-Control` (RFC 9111
    /// §5.4).
    package init(ofRequest fields: [HeaderFields.Field]) {
        var hasCacheControl = false
        var pragma = CacheControl()
        for field in fields {
            if field.name.equalsIgnoringASCIICase("Cache-Control") {
                hasCacheControl = true
                read(field.value)
            } else if field.name.equalsIgnoringASCIICase("Pragma") {
                pragma.read(field.value)
            }
        }
        if !hasCacheControl { noCache = pragma.noCache || !pragma.noCacheFields.isEmpty }
        // The directive of requests has no argument, which is ignored.
        if !noCacheFields.isEmpty { noCache = true }
    }
}
