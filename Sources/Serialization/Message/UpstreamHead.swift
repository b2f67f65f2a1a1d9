// The header fields of an upstream response, and their meaning in the response of the service.
//
// Ambiguities in the standards, and how we resolve them:
// · An invalid field has no typed meaning. It is still reported as it was received.
// · A two-digit year (RFC 850) below 70 is in this century. The rule of RFC 9110 (50 years) would require a clock.
// · `X-RateLimit-Reset` is a number of seconds, or a point in time in seconds or milliseconds since 1970. A value of
//   more than 30 years is a point in time.
// · If a directive occurs twice, the first one counts (RFC 9111 §4.2.1).

/// The header fields of an upstream response, and their typed meaning.
public struct UpstreamHead: Equatable, Sendable {
    /// The fields in the order of the message, with names in lower case.
    public let fields: [HeaderFields.Field]

    /// Whether the caller has named the fields.
    package let hasNamedFields: Bool

    public let retryAfter: UpstreamTime?
    public let links: [UpstreamLink]
    public let etag: EntityTag?
    /// The date as RFC 3339, in UTC.
    public let lastModified: String?
    public let cacheControl: [CacheDirective]
    public let rateLimit: RateLimit?

    /// The fields of the trailer section, in the order of the message, names in lower case.
    public let trailers: [HeaderFields.Field]

    /// The responses before the final one, with the fields that are to be reported, names in lower case.
    public let history: [PrecedingResponse]

    /// - Returns: `nil` if no field and no preceding response is to be reported.
    init?(_ fields: HeaderFields, _ policy: UpstreamHeaderPolicy, message: MessageFacts? = nil) {
        let reported = policy.reported(fields)
        trailers = message.map { policy.reported($0.trailers) } ?? []
        history = (message?.history ?? []).map {
            PrecedingResponse(status: $0.status, fields: HeaderFields(policy.reported($0.fields)), url: $0.url)
        }
        guard !reported.isEmpty || !trailers.isEmpty || !history.isEmpty else { return nil }
        self.fields = reported
        hasNamedFields = if case .names = policy { true } else { false }
        let known = HeaderFields(reported)
        retryAfter = known.first("retry-after").flatMap { UpstreamTime(retryAfter: $0) }
        links = known.values(of: "link").flatMap { UpstreamLink.list($0) }
        etag = known.first("etag").flatMap { EntityTag($0) }
        lastModified = known.first("last-modified").flatMap { HTTPDate.rfc3339($0) }
        cacheControl = known.combined("cache-control").map { CacheDirective.list($0) } ?? []
        rateLimit = RateLimit(known)
    }
}

/// The selection of upstream header fields that are reported.
public enum UpstreamHeaderPolicy: Equatable, Sendable {
    /// All fields except `Set-Cookie`, which may contain credentials.
    case all
    case none
    /// The fields with these names, in lower case.
    case names([String])

    /// The maximum number of names in a list.
    public static let maxNames = 100

    /// Parses `all`, `none` or a comma-separated list of field names. Returns `nil` for anything else.
    public init?(parsing text: String) {
        switch text {
        case "all": self = .all
        case "none": self = .none
        default:
            let parts = text.parts(separatedBy: ",", omittingEmpty: false)
            guard parts.count <= Self.maxNames else { return nil }
            let names = parts.map { String($0).asciiLowercased }
            for name in names { guard name.isToken else { return nil } }
            self = .names(names)
        }
    }

    /// The text of the option.
    public var text: String {
        switch self {
        case .all: "all"
        case .none: "none"
        case .names(let names): names.joined(separator: ",")
        }
    }

    /// The fields that are reported, names in lower case.
    fileprivate func reported(_ fields: HeaderFields) -> [HeaderFields.Field] {
        fields.fields.compactMap { field in
            let name = field.name.asciiLowercased
            return reports(name) ? HeaderFields.Field(name: name, value: field.value) : nil
        }
    }

    private func reports(_ name: String) -> Bool {
        switch self {
        case .all: name != "set-cookie"
        case .none: false
        case .names(let names): names.contains(name)
        }
    }
}

/// A time in a field: a number of seconds from the response, or a date.
public enum UpstreamTime: Equatable, Sendable {
    case seconds(Int)
    /// A date as RFC 3339, in UTC.
    case date(String)

