/// The stable public codes of all problems, in the form `area.reason`. ``ProblemCode/entry`` and ``ProblemCode/explanation``
/// describe them. `openapi.yaml` lists the same codes, and a test compares the two lists.
enum ProblemCode: String, CaseIterable, Sendable {
    // The request to Decant.
    case invalidOption = "request.invalid_option"
    case invalidField = "request.invalid_field"
    case conflictingFields = "request.conflicting_fields"
    case invalidEnvelope = "request.invalid_envelope"
    case malformedFraming = "request.malformed_framing"
    case targetTooLong = "request.target_too_long"
    case headTooLarge = "request.head_too_large"
    case unsupportedTransferCoding = "request.unsupported_transfer_coding"
    case unsupportedVersion = "request.unsupported_version"
    case notFound = "request.not_found"
    case methodNotAllowed = "request.method_not_allowed"
    case notAcceptable = "request.not_acceptable"
    case contentTooLarge = "request.content_too_large"
    case unsupportedMediaType = "request.unsupported_media_type"

    // The token or the signature of the request.
    case tokenMissing = "auth.token_missing"
    case tokenInvalid = "auth.token_invalid"
    case permissionMissing = "auth.permission_missing"
    case signatureInvalid = "fetch.signature_invalid"
    case signatureExpired = "fetch.signature_expired"

    // The message that contains the upstream's response.
    case messageInvalidStatusLine = "message.invalid_status_line"
    case messageUnsupportedVersion = "message.unsupported_version"
    case messageBareLineFeed = "message.bare_line_feed"
    case messageInvalidField = "message.invalid_field"
    case messageHeadTooLarge = "message.head_too_large"
    case messageInvalidLength = "message.invalid_length"
    case messageConflictingFraming = "message.conflicting_framing"
    case messageUnsupportedTransferCoding = "message.unsupported_transfer_coding"
    case messageMalformedChunk = "message.malformed_chunk"
    case messageTruncated = "message.truncated"
    case messageTrailingBytes = "message.trailing_bytes"

    // The upstream's response, before its content is decoded.
    case unacceptableStatus = "response.unacceptable_status"
    case unacceptableType = "response.unacceptable_type"
    case typeMismatch = "response.type_mismatch"
    case codingUnsupported = "encoding.unsupported"
    case codingTruncated = "encoding.truncated"
    case codingCorrupt = "encoding.corrupt"
    case codingWindowTooLarge = "encoding.window_too_large"
    case codingDictionary = "encoding.dictionary_required"
    case charsetUnsupported = "charset.unsupported"

    // The upstream's JSON.
    case jsonUnexpectedCharacter = "json.unexpected_character"
    case jsonUnexpectedEnd = "json.unexpected_end"
    case jsonTrailingContent = "json.trailing_content"
    case jsonInvalidNumber = "json.invalid_number"
    case jsonInvalidLiteral = "json.invalid_literal"
    case jsonInvalidEscape = "json.invalid_escape"
    case jsonLoneSurrogate = "json.lone_surrogate"
    case jsonControlCharacter = "json.control_character"
    case jsonInvalidEncoding = "json.invalid_encoding"
    case jsonDuplicateName = "json.duplicate_name"
    case jsonTopLevelScalar = "json.top_level_scalar"
    case jsonNumberNotRepresentable = "json.number_not_representable"
    case jsonNestingTooDeep = "json.nesting_too_deep"
    case jsonNumberTooLong = "json.number_too_long"
    case jsonKeyTooLong = "json.key_too_long"
    case jsonTooManyMembers = "json.too_many_members"

    // The upstream's XML.
    case xmlMalformed = "xml.malformed"
    case xmlUnexpectedEnd = "xml.unexpected_end"
    case xmlTrailingContent = "xml.trailing_content"
    case xmlMismatchedTag = "xml.mismatched_tag"
    case xmlDuplicateAttribute = "xml.duplicate_attribute"
    case xmlInvalidCharacter = "xml.invalid_character"
    case xmlInvalidEncoding = "xml.invalid_encoding"
    case xmlUndeclaredEntity = "xml.undeclared_entity"
    case xmlExternalEntity = "xml.external_entity"
    case xmlEntityExpansion = "xml.entity_expansion"
    case xmlNestingTooDeep = "xml.nesting_too_deep"
    case xmlTooManyAttributes = "xml.too_many_attributes"
    case xmlTooManyNamespaces = "xml.too_many_namespaces"
    case xmlTooManyNames = "xml.too_many_names"
    case xmlKeyTooLong = "xml.key_too_long"
    case xmlDoctypeTooLong = "xml.doctype_too_long"
    case xmlTooManyChoices = "xml.too_many_choices"

