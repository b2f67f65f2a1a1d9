internal import Serialization

extension ProblemCode {
    /// The row of the code: everything that is the same for all of its occurrences.
    var definition: ProblemDefinition {
        switch self {
        // MARK: The request to Decant
        case .invalidOption:
            ProblemType.request(400, "Invalid option", 1).means(
                """
                A query parameter has an unknown name or a value that is not allowed, or is given more than once. The \
                problem lists what is allowed. GET /v1/serializers lists every option.
                """,
                remedy:
                    "Correct the name or the value; the problem lists what is allowed and proposes the nearest match."
            )
        case .invalidField:
            ProblemType.request(400, "Invalid field", 4).means(
                """
                A header field of the request is not valid. Upstream-Status is a number from 100 to 999, and \
                Upstream-Method is a method name. Each field may be given once, and there are no other Upstream-* \
                fields than these and Upstream-URL. The field Authorization may also be given only once.
                """,
                remedy: "Correct or remove the field."
            )
        case .conflictingFields:
            ProblemType.request(400, "Conflicting fields", 5).means(
                """
                Upstream-* fields are allowed only in the direct form. In the other forms the content contains the \
                status of the upstream response, and the fields could contradict it.
                """,
                remedy: "Remove the Upstream-* fields. An envelope has members for status, URL and method."
            )
        case .invalidEnvelope:
            ProblemType.request(400, "Invalid envelope", 6).means(
                """
                The content of POST /v1/normalize/envelope is not an envelope: a JSON object with the members status, \
                url, method, headers and body. All of them are optional, each may occur once, and there are no others. \
                body is an object with exactly one of text, base64 and json.
                """,
                remedy: "Correct the member at the location that the problem reports."
            )
        case .malformedFraming:
            ProblemType.request(400, "Malformed request", 7).means(
                """
                The request is malformed, or can be read in more than one way (RFC 9112). For example, it has both \
                Content-Length and Transfer-Encoding, or no Host. The connection is closed.
                """,
                remedy: .useHTTPLibrary
            )
        case .targetTooLong:
            ProblemType.request(414, "Target too long", 13).means(
                "The request line is longer than 16 KiB. The connection is closed.",
                remedy: "Send fewer or shorter fields; an envelope may contain longer ones."
            )
        case .headTooLarge:
            ProblemType.request(431, "Header fields too large", 14).means(
                "The request line and all header fields together are longer than 16 KiB. The connection is closed.",
                remedy: "Send fewer or shorter fields; an envelope may contain longer ones."
            )
        case .unsupportedTransferCoding:
            ProblemType.request(501, "Unsupported transfer coding", 15).means(
                """
                Transfer-Encoding is something other than a single 'chunked'. Content codings belong in \
                Content-Encoding. The connection is closed.
                """,
                remedy: .useHTTPLibrary
            )
        case .unsupportedVersion:
            ProblemType.request(505, "Unsupported version", 16).means(
                "The version in the request line is not HTTP/1.1 or HTTP/1.0. The connection is closed.",
                remedy: .useHTTPLibrary
            )
        case .notFound:
            ProblemType.request(404, "Not found", 8).means(
                "There is no such path. GET /openapi.yaml describes all paths.",
                remedy: "Compare the path with GET /openapi.yaml."
            )
        case .methodNotAllowed:
            ProblemType.request(405, "Method not allowed", 9).means(
                "The path does not support this method. The field Allow lists the methods that it supports.",
                remedy: "Use one of the methods in the field Allow."
            )
        case .notAcceptable:
            ProblemType.request(406, "Not acceptable", 12).means(
                """
                The field Accept allows none of the media types that the response can have. The problem lists these \
                types. Omit the field, or send */*.
                """,
                remedy: "Omit the field Accept, or list one of the types that the problem reports."
            )
        case .contentTooLarge:
            ProblemType(413, "Content too large", .request, 10, stage: .request, cause: .limit).means(
                """
                The content is longer than the service or the option max-content-bytes allows, or decoding it could \
                require more memory than all requests together may use.
                """,
                remedy: """
                    Send less content, do not lower max-content-bytes, or raise DECANT_MAX_CONTENT_BYTES (and \
                    DECANT_MAX_BUFFERED_BYTES).
                    """
            )
        case .unsupportedMediaType:
            ProblemType.request(415, "Unsupported media type", 11).means(
                """
                An envelope is sent as application/json, and a message as application/http or message/http (without \
                msgtype=request). Neither may have a content coding. Only the direct form accepts any type.
                """,
                remedy:
                    "Send an envelope as application/json, or a message as application/http, without a content coding."
            )

        // MARK: The token or the signature of the request
        case .tokenMissing:
            ProblemType(401, "Token missing", .request, 17, stage: .request, cause: .access).means(
                """
                The service has a file of tokens, and this endpoint needs one. The request has no field Authorization, \
                or the field has another scheme than Bearer (RFC 6750). A token in the query is not accepted.
                """,
                remedy: """
                    Send the field Authorization: Bearer TOKEN, with a token that the operator of the service has \
                    issued.
                    """
            )
        case .tokenInvalid:
            ProblemType(401, "Invalid token", .request, 18, stage: .request, cause: .access).means(
                """
                The field Authorization does not contain a token that the service knows: it is malformed, longer than \
                4096 bytes, misspelled, or was revoked.
                """,
                remedy: """
                    Compare the token with the one that the operator has issued, without a line feed at its end. The \
                    operator compares its SHA-256 (printf %s TOKEN | sha256sum) with the file of the setting \
                    tokens-file, and reloads it with SIGHUP.
                    """
            )
        case .permissionMissing:
            ProblemType(403, "Permission missing", .request, 19, stage: .request, cause: .access).means(
                """
                The token is valid, and does not have the permission that the endpoint needs. The permission normalize \
                is for POST /v1/normalize in all forms and POST /v1/thumbnail, metrics for GET /metrics and the \
                sizes of the cache; fetch, fetch-any-partition and purge are for fetching. Probes and documents need \
                none.
                """,
                remedy: """
                    Use another token, or ask the operator to add the permission to this one in the file of the \
                    setting tokens-file.
                    """
            )
        case .signatureInvalid:
            ProblemType(403, "Invalid signature", .fetch, 1, stage: .request, cause: .access).means(
                """
                The parameter signature is not the signature of the target before it with any key of the service, or \
                the parameter expires is not a single number. Any change to the target invalidates the signature.
                """,
                remedy:
                    "Send the target exactly as decant sign printed it. If the key was replaced, sign the URL again."
            )
        case .signatureExpired:
            ProblemType(403, "Signature expired", .fetch, 2, stage: .request, cause: .access).means(
                "The signature is valid, and the time in the parameter expires has passed (in seconds since 1970).",
                remedy: "Sign the URL again, with a later time in the parameter expires."
            )

        // MARK: The message that contains the upstream's response
        case .messageInvalidStatusLine:
            ProblemType.message("Invalid status line", 1).means(
                """
                The first line of a response is not a status line (RFC 9112 §4): HTTP/1.1, a space, a status code of \
                three digits, and optionally a space and a reason phrase. Versions are case-sensitive.
                """,
                remedy: .sendWholeMessage
            )
        case .messageUnsupportedVersion:
            ProblemType.message("Unsupported version", 2).means(
                "The version in a status line is not HTTP/0.9, HTTP/1.0, HTTP/1.1, HTTP/2 or HTTP/3.",
                remedy: .sendWholeMessage
            )
        case .messageBareLineFeed:
            ProblemType.message("Bare line feed", 3).means(
                """
                A line of a head ends in a line feed without a carriage return. HTTP implementations interpret such \
                lines differently (RFC 9112 §2.2). Editors, and copying from a terminal, remove carriage returns.
                """,
                remedy: """
                    Send the bytes as they were received: curl -d removes line ends, and --data-binary keeps them. \
                    Convert the line ends of the heads to CRLF, for example with unix2dos if the content is text, or \
                    send an envelope.
                    """
            )
        case .messageInvalidField:
            ProblemType.message("Invalid field line", 4).means(
                """
                A field line is folded (RFC 9112 §5.2), has no colon or white space before it (§5.1), or its name is \
                not a token, or its value contains a control character (RFC 9110 §5.5).
                """,
                remedy: "Correct or remove the field at the location that the problem reports, or send an envelope."
            )
        case .messageHeadTooLarge:
            ProblemType.message("Head too large", 5).means(
                """
                A head of the message is larger than 64 KiB or has more than 1000 fields, or the chunk extensions and \
                the trailer section together exceed these limits.
                """,
                remedy: "Correct or remove the field at the location that the problem reports, or send an envelope."
            )
        case .messageInvalidLength:
            ProblemType.message("Invalid Content-Length", 6).means(
                "Content-Length is not a single decimal number (RFC 9110 §8.6), or is given more than once.",
                remedy: .correctFraming
            )
        case .messageConflictingFraming:
            ProblemType.message("Conflicting framing", 7).means(
                """
                The fields contradict each other or the version: Content-Length and Transfer-Encoding are both given \
                (RFC 9112 §6.1), or Transfer-Encoding is given in a version other than HTTP/1.1.
                """,
                remedy: .correctFraming
            )
        case .messageUnsupportedTransferCoding:
            ProblemType.message("Unsupported transfer coding", 8).means(
                """
                Transfer-Encoding is something other than a single 'chunked'. Content with another transfer coding \
                cannot be decoded.
                """,
                remedy: "Undo the transfer coding, and remove the field Transfer-Encoding."
            )
        case .messageMalformedChunk:
            ProblemType.message("Malformed chunk", 9).means(
                """
                The content is chunked and violates RFC 9112 §7.1; the problem reports what was expected. Content that \
                does not begin like chunks is used as it is, with the warning message.not_chunked.
                """,
                remedy: """
                    Send the bytes as they were received. If the chunks are already undone, remove the field \
                    Transfer-Encoding.
                    """
            )
        case .messageTruncated:
            ProblemType.message("Truncated message", 10).means(
                """
                The message ends inside a head, after an interim response, or before the end of its content, which \
                Content-Length or the last chunk determine.
                """,
                remedy:
                    "Request the response again; it was probably cut off. truncated=allow uses content that ends early."
            )
        case .messageTrailingBytes:
            ProblemType.message("Bytes after the response", 11).means(
                """
                Bytes follow a response after which the connection is closed (Connection: close, or HTTP/1.0), so that \
                the length of the response must be wrong. After other responses such bytes produce the warning \
                message.trailing_bytes, because they may be another response.
                """,
                remedy: .correctFraming
            )

        // MARK: The upstream's response, before its content is decoded
        case .unacceptableStatus:
            ProblemType(422, "Unacceptable status", .alamofire, -1011, stage: .validation, cause: .status).means(
                """
                The upstream response has a status that accept-status does not allow. If its media type is acceptable \
                and its content could be decoded, the problem contains the value. Otherwise the chain continues with \
                the error of its type or of its content, which the status usually explains.
                """,
                remedy: "If the status is not an error for you, list it in accept-status."
            )
        case .unacceptableType:
            ProblemType(422, "Unacceptable content type", .alamofire, -1016, stage: .validation, cause: .type).means(
                """
                The media type of the upstream response is not accepted by the serializer, or by accept-types. The \
                content was not decoded. If the type is wrong, specify the right one with the option type.
                """,
                remedy: """
                    Override a wrong type with type=, accept another one with accept-types=, or read the raw content \
                    with serializer=http.
                    """
            )
        case .typeMismatch:
            ProblemType(422, "Content of another type", .encoding, 9, stage: .decoding, cause: .type).means(
                """
                The content could not be decoded because its format is not that of its media type. For example, a \
                login page or an error page of a proxy is HTML that is declared as JSON. declaredType and looksLike \
                contain both types. The chain begins with the error of the decoder and its location.
                """,
                remedy: """
                    Look at the content: the upstream, or a proxy in front of it, sent something else. If the content \
                    is right and the type is wrong, override it with type=; if the content is compressed, forward \
                    Content-Encoding.
                    """
            )
        case .codingUnsupported:
            ProblemType(422, "Unsupported content coding", .encoding, 1, stage: .coding, cause: .content).means(
                """
                Content-Encoding lists a coding that Decant does not support. gzip, x-gzip, deflate, br and zstd are \
                supported.
                """,
                remedy: """
                    If you have already decoded the content, drop the field Content-Encoding; otherwise decode it first.
                    """
            )
        case .codingTruncated:
            ProblemType(422, "Truncated content coding", .encoding, 4, stage: .coding, cause: .content).means(
                "The encoded content ends early. The location is an offset in the encoded bytes.",
                remedy: "Request the response again, or use truncated=allow, which uses the decoded part."
            )
        case .codingCorrupt:
            ProblemType(422, "Corrupt content coding", .encoding, 5, stage: .coding, cause: .content).means(
                """
                The encoded content is malformed, or its checksum or length does not match the decoded content. The \
                location is an offset in the encoded bytes.
                """,
                remedy: "Request the response again."
            )
        case .codingWindowTooLarge:
            ProblemType(422, "Window too large", .encoding, 6, stage: .coding, cause: .limit).means(
                "A zstd frame requires a window of more than 8 MiB, which RFC 9659 does not allow in HTTP.",
                remedy: "The upstream must use a window of at most 8 MiB, such as zstd up to level 19 without --long."
            )
        case .codingDictionary:
            ProblemType(422, "Dictionary required", .encoding, 7, stage: .coding, cause: .content).means(
                "The content was encoded with a dictionary, which it does not contain.",
                remedy: "The upstream must encode the content without a dictionary."
            )
        case .charsetUnsupported:
            ProblemType(422, "Unsupported charset", .encoding, 3, stage: .decoding, cause: .content).means(
                """
                The charset parameter of the media type, or the declaration of an XML document, specifies a charset \
                that Decant does not support. The labels of the WHATWG Encoding Standard are supported, except for \
                ISO-2022-JP, x-user-defined and the labels of its replacement encoding. JSON that is valid UTF-8 is \
                accepted regardless of its charset parameter.
                """,
                remedy: "Transcode the content to UTF-8, or name its charset with type=."
            )

        // MARK: The upstream's JSON
        case .jsonUnexpectedCharacter:
            ProblemType.cocoa("Malformed JSON", .content).means(
                """
                The syntax of JSON (RFC 8259) does not allow this character here. The problem lists what was expected.
                """,
                remedy: .correctJSON
            )
        case .jsonUnexpectedEnd:
            ProblemType.cocoa("Truncated JSON", .content).means(
                "The content ends inside a value. It was probably cut off.",
                remedy: .requestAgain
            )
        case .jsonTrailingContent:
            ProblemType.cocoa("Content after JSON", .content).means(
                "Something other than white space follows the JSON value.",
                remedy: "If the content is several values, use records=many."
            )
        case .jsonInvalidNumber:
            ProblemType.cocoa("Invalid JSON number", .content).means(
                """
                A number does not have the syntax of RFC 8259 §6: leading zeros, plus signs and a decimal point \
                without digits on both sides are not allowed.
                """,
                remedy: .correctContent
            )
        case .jsonInvalidLiteral:
            ProblemType.cocoa("Invalid JSON literal", .content).means(
                "A word is not true, false or null. JSON does not have NaN and Infinity.",
                remedy: .correctJSON
            )
        case .jsonInvalidEscape:
            ProblemType.cocoa("Invalid JSON escape", .content).means(
                "A string has a backslash followed by something that RFC 8259 §7 does not allow.",
                remedy: .correctContent
            )
        case .jsonLoneSurrogate:
            ProblemType.cocoa("Lone surrogate", .content).means(
                """
                A string contains an escaped lone surrogate, which is not a Unicode character. surrogates=replace \
                accepts it.
                """,
                remedy: "Use surrogates=replace."
            )
        case .jsonControlCharacter:
            ProblemType.cocoa("Control character in a string", .content).means(
                "A string has an unescaped character below U+0020.",
                remedy: .correctContent
            )
        case .jsonInvalidEncoding:
            ProblemType.cocoa("Invalid text encoding", .content).means(
                """
                The content is not valid in its encoding. The encoding is UTF-16 or UTF-32 if a byte order mark or the \
                pattern of NUL bytes indicates it, and otherwise UTF-8 or, for content that is not valid UTF-8, the \
                charset of its media type.
                """,
                remedy: "Name the charset of the content, for example with type=application/json;charset=windows-1252."
            )
        case .jsonDuplicateName:
            ProblemType.cocoa("Duplicate member name", .content).means(
                "Several members of an object have the same name, and the option duplicates is reject.",
                remedy: "Use duplicates=last, first or keep."
            )
        case .jsonTopLevelScalar:
            ProblemType.cocoa("Top-level scalar", .content).means(
                "The value is neither an object nor an array, and the option fragments is false.",
                remedy: "Use fragments=true."
            )
        case .jsonNumberNotRepresentable:
            ProblemType.cocoa("Number beyond the range of a double", .content).means(
                """
                A number is beyond the range of an IEEE 754 double: RFC 8785 (canonical=true) has no form for it, and \
                AFNetworking (profile=afnetworking) rejects it.
                """,
                remedy: .correctContent
            )
        case .jsonNestingTooDeep:
            ProblemType.cocoa("Nesting too deep", .limit).means(
                "Arrays and objects are nested deeper than max-nesting-depth.",
                remedy: "Do not lower max-nesting-depth, or raise DECANT_MAX_NESTING_DEPTH, whose maximum is 1024."
            )
        case .jsonNumberTooLong:
            ProblemType.cocoa("Number too long", .limit).means(
                "A number has more bytes than max-number-bytes.",
                remedy: "Do not lower max-number-bytes, or raise DECANT_MAX_NUMBER_BYTES."
            )
        case .jsonKeyTooLong:
            ProblemType.cocoa("Member name too long", .limit).means(
                "A member name has more bytes than max-key-bytes.",
                remedy: .raiseKeyBytes
            )
        case .jsonTooManyMembers:
            ProblemType.cocoa("Too many members", .limit).means(
                "An object has more members than max-object-members.",
                remedy: .raiseObjectMembers
            )

        // MARK: The upstream's forms
        case .formInvalidEncoding:
            ProblemType.cocoa("Invalid text encoding", .content).means(
                """
                A name or a value of a form is not valid UTF-8 after its escapes are decoded, and not valid in the \
                charset of the media type either.
                """,
                remedy: """
                    Name the charset of the content, for example with \
                    type=application/x-www-form-urlencoded;charset=windows-1252.
                    """
            )
        case .formKeyTooLong:
            ProblemType.cocoa("Name too long", .limit).means(
                "A name of a form, as it is written in the content, has more bytes than max-key-bytes.",
                remedy: .raiseKeyBytes
            )
        case .formTooManyMembers:
            ProblemType.cocoa("Too many names", .limit).means(
                "A form has more different names than max-object-members.",
                remedy: .raiseObjectMembers
            )

        // MARK: The upstream's event streams
        case .eventsInvalidEncoding:
            ProblemType.cocoa("Invalid text encoding", .content).means(
                "An event stream is not valid UTF-8, and not valid in the charset of the media type either.",
                remedy: "Name the charset of the content, for example with type=text/event-stream;charset=windows-1252."
            )
        case .eventsUnfinished:
            ProblemType.cocoa("Unfinished event", .content).means(
                """
                An event stream ends before the empty line that ends its last event. The stream was probably cut off; \
                a browser discards such an event (HTML Standard, section 9.2.6).
                """,
                remedy: "truncated=allow omits the last event, with a warning."
            )

        // MARK: The upstream's CSV
        case .csvInvalidEncoding:
            ProblemType.cocoa("Invalid text encoding", .content).means(
                "The content is not valid UTF-8, and not valid in the charset of the media type either.",
                remedy: """
                    Name the charset of the content, for example with type=text/csv;charset=windows-1252. \
                    lenient=declared-charset reads content that is not valid in its charset in windows-1252.
                    """
            )
        case .csvUnterminatedQuote:
            ProblemType.cocoa("Unterminated field", .content).means(
                """
                A field of CSV begins with a quote, and no quote ends it. The problem reports the location of the \
                first quote.
                """,
                remedy: """
                    The upstream must end the field, or double a quote that is a part of it. If the quotes in fields \
                    have a backslash, use csv-escape=backslash. If fields never have quotes, use csv-quote=none.
                    """
            )
        case .csvTextAfterQuote:
            ProblemType.cocoa("Text after a quote", .content).means(
                """
                The quote that ends a field of CSV is followed by something other than a delimiter or a line end.
                """,
                remedy: """
                    The upstream must double a quote that is a part of a field. If the quotes in fields have a \
                    backslash, use csv-escape=backslash. If fields never have quotes, use csv-quote=none. If the \
                    delimiter is not the detected one, use csv-delimiter.
                    """
            )
        case .csvTooFewFields:
            ProblemType.cocoa("Too few fields", .content).means(
                "A record of CSV has fewer fields than there are columns: names in the header, or fields in the first "
                    + "record if there is no header.",
                remedy: """
                    lenient=ragged accepts the record, without the missing members. If the delimiter is not the \
                    detected one, use csv-delimiter.
                    """
            )
        case .csvTooManyFields:
            ProblemType.cocoa("Too many fields", .content).means(
                "A record of CSV has more fields than there are columns: names in the header, or fields in the first "
                    + "record if there is no header.",
                remedy: """
                    lenient=ragged accepts the record; the fields beyond the header are the array _extra. If the \
                    delimiter is not the detected one, use csv-delimiter.
                    """
            )
        case .csvKeyTooLong:
            ProblemType.cocoa("Name too long", .limit).means(
                "A name in the header of CSV has more bytes than max-key-bytes.",
                remedy: .raiseKeyBytes
            )
        case .csvTooManyColumns:
            ProblemType.cocoa("Too many columns", .limit).means(
                "The header of CSV has more names than max-object-members.",
                remedy: .raiseObjectMembers
            )

        case .csvExpansionTooLarge:
            ProblemType.cocoa("Value too long", .limit).means(
                """
                Each record of CSV is written with the names of the header. With these names, the value would be \
                longer than 200 times the content and 2 MiB.
                """,
                remedy: "Use csv-header=absent, which makes each record an array."
            )

        // MARK: The upstream's feeds
        case .feedNotAFeed:
            ProblemType.cocoa("Not a feed", .content).means(
                """
                The content is XML or JSON, but its root is not that of RSS (rss, or rdf:RDF with a channel or items), \
                Atom (feed) or JSON Feed (an object whose version is one of JSON Feed, or which has the array items).
                """,
                remedy: "Use serializer=xml or serializer=json for other documents, or serializer=feed,xml for both."
            )

        // MARK: The upstream's XML
        case .xmlMalformed:
            ProblemType.xml("Malformed XML", .content).means(
                """
                The content is not well-formed XML 1.0. domainCode is the error number of libxml2 (xmlerror.h), and \
                path is the element that was open.
                """,
                remedy: """
                    The upstream must correct it at the location that the problem reports. The option lenient accepts \
                    an & that begins no reference, and white space before the declaration. serializer=http returns the \
                    content as it is.
                    """
            )
        case .xmlUnexpectedEnd:
            ProblemType.xml("Truncated XML", .content).means(
                "The content ends inside the document, or contains no document. It was probably cut off.",
                remedy: .requestAgain
            )
        case .xmlTrailingContent:
            ProblemType.xml("Content after XML", .content).means(
                "Something other than comments and processing instructions follows the root element.",
                remedy: .correctContent
            )
        case .xmlMismatchedTag:
            ProblemType.xml("Mismatched XML tag", .content).means(
                "An end tag does not match its start tag.",
                remedy: .correctContent
            )
        case .xmlDuplicateAttribute:
            ProblemType.xml("Duplicate XML attribute", .content).means(
                "An element has the same attribute twice.",
                remedy: .correctContent
            )
        case .xmlInvalidCharacter:
            ProblemType.xml("Invalid XML character", .content).means(
                "A character, or a reference to one, that XML 1.0 §2.2 does not allow in a document.",
                remedy: """
                    The upstream must correct it at the location that the problem reports. \
                    lenient=control-characters removes control characters. serializer=http returns the content as it \
                    is.
                    """
            )
        case .xmlInvalidEncoding:
            ProblemType.xml("Invalid text encoding", .content).means(
                """
                The content is not valid in its encoding. The encoding is indicated by the byte order mark, the \
                charset parameter or the XML declaration, in this order of precedence; the default is UTF-8.
                """,
                remedy: """
                    Name the charset of the content, for example with type=application/xml;charset=windows-1252. \
                    lenient=declared-charset uses the charset of the declaration if that of the media type is wrong.
                    """
            )
        case .xmlUndeclaredEntity:
            ProblemType.xml("Undeclared XML entity", .content).means(
                """
                The document uses an entity that it does not declare. Only the entities of XHTML are known without a \
                declaration, in documents that refer to a DTD.
                """,
                remedy: """
                    The upstream must declare the entity, or write the character itself. lenient=html-entities knows \
                    the entities of HTML 4.
                    """
            )
        case .xmlExternalEntity:
            ProblemType.xml("External XML entity", .content).means(
                "The document uses an external entity. Decant never fetches external entities.",
                remedy: "There is no remedy: external entities are never fetched."
            )
        case .xmlEntityExpansion:
            ProblemType.xml("XML entities too large", .limit).means(
                """
                Entities refer to themselves, or entities and default attributes add more bytes to the document than \
                max-xml-entity-expansion-bytes allows, or more than both 64 KiB and five times the content.
                """,
                remedy:
                    "Do not lower max-xml-entity-expansion-bytes. A document that grows like this is usually an attack."
            )
        case .xmlNestingTooDeep:
            ProblemType.xml("Nesting too deep", .limit).means(
                "Elements are nested deeper than 256 levels, or than max-nesting-depth.",
                remedy: "Do not lower max-nesting-depth. The maximum for XML is 256 levels."
            )
        case .xmlTooManyAttributes:
            ProblemType.xml("Too many XML attributes", .limit).means(
                "An element has more attributes and namespace declarations than max-xml-attributes.",
                remedy: "Do not lower max-xml-attributes, or raise DECANT_MAX_XML_ATTRIBUTES."
            )
        case .xmlTooManyNamespaces:
            ProblemType.xml("Too many XML namespaces", .limit).means(
                "More than 256 namespace declarations are in scope at one element.",
                remedy: .splitDocument
            )
        case .xmlTooManyNames:
            ProblemType.xml("Too many XML names", .limit).means(
                """
                The document has more than 32 768 different names. Or its names, namespaces, targets of processing \
                instructions and default values of attributes have more than 2 MiB together. Or names of more than 256 \
                bytes occur in too many violations of namespaces, or in too long attribute lists.
                """,
                remedy: .splitDocument
            )
        case .xmlKeyTooLong:
            ProblemType.xml("XML name too long", .limit).means(
                """
                A name has more bytes than max-key-bytes in the form in which serializer=xml writes it (see \
                xml-names), or a part of it has more than 50 000 bytes.
                """,
                remedy: .raiseKeyBytes
            )
        case .xmlDoctypeTooLong:
            ProblemType.xml("Document type too long", .limit).means(
                """
                The document type declaration and its internal subset have more than 32 KiB, not counting quoted text, \
                comments and processing instructions.
                """,
                remedy: .splitDocument
            )
        case .xmlTooManyChoices:
            ProblemType.xml("Enumeration too long", .limit).means(
                "An enumerated attribute type in the internal subset has more than 512 choices.",
                remedy: .splitDocument
            )

        // MARK: The upstream's property lists
        case .plistNotAPropertyList:
            ProblemType.cocoa("Not a property list", .content).means(
                """
                The content is none of the three forms of a property list; nothing, and nothing but white space, is \
                none.
                """,
                remedy: "Override the type with type=, or choose another serializer."
            )
        case .plistUnsupportedVersion:
            ProblemType.cocoa("Unsupported version", .content).means(
                "The content is a binary property list of a version other than 0.",
                remedy: "Convert the property list, for example with plutil."
            )
        case .plistUnexpectedEnd:
            ProblemType.cocoa("Truncated property list", .content).means(
                "The content ends inside a value. It was probably cut off.",
                remedy: .requestAgain
            )
        case .plistUnexpectedCharacter:
            ProblemType.cocoa("Malformed property list", .content).means(
                "The syntax of the text form does not allow this character here. The problem lists what was expected.",
                remedy: .correctContent
            )
        case .plistUnexpectedElement:
            ProblemType.cocoa("Unexpected element", .content).means(
                "The XML form does not allow this element or text here. The problem lists what was expected.",
                remedy: .correctContent
            )
        case .plistTrailingContent:
            ProblemType.cocoa("Content after the property list", .content).means(
                "Something other than white space and comments follows the value.",
                remedy: .correctContent
            )
        case .plistMalformedXML:
            ProblemType.cocoa("Malformed XML", .content).means(
                "The XML form is not well-formed XML, or uses an external or undeclared entity.",
                remedy: .correctContent
            )
        case .plistInvalidTrailer:
            ProblemType.cocoa("Invalid trailer", .content).means(
                "The trailer of the binary form, its last 32 bytes, does not match the content.",
                remedy: .correctContent
            )
        case .plistInvalidReference:
            ProblemType.cocoa("Invalid reference", .content).means(
                """
                An offset or a reference of the binary form does not lead to an object, or an object extends beyond \
                the end of the objects.
                """,
                remedy: .correctContent
            )
        case .plistOverlappingObjects:
            ProblemType.cocoa("Overlapping objects", .content).means(
                "Objects of the binary form share bytes.",
                remedy: .correctContent
            )
        case .plistUnknownMarker:
            ProblemType.cocoa("Unknown marker", .content).means(
                "A byte of the binary form at which an object must begin is not the marker of an object.",
                remedy: .correctContent
            )
        case .plistInvalidString:
            ProblemType.cocoa("Invalid string", .content).means(
                "A string of the binary form is not valid in the encoding that its marker specifies.",
                remedy: .correctContent
            )
        case .plistLoneSurrogate:
            ProblemType.cocoa("Lone surrogate", .content).means(
                "A string contains a lone surrogate, which is not a Unicode character. surrogates=replace accepts it.",
                remedy: "Use surrogates=replace."
            )
        case .plistInvalidEncoding:
            ProblemType.cocoa("Invalid text encoding", .content).means(
                """
                The text or XML form is not valid in its encoding. The encoding of text is UTF-16 or UTF-32 if a byte \
                order mark or the pattern of NUL bytes indicates it, and otherwise UTF-8; that of XML is determined as \
                for serializer=xml.
                """,
                remedy: "Name the charset of the content, for example type=application/x-plist;charset=windows-1252."
            )
        case .plistInvalidEscape:
            ProblemType.cocoa("Invalid escape", .content).means(
                "A string of the text form contains an escape that does not represent a character.",
                remedy: .correctContent
            )
        case .plistInvalidNumber:
            ProblemType.cocoa("Invalid number", .content).means(
                "An integer or a real is malformed, or is beyond the range of a double.",
                remedy: .correctContent
            )
        case .plistInvalidDate:
            ProblemType.cocoa("Invalid date", .content).means(
                "A date does not exist, or is outside the years 0 to 9999.",
                remedy: .correctContent
            )
        case .plistInvalidData:
            ProblemType.cocoa("Invalid data", .content).means(
                "Data is neither Base64 nor pairs of hexadecimal digits.",
                remedy: .correctContent
            )
        case .plistInvalidKey:
            ProblemType.cocoa("Invalid key", .content).means(
                "The key of a dictionary is not a string.",
                remedy: .correctContent
            )
        case .plistDuplicateKey:
            ProblemType.cocoa("Duplicate key", .content).means(
                "Several members of a dictionary have the same key, and the option duplicates is reject.",
                remedy: "Use duplicates=last, first or keep."
            )
        case .plistCycle:
            ProblemType.cocoa("Cycle", .content).means(
                """
                An object contains itself, which JSON cannot represent. archive=keep writes such an archive without \
                resolving its references.
                """,
                remedy: .correctContent
            )
        case .plistInvalidArchive:
            ProblemType.cocoa("Invalid archive", .content).means(
                "The option archive is resolve, and the archive refers to an object that is missing or invalid.",
                remedy: "Use archive=keep, which does not resolve the archive."
            )
        case .plistExpansionTooLarge:
            ProblemType.cocoa("Expansion too large", .limit).means(
                """
                Objects that are referred to more than once would be written several times, and the value would be \
                longer than 16 times the content plus 1 MiB.
                """,
                remedy: "Use archive=keep. A property list that grows like this is usually an attack."
            )
        case .plistNestingTooDeep:
            ProblemType.cocoa("Nesting too deep", .limit).means(
                """
                Arrays and dictionaries are nested deeper than max-nesting-depth; or elements of the XML form are, or \
                deeper than 256 levels.
                """,
                remedy: "Do not lower max-nesting-depth, or raise DECANT_MAX_NESTING_DEPTH, whose maximum is 1024."
            )
        case .plistNumberTooLong:
            ProblemType.cocoa("Number too long", .limit).means(
                "A number has more bytes than max-number-bytes.",
                remedy: "Do not lower max-number-bytes, or raise DECANT_MAX_NUMBER_BYTES."
            )
        case .plistKeyTooLong:
            ProblemType.cocoa("Key too long", .limit).means(
                "A key has more bytes than max-key-bytes.",
                remedy: .raiseKeyBytes
            )
        case .plistTooManyMembers:
            ProblemType.cocoa("Too many members", .limit).means(
                "A dictionary has more members than max-object-members.",
                remedy: .raiseObjectMembers
            )
        case .plistTooManyObjects:
            ProblemType.cocoa("Too many objects", .limit).means(
                "A property list has more objects than are read.",
                remedy: .splitDocument
            )

        // MARK: The upstream's images
        case .imageNotAnImage:
            ProblemType(422, "Not an image", .image, 1, stage: .decoding, cause: .content).means(
                """
                The content is not an image of a known format. The format is detected from the content, and never from \
                the media type.
                """,
                remedy: "Override the type with type=, or choose another serializer."
            )
        case .imageTruncated:
            ProblemType(422, "Truncated image", .image, 2, stage: .decoding, cause: .content).means(
                """
                The image ends early. It was probably cut off. With truncated=allow the response contains the facts of \
                its header, and thumbnails show the decoded part.
                """,
                remedy: "Request the response again, or use truncated=allow, which uses the part that was received."
            )
        case .imageCorrupt:
            ProblemType(422, "Corrupt image", .image, 3, stage: .decoding, cause: .content).means(
                """
                The image violates its format in the part and at the location that the problem reports. With \
                truncated=allow the response contains the facts that can be read.
                """,
                remedy: "Request the response again, or use truncated=allow, which uses the part that was received."
            )
        case .imageUnsupportedPixels:
            ProblemType(422, "Unsupported pixels", .image, 4, stage: .decoding, cause: .content).means(
                """
                The request needs the pixels of the image, and Decant does not decode the pixels of this format or \
                variant. Without thumbnail, placeholder, fingerprint=phash and decode=full, the response contains the \
                facts of the header.
                """,
                remedy: "Use thumbnail=none: the facts of the header do not need pixels."
            )
        case .imageTooLargeToDecode:
            ProblemType(422, "Image too large to decode", .image, 5, stage: .decoding, cause: .limit).means(
                """
                The request needs the pixels of the image, and decoding them would exceed max-image-pixels, \
                max-image-side, max-jpeg-scans or the memory of a decoder.
                """,
                remedy: """
                    Use thumbnail=none, or raise DECANT_MAX_IMAGE_PIXELS, DECANT_MAX_IMAGE_SIDE or \
                    DECANT_WORKER_MEMORY_BYTES.
                    """
            )
        case .decodeTime:
            ProblemType(422, "Decoding takes too long", .limit, 2, stage: .decoding, cause: .limit).means(
                "Decoding the pixels of the image exceeded the time limit, and was stopped.",
                remedy: "Use thumbnail=none, or raise DECANT_DECODE_TIME_SECONDS."
            )
        case .decoderCrashed:
            ProblemType(500, "Decoder crashed", .image, 6, stage: .decoding, cause: .service).means(
                """
                The process that read the image ended unexpectedly. Other requests are not affected. \
                With decode=header no pixels are decoded, and the response contains the facts of the header.
                """,
                remedy: "Use thumbnail=none. Report the image if you can."
            )
        case .sandboxUnavailable:
            ProblemType(503, "No sandbox", .service, 4, stage: .decoding, cause: .service).means(
                """
                Images are read only in sandboxed processes. The system has no seccomp, which the sandbox requires. \
                Other content is serialized.
                """,
                remedy: "Run the service on a system with seccomp. GET /readyz reports why there is no sandbox."
            )
        case .noWorkers:
            ProblemType(503, "No workers", .service, 6, stage: .decoding, cause: .service).means(
                """
                Images are read by worker processes. This service has none: the setting workers is 0, or there is not \
                enough memory for a worker. Other content is serialized.
                """,
                remedy: "Raise DECANT_WORKERS or the memory of the service."
            )

        // MARK: The parts of the value
        case .partNotFound:
            ProblemType(422, "Part not found", .value, 1, stage: .decoding, cause: .content).means(
                """
                The content is valid, and its value does not have the part that the option select names, or omit \
                leaves this part out. The member at.pointer is the longest pointer on the way to the part that leads \
                to a value, and at.byte is the position of that value in the normalized value.
                """,
                remedy: "Compare select with the value without it, or use select-missing=empty if the part is optional."
            )

        // MARK: Limits of content codings and of the response
        case .contentCodings:
            ProblemType(422, "Too many content codings", .limit, 3, stage: .coding, cause: .limit).means(
                "Content-Encoding lists more codings than max-content-codings.",
                remedy: "Do not lower max-content-codings, or raise DECANT_MAX_CONTENT_CODINGS, whose maximum is 16."
            )
        case .decodedTooLong:
            ProblemType(422, "Decoded content too long", .limit, 4, stage: .coding, cause: .limit).means(
                "The content is longer than max-decoded-bytes after one or all of its content codings are undone.",
                remedy: "Do not lower max-decoded-bytes, or raise DECANT_MAX_DECODED_BYTES."
            )
        case .decodedRatio:
            ProblemType(422, "Decompression ratio too high", .limit, 5, stage: .coding, cause: .limit).means(
                """
                The decoded content is longer than 1 MiB, and longer than 1000 times the encoded bytes that were read \
                so far.
                """,
                remedy: "There is no remedy: this limit is fixed. Content with such a ratio is usually an attack."
            )
        case .outputTooLong:
            ProblemType(422, "Value too long", .limit, 1, stage: .decoding, cause: .limit).means(
                "The normalized value would be longer than max-output-bytes.",
                remedy: "Do not lower max-output-bytes, or raise DECANT_MAX_OUTPUT_BYTES."
            )

        // MARK: Requests for resources of origins
        case .fetchInvalidURL:
            ProblemType(400, "Invalid URL", .url, -1000, stage: .fetch, cause: .request).means(
                """
                The URL is not one that Decant requests: it is longer than 8 KiB, has a byte that RFC 3986 does not \
                permit, or an unusual host or port. Decant accepts less than browsers do, so that no two programs read \
                the URL differently.
                """,
                remedy: """
                    Encode spaces and other characters (%20), write international host names in their ASCII form \
                    (xn--…), and addresses as dotted quads.
                    """
            )
        case .fetchUnsupportedScheme:
            ProblemType(400, "Unsupported scheme", .url, -1002, stage: .fetch, cause: .request).means(
                "The scheme of the URL is neither http nor https.",
                remedy: "Use an http or https URL."
            )
        case .fetchURLHasCredentials:
            ProblemType(400, "URL with credentials", .fetch, 17, stage: .fetch, cause: .request).means(
                "The URL contains a user name or a password before its host.",
                remedy: "Send credentials in the field Authorization, in headers."
            )
        case .fetchFieldNotAllowed:
            ProblemType(400, "Field not allowed", .fetch, 18, stage: .fetch, cause: .request).means(
                """
                A field in headers is malformed, or is one that Decant writes itself or that belongs to the \
                connection, such as Host, Content-Length, Accept-Encoding or Range, or one that the service adds to \
                requests to this origin (fetch-credentials-file). All fields together are at most 64 KiB long.
                """,
                remedy: "Remove or correct the field that the problem names."
            )
        case .fetchLoop:
            ProblemType(400, "Loop", .fetch, 3, stage: .fetch, cause: .request).means(
                """
                The request was sent by this service itself: its field CDN-Loop (RFC 8586) contains the identifier of \
                the process, or of its deployment (fetch-cdn-id). The URL leads back to Decant.
                """,
                remedy: "Request the resource from its origin."
            )
        case .fetchNotConfigured:
            ProblemType(403, "Fetching disabled", .fetch, 4, stage: .fetch, cause: .access).means(
                "The service does not request URLs, because fetch-allow is empty.",
                remedy: "Set DECANT_FETCH_ALLOW to the hosts that may be requested, or to * for all public hosts."
            )
        case .fetchMethodNotAllowed:
            ProblemType(403, "Method not allowed for fetching", .fetch, 5, stage: .fetch, cause: .access).means(
                "fetch-methods does not contain the method.",
                remedy: "Use one of the methods that the problem lists, or add it to DECANT_FETCH_METHODS."
            )
        case .fetchHostNotAllowed:
            ProblemType(403, "Host not allowed", .fetch, 6, stage: .fetch, cause: .access).means(
                """
                No entry of fetch-allow matches the URL, or one of fetch-deny does. For the target of a redirect, \
                entries of fetch-allow-redirects are permissions too.
                """,
                remedy: "Add the host to the setting that the problem names, if it may be requested."
            )
        case .fetchAddressNotAllowed:
            ProblemType(403, "Address not allowed", .fetch, 7, stage: .fetch, cause: .access).means(
                """
                The address of the host is not one of a public server, or fetch-deny-addresses contains it. Each \
                address of a host must be allowed.
                """,
                remedy: """
                    Name the host in DECANT_FETCH_ALLOW and its addresses in DECANT_FETCH_ALLOW_ADDRESSES, if it may \
                    be requested.
                    """
            )
        case .fetchCacheKeyNotAllowed:
            ProblemType(403, "Cache key not allowed", .fetch, 8, stage: .fetch, cause: .access).means(
                """
                cacheKey replaces the URL in the key of the cache. Callers that can choose it could read or replace \
                responses of others, so it needs a token or a signature.
                """,
                remedy: "Leave out cacheKey, or send a token."
            )
        case .fetchSizeNotAllowed:
            ProblemType(403, "Size not allowed", .fetch, 19, stage: .fetch, cause: .access).means(
                """
                image-sizes lists the thumbnails that everyone may request. Another size, fit, background or quality \
                needs a signed URL, and so do all parameters with many values, so that nobody can request the same \
                image in thousands of ways.
                """,
                remedy: """
                    Request one of the thumbnails that the problem lists, without further options, sign the URL \
                    (decant sign), or add the thumbnail to the setting image-sizes.
                    """
            )
        case .fetchNotFound:
            ProblemType(404, "No such receipt or slot", .fetch, 9, stage: .fetch, cause: .request).means(
                """
                No request waits under this receipt or in this slot, and no result is kept under it: it was delivered, \
                cancelled, never existed, or fetch-result-seconds have passed. Receipts and slots of other partitions \
                do not exist for a caller.
                """,
                remedy: "Send the request again."
            )
        case .fetchCancelled:
            ProblemType(409, "Cancelled", .url, -999, stage: .fetch, cause: .fetch).means(
                """
                The request was cancelled by its receipt or its slot, or its client closed its side of the connection.
                """,
                remedy: "Send the request again, if its result is needed."
            )
        case .fetchSuperseded:
            ProblemType(409, "Superseded", .url, -999, stage: .fetch, cause: .fetch).means(
                "A later request in the same slot was for another resource, and has taken the place of this one.",
                remedy: "There is nothing to do: the slot shows the later resource."
            )
        case .fetchResolveFailed:
            ProblemType.temporary(502, "Host not resolved", .url, -1003, stage: .fetch, cause: .fetch).means(
                """
                The host does not exist, has no address, or no DNS server responded in time. If fetch-allow has only * \
                for the host, the same is reported for a host whose address is not allowed.
                """,
                remedy: "Check the name of the host. The log of the service contains the cause."
            )
        case .fetchConnectFailed:
            ProblemType.temporary(502, "Connection failed", .url, -1004, stage: .fetch, cause: .fetch).means(
                "No address of the host accepted a connection.",
                remedy: "Repeat the request later. Check the port of the URL."
            )
        case .fetchConnectionLost:
            ProblemType.temporary(502, "Connection lost", .url, -1005, stage: .fetch, cause: .fetch).means(
                "The connection to the origin ended before the response was complete.",
                remedy: "Repeat the request."
            )
        case .fetchTooManyRedirects:
            ProblemType(502, "Too many redirects", .fetch, 10, stage: .fetch, cause: .fetch).means(
                "The origin redirected the request more often than fetch-max-redirects permits.",
                remedy: "Request the final URL, or raise DECANT_FETCH_MAX_REDIRECTS."
            )
        case .fetchRedirectRefused:
            ProblemType(502, "Redirect refused", .url, -1007, stage: .fetch, cause: .fetch).means(
                """
                The origin redirected the request, and the redirect is not followed: the request has redirects=error, \
                or the redirect leads from https to http, to another scheme, or to a URL with credentials.
                """,
                remedy: "Request the final URL, or use redirects=manual to receive the redirect itself."
            )
        case .fetchMalformedResponse:
            ProblemType(502, "Malformed response", .url, -1011, stage: .fetch, cause: .fetch).means(
                """
                The response of the origin violates HTTP: its head is malformed or longer than 64 KiB, its framing is \
                ambiguous, or its Location is not a URL.
                """,
                remedy: "The origin must correct its response."
            )
        case .fetchTLSFailed:
            ProblemType.temporary(502, "TLS failed", .url, -1200, stage: .fetch, cause: .fetch).means(
                "The TLS handshake with the origin failed. TLS 1.2 is the minimum.",
                remedy: "Check that the port of the URL is one for https."
            )
        case .fetchCertificateUntrusted:
            ProblemType(502, "Certificate not trusted", .url, -1202, stage: .fetch, cause: .fetch).means(
                """
                The certificate of the origin is expired, belongs to another host, or was not issued by a trusted \
                authority.
                """,
                remedy: "Correct the certificate, or add its authority with DECANT_FETCH_CA_FILE."
            )
        case .fetchProxyFailed:
            ProblemType.temporary(502, "Proxy failed", .fetch, 11, stage: .fetch, cause: .fetch).means(
                "The proxy (fetch-proxy) could not be reached, or refused the request.",
                remedy: "Check DECANT_FETCH_PROXY and the rules of the proxy."
            )
        case .fetchFetcherDied:
            ProblemType.temporary(502, "Fetcher ended", .fetch, 12, stage: .fetch, cause: .fetch).means(
                """
                The process that requested the resource ended unexpectedly. A GET or HEAD is started again once, if \
                nothing of its response had been received.
                """,
                remedy: "Repeat the request. Report it if it happens again."
            )
        case .fetchSaturated:
            ProblemType.temporary(503, "Fetching saturated", .fetch, 13, stage: .fetch, cause: .fetch).means(
                """
                Too many requests wait for a permit (fetch-max-queued), this one has waited for fetch-queue-seconds, \
                or the memory for responses is in use.
                """,
                remedy: "Repeat the request after the seconds of the field Retry-After."
            )
        case .fetchCircuitOpen:
            ProblemType.temporary(503, "Circuit open", .fetch, 14, stage: .fetch, cause: .fetch).means(
                """
                The origin has failed repeatedly. Requests to it are rejected without an attempt, until one attempt \
                succeeds.
                """,
                remedy: "Repeat the request after the seconds of the field Retry-After."
            )
        case .fetchUnavailable:
            ProblemType.temporary(503, "Fetching unavailable", .fetch, 15, stage: .fetch, cause: .fetch).means(
                "The process that requests resources is not running. It is being started again.",
                remedy: """
                    Repeat the request after the seconds of the field Retry-After. The log of the service contains the \
                    reason.
                    """
            )
        case .fetchTimedOut:
            ProblemType.temporary(504, "Timed out", .url, -1001, stage: .fetch, cause: .fetch).means(
                """
                The origin did not respond in time: one of the timeouts of the service has passed, or the \
                timeoutSeconds of the request.
                """,
                remedy: "Repeat the request, or do not lower timeoutSeconds."
            )
        case .cacheOnlyIfCached:
            ProblemType(504, "Not cached", .fetch, 16, stage: .fetch, cause: .fetch).means(
                "The request has cache=only-if-cached, and there is no stored response.",
                remedy: "Use another cache mode."
            )
        case .cacheNotFound:
            ProblemType(404, "Nothing purged", .fetch, 21, stage: .fetch, cause: .request).means(
                "DELETE /v1/cache has found no stored response of the URL, of the key or of the partition.",
                remedy: "Nothing: there is nothing to remove. Check the partition if a response should be stored."
            )
        case .cachePurgeNotAllowed:
            ProblemType(403, "Purging not allowed", .fetch, 22, stage: .fetch, cause: .access).means(
                "DELETE /v1/cache is disabled, because the setting allow-purge is false.",
                remedy: "Let the operator set allow-purge."
            )
        case .invalidFetch:
            ProblemType.request(400, "Invalid fetch request", 20).means(
                """
                The content of POST /v1/fetch is not a request for a resource: a JSON object with the member url and \
                optional others, each once. The problem names the member.
                """,
                remedy: "Correct the member at the location that the problem reports."
            )
        case .contentTooLong:
            ProblemType(422, "Content too long", .limit, 6, stage: .fetch, cause: .limit).means(
                "The content of the origin's response is longer than max-content-bytes.",
                remedy: "Do not lower max-content-bytes, or raise DECANT_MAX_CONTENT_BYTES."
            )

        // MARK: The input of a batch
        case .invalidBatchItem:
            ProblemType.request(400, "Invalid item", 21).means(
                """
                An item of decant batch does not describe a response: an entry of an HTTP archive, a record of a web \
                archive or the head of a frame is not valid. The other items are processed.
                """,
                remedy: "Correct the item at the location that the problem reports."
            )
        case .unreadableBatchInput:
            ProblemType.request(400, "Unreadable input", 22).means(
                """
                An input of decant batch cannot be read to its end: reading failed, it ends early, or its format is \
                not valid, so that the next item cannot be found. The items before that location were processed.
                """,
                remedy: "Repair the input, or get it again."
            )

        // MARK: The service itself
        case .saturated:
            ProblemType.temporary(503, "Saturated", .service, 1, stage: .service, cause: .service).means(
                """
                The memory for requests is in use, or all threads for large content, all decoders or all connections \
                of the client address are busy. Try again after the time in the field Retry-After.
                """,
                remedy: .repeatLater
            )
        case .queueTimeout:
            ProblemType.temporary(503, "Waited too long", .service, 5, stage: .service, cause: .service).means(
                """
                The request has waited for a thread or for a worker for queue-timeout-seconds. Try again after the \
                time in the field Retry-After. If this happens often, the service needs more processors, workers or \
                replicas.
                """,
                remedy: .repeatLater
            )
        case .draining:
            ProblemType.temporary(503, "Draining", .service, 2, stage: .service, cause: .service).means(
                """
                The service is stopping and does not accept requests. Try again: another replica, or the restarted \
                service, will respond.
                """,
                remedy: .repeatLater
            )
        case .internal:
            ProblemType(500, "Internal error", .service, 3, stage: .service, cause: .service).means(
                "A defect of Decant. The X-Request-ID of the response identifies the request in the logs.",
                remedy: "Report it with the value of X-Request-ID."
            )
        }
    }
}