    /// Parses a number of seconds or an HTTP-date (RFC 9110 §10.2.3).
    fileprivate init?(retryAfter text: String) {
        if let seconds = Int(digits: text) {
            self = .seconds(seconds)
        } else if let date = HTTPDate.rfc3339(text) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// Parses a number of seconds, or a time in seconds or milliseconds since 1970.
    fileprivate init?(reset text: String) {
        guard let number = Int(digits: text.utf8.prefix { $0 != UInt8(ascii: ".") }) else {
            guard let date = HTTPDate.rfc3339(text) else { return nil }
            self = .date(date)
            return
        }
        // Thirty years.
        guard number > 946_684_800 else {
            self = .seconds(number)
            return
        }
        let seconds = number > 100_000_000_000 ? number / 1_000 : number
        guard RFC3339.seconds.contains(seconds) else { return nil }
        self = .date(RFC3339.text(secondsSince1970: seconds))
    }
}

/// One link of a `Link` field (RFC 8288 §3).
public struct UpstreamLink: Equatable, Sendable {
    /// The URI reference as received.
    public let target: String
    /// The relation types, in lower case unless they are URIs.
    public let relations: [String]
    /// The other parameters, with names in lower case.
    public let attributes: [(name: String, value: String)]

    public static func == (left: UpstreamLink, right: UpstreamLink) -> Bool {
        left.target == right.target && left.relations == right.relations
            && left.attributes.map(\.name) == right.attributes.map(\.name)
            && left.attributes.map(\.value) == right.attributes.map(\.value)
    }

    /// The maximum number of links in one field.
    private static let maxLinks = 100

    /// Parses the links before the first malformed one.
    fileprivate static func list(_ text: String) -> [UpstreamLink] {
        var scanner = FieldScanner(text)
        var links: [UpstreamLink] = []
        while links.count < maxLinks {
            scanner.skip(",")
            guard scanner.take("<"), let target = scanner.text(upTo: UInt8(ascii: ">")) else { break }
            var relations: [String]?
            var attributes: [(String, String)] = []
            while scanner.take(";") {
                guard let name = scanner.token()?.asciiLowercased else { continue }
                let value = scanner.take("=") ? scanner.tokenOrQuotedString() ?? "" : ""
                if name == "rel" {
                    // RFC 8288 §3.3: only the first occurrence counts.
                    relations = relations ?? value.parts(separatedBy: " ").map { Self.relation(String($0)) }
                } else {
                    attributes.append((name, value))
                }
            }
            links.append(UpstreamLink(target: target, relations: relations ?? [], attributes: attributes))
            guard scanner.take(",") else { break }
        }
        return links
    }

    /// Returns the relation type. Registered relation types compare case-insensitively.
    private static func relation(_ text: String) -> String {
        text.utf8.contains(UInt8(ascii: ":")) ? text : text.asciiLowercased
    }
}

/// A cache directive (RFC 9111 §5.2).
public struct CacheDirective: Equatable, Sendable {
    public enum Value: Equatable, Sendable {
        /// There is no argument.
        case none
        case seconds(Int)
        case text(String)
    }

    /// The name, in lower case.
    public let name: String
    public let value: Value

    fileprivate static func list(_ text: String) -> [CacheDirective] {
        var scanner = FieldScanner(text)
        var directives: [CacheDirective] = []
        while !scanner.isAtEnd, directives.count < 100 {
            scanner.skip(",")
            guard let name = scanner.token()?.asciiLowercased else { break }
            var value = Value.none
            if scanner.take("="), let argument = scanner.tokenOrQuotedString() {
                value = Int(digits: argument).map { .seconds($0) } ?? .text(argument)
            }
            if !directives.contains(where: { $0.name == name }) {
                directives.append(CacheDirective(name: name, value: value))
            }
            guard scanner.take(",") else { break }
        }
        return directives
    }
}

/// The number of requests that the upstream still accepts: from `RateLimit` (draft-ietf-httpapi-ratelimit-headers),
/// `RateLimit-Limit`, `-Remaining` and `-Reset`, or the same with `X-RateLimit-` or `X-Rate-Limit-`.
public struct RateLimit: Equatable, Sendable {
    public let limit: Int?
    public let remaining: Int?
    public let reset: UpstreamTime?

    /// The names of fields with one number each. They are made once, because every response is searched for them.
    private static let names = ["ratelimit-", "x-ratelimit-", "x-rate-limit-"].map { prefix in
        (limit: prefix + "limit", remaining: prefix + "remaining", reset: prefix + "reset")
    }

