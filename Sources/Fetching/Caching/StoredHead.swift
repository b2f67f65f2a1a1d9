package import Primitives

// The head of a stored response: what is needed to decide whether and how it is used.
//
// Fields that belong to a connection or to one response are dropped when a response is stored: Connection and the
// fields that it names, Keep-Alive, TE, Transfer-Encoding, Upgrade and Proxy-* (RFC 9111 §3.1), Set-Cookie, and the
// fields that no-cache="…" names. Age is kept as a number.
//
// A 304 response replaces the fields that it has, except those that describe the content (RFC 9111 §3.2).
//
// Ambiguities, and how we resolve them:
// - Connection and no-cache="…" can name fields on which caching depends, such as Cache-Control. Connection must not
//   (RFC 9110 §7.6.1), and is ignored for them. no-cache then applies to the whole response.
// - A 304 response without a validator confirms the response whose validators were sent: many origins omit ETag.
// - Entity tags of a 304 response are compared weakly. An origin that compresses sends `W/"x"` with content and `"x"`
//   with 304, and RFC 9111 §4.3.4 would transfer it again each time. The stored tag is kept.
// - A new Last-Modified, without an entity tag that matches, is another representation.

/// The head of a stored response.
package struct StoredHead: Equatable, Sendable {
    package let status: Int

    /// The fields that are sent with the stored response, in order.
    package private(set) var fields: [HeaderFields.Field]

    package let control: CacheControl

    package let freshness: Freshness

    /// The names in `Vary`.
    package let varyNames: VaryNames

    /// The values of the fields that `Vary` names, in the request that was responded to.
    package let variant: VaryKey

    /// Whether a purge requested validation (`soft=true`).
    package var isSoftPurged = false

    /// - Parameters:
    ///   - fields: all fields of the response.
    ///   - control: the directives in them.
    ///   - transfer: the response with the fields that describe the last transfer.
    private init(
        status: Int,
        _ fields: [HeaderFields.Field],
        _ control: CacheControl,
        _ transfer: OriginResponse,
        for request: CacheRequest,
        heuristicSeconds: Int
    ) {
        let control = control.withoutEssentialNames
        self.status = status
        self.fields = Self.stored(fields, control: control)
        self.control = control
        freshness = Freshness(
            status: status,
            control: control,
            fields: fields,
            transfer: transfer,
            heuristicSeconds: heuristicSeconds
        )
        varyNames = VaryNames(ofResponse: fields) ?? .none
        variant = VaryKey(varyNames, request: request.fields)
    }

    /// The value of `ETag`; `nil` if there is none, or more than one.
    package var entityTag: String? { only("ETag") }

    /// The value of `Last-Modified`; `nil` if there is none, more than one, or no valid date.
    var lastModified: String? { only("Last-Modified").flatMap { HTTPDate.secondsSince1970($0) == nil ? nil : $0 } }

    /// Whether a directive of the response forbids every stale use (RFC 9111 §4.2.4).
    var forbidsStale: Bool { control.noCache || control.mustRevalidate || control.proxyRevalidate }

    /// Whether a directive of the response forbids a stale use that the response itself does not permit. RFC 9111
    /// §5.2.2.10: `s-maxage` has the meaning of `proxy-revalidate`. An origin that also sends `stale-…` permits that
    /// use.
    var forbidsUnannouncedStale: Bool { forbidsStale || control.sMaxAge != nil }

    private func only(_ name: String) -> String? {
        let values = fields.values(of: name)
        return values.count == 1 ? values[0] : nil
    }
}

/// The result of a 304 response (RFC 9111 §4.3.4).
package enum Freshening: Equatable, Sendable {
    case updated(StoredHead)
    /// The response describes another representation, or is too long together with the stored head.
    case other
}

extension StoredHead {
    /// The head to store for a response.
    init(_ response: OriginResponse, for request: CacheRequest, heuristicSeconds: Int) {
        self.init(
            status: response.status,
            response.fields,
            response.control,
            response,
            for: request,
            heuristicSeconds: heuristicSeconds
        )
    }

    /// Updates the head by a 304 response to a request that had its validators.
    func freshened(
        by response: OriginResponse,
        for request: CacheRequest,
        heuristicSeconds: Int
    ) -> Freshening {
        guard isValidated(by: response.fields) else { return .other }
        return updated(by: response, for: request, heuristicSeconds: heuristicSeconds)
    }

    /// Updates the head by a response to HEAD (RFC 9111 §4.3.5).
    /// - Returns: `nil` if nothing follows from the response; `.other` if the stored response is outdated.
    func freshened(byHead response: OriginResponse, for request: CacheRequest, heuristicSeconds: Int) -> Freshening? {
        guard status == 200, response.status == 200 else { return nil }
        for name in ["ETag", "Last-Modified", "Content-Length"] {
            let new = response.fields.values(of: name)
            let old = fields.values(of: name)
            // Content that was sent in chunks has no length in its head.
            if !new.isEmpty, new != old, name != "Content-Length" || !old.isEmpty { return .other }
        }
        // Without a validator, an equal length does not prove anything.
        guard !response.fields.values(of: "ETag").isEmpty || !response.fields.values(of: "Last-Modified").isEmpty else {
            return nil
        }
        return updated(by: response, for: request, heuristicSeconds: heuristicSeconds)
    }