// Remedies of several codes.
extension String {
    fileprivate static let correctContent = """
        The upstream must correct it at the location that the problem reports. serializer=http returns the content as \
        it is.
        """

    fileprivate static let correctFraming = """
        The upstream must correct its framing. If the message contains a single response and its content is complete, \
        remove Content-Length and Transfer-Encoding from the message. The content then ends with the message.
        """

    fileprivate static let sendWholeMessage = """
        Send the message from its status line to its end, as curl -i prints it. Send content without a head to POST \
        /v1/normalize.
        """

    fileprivate static let correctJSON = """
        The upstream must correct its JSON. The options lenient and records accept common deviations: trailing commas, \
        comments, NaN, single quotes, line breaks in strings, unknown escapes, other forms of numbers and several \
        values.
        """

    fileprivate static let raiseKeyBytes = "Do not lower max-key-bytes, or raise DECANT_MAX_KEY_BYTES."
    fileprivate static let raiseObjectMembers = "Do not lower max-object-members, or raise DECANT_MAX_OBJECT_MEMBERS."
    fileprivate static let splitDocument = "This limit is fixed. Split the document."
    fileprivate static let useHTTPLibrary =
        "Use an HTTP/1.1 client library, or correct the proxy that forwards the request."
    fileprivate static let requestAgain = "Request the response again; it was probably cut off."
    fileprivate static let repeatLater = "Repeat the request after the number of seconds in the field Retry-After."
}