    fileprivate init?(_ fields: HeaderFields) {
        guard fields.fields.contains(where: { Self.mayName($0.name.utf8.span) }) else { return nil }
        var limit: Int?
        var remaining: Int?
        var reset: UpstreamTime?
        for names in Self.names {
            limit = limit ?? fields.first(names.limit).flatMap { Int(leading: $0) }
            remaining = remaining ?? fields.first(names.remaining).flatMap { Int(leading: $0) }
            reset = reset ?? fields.first(names.reset).flatMap { UpstreamTime(reset: $0) }
        }
        // `limit=100, remaining=50, reset=5` up to draft 7; `"policy";r=50;t=5` since then.
        for (name, value) in Self.parameters(fields.combined("ratelimit")) {
            switch name {
            case "limit": limit = limit ?? Int(digits: value)
            case "remaining", "r": remaining = remaining ?? Int(digits: value)
            case "reset", "t": reset = reset ?? Int(digits: value).map { .seconds($0) }
            default: break
            }
        }
        for (name, value) in Self.parameters(fields.combined("ratelimit-policy")) where name == "q" {
            limit = limit ?? Int(digits: value)
        }
        guard limit != nil || remaining != nil || reset != nil else { return nil }
        self.limit = limit
        self.remaining = remaining
        self.reset = reset
    }

    /// Whether a field may be about a rate limit. Most responses have none, and are not searched for each name.
    private static func mayName(_ name: Span<UInt8>) -> Bool {
        name.extracting(first: 9).equals("ratelimit") || name.extracting(first: 6).equals("x-rate")
    }

    private static func parameters(_ field: String?) -> [(name: String, value: String)] {
        guard let field else { return [] }
        let parts = field.utf8.split(maxSplits: 100) { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }
        return parts.prefix(100).compactMap { part in
            let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard pair.count == 2 else { return nil }
            return (withoutSpaces(pair[0]).asciiLowercased, withoutSpaces(pair[1]))
        }
    }

    private static func withoutSpaces(_ text: Substring.UTF8View) -> String {
        String(decoding: text.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    }
}

extension Int {
    /// Parses a decimal number of at most 15 digits.
    fileprivate init?(digits text: String) { self.init(digits: text.utf8[...]) }

    fileprivate init?(digits text: Substring.UTF8View) {
        guard text.count <= 15, let number = Substring(text).decimal() else { return nil }
        self = number
    }

    /// Parses the number at the start of a text: `100, 100;w=60`.
    fileprivate init?(leading text: String) { self.init(digits: text.utf8.prefix { $0.isDecimalDigit }) }
}

/// Reads the value of a field from left to right. White space before each item is skipped.
private struct FieldScanner {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { offset >= bytes.count }

    private mutating func advance<Result>(_ move: (Span<UInt8>, inout Int) -> Result) -> Result {
        var end = offset
        defer { offset = end }
        return move(bytes.span, &end)
    }

    private mutating func skipBlanks() { advance { $0.skipBlanks(&$1) } }

    /// Skips `character` if it is next. Returns whether it was.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard offset < bytes.count, UInt32(bytes[offset]) == character.value else { return false }
        offset += 1
        return true
    }

    /// Skips any number of occurrences of `character`.
    mutating func skip(_ character: Unicode.Scalar) { while take(character) {} }

    mutating func token() -> String? {
        skipBlanks()
        let start = offset
        advance { $0.skipToken(&$1) }
        return offset > start ? String(decoding: bytes[start..<offset], as: UTF8.self) : nil
    }

    /// Returns the text before the next `end` and skips both.
    mutating func text(upTo end: UInt8) -> String? {
        guard let close = bytes[offset...].firstIndex(of: end) else { return nil }
        defer { offset = close + 1 }
        return String(decoding: bytes[offset..<close], as: UTF8.self)
    }

    /// Reads a token or a quoted string (RFC 9110 §5.6.4 and §5.6.6). Any other value ends before the next delimiter.
    mutating func tokenOrQuotedString() -> String? {
        skipBlanks()
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
            let start = offset
            while offset < bytes.count, bytes[offset] != UInt8(ascii: ";"), bytes[offset] != UInt8(ascii: ",") {
                offset += 1
            }
            var end = offset
            while end > start, bytes[end - 1].isBlank { end -= 1 }
            return end > start ? String(decoding: bytes[start..<end], as: UTF8.self) : nil
        }
        return advance { $0.quotedString(&$1) }
    }
}
