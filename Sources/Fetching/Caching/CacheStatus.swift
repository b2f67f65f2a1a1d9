internal import Primitives

// The value of `Cache-Status` (RFC 9211): a member of a list of structured fields (RFC 8941).
//
//     decant; hit; ttl=48
//     decant; fwd=stale; fwd-status=304; stored; collapsed
//     decant; fwd=stale; fwd-status=503; detail=stale-if-error
//
// The name of the cache is the token `decant`. A response of the cache alone has `hit`, a response for which the origin
// was asked has `fwd`, and a response for which the origin must not be asked has neither.

/// The value of `Cache-Status`.
package struct CacheStatus: Equatable, Sendable {
    /// The reason why the origin was asked (RFC 9211 §2.2).
    package enum ForwardReason: String, Equatable, Sendable, CaseIterable {
        /// The cache is not used: the mode is `no-store`, the URL is never stored, or the cache is off.
        case bypass
        /// The method's semantics require it.
        case method
        /// There is no response for the URL.
        case uriMiss = "uri-miss"
        /// There are responses for the URL, but not for the fields of the request.
        case varyMiss = "vary-miss"
        /// The stored response is stale.
        case stale
        /// The stored response is fresh, but the request does not accept it.
        case request
    }

    /// What the cache did.
    package enum Action: Equatable, Sendable {
        case hit
        case forwarded(ForwardReason)
        case none
    }

    package var action: Action
    /// The status of the origin's response.
    package var forwardStatus: Int?
    /// The remaining lifetime in seconds, negative if the response is stale.
    package var ttl: Int?
    /// Whether the response was stored.
    package var isStored = false
    /// Whether the request shared another request's fetch.
    package var isCollapsed = false
    package var detail: String?

    package init(_ action: Action) { self.action = action }

    /// The serialized value.
    package var value: String {
        var text =
            switch action {
            case .hit: "decant; hit"
            case .forwarded(let reason): "decant; fwd=" + reason.rawValue
            case .none: "decant"
            }
        if let forwardStatus { text += "; fwd-status=" + String(forwardStatus) }
        if let ttl { text += "; ttl=" + String(ttl) }
        if isStored { text += "; stored" }
        if isCollapsed { text += "; collapsed" }
        if let detail { text += "; detail=\(Self.item(detail))" }
        return text
    }

    /// Returns a token if the text is one, and otherwise a string (RFC 8941 §3.3). Characters that a string cannot have
    /// are replaced by `?`.
    private static func item(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let isToken =
            bytes.first.map { $0.isLetter || $0 == UInt8(ascii: "*") } == true
            && bytes.allSatisfy(\.isStructuredTokenCharacter)
        if isToken { return text }
        var string = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": string += "\\\(scalar)"
            case " "..."~": string.unicodeScalars.append(scalar)
            default: string += "?"
            }
        }
        return string + "\""
    }
}
