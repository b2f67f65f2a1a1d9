extension ProblemCode {
    /// What happened and what to do about it, for the page at `/problems/{code}`.
    var explanation: String {
        switch self {
        // MARK: The request to Decant
        case .invalidOption:
            "A query parameter has an unknown name, a value that is not allowed, or is given twice. The problem lists "
                + "what is allowed; GET /v1/serializers lists every option."
        case .formNotBuilt:
            "The path is part of the contract, but this version does not have it yet. The direct form, POST "
                + "/v1/normalize and POST /v1/thumbnail, the message, POST /v1/normalize/message, and the envelope, POST "
                + "/v1/normalize/envelope, are supported."
        case .invalidField:
            "A header field of the request has a value that it cannot have: Upstream-Status is a number from 100 to "
                + "999, Upstream-Method is a method name; each is given once, and no other Upstream-* field exists. The field "
                + "Authorization is also given once."
        case .conflictingFields:
            "Upstream-* fields belong to the direct form. In the other forms the content has the upstream's status, and fields could "
                + "contradict it."
        case .invalidEnvelope:
            "The content of POST /v1/normalize/envelope is not an envelope: a JSON object with the members status, "
                + "url, method, headers and body, all optional, each once, and no others. body is an object with exactly "
                + "one of text, base64 and json."
        case .malformedFraming:
            "The request can be read in more than one way (RFC 9112), for example because it has a Content-Length "
                + "beside Transfer-Encoding, or no Host. The connection is closed."
        case .targetTooLong:
            "The request line is longer than 16 KiB. The connection is closed."
        case .headTooLarge:
            "The request line and all header fields together are longer than 16 KiB. The connection is closed."
        case .unsupportedTransferCoding:
            "Transfer-Encoding is something else than one 'chunked'. Content codings belong into Content-Encoding. The connection is "
                + "closed."
        case .unsupportedVersion:
            "The version in the request line is not HTTP/1.1 or HTTP/1.0. The connection is closed."
        case .notFound:
            "Nothing has this path. GET /openapi.yaml describes all paths."
        case .methodNotAllowed:
            "The path exists and does not take this method; the Allow field lists those that it takes."
        case .notAcceptable:
            "The field Accept allows none of the media types that the answer can have; the problem lists those. Leave the "
                + "field out, or say */*."
        case .contentTooLarge:
            "The content is longer than the service accepts, or than max-content-bytes allows."
        case .unsupportedMediaType:
            "An envelope is sent as application/json, and a message as application/http or message/http (not with "
                + "msgtype=request), both without a content coding. Only the direct form takes any type."

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
            "A line at which a response must begin is not a status line (RFC 9112 §4): HTTP/1.1, a space, a status code of three "
                + "digits, and optionally a space and a reason phrase. Names of versions are case-sensitive."
        case .messageUnsupportedVersion:
            "The version of a status line is none of HTTP/0.9, HTTP/1.0, HTTP/1.1, HTTP/2 and HTTP/3."
        case .messageBareLineFeed:
            "A line of a head ends in a line feed without a carriage return. Recipients of HTTP differ in how they read such "
                + "lines (RFC 9112 §2.2). Editors and copying from a terminal remove carriage returns."
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
            "Transfer-Encoding is something else than one 'chunked'. Content that has another transfer coding cannot be decoded."
        case .messageMalformedChunk:
            "The content is chunked and violates RFC 9112 §7.1; the problem reports what was expected. Content that does not begin "
                + "like chunks is used as it is, with the warning message.not_chunked."
        case .messageTruncated:
            "The message ends inside a head, after an interim response, or before the end of its content, which Content-Length or "
                + "the last chunk determine."
        case .messageTrailingBytes:
            "Bytes follow a response after which the connection is closed (Connection: close, or HTTP/1.0), so that its length must be "
                + "wrong. After other responses such bytes are the warning message.trailing_bytes, because they may be another response."

        // MARK: The upstream's response
        case .unacceptableStatus:
            "The upstream answered with a status that accept-status does not allow. Where its type was acceptable and "
                + "its content could be decoded, the problem carries the value."
        case .unacceptableType:
            "The upstream's media type is not among those that the serializer, or accept-types, accepts; the content "
                + "was not decoded. If the type is wrong, say the right one with the option type."
        case .typeMismatch:
            "The content could not be decoded because it is not what its media type says: for example a login page or a "
                + "proxy's error page in HTML that is declared as JSON. The problem names both types in declaredType and "
                + "looksLike; the chain begins with the error of the decoder and its position."
        case .codingUnsupported:
            "Content-Encoding names a coding that Decant does not know. Known are gzip, x-gzip, deflate, br and zstd."
        case .codingTruncated:
            "The encoded content ends early. The position counts in the encoded bytes."
        case .codingCorrupt:
            "The encoded content is malformed, or its checksum or length does not match the decoded content. The position counts "
                + "in the encoded bytes."
        case .codingWindowTooLarge:
            "A frame of zstd needs a window of more than 8 MiB, which RFC 9659 does not permit in HTTP."
        case .codingDictionary:
            "The content was encoded with a dictionary that is not part of it."
        case .charsetUnsupported:
            "The content is not valid UTF-8, and its charset parameter names a charset that Decant does not know or "
                + "does not read. Known are the labels of the WHATWG Encoding Standard; ISO-2022-JP, x-user-defined and "
                + "those that the standard replaces are not read."

        // MARK: The upstream's JSON
        case .jsonUnexpectedCharacter:
            "A byte stands where no rule of RFC 8259 allows it; the problem says which were expected."
        case .jsonUnexpectedEnd:
            "The content ends inside a value. It may have been cut on its way."
        case .jsonTrailingContent:
            "Something other than white space follows the JSON value."
        case .jsonInvalidNumber:
            "A number is not written as RFC 8259 §6 demands: no leading zeros, plus signs or bare points."
        case .jsonInvalidLiteral:
            "A word is none of true, false and null. NaN and Infinity are no JSON."
        case .jsonInvalidEscape:
            "A string has a backslash followed by something that RFC 8259 §7 does not allow."
        case .jsonLoneSurrogate:
            "A string has half of a surrogate pair as an escape; no Unicode text can hold it."
        case .jsonControlCharacter:
            "A string has an unescaped character below U+0020."
        case .jsonInvalidEncoding:
            "The content is not valid in its encoding: UTF-8, unless a byte order mark or NUL pattern says UTF-16 or "
                + "UTF-32; where it is not valid UTF-8, the charset of its label."
        case .jsonDuplicateName:
            "An object has the same member name twice, and duplicates=reject was asked for."
        case .jsonTopLevelScalar:
            "The value is neither object nor array, and fragments=false holds."
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
            "The content is not well-formed XML 1.0. domainCode is libxml2's own number (xmlerror.h), path the "
                + "element that was open."
        case .xmlUnexpectedEnd:
            "The content ends inside the document, or has no document at all. It may have been cut on its way."
        case .xmlTrailingContent:
            "Something other than comments and processing instructions follows the root element."
        case .xmlMismatchedTag:
            "An end tag does not have the name of the start tag that it should close."
        case .xmlDuplicateAttribute:
            "An element has the same attribute twice."
        case .xmlInvalidCharacter:
            "A character, or a reference to one, that XML 1.0 §2.2 does not allow in a document."
        case .xmlInvalidEncoding:
            "The content is not valid in its encoding: the one of its byte order mark, else of the charset "
                + "parameter, else of its declaration, else UTF-8."
        case .xmlUndeclaredEntity:
            "An entity is used that the document does not declare. Only the names of XHTML are known without a "
                + "declaration, in documents that refer to a DTD."
        case .xmlExternalEntity:
            "The document uses an entity that stands outside of it. Decant never fetches one."
        case .xmlEntityExpansion:
            "Entities refer to themselves, or they and default attributes add more to the document than "
                + "max-xml-entity-expansion-bytes, or more than 64 KiB and five times the content."
        case .xmlNestingTooDeep:
            "Elements are nested deeper than 256, or than max-nesting-depth."
        case .xmlTooManyAttributes:
            "An element has more attributes and namespace declarations than max-xml-attributes."
        case .xmlTooManyNamespaces:
            "More than 256 namespace declarations are in scope at one element."
        case .xmlTooManyNames:
            "The document has more than 32 768 different names, or these, its namespaces, targets of processing "
                + "instructions and default values of attributes have more than 2 MiB in all."
        case .xmlKeyTooLong:
            "A name has more bytes than max-key-bytes, as serializer=xml would write it (xml-names says how), or a part "
                + "of it has more than 50 000."
        case .xmlDoctypeTooLong:
            "The document type declaration, with its internal subset and without quoted text, comments and "
                + "processing instructions, has more than 32 KiB."
        case .xmlTooManyChoices:
            "An enumeration in the internal subset has more than 512 choices."

        // MARK: The upstream's property lists
        case .plistNotAPropertyList:
            "The content is none of the three forms of a property list; nothing, and nothing but white space, is "
                + "none."
        case .plistUnsupportedVersion:
            "The content begins like a binary property list, in a version other than 0."
        case .plistUnexpectedEnd:
            "The content ends inside a value. It may have been cut on its way."
        case .plistUnexpectedCharacter:
            "A character of the text form stands where it cannot; the problem says what was expected."
        case .plistUnexpectedElement:
            "An element or text of the XML form stands where it cannot; the problem says what was expected."
        case .plistTrailingContent:
            "Something other than white space and comments follows the value."
        case .plistMalformedXML:
            "The XML form is not well-formed XML, or is XML that is refused: an external entity, an entity that "
                + "grows too large, or nesting too deep."
        case .plistInvalidTrailer:
            "The last 32 bytes of the binary form promise something that the content does not hold."
        case .plistInvalidReference:
            "An offset or a reference of the binary form leads to no object, or an object is longer than its "
                + "content."
        case .plistOverlappingObjects:
            "Objects of the binary form share bytes."
        case .plistUnknownMarker:
            "No object of the binary form begins with this byte."
        case .plistInvalidString:
            "A string of the binary form is not in the encoding that its marker says."
        case .plistLoneSurrogate:
            "A string has half of a surrogate pair; no Unicode text can hold it. surrogates=replace accepts it."
        case .plistInvalidEncoding:
            "The text form is not valid in its encoding: UTF-8, unless a byte order mark or NUL pattern says "
                + "UTF-16 or UTF-32."
        case .plistInvalidEscape:
            "A string of the text form has an escape that means no character."
        case .plistInvalidNumber:
            "An integer or real is no number, or is beyond the range of a double."
        case .plistInvalidDate:
            "A date does not exist, or lies outside of the years 0 to 9999."
        case .plistInvalidData:
            "Data is neither Base64 nor pairs of hexadecimal digits."
        case .plistInvalidKey:
            "The key of a dictionary is not a string."
        case .plistDuplicateKey:
            "A dictionary has the same key twice, and duplicates=reject was asked for."
        case .plistCycle:
            "An object contains itself, which JSON cannot say. An archive can be read with archive=keep."
        case .plistInvalidArchive:
            "archive=resolve was asked for, and the archive refers to something that it does not hold."
        case .plistExpansionTooLarge:
            "Objects that are referred to more than once would make a value of more than 16 times the content "
                + "and 1 MiB."
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

        // MARK: Limits of the answer
        case .imageNotAnImage:
            "The content does not begin like any image format that Decant knows. The format is detected from the content, "
                + "never from its media type."
        case .imageTruncated:
            "The image ends early; it may have been cut on its way. With truncated=allow its header's facts are "
                + "answered all the same, and thumbnails are made of what is there."
        case .imageCorrupt:
            "The image breaks its format, at the place and in the part that the problem names. With truncated=allow "
                + "what can be told of it is answered all the same."
        case .imageUnsupportedPixels:
            "Something was asked for that needs the image's pixels, and they are of a format, or of a variant, that "
                + "Decant does not decode. Without thumbnail, placeholder, fingerprint=phash and decode=full the "
                + "header's facts are answered."
        case .imageTooLargeToDecode:
            "Something was asked for that needs the image's pixels, and decoding them would take more than "
                + "max-image-pixels, max-image-side, max-jpeg-scans or the memory of a decoder."
        case .decodeTime:
            "Decoding the image's pixels took longer than it may, and was stopped."
        case .decoderCrashed:
            "The process that decoded the image's pixels ended unexpectedly. Only this request was lost; decode=header "
                + "answers the header's facts."
        case .sandboxUnavailable:
            "Something was asked for that needs the image's pixels. These are decoded in sandboxed processes only. The "
                + "service has none, or the system has no seccomp, on which the sandbox depends. Without thumbnail, placeholder, fingerprint=phash and decode=full the header's facts "
                + "are answered."
        case .contentCodings:
            "Content-Encoding lists more codings than max-content-codings."
        case .decodedTooLong:
            "The content, or what one of several codings makes of it, is longer than max-decoded-bytes after its codings are undone."
        case .decodedRatio:
            "The decoded content is longer than 1 MiB, and longer than 1000 times the encoded bytes that were read so far."
        case .outputTooLong:
            "The normalized value would be longer than max-output-bytes."

        // MARK: The service itself
        case .saturated:
            "All memory for contents, every thread for long ones, or every decoder is taken by other requests. Try again after the time that Retry-After gives."
        case .queueTimeout:
            "The request has waited for a thread or for a worker for queue-timeout-seconds. Try again after the time that "
                + "Retry-After gives. If this happens often, the service needs more processors, workers or replicas."
        case .draining:
            "The service is stopping and takes no more requests. Another replica, or a later try, answers."
        case .internal:
            "A fault of Decant's own. The X-Request-ID of the answer finds it in the logs."
        }
    }
}
