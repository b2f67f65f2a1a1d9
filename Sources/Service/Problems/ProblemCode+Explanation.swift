extension ProblemCode {
    /// The meaning of the code, for the page at `/problems/{code}`.
    var explanation: String {
        switch self {
        // MARK: The request to Decant
        case .invalidOption:
            "A query parameter has an unknown name or a value that is not allowed, or is given more than once. "
                + "The problem lists what is allowed. GET /v1/serializers lists every option."
        case .invalidField:
            "A header field of the request is not valid. Upstream-Status is a number from 100 to 999, and "
                + "Upstream-Method is a method name. Each field may be given once, and there are no other Upstream-* "
                + "fields than these and Upstream-URL. The field Authorization may also be given only once."
        case .conflictingFields:
            "Upstream-* fields are allowed only in the direct form. In the other forms the content contains the "
                + "status of the upstream response, and the fields could contradict it."
        case .invalidEnvelope:
            "The content of POST /v1/normalize/envelope is not an envelope: a JSON object with the members "
                + "status, url, method, headers and body. All of them are optional, each may occur once, and there are "
                + "no others. body is an object with exactly one of text, base64 and json."
        case .malformedFraming:
            "The request is malformed, or can be read in more than one way (RFC 9112). For example, it has both "
                + "Content-Length and Transfer-Encoding, or no Host. The connection is closed."
        case .targetTooLong:
            "The request line is longer than 16 KiB. The connection is closed."
        case .headTooLarge:
            "The request line and all header fields together are longer than 16 KiB. The connection is closed."
        case .unsupportedTransferCoding:
            "Transfer-Encoding is something other than a single 'chunked'. Content codings belong in "
                + "Content-Encoding. The connection is closed."
        case .unsupportedVersion:
            "The version in the request line is not HTTP/1.1 or HTTP/1.0. The connection is closed."
        case .notFound: "There is no such path. GET /openapi.yaml describes all paths."
        case .methodNotAllowed:
            "The path does not support this method. The field Allow lists the methods that it supports."
        case .notAcceptable:
            "The field Accept allows none of the media types that the response can have. The problem lists these "
                + "types. Omit the field, or send */*."
        case .contentTooLarge:
            "The content is longer than the service or the option max-content-bytes allows, or decoding it could "
                + "require more memory than all requests together may use."
        case .unsupportedMediaType:
            "An envelope is sent as application/json, and a message as application/http or message/http (without "
                + "msgtype=request). Neither may have a content coding. Only the direct form accepts any type."

        // MARK: The token or the signature
        case .tokenMissing:
            "The service has a file of tokens, and this endpoint needs one. The request has no field Authorization, or the field has "
                + "another scheme than Bearer (RFC 6750). A token in the query is not accepted."
        case .tokenInvalid:
            "The field Authorization does not contain a token that the service knows: it is malformed, longer than 4096 bytes, "
                + "misspelled, or was revoked."
        case .permissionMissing:
            "The token is valid, and does not have the permission that the endpoint needs. The permission normalize is for POST "
                + "/v1/normalize in all forms and POST /v1/thumbnail, and metrics for GET /metrics. Other endpoints need none."
        case .signatureInvalid:
            "The parameter signature is not the signature of the target before it with any key of the service, or the parameter "
                + "expires is not a single number. Any change to the target invalidates the signature."
        case .signatureExpired:
            "The signature is valid, and the time in the parameter expires has passed (in seconds since 1970)."

        // MARK: The message
        case .messageInvalidStatusLine:
            "The first line of a response is not a status line (RFC 9112 §4): HTTP/1.1, a space, a status code of "
                + "three digits, and optionally a space and a reason phrase. Versions are case-sensitive."
        case .messageUnsupportedVersion:
            "The version in a status line is not HTTP/0.9, HTTP/1.0, HTTP/1.1, HTTP/2 or HTTP/3."
        case .messageBareLineFeed:
            "A line of a head ends in a line feed without a carriage return. HTTP implementations interpret such "
                + "lines differently (RFC 9112 §2.2). Editors, and copying from a terminal, remove carriage returns."
        case .messageInvalidField:
            "A field line is folded (RFC 9112 §5.2), has no colon or white space before it (§5.1), or its name is not a token, or "
                + "its value contains a control character (RFC 9110 §5.5)."
        case .messageHeadTooLarge:
            "A head of the message is larger than 64 KiB or has more than 1000 fields, or the chunk extensions and the trailer "
                + "section together exceed these limits."
        case .messageInvalidLength:
            "Content-Length is not a single decimal number (RFC 9110 §8.6), or is given more than once."
        case .messageConflictingFraming:
            "The fields contradict each other or the version: Content-Length and Transfer-Encoding are both given (RFC 9112 §6.1), or "
                + "Transfer-Encoding is given in a version other than HTTP/1.1."
        case .messageUnsupportedTransferCoding:
            "Transfer-Encoding is something other than a single 'chunked'. Content with another transfer coding "
                + "cannot be decoded."
        case .messageMalformedChunk:
            "The content is chunked and violates RFC 9112 §7.1; the problem reports what was expected. Content that does not begin "
                + "like chunks is used as it is, with the warning message.not_chunked."
        case .messageTruncated:
            "The message ends inside a head, after an interim response, or before the end of its content, which Content-Length or "
                + "the last chunk determine."
        case .messageTrailingBytes:
            "Bytes follow a response after which the connection is closed (Connection: close, or HTTP/1.0), so "
                + "that the length of the response must be wrong. After other responses such bytes produce the warning "
                + "message.trailing_bytes, because they may be another response."

        // MARK: The upstream's response
        case .unacceptableStatus:
            "The upstream response has a status that accept-status does not allow. If its media type is "
                + "acceptable and its content could be decoded, the problem contains the value."
        case .unacceptableType:
            "The media type of the upstream response is not accepted by the serializer, or by accept-types. The "
                + "content was not decoded. If the type is wrong, specify the right one with the option type."
        case .typeMismatch:
            "The content could not be decoded because its format is not that of its media type. For example, a "
                + "login page or an error page of a proxy is HTML that is declared as JSON. declaredType and looksLike "
                + "contain both types. The chain begins with the error of the decoder and its position."
        case .codingUnsupported:
            "Content-Encoding lists a coding that Decant does not support. gzip, x-gzip, deflate, br and zstd are "
                + "supported."
        case .codingTruncated: "The encoded content ends early. The position is an offset in the encoded bytes."
        case .codingCorrupt:
            "The encoded content is malformed, or its checksum or length does not match the decoded content. The "
                + "position is an offset in the encoded bytes."
        case .codingWindowTooLarge:
            "A zstd frame requires a window of more than 8 MiB, which RFC 9659 does not allow in HTTP."
        case .codingDictionary: "The content was encoded with a dictionary, which it does not contain."
        case .charsetUnsupported:
            "The charset parameter of the media type, or the declaration of an XML document, specifies a charset "
                + "that Decant does not support. The labels of the WHATWG Encoding Standard are supported, except for "
                + "ISO-2022-JP, x-user-defined and the labels of its replacement encoding. JSON that is valid UTF-8 is "
                + "accepted regardless of its charset parameter."

        // MARK: The upstream's JSON
        case .jsonUnexpectedCharacter:
            "The syntax of JSON (RFC 8259) does not allow this character here. The problem lists what was "
                + "expected."
        case .jsonUnexpectedEnd: "The content ends inside a value. It was probably cut off."
        case .jsonTrailingContent:
            "Something other than white space follows the JSON value."
        case .jsonInvalidNumber:
            "A number does not have the syntax of RFC 8259 §6: leading zeros, plus signs and a decimal point "
                + "without digits on both sides are not allowed."
        case .jsonInvalidLiteral: "A word is not true, false or null. JSON does not have NaN and Infinity."
        case .jsonInvalidEscape:
            "A string has a backslash followed by something that RFC 8259 §7 does not allow."
        case .jsonLoneSurrogate:
            "A string contains an escaped lone surrogate, which is not a Unicode character. surrogates=replace "
                + "accepts it."
        case .jsonControlCharacter:
            "A string has an unescaped character below U+0020."
        case .jsonInvalidEncoding:
            "The content is not valid in its encoding. The encoding is UTF-16 or UTF-32 if a byte order mark or "
                + "the pattern of NUL bytes indicates it, and otherwise UTF-8 or, for content that is not valid UTF-8, "
                + "the charset of its media type."
        case .jsonDuplicateName: "Several members of an object have the same name, and the option duplicates is reject."
        case .jsonTopLevelScalar: "The value is neither an object nor an array, and the option fragments is false."
        case .jsonNumberNotRepresentable:
            "A number is beyond the range of an IEEE 754 double: RFC 8785 (canonical=true) has no form for it, and AFNetworking "
                + "(profile=afnetworking) rejects it."
        case .jsonNestingTooDeep:
            "Arrays and objects are nested deeper than max-nesting-depth."
        case .jsonNumberTooLong:
            "A number has more bytes than max-number-bytes."
        case .jsonKeyTooLong:
            "A member name has more bytes than max-key-bytes."
        case .jsonTooManyMembers:
            "An object has more members than max-object-members."

        // MARK: The upstream's XML
        case .xmlMalformed:
            "The content is not well-formed XML 1.0. domainCode is the error number of libxml2 (xmlerror.h), and "
                + "path is the element that was open."
        case .xmlUnexpectedEnd:
            "The content ends inside the document, or contains no document. It was probably cut off."
        case .xmlTrailingContent:
            "Something other than comments and processing instructions follows the root element."
        case .xmlMismatchedTag: "An end tag does not match its start tag."
        case .xmlDuplicateAttribute:
            "An element has the same attribute twice."
        case .xmlInvalidCharacter:
            "A character, or a reference to one, that XML 1.0 §2.2 does not allow in a document."
        case .xmlInvalidEncoding:
            "The content is not valid in its encoding. The encoding is indicated by the byte order mark, the "
                + "charset parameter or the XML declaration, in this order of precedence; the default is UTF-8."
        case .xmlUndeclaredEntity:
            "The document uses an entity that it does not declare. Only the entities of XHTML are known without a "
                + "declaration, in documents that refer to a DTD."
        case .xmlExternalEntity: "The document uses an external entity. Decant never fetches external entities."
        case .xmlEntityExpansion:
            "Entities refer to themselves, or entities and default attributes add more bytes to the document than "
                + "max-xml-entity-expansion-bytes allows, or more than both 64 KiB and five times the content."
        case .xmlNestingTooDeep: "Elements are nested deeper than 256 levels, or than max-nesting-depth."
        case .xmlTooManyAttributes:
            "An element has more attributes and namespace declarations than max-xml-attributes."
        case .xmlTooManyNamespaces:
            "More than 256 namespace declarations are in scope at one element."
        case .xmlTooManyNames:
            "The document has more than 32 768 different names. Or its names, namespaces, targets of processing "
                + "instructions and default values of attributes have more than 2 MiB together. Or names of more than "
                + "256 bytes occur in too many violations of namespaces, or in too long attribute lists."
        case .xmlKeyTooLong:
            "A name has more bytes than max-key-bytes in the form in which serializer=xml writes it (see "
                + "xml-names), or a part of it has more than 50 000 bytes."
        case .xmlDoctypeTooLong:
            "The document type declaration and its internal subset have more than 32 KiB, not counting quoted "
                + "text, comments and processing instructions."
        case .xmlTooManyChoices: "An enumerated attribute type in the internal subset has more than 512 choices."

        // MARK: The upstream's property lists
        case .plistNotAPropertyList:
            "The content is none of the three forms of a property list; nothing, and nothing but white space, is "
                + "none."
        case .plistUnsupportedVersion: "The content is a binary property list of a version other than 0."
        case .plistUnexpectedEnd: "The content ends inside a value. It was probably cut off."
        case .plistUnexpectedCharacter:
            "The syntax of the text form does not allow this character here. The problem lists what was expected."
        case .plistUnexpectedElement:
            "The XML form does not allow this element or text here. The problem lists what was expected."
        case .plistTrailingContent:
            "Something other than white space and comments follows the value."
        case .plistMalformedXML: "The XML form is not well-formed XML, or exceeds a limit, or uses an external entity."
        case .plistInvalidTrailer: "The trailer of the binary form, its last 32 bytes, does not match the content."
        case .plistInvalidReference:
            "An offset or a reference of the binary form does not lead to an object, or an object extends beyond "
                + "the end of the objects."
        case .plistOverlappingObjects:
            "Objects of the binary form share bytes."
        case .plistUnknownMarker:
            "A byte of the binary form at which an object must begin is not the marker of an object."
        case .plistInvalidString: "A string of the binary form is not valid in the encoding that its marker specifies."
        case .plistLoneSurrogate:
            "A string contains a lone surrogate, which is not a Unicode character. surrogates=replace accepts it."
        case .plistInvalidEncoding:
            "The text form is not valid in its encoding. The encoding is UTF-16 or UTF-32 if a byte order mark or "
                + "the pattern of NUL bytes indicates it, and otherwise UTF-8."
        case .plistInvalidEscape: "A string of the text form contains an escape that does not represent a character."
        case .plistInvalidNumber: "An integer or a real is malformed, or is beyond the range of a double."
        case .plistInvalidDate: "A date does not exist, or is outside the years 0 to 9999."
        case .plistInvalidData:
            "Data is neither Base64 nor pairs of hexadecimal digits."
        case .plistInvalidKey:
            "The key of a dictionary is not a string."
        case .plistDuplicateKey:
            "Several members of a dictionary have the same key, and the option duplicates is reject."
        case .plistCycle:
            "An object contains itself, which JSON cannot represent. archive=keep writes such an archive without "
                + "resolving its references."
        case .plistInvalidArchive:
            "The option archive is resolve, and the archive refers to an object that is missing or invalid."
        case .plistExpansionTooLarge:
            "Objects that are referred to more than once would be written several times, and the value would be "
                + "longer than 16 times the content plus 1 MiB."
        case .plistNestingTooDeep:
            "Arrays and dictionaries are nested deeper than max-nesting-depth."
        case .plistNumberTooLong:
            "A number has more bytes than max-number-bytes."
        case .plistKeyTooLong:
            "A key has more bytes than max-key-bytes."
        case .plistTooManyMembers:
            "A dictionary has more members than max-object-members."
        case .plistTooManyObjects:
            "A property list has more objects than are read."

        // MARK: Images and limits
        case .imageNotAnImage:
            "The content is not an image of a known format. The format is detected from the content, and never "
                + "from the media type."
        case .imageTruncated:
            "The image ends early. It was probably cut off. With truncated=allow the response contains the facts "
                + "of its header, and thumbnails show the decoded part."
        case .imageCorrupt:
            "The image violates its format in the part and at the position that the problem reports. With "
                + "truncated=allow the response contains the facts that can be read."
        case .imageUnsupportedPixels:
            "The request needs the pixels of the image, and Decant does not decode the pixels of this format or "
                + "variant. Without thumbnail, placeholder, fingerprint=phash and decode=full, the response contains "
                + "the facts of the header."
        case .imageTooLargeToDecode:
            "The request needs the pixels of the image, and decoding them would exceed max-image-pixels, "
                + "max-image-side, max-jpeg-scans or the memory of a decoder."
        case .decodeTime: "Decoding the pixels of the image exceeded the time limit, and was stopped."
        case .decoderCrashed:
            "The process that decoded the pixels of the image ended unexpectedly. Other requests are not "
                + "affected. With decode=header the response contains the facts of the header."
        case .sandboxUnavailable:
            "The request needs the pixels of the image, which are decoded only in sandboxed processes. The system has no "
                + "seccomp, which the sandbox requires. Without thumbnail, placeholder, fingerprint=phash and decode=full, the "
                + "response contains the facts of the header."
        case .noWorkers:
            "The request needs the pixels of the image, which are decoded by worker processes. This service has none: the "
                + "setting workers is 0, or there is not enough memory for a worker. Without thumbnail, placeholder, "
                + "fingerprint=phash and decode=full, the response contains the facts of the header."
        case .contentCodings:
            "Content-Encoding lists more codings than max-content-codings."
        case .decodedTooLong:
            "The content is longer than max-decoded-bytes after one or all of its content codings are undone."
        case .decodedRatio:
            "The decoded content is longer than 1 MiB, and longer than 1000 times the encoded bytes that were read so far."
        case .outputTooLong:
            "The normalized value would be longer than max-output-bytes."

        // MARK: Requests for resources of origins
        case .fetchInvalidURL:
            "The URL is not one that Decant requests: it is longer than 8 KiB, has a byte that RFC 3986 does not "
                + "permit, or an unusual host or port. Decant accepts less than browsers do, so that no two programs "
                + "read the URL differently."
        case .fetchUnsupportedScheme:
            "The scheme of the URL is neither http nor https."
        case .fetchURLHasCredentials:
            "The URL contains a user name or a password before its host."
        case .fetchFieldNotAllowed:
            "A field in headers is malformed, or is one that Decant writes itself or that belongs to the "
                + "connection, such as Host, Content-Length, Accept-Encoding or Range. All fields together are at most "
                + "64 KiB long."
        case .fetchLoop:
            "The request was sent by this process itself: its field CDN-Loop (RFC 8586) contains the identifier "
                + "of the process. The URL leads back to Decant."
        case .fetchNotConfigured:
            "The service does not request URLs, because fetch-allow is empty."
        case .fetchMethodNotAllowed:
            "fetch-methods does not contain the method."
        case .fetchHostNotAllowed:
            "No entry of fetch-allow matches the URL, or one of fetch-deny does. For the target of a redirect, "
                + "entries of fetch-allow-redirects are permissions too."
        case .fetchAddressNotAllowed:
            "The address of the host is not one of a public server, or fetch-deny-addresses contains it. Each "
                + "address of a host must be allowed."
        case .fetchCacheKeyNotAllowed:
            "cacheKey replaces the URL in the key of the cache. Callers that can choose it could read or replace "
                + "responses of others, so it needs a token or a signature."
        case .fetchSizeNotAllowed:
            "image-sizes lists the sizes of images that everyone may request. Another size needs a signed URL, so that "
                + "nobody can request the same image in thousands of sizes."
        case .fetchNotFound:
            "No request waits under this receipt or in this slot, and no result is kept under it: it was "
                + "delivered, cancelled, never existed, or fetch-result-seconds have passed. Receipts and slots of "
                + "other partitions do not exist for a caller."
        case .fetchCancelled:
            "The request was cancelled by its receipt or its slot, or its client closed its side of the "
                + "connection."
        case .fetchSuperseded:
            "A later request in the same slot was for another resource, and has taken the place of this one."
        case .fetchResolveFailed:
            "The host does not exist, has no address, or no DNS server responded in time. If fetch-allow has only"
                + " * for the host, the same is reported for a host whose address is not allowed."
        case .fetchConnectFailed:
            "No address of the host accepted a connection."
        case .fetchConnectionLost:
            "The connection to the origin ended before the response was complete."
        case .fetchTooManyRedirects:
            "The origin redirected the request more often than fetch-max-redirects permits."
        case .fetchRedirectRefused:
            "The origin redirected the request, and the redirect is not followed: the request has "
                + "redirects=error, or the redirect leads from https to http, to another scheme, or to a URL with "
                + "credentials."
        case .fetchMalformedResponse:
            "The response of the origin violates HTTP: its head is malformed or longer than 64 KiB, its framing "
                + "is ambiguous, or its Location is not a URL."
        case .fetchTLSFailed:
            "The TLS handshake with the origin failed. TLS 1.2 is the minimum."
        case .fetchCertificateUntrusted:
            "The certificate of the origin is expired, belongs to another host, or was not issued by a trusted "
                + "authority."
        case .fetchProxyFailed:
            "The proxy (fetch-proxy) could not be reached, or refused the request."
        case .fetchFetcherDied:
            "The process that requested the resource ended unexpectedly. A GET or HEAD is started again once, if "
                + "nothing of its response had been received."
        case .fetchSaturated:
            "Too many requests wait for a permit (fetch-max-queued), this one has waited for fetch-queue-seconds,"
                + " or the memory for responses is in use."
        case .fetchCircuitOpen:
            "The origin has failed repeatedly. Requests to it are rejected without an attempt, until one attempt "
                + "succeeds."
        case .fetchUnavailable:
            "The process that requests resources is not running. It is being started again."
        case .fetchTimedOut:
            "The origin did not respond in time: one of the timeouts of the service has passed, or the "
                + "timeoutSeconds of the request."
        case .cacheOnlyIfCached:
            "The request has cache=only-if-cached, and there is no stored response."
        case .cacheNotFound:
            "DELETE /v1/cache has found no stored response of the URL, of the key or of the partition."
        case .cachePurgeNotAllowed:
            "DELETE /v1/cache is disabled, because the setting allow-purge is false."
        case .invalidFetch:
            "The content of POST /v1/fetch is not a request for a resource: a JSON object with the member url and"
                + " optional others, each once. The problem names the member."
        case .contentTooLong:
            "The content of the origin's response is longer than max-content-bytes."

        // MARK: The service itself
        case .saturated:
            "The memory for requests is in use, or all threads for large content, all decoders or all connections "
                + "of the client address are busy. Try again after the time in the field Retry-After."
        case .queueTimeout:
            "The request has waited for a thread or for a worker for queue-timeout-seconds. Try again after the "
                + "time in the field Retry-After. If this happens often, the service needs more processors, workers or "
                + "replicas."
        case .draining:
            "The service is stopping and does not accept requests. Try again: another replica, or the restarted "
                + "service, will respond."
        case .internal: "A defect of Decant. The X-Request-ID of the response identifies the request in the logs."
        }
    }
}