    // The upstream's property lists.
    case plistNotAPropertyList = "plist.not_property_list"
    case plistUnsupportedVersion = "plist.unsupported_version"
    case plistUnexpectedEnd = "plist.unexpected_end"
    case plistUnexpectedCharacter = "plist.unexpected_character"
    case plistUnexpectedElement = "plist.unexpected_element"
    case plistTrailingContent = "plist.trailing_content"
    case plistMalformedXML = "plist.malformed_xml"
    case plistInvalidTrailer = "plist.invalid_trailer"
    case plistInvalidReference = "plist.invalid_reference"
    case plistOverlappingObjects = "plist.overlapping_objects"
    case plistUnknownMarker = "plist.unknown_marker"
    case plistInvalidString = "plist.invalid_string"
    case plistLoneSurrogate = "plist.lone_surrogate"
    case plistInvalidEncoding = "plist.invalid_encoding"
    case plistInvalidEscape = "plist.invalid_escape"
    case plistInvalidNumber = "plist.invalid_number"
    case plistInvalidDate = "plist.invalid_date"
    case plistInvalidData = "plist.invalid_data"
    case plistInvalidKey = "plist.invalid_key"
    case plistDuplicateKey = "plist.duplicate_key"
    case plistCycle = "plist.cycle"
    case plistInvalidArchive = "plist.invalid_archive"
    case plistExpansionTooLarge = "plist.expansion"
    case plistNestingTooDeep = "plist.nesting_too_deep"
    case plistNumberTooLong = "plist.number_too_long"
    case plistKeyTooLong = "plist.key_too_long"
    case plistTooManyMembers = "plist.too_many_members"
    case plistTooManyObjects = "plist.too_many_objects"

    // The upstream's images.
    case imageNotAnImage = "image.not_an_image"
    case imageTruncated = "image.truncated"
    case imageCorrupt = "image.corrupt"
    case imageUnsupportedPixels = "image.unsupported_pixels"
    case imageTooLargeToDecode = "image.too_large_to_decode"
    case decodeTime = "limit.decode_time"
    case decoderCrashed = "decoder.crashed"
    case sandboxUnavailable = "worker.sandbox_unavailable"
    case noWorkers = "worker.none"

    // Limits of content codings and of the response.
    case contentCodings = "limit.content_codings"
    case decodedTooLong = "limit.decoded_bytes"
    case decodedRatio = "limit.decoded_ratio"
    case outputTooLong = "limit.output_bytes"

    // Requests for resources of origins.
    case fetchInvalidURL = "fetch.invalid_url"
    case fetchUnsupportedScheme = "fetch.unsupported_scheme"
    case fetchURLHasCredentials = "fetch.url_has_credentials"
    case fetchFieldNotAllowed = "fetch.field_not_allowed"
    case fetchLoop = "fetch.loop"
    case fetchNotConfigured = "fetch.not_configured"
    case fetchMethodNotAllowed = "fetch.method_not_allowed"
    case fetchHostNotAllowed = "fetch.host_not_allowed"
    case fetchAddressNotAllowed = "fetch.address_not_allowed"
    case fetchCacheKeyNotAllowed = "fetch.cache_key_not_allowed"
    case fetchSizeNotAllowed = "fetch.size_not_allowed"
    case fetchNotFound = "fetch.not_found"
    case fetchCancelled = "fetch.cancelled"
    case fetchSuperseded = "fetch.superseded"
    case fetchResolveFailed = "fetch.resolve_failed"
    case fetchConnectFailed = "fetch.connect_failed"
    case fetchConnectionLost = "fetch.connection_lost"
    case fetchTooManyRedirects = "fetch.too_many_redirects"
    case fetchRedirectRefused = "fetch.redirect_refused"
    case fetchMalformedResponse = "fetch.malformed_response"
    case fetchTLSFailed = "fetch.tls_failed"
    case fetchCertificateUntrusted = "fetch.certificate_untrusted"
    case fetchProxyFailed = "fetch.proxy_failed"
    case fetchFetcherDied = "fetch.fetcher_died"
    case fetchSaturated = "fetch.saturated"
    case fetchCircuitOpen = "fetch.circuit_open"
    case fetchUnavailable = "fetch.unavailable"
    case fetchTimedOut = "fetch.timed_out"
    case cacheOnlyIfCached = "cache.only_if_cached"
    case cacheNotFound = "cache.not_found"
    case cachePurgeNotAllowed = "cache.purge_not_allowed"
    case invalidFetch = "request.invalid_fetch"
    case contentTooLong = "limit.content_bytes"

    // The service itself.
    case saturated = "service.saturated"
    case queueTimeout = "service.queue_timeout"
    case draining = "service.draining"
    case `internal` = "internal"
}

/// The domain of an error number: those of AFNetworking, and `decant.*` for errors that AFNetworking does not have.
enum ErrorDomain: String, Sendable, CaseIterable {
    case alamofire = "com.alamofire.error.serialization.response"
    case cocoa = "NSCocoaErrorDomain"
    /// The domain of XML errors, whose numbers are those of libxml2.
    case xmlParser = "NSXMLParserErrorDomain"
    /// Foundation's URL loading system.
    case url = "NSURLErrorDomain"
    case request = "decant.request"
    case message = "decant.message"
    case encoding = "decant.encoding"
    case limit = "decant.limit"
    case image = "decant.image"
    case fetch = "decant.fetch"
    case service = "decant.service"
}

/// The step that rejected the response or the request.
enum Stage: String, Sendable, CaseIterable {
    /// Reading the request.
    case request
    /// Requesting the upstream's response.
    case fetch
    /// Checking status and media type.
    case validation
    /// Undoing content codings.
    case coding
    /// Reading the content.
    case decoding
    /// Running the service.
    case service
}
