extension ProblemCode {
    /// The remedy, for the page at `/problems/{code}`.
    var remedy: String {
        switch self {
        // MARK: The request to Decant
        case .invalidOption:
            "Correct the name or the value; the problem lists what is allowed and proposes the nearest match."
        case .invalidField: "Correct or remove the field."
        case .conflictingFields: "Remove the Upstream-* fields. An envelope has members for status, URL and method."
        case .invalidEnvelope: "Correct the member at the position that the problem reports."
        case .malformedFraming, .unsupportedTransferCoding, .unsupportedVersion:
            "Use an HTTP/1.1 client library, or correct the proxy that forwards the request."
        case .targetTooLong, .headTooLarge: "Send fewer or shorter fields; an envelope may contain longer ones."
        case .notFound: "Compare the path with GET /openapi.yaml."
        case .methodNotAllowed: "Use one of the methods in the field Allow."
        case .notAcceptable: "Omit the field Accept, or list one of the types that the problem reports."
        case .contentTooLarge:
            "Send less content, do not lower max-content-bytes, or raise DECANT_MAX_CONTENT_BYTES (and DECANT_MAX_BUFFERED_BYTES)."
        case .unsupportedMediaType:
            "Send an envelope as application/json, or a message as application/http, without a content coding."

        // MARK: The token or the signature
        case .tokenMissing:
            "Send the field Authorization: Bearer TOKEN, with a token that the operator of the service has issued."
        case .tokenInvalid:
            "Compare the token with the one that the operator has issued, without a line feed at its end. The operator compares its "
                + "SHA-256 (printf %s TOKEN | sha256sum) with the file of the setting tokens-file, and reloads it with SIGHUP."
        case .permissionMissing:
            "Use another token, or ask the operator to add the permission to this one in the file of the setting tokens-file."
        case .signatureInvalid:
            "Send the target exactly as decant sign printed it. If the key was replaced, sign the URL again."
        case .signatureExpired: "Sign the URL again, with a later time in the parameter expires."

        // MARK: The message
        case .messageInvalidStatusLine, .messageUnsupportedVersion:
            "Send the message from its status line to its end, as curl -i prints it. Send content without a head to POST /v1/normalize."
        case .messageBareLineFeed:
            "Send the bytes as they were received: curl -d removes line ends, and --data-binary keeps them. Convert the line ends of "
                + "the heads to CRLF, for example with unix2dos if the content is text, or send an envelope."
        case .messageInvalidField, .messageHeadTooLarge:
            "Correct or remove the field at the position that the problem reports, or send an envelope."
        case .messageInvalidLength, .messageConflictingFraming, .messageTrailingBytes:
            "The upstream must correct its framing. If the message contains a single response and its content is complete, "
                + "remove Content-Length and Transfer-Encoding from the message. The content then ends with the message."
        case .messageUnsupportedTransferCoding:
            "Undo the transfer coding, and remove the field Transfer-Encoding."
        case .messageMalformedChunk:
            "Send the bytes as they were received. If the chunks are already undone, remove the field Transfer-Encoding."
        case .messageTruncated:
            "Request the response again; it was probably cut off. truncated=allow uses content that ends early."

        // MARK: The upstream's response
        case .unacceptableStatus: "If the status is not an error for you, list it in accept-status."
        case .unacceptableType:
            "Override a wrong type with type=, accept another one with accept-types=, or read the raw content with "
                + "serializer=http."
        case .typeMismatch:
            "Look at the content: the upstream, or a proxy in front of it, sent something else. If the content is right and "
                + "the type is wrong, override it with type=; if the content is compressed, forward Content-Encoding."
        case .codingTruncated:
            "Request the response again, or use truncated=allow, which uses the decoded part."
        case .codingCorrupt: "Request the response again."
        case .codingWindowTooLarge:
            "The upstream must use a window of at most 8 MiB, such as zstd up to level 19 without --long."
        case .codingDictionary: "The upstream must encode the content without a dictionary."
        case .codingUnsupported:
            "If you have already decoded the content, drop the field Content-Encoding; otherwise decode it first."
        case .charsetUnsupported: "Transcode the content to UTF-8, or name its charset with type=."

        // MARK: The upstream's JSON
        case .jsonUnexpectedCharacter, .jsonInvalidLiteral:
            "The upstream must correct its JSON. The options lenient and records accept common deviations: trailing commas, "
                + "comments, NaN, single quotes and several values."
        case .jsonTrailingContent: "If the content is several values, use records=many."
        case .jsonUnexpectedEnd, .xmlUnexpectedEnd, .plistUnexpectedEnd:
            "Request the response again; it was probably cut off."
        case .jsonInvalidNumber, .jsonInvalidEscape, .jsonControlCharacter, .jsonNumberNotRepresentable,
            .xmlMalformed, .xmlTrailingContent, .xmlMismatchedTag, .xmlDuplicateAttribute, .xmlInvalidCharacter,
            .plistUnexpectedCharacter, .plistUnexpectedElement, .plistTrailingContent, .plistMalformedXML,
            .plistInvalidTrailer, .plistInvalidReference, .plistOverlappingObjects, .plistUnknownMarker,
            .plistInvalidString, .plistInvalidEscape, .plistInvalidNumber, .plistInvalidDate, .plistInvalidData,
            .plistInvalidKey, .plistCycle:
            "The upstream must correct it at the position that the problem reports. serializer=http returns the content as it "
                + "is."
        case .jsonLoneSurrogate, .plistLoneSurrogate: "Use surrogates=replace."
        case .jsonInvalidEncoding, .xmlInvalidEncoding, .plistInvalidEncoding:
            "Name the charset of the content, for example with type=application/json;charset=windows-1252."
        case .jsonDuplicateName, .plistDuplicateKey: "Use duplicates=last, first or keep."
        case .jsonTopLevelScalar: "Use fragments=true."
        case .jsonNestingTooDeep, .plistNestingTooDeep:
            "Do not lower max-nesting-depth, or raise DECANT_MAX_NESTING_DEPTH, whose maximum is 1024."
        case .xmlNestingTooDeep: "Do not lower max-nesting-depth. The maximum for XML is 256 levels."
        case .jsonNumberTooLong, .plistNumberTooLong: "Do not lower max-number-bytes, or raise DECANT_MAX_NUMBER_BYTES."
        case .jsonKeyTooLong, .xmlKeyTooLong, .plistKeyTooLong:
            "Do not lower max-key-bytes, or raise DECANT_MAX_KEY_BYTES."
        case .jsonTooManyMembers, .plistTooManyMembers:
            "Do not lower max-object-members, or raise DECANT_MAX_OBJECT_MEMBERS."

        // MARK: The upstream's XML
        case .xmlUndeclaredEntity: "The upstream must declare the entity, or write the character itself."
        case .xmlExternalEntity: "There is no remedy: external entities are never fetched."
        case .xmlEntityExpansion:
            "Do not lower max-xml-entity-expansion-bytes. A document that grows like this is usually an attack."
        case .xmlTooManyAttributes: "Do not lower max-xml-attributes, or raise DECANT_MAX_XML_ATTRIBUTES."
        case .xmlTooManyNamespaces, .xmlTooManyNames, .xmlDoctypeTooLong, .xmlTooManyChoices, .plistTooManyObjects:
            "This limit is fixed. Split the document."

        // MARK: The upstream's property lists
        case .plistNotAPropertyList: "Override the type with type=, or choose another serializer."
        case .plistUnsupportedVersion: "Convert the property list, for example with plutil."
        case .plistInvalidArchive: "Use archive=keep, which does not resolve the archive."
        case .plistExpansionTooLarge: "Use archive=keep. A property list that grows like this is usually an attack."

        // MARK: The upstream's images
        case .imageNotAnImage: "Override the type with type=, or choose another serializer."
        case .imageTruncated, .imageCorrupt:
            "Request the response again, or use truncated=allow, which uses the part that was received."
        case .imageUnsupportedPixels: "Use thumbnail=none: the facts of the header do not need pixels."
        case .imageTooLargeToDecode:
            "Use thumbnail=none, or raise DECANT_MAX_IMAGE_PIXELS, DECANT_MAX_IMAGE_SIDE or DECANT_WORKER_MEMORY_BYTES."
        case .decodeTime: "Use thumbnail=none, or raise DECANT_DECODE_TIME_SECONDS."
        case .decoderCrashed: "Use thumbnail=none. Report the image if you can."
        case .sandboxUnavailable: "Use thumbnail=none. GET /readyz reports why there is no sandbox."
        case .noWorkers: "Use thumbnail=none, or raise DECANT_WORKERS or the memory of the service."

        // MARK: Requests for resources of origins
        case .fetchInvalidURL:
            "Encode spaces and other characters (%20), write international host names in their ASCII form "
                + "(xn--…), and addresses as dotted quads."
        case .fetchUnsupportedScheme:
            "Use an http or https URL."
        case .fetchURLHasCredentials:
            "Send credentials in the field Authorization, in headers."
        case .fetchFieldNotAllowed:
            "Remove or correct the field that the problem names."
        case .fetchLoop:
            "Request the resource from its origin."
        case .fetchNotConfigured:
            "Set DECANT_FETCH_ALLOW to the hosts that may be requested, or to * for all public hosts."
        case .fetchMethodNotAllowed:
            "Use one of the methods that the problem lists, or add it to DECANT_FETCH_METHODS."
        case .fetchHostNotAllowed:
            "Add the host to the setting that the problem names, if it may be requested."
        case .fetchAddressNotAllowed:
            "Name the host in DECANT_FETCH_ALLOW and its addresses in DECANT_FETCH_ALLOW_ADDRESSES, if it may be "
                + "requested."
        case .fetchCacheKeyNotAllowed:
            "Leave out cacheKey, or send a token."
        case .fetchSizeNotAllowed:
            "Request one of the sizes that the problem lists, sign the URL (decant sign), or add the size to the setting image-sizes."
        case .fetchNotFound:
            "Send the request again."
        case .fetchCancelled:
            "Send the request again, if its result is needed."
        case .fetchSuperseded:
            "There is nothing to do: the slot shows the later resource."
        case .fetchResolveFailed:
            "Check the name of the host. The log of the service contains the cause."
        case .fetchConnectFailed:
            "Repeat the request later. Check the port of the URL."
        case .fetchConnectionLost:
            "Repeat the request."
        case .fetchTooManyRedirects:
            "Request the final URL, or raise DECANT_FETCH_MAX_REDIRECTS."
        case .fetchRedirectRefused:
            "Request the final URL, or use redirects=manual to receive the redirect itself."
        case .fetchMalformedResponse:
            "The origin must correct its response."
        case .fetchTLSFailed:
            "Check that the port of the URL is one for https."
        case .fetchCertificateUntrusted:
            "Correct the certificate, or add its authority with DECANT_FETCH_CA_FILE."
        case .fetchProxyFailed:
            "Check DECANT_FETCH_PROXY and the rules of the proxy."
        case .fetchFetcherDied:
            "Repeat the request. Report it if it happens again."
        case .fetchSaturated:
            "Repeat the request after the seconds of the field Retry-After."
        case .fetchCircuitOpen:
            "Repeat the request after the seconds of the field Retry-After."
        case .fetchUnavailable:
            "Repeat the request after the seconds of the field Retry-After. The log of the service contains the "
                + "reason."
        case .fetchTimedOut:
            "Repeat the request, or do not lower timeoutSeconds."
        case .cacheOnlyIfCached:
            "Use another cache mode."
        case .cacheNotFound:
            "Nothing: there is nothing to remove. Check the partition if a response should be stored."
        case .cachePurgeNotAllowed:
            "Let the operator set allow-purge."
        case .invalidFetch:
            "Correct the member at the position that the problem reports."
        case .contentTooLong:
            "Do not lower max-content-bytes, or raise DECANT_MAX_CONTENT_BYTES."

        // MARK: The service
        case .contentCodings:
            "Do not lower max-content-codings, or raise DECANT_MAX_CONTENT_CODINGS, whose maximum is 16."
        case .decodedTooLong: "Do not lower max-decoded-bytes, or raise DECANT_MAX_DECODED_BYTES."
        case .decodedRatio: "There is no remedy: this limit is fixed. Content with such a ratio is usually an attack."
        case .outputTooLong: "Do not lower max-output-bytes, or raise DECANT_MAX_OUTPUT_BYTES."
        case .saturated, .queueTimeout, .draining:
            "Repeat the request after the number of seconds in the field Retry-After."
        case .internal: "Repeat the request. If the problem occurs again, report it with the value of X-Request-ID."
        }
    }
}
