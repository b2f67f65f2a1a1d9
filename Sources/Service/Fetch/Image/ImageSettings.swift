internal import HTTP
internal import Serialization

/// The settings of `GET /v1/image`.
struct ImageSettings: Sendable {
    /// The thumbnails that need no signature.
    var sizes: ImageSizes
    /// The origins of pages that may read the images.
    var corsOrigins: CORSOrigins

    /// Returns the fields of every response to a request for an image: the image and the problem are of no use as a
    /// document, and text of an origin in them is never executed.
    func fields(for head: borrowing RequestHead) -> [HeaderFields.Field] {
        [Self.contentSecurityPolicy] + corsOrigins.fields(for: head.fields)
    }

    private static let contentSecurityPolicy = HeaderFields.Field(
        name: "Content-Security-Policy",
        value: "default-src 'none'; sandbox"
    )
}

/// A list of thumbnails, such as `64x64,256x256,fit=cover`: a part with `=` belongs to the size before it.
struct ImageSizes: Equatable, Sendable {
    /// In the order of the setting; empty for every thumbnail.
    private var thumbnails: [ThumbnailRequest] = []

    /// Every thumbnail.
    init() {}

    init?(parsing text: String) {
        guard !text.isEmpty else { return }
        var texts: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if part.contains("="), let last = texts.indices.last {
                texts[last] += "," + part
            } else {
                texts.append(String(part))
            }
        }
        for text in texts {
            guard let thumbnail = try? ThumbnailRequest(parsing: text),
                max(thumbnail.width, thumbnail.height) <= PlainImage.maxSide
            else { return nil }
            thumbnails.append(thumbnail)
        }
    }

    /// Whether everything is permitted.
    var isUnrestricted: Bool { thumbnails.isEmpty }

    /// Returns whether a thumbnail is one of the list, in any format unless the list states one: there are few formats,
    /// which clients negotiate.
    func contain(_ thumbnail: ThumbnailRequest) -> Bool {
        isUnrestricted
            || thumbnails.contains { listed in
                var listed = listed
                listed.format = listed.format ?? thumbnail.format
                return listed == thumbnail
            }
    }

    /// The thumbnails as they are written in the setting.
    var texts: [String] { thumbnails.map(\.text) }
}

/// The origins of pages that may read images with scripts (the CORS protocol of WHATWG Fetch).
struct CORSOrigins: Equatable, Sendable {
    /// Whether it is every origin.
    private var isAny = false
    private var origins: Set<String> = []

    /// The maximum length of an origin, in bytes, inclusive. The head of a response, which contains it, has 4 KiB.
    static let maxOriginBytes = 512

    /// No origin.
    init() {}

    /// Reads `*`, or a list such as `https://a.example,http://localhost:3000`, whose elements are written as browsers
    /// send them.
    init?(parsing text: String) {
        if text == "*" {
            isAny = true
            return
        }
        guard !text.isEmpty else { return }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard part.utf8.count <= Self.maxOriginBytes, Self.isOrigin(part.utf8) else { return nil }
            origins.insert(String(part))
        }
    }

    /// The fields of a response. Requests are simple: they need no other fields than those that browsers send without
    /// asking.
    func fields(for fields: borrowing RequestFields) -> [HeaderFields.Field] {
        if isAny { return [Self.allow("*"), Self.exposed] }
        guard !origins.isEmpty else { return [] }
        let vary = HeaderFields.Field(name: "Vary", value: "Origin")
        let given = fields.values(of: "Origin")
        guard given.count == 1, origins.contains(given[0]) else { return [vary] }
        return [vary, Self.allow(given[0]), Self.exposed]
    }

    private static func allow(_ origin: String) -> HeaderFields.Field {
        HeaderFields.Field(name: "Access-Control-Allow-Origin", value: origin)
    }

    /// The fields that scripts may read, besides those that are always readable.
    private static let exposed = HeaderFields.Field(
        name: "Access-Control-Expose-Headers",
        value:
            "Cache-Status, Decant-Fallback, Decant-Height, Decant-Outcome, Decant-Upstream-Status, "
            + "Decant-Warnings, Decant-Width, "
            + "Location, Retry-After, Server-Timing, X-Request-ID"
    )

    /// Returns whether the text is a scheme, a host and perhaps a port in lower case (WHATWG HTML, serialization of an
    /// origin).
    private static func isOrigin(_ text: Substring.UTF8View) -> Bool {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let (scheme, rest) = (text[..<colon], text[text.index(after: colon)...])
        let slashes = rest.prefix(2)
        let authority = rest.dropFirst(2)
        func isLetterOrDigit(_ byte: UInt8) -> Bool { byte.isLowercaseLetter || byte.isDecimalDigit }
        guard let first = scheme.first, first.isLowercaseLetter,
            scheme.allSatisfy({ isLetterOrDigit($0) || "+-.".utf8.contains($0) }),
            slashes.elementsEqual("//".utf8), !authority.isEmpty
        else { return false }
        return authority.allSatisfy { isLetterOrDigit($0) || "-._:[]".utf8.contains($0) }
    }
}

extension HeaderFields.Field {
    static func maxAge(seconds: Int) -> HeaderFields.Field {
        HeaderFields.Field(name: "Cache-Control", value: "max-age=\(seconds)")
    }
}
