extension ProblemCode {
    /// The properties that are the same for every occurrence of a code.
    struct Entry: Sendable {
        /// The status code of the HTTP response.
        let status: Int
        /// The title, which is the same for every occurrence (RFC 9457 §3.1.3).
        let title: String
        let domain: ErrorDomain
        /// The number in ``domain``. In the domains of AFNetworking, it is the number that AFNetworking uses.
        let domainCode: Int
        let stage: Stage

        fileprivate init(_ status: Int, _ title: String, _ domain: ErrorDomain, _ domainCode: Int, _ stage: Stage) {
            self.status = status
            self.title = title
            self.domain = domain
            self.domainCode = domainCode
            self.stage = stage
        }

        /// The entry of a JSON or property list error. 3840 is `NSPropertyListReadCorruptError`, which Foundation's JSON parser uses too.
        fileprivate static func cocoa(_ title: String) -> Entry {
            Entry(422, title, .cocoa, 3840, .decoding)
        }

        /// The entry of an XML error. A link usually has libxml2's own number instead of 111, which is `XML_ERR_USER_STOP`.
        fileprivate static func xml(_ title: String) -> Entry {
            Entry(422, title, .xmlParser, 111, .decoding)
        }
    }

    /// The status, title, domain, number and stage of the code.
    var entry: Entry {
        switch self {
        // MARK: The request to Decant
        case .invalidOption: Entry(400, "Invalid option", .request, 1, .request)
        case .invalidField: Entry(400, "Invalid field", .request, 4, .request)
        case .conflictingFields: Entry(400, "Conflicting fields", .request, 5, .request)
        case .invalidEnvelope: Entry(400, "Invalid envelope", .request, 6, .request)
        case .malformedFraming: Entry(400, "Malformed request", .request, 7, .request)
        case .targetTooLong: Entry(414, "Target too long", .request, 13, .request)
        case .headTooLarge: Entry(431, "Header fields too large", .request, 14, .request)
        case .unsupportedTransferCoding: Entry(501, "Unsupported transfer coding", .request, 15, .request)
        case .unsupportedVersion: Entry(505, "Unsupported version", .request, 16, .request)
        case .notFound: Entry(404, "Not found", .request, 8, .request)
        case .methodNotAllowed: Entry(405, "Method not allowed", .request, 9, .request)
        case .notAcceptable: Entry(406, "Not acceptable", .request, 12, .request)
        case .contentTooLarge: Entry(413, "Content too large", .request, 10, .request)
        case .unsupportedMediaType: Entry(415, "Unsupported media type", .request, 11, .request)

        // MARK: The token or the signature
        case .tokenMissing: Entry(401, "Token missing", .request, 17, .request)
        case .tokenInvalid: Entry(401, "Invalid token", .request, 18, .request)
        case .permissionMissing: Entry(403, "Permission missing", .request, 19, .request)
        case .signatureInvalid: Entry(403, "Invalid signature", .fetch, 1, .request)
        case .signatureExpired: Entry(403, "Signature expired", .fetch, 2, .request)

        // MARK: The message
        case .messageInvalidStatusLine: Entry(400, "Invalid status line", .message, 1, .request)
        case .messageUnsupportedVersion: Entry(400, "Unsupported version", .message, 2, .request)
        case .messageBareLineFeed: Entry(400, "Bare line feed", .message, 3, .request)
        case .messageInvalidField: Entry(400, "Invalid field line", .message, 4, .request)
        case .messageHeadTooLarge: Entry(400, "Head too large", .message, 5, .request)
        case .messageInvalidLength: Entry(400, "Invalid Content-Length", .message, 6, .request)
        case .messageConflictingFraming: Entry(400, "Conflicting framing", .message, 7, .request)
        case .messageUnsupportedTransferCoding: Entry(400, "Unsupported transfer coding", .message, 8, .request)
        case .messageMalformedChunk: Entry(400, "Malformed chunk", .message, 9, .request)
        case .messageTruncated: Entry(400, "Truncated message", .message, 10, .request)
        case .messageTrailingBytes: Entry(400, "Bytes after the response", .message, 11, .request)

        // MARK: The upstream's response
        case .unacceptableStatus: Entry(422, "Unacceptable status", .alamofire, -1011, .validation)
        case .unacceptableType: Entry(422, "Unacceptable content type", .alamofire, -1016, .validation)
        case .typeMismatch: Entry(422, "Content of another type", .encoding, 9, .decoding)
        case .codingUnsupported: Entry(422, "Unsupported content coding", .encoding, 1, .coding)
        case .codingTruncated: Entry(422, "Truncated content coding", .encoding, 4, .coding)
        case .codingCorrupt: Entry(422, "Corrupt content coding", .encoding, 5, .coding)
        case .codingWindowTooLarge: Entry(422, "Window too large", .encoding, 6, .coding)
        case .codingDictionary: Entry(422, "Dictionary required", .encoding, 7, .coding)
        case .charsetUnsupported: Entry(422, "Unsupported charset", .encoding, 3, .decoding)

        // MARK: The upstream's JSON
        case .jsonUnexpectedCharacter: .cocoa("Malformed JSON")
        case .jsonUnexpectedEnd: .cocoa("Truncated JSON")
        case .jsonTrailingContent: .cocoa("Content after JSON")
        case .jsonInvalidNumber: .cocoa("Invalid JSON number")
        case .jsonInvalidLiteral: .cocoa("Invalid JSON literal")
        case .jsonInvalidEscape: .cocoa("Invalid JSON escape")
        case .jsonLoneSurrogate: .cocoa("Lone surrogate")
        case .jsonControlCharacter: .cocoa("Control character in a string")
        case .jsonInvalidEncoding: .cocoa("Invalid text encoding")
        case .jsonDuplicateName: .cocoa("Duplicate member name")
        case .jsonTopLevelScalar: .cocoa("Top-level scalar")
        case .jsonNestingTooDeep: .cocoa("Nesting too deep")
        case .jsonNumberTooLong: .cocoa("Number too long")
        case .jsonKeyTooLong: .cocoa("Member name too long")
        case .jsonNumberNotRepresentable: .cocoa("Number beyond the range of a double")
        case .jsonTooManyMembers: .cocoa("Too many members")

        // MARK: The upstream's property lists
        case .plistNotAPropertyList: .cocoa("Not a property list")
        case .plistUnsupportedVersion: .cocoa("Unsupported version")
        case .plistUnexpectedEnd: .cocoa("Truncated property list")
        case .plistUnexpectedCharacter: .cocoa("Malformed property list")
        case .plistUnexpectedElement: .cocoa("Unexpected element")
        case .plistTrailingContent: .cocoa("Content after the property list")
        case .plistMalformedXML: .cocoa("Malformed XML")
        case .plistInvalidTrailer: .cocoa("Invalid trailer")
        case .plistInvalidReference: .cocoa("Invalid reference")
        case .plistOverlappingObjects: .cocoa("Overlapping objects")
        case .plistUnknownMarker: .cocoa("Unknown marker")
        case .plistInvalidString: .cocoa("Invalid string")
        case .plistLoneSurrogate: .cocoa("Lone surrogate")
        case .plistInvalidEncoding: .cocoa("Invalid text encoding")
        case .plistInvalidEscape: .cocoa("Invalid escape")
        case .plistInvalidNumber: .cocoa("Invalid number")
        case .plistInvalidDate: .cocoa("Invalid date")
        case .plistInvalidData: .cocoa("Invalid data")
        case .plistInvalidKey: .cocoa("Invalid key")
        case .plistDuplicateKey: .cocoa("Duplicate key")
        case .plistCycle: .cocoa("Cycle")
        case .plistInvalidArchive: .cocoa("Invalid archive")
        case .plistExpansionTooLarge: .cocoa("Expansion too large")
        case .plistNestingTooDeep: .cocoa("Nesting too deep")
        case .plistNumberTooLong: .cocoa("Number too long")
        case .plistKeyTooLong: .cocoa("Key too long")
        case .plistTooManyMembers: .cocoa("Too many members")
        case .plistTooManyObjects: .cocoa("Too many objects")

        // MARK: The upstream's XML
        case .xmlMalformed: .xml("Malformed XML")
        case .xmlUnexpectedEnd: .xml("Truncated XML")
        case .xmlTrailingContent: .xml("Content after XML")
        case .xmlMismatchedTag: .xml("Mismatched XML tag")
        case .xmlDuplicateAttribute: .xml("Duplicate XML attribute")
        case .xmlInvalidCharacter: .xml("Invalid XML character")
        case .xmlInvalidEncoding: .xml("Invalid text encoding")
        case .xmlUndeclaredEntity: .xml("Undeclared XML entity")
        case .xmlExternalEntity: .xml("External XML entity")
        case .xmlEntityExpansion: .xml("XML entities too large")
        case .xmlNestingTooDeep: .xml("Nesting too deep")
        case .xmlTooManyAttributes: .xml("Too many XML attributes")
        case .xmlTooManyNamespaces: .xml("Too many XML namespaces")
        case .xmlTooManyNames: .xml("Too many XML names")
        case .xmlKeyTooLong: .xml("XML name too long")
        case .xmlDoctypeTooLong: .xml("Document type too long")
        case .xmlTooManyChoices: .xml("Enumeration too long")

        // MARK: The upstream's images
        case .imageNotAnImage: Entry(422, "Not an image", .image, 1, .decoding)
        case .imageTruncated: Entry(422, "Truncated image", .image, 2, .decoding)
        case .imageCorrupt: Entry(422, "Corrupt image", .image, 3, .decoding)
        case .imageUnsupportedPixels: Entry(422, "Unsupported pixels", .image, 4, .decoding)
        case .imageTooLargeToDecode: Entry(422, "Image too large to decode", .image, 5, .decoding)
        case .decodeTime: Entry(422, "Decoding takes too long", .limit, 2, .decoding)
        case .decoderCrashed: Entry(500, "Decoder crashed", .image, 6, .decoding)
        case .sandboxUnavailable: Entry(503, "No sandbox", .service, 4, .decoding)
        case .noWorkers: Entry(503, "No workers", .service, 6, .decoding)

        // MARK: Limits of content codings and of the response
        case .contentCodings: Entry(422, "Too many content codings", .limit, 3, .coding)
        case .decodedTooLong: Entry(422, "Decoded content too long", .limit, 4, .coding)
        case .decodedRatio: Entry(422, "Decompression ratio too high", .limit, 5, .coding)
        case .outputTooLong: Entry(422, "Value too long", .limit, 1, .decoding)

        // MARK: Requests for resources of origins
        case .fetchInvalidURL: Entry(400, "Invalid URL", .url, -1000, .fetch)
        case .fetchUnsupportedScheme: Entry(400, "Unsupported scheme", .url, -1002, .fetch)
        case .fetchURLHasCredentials: Entry(400, "URL with credentials", .fetch, 17, .fetch)
        case .fetchFieldNotAllowed: Entry(400, "Field not allowed", .fetch, 18, .fetch)
        case .fetchLoop: Entry(400, "Loop", .fetch, 3, .fetch)
        case .fetchNotConfigured: Entry(403, "Fetching disabled", .fetch, 4, .fetch)
        case .fetchMethodNotAllowed: Entry(403, "Method not allowed for fetching", .fetch, 5, .fetch)
        case .fetchHostNotAllowed: Entry(403, "Host not allowed", .fetch, 6, .fetch)
        case .fetchAddressNotAllowed: Entry(403, "Address not allowed", .fetch, 7, .fetch)
        case .fetchCacheKeyNotAllowed: Entry(403, "Cache key not allowed", .fetch, 8, .fetch)
        case .fetchSizeNotAllowed: Entry(403, "Size not allowed", .fetch, 19, .fetch)
        case .fetchNotFound: Entry(404, "No such receipt or slot", .fetch, 9, .fetch)
        case .fetchCancelled: Entry(409, "Cancelled", .url, -999, .fetch)
        case .fetchSuperseded: Entry(409, "Superseded", .url, -999, .fetch)
        case .fetchResolveFailed: Entry(502, "Host not resolved", .url, -1003, .fetch)
        case .fetchConnectFailed: Entry(502, "Connection failed", .url, -1004, .fetch)
        case .fetchConnectionLost: Entry(502, "Connection lost", .url, -1005, .fetch)
        case .fetchTooManyRedirects: Entry(502, "Too many redirects", .fetch, 10, .fetch)
        case .fetchRedirectRefused: Entry(502, "Redirect refused", .url, -1007, .fetch)
        case .fetchMalformedResponse: Entry(502, "Malformed response", .url, -1011, .fetch)
        case .fetchTLSFailed: Entry(502, "TLS failed", .url, -1200, .fetch)
        case .fetchCertificateUntrusted: Entry(502, "Certificate not trusted", .url, -1202, .fetch)
        case .fetchProxyFailed: Entry(502, "Proxy failed", .fetch, 11, .fetch)
        case .fetchFetcherDied: Entry(502, "Fetcher ended", .fetch, 12, .fetch)
        case .fetchSaturated: Entry(503, "Fetching saturated", .fetch, 13, .fetch)
        case .fetchCircuitOpen: Entry(503, "Circuit open", .fetch, 14, .fetch)
        case .fetchUnavailable: Entry(503, "Fetching unavailable", .fetch, 15, .fetch)
        case .fetchTimedOut: Entry(504, "Timed out", .url, -1001, .fetch)
        case .cacheOnlyIfCached: Entry(504, "Not cached", .fetch, 16, .fetch)
        case .cacheNotFound: Entry(404, "Nothing purged", .fetch, 21, .fetch)
        case .cachePurgeNotAllowed: Entry(403, "Purging not allowed", .fetch, 22, .fetch)
        case .invalidFetch: Entry(400, "Invalid fetch request", .request, 20, .request)
        case .contentTooLong: Entry(422, "Content too long", .limit, 6, .fetch)

        // MARK: The service itself
        case .saturated: Entry(503, "Saturated", .service, 1, .service)
        case .queueTimeout: Entry(503, "Waited too long", .service, 5, .service)
        case .draining: Entry(503, "Draining", .service, 2, .service)
        case .internal: Entry(500, "Internal error", .service, 3, .service)
        }
    }
}