    /// Returns whether a 304 response describes the stored response.
    private func isValidated(by fields: [HeaderFields.Field]) -> Bool {
        let tags = fields.values(of: "ETag")
        if let tag = tags.first, let stored = entityTag {
            guard tags.count == 1 else { return false }
            if tag == stored { return true }
            guard let tag = EntityTag(tag), let stored = EntityTag(stored) else { return false }
            return tag.matchesWeakly(stored)
        }
        let modified = fields.values(of: "Last-Modified")
        if let modified = modified.first, let stored = lastModified {
            return modified == stored || HTTPDate.secondsSince1970(modified) == HTTPDate.secondsSince1970(stored)
        }
        // The only validator is one that the stored response does not have.
        return tags.isEmpty && modified.isEmpty
    }

    private func updated(by response: OriginResponse, for request: CacheRequest, heuristicSeconds: Int) -> Freshening {
        let keptNames = entityTag == nil ? Self.keptNames : Self.keptNames.union(["etag"])
        let new = Self.stored(response.fields, control: response.control)
            .filter { !keptNames.contains($0.name.asciiLowercased) }
        let merged = Self.merge(new, into: fields)
        // Each response can add fields. A complete one is as long as any.
        guard FetchHead.hasValidLength(merged) else { return .other }
        let control = CacheControl(ofResponse: merged)
        return .updated(
            StoredHead(status: status, merged, control, response, for: request, heuristicSeconds: heuristicSeconds)
        )
    }

    /// Returns `fields` with the values of `new`. Fields that both have stay where they are, so that the order of the
    /// names differs only if the names do.
    private static func merge(
        _ new: [HeaderFields.Field],
        into fields: [HeaderFields.Field]
    ) -> [HeaderFields.Field] {
        let replacements = Dictionary(grouping: new) { $0.name.asciiLowercased }
        var placed: Set<String> = []
        var merged: [HeaderFields.Field] = []
        for field in fields {
            let name = field.name.asciiLowercased
            guard let replacement = replacements[name] else {
                merged.append(field)
                continue
            }
            if placed.insert(name).inserted { merged += replacement }
        }
        return merged + new.filter { !placed.contains($0.name.asciiLowercased) }
    }

    /// Fields of a 304 response that do not replace stored ones, in lower case (RFC 9111 §3.2).
    private static let keptNames: Set<String> = [
        "content-length", "content-encoding", "content-type", "content-range",
    ]

    /// Fields on which caching and serialization depend, in lower case. They are always stored.
    fileprivate static let essentialNames: Set<String> = [
        "cache-control", "content-encoding", "content-length", "content-range", "content-type", "date", "etag",
        "expires",
        "last-modified", "location", "vary",
    ]

    /// Returns the head as it is stored under a caller's key: without the fields in which the origin may repeat the URL
    /// of the request, which can contain a secret. Other callers receive the response too.
    ///
    /// These are `Content-Location`, and each field on which caching does not depend and that has a `?`, `&`, `=` or
    /// `%`.
    /// - Returns: `nil` if there is a `Location`: a redirect is that of one URL.
    var withoutURLs: StoredHead? {
        guard fields.values(of: "Location").isEmpty else { return nil }
        var head = self
        head.fields = fields.filter { field in
            let name = field.name.asciiLowercased
            if Self.essentialNames.contains(name) { return true }
            return name != "content-location" && !field.value.utf8.contains(where: Self.isOfQuery)
        }
        return head
    }

    /// Whether a byte separates the parts of a query, or is a part of an encoded one.
    private static func isOfQuery(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: "="), UInt8(ascii: "%"): true
        default: false
        }
    }

    /// Fields that are never stored, in lower case.
    private static let droppedNames: Set<String> = [
        "age", "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "set-cookie", "te", "transfer-encoding", "upgrade",
    ]

    /// Returns the fields that are stored.
    private static func stored(_ fields: [HeaderFields.Field], control: CacheControl) -> [HeaderFields.Field] {
        let connection = fields.values(of: "Connection")
        if connection.isEmpty, control.noCacheFields.isEmpty {
            return fields.filter { !droppedNames.contains($0.name.asciiLowercased) }
        }
        var dropped = droppedNames.union(control.noCacheFields)
        for value in connection {
            let text = value.utf8.span
            for entry in ListSyntax.entries(of: text) { dropped.insert(text.lowercasedText(entry)) }
        }
        dropped.subtract(essentialNames)
        return fields.filter { !dropped.contains($0.name.asciiLowercased) }
    }
}

extension CacheControl {
    /// The maximum number of names that are kept with a stored response.
    private static var maxStoredNames: Int { 32 }

    /// The directives, in which `no-cache` applies to the whole response if it names a field on which caching depends,
    /// or many fields.
    fileprivate var withoutEssentialNames: CacheControl {
        var control = self
        if noCacheFields.count > Self.maxStoredNames {
            control.noCache = true
            control.noCacheFields = []
        } else if noCacheFields.contains(where: StoredHead.essentialNames.contains) {
            control.noCache = true
        }
        return control
    }
}
