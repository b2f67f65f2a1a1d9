extension Warning {
    /// The code in the form `area.reason`, in lower case. It is stable and documented.
    public var code: String {
        switch kind {
        case .byteOrderMark: "response.byte_order_mark"
        case .transcoded: "response.transcoded"
        case .duplicateName: "json.duplicate_name"
        case .duplicateKey: "plist.duplicate_key"
        case .propertyListLoneSurrogate: "plist.lone_surrogate"
        case .propertyListNumberRounded: "plist.number_rounded"
        case .lenient(let leniency): leniency.format.code
        case .charsetReplaced: "response.charset_replaced"
        case .possiblyTruncatedRecord: "json.possibly_truncated"
        case .loneSurrogate: "json.lone_surrogate"
        case .prefix: "json.prefix"
        case .graphQLNulls: "json.graphql_nulls"
        case .numberRewritten: "json.number_rewritten"
        case .charsetMismatch, .unlikelyCharset: "response.charset_mismatch"
        case .declarationMismatch: "xml.encoding_mismatch"
        case .namespace: "xml.namespace"
        case .namedEntity: "xml.named_entity"
        case .soapFault: "xml.soap_fault"
        case .formEscape: "form.invalid_escape"
        case .eventsUnknownField: "events.unknown_field"
        case .eventsInvalidID: "events.invalid_id"
        case .eventsInvalidRetry: "events.invalid_retry"
        case .eventsWithoutData: "events.without_data"
        case .eventsDataNotJSON: "events.data_not_json"
        case .eventsUnfinished: "events.unfinished"
        case .csvUnfinished: "csv.unfinished"
        case .csvSeparatorLine: "csv.separator_line"
        case .csvDuplicateName: "csv.duplicate_name"
        case .csvEmptyName: "csv.empty_name"
        case .csvBareQuote: "csv.bare_quote"
        case .csvBlankLine: "csv.blank_line"
        case .feedInvalidDate: "feed.invalid_date"
        case .feedBaseTooLong: "feed.base_too_long"
        case .feedUnexpectedNamespace: "feed.unexpected_namespace"
        case .contentMismatch: "response.content_mismatch"
        case .imageTypeMismatch: "image.type_mismatch"
        case .imageMetadata: "image.malformed_metadata"
        case .imageProfile: "image.unusable_profile"
        case .imageMissingEnd: "image.missing_end"
        case .imageMissingColorTable: "image.missing_color_table"
        case .imageInvalidDate: "image.invalid_date"
        case .imageWithoutPixels(let reason), .imageDamaged(let reason): reason.warningCode
        case .malformedContentType: "response.malformed_content_type"
        case .malformedParameters: "response.malformed_parameters"
        case .invalidField: "response.invalid_field"
        case .lengthMismatch: "response.length_mismatch"
        case .notEncoded: "encoding.not_encoded"
        case .trailingBytes: "encoding.trailing_bytes"
        case .missingTrailer: "encoding.missing_trailer"
        case .truncatedCoding: "encoding.truncated"
        case .unexpectedContent: "response.unexpected_content"
        case .messageNotChunked: "message.not_chunked"
        case .messageTrailingBytes: "message.trailing_bytes"
        case .messageWithoutContent: "message.no_content"
        case .messageTruncated: "message.truncated"
        case .messageHistoryTruncated: "message.history_truncated"
        case .rawFallback: "response.raw_fallback"
        case .truncated: "warnings.truncated"
        }
    }

    /// A sentence for people. Quoted texts of the upstream are truncated to 128 bytes.
    public var message: String {
        switch kind {
        case .byteOrderMark(let encoding, isKept: let isKept):
            isKept
                ? "the content begins with a byte order mark (\(encoding)), which is a part of the text"
                : "a byte order mark (\(encoding)) before the value was removed"
        case .transcoded(let encoding): "the content is in \(encoding) and was transcoded to utf-8"
        case .duplicateName(let name, kept: let kept):
            "an object has the member '\(name.longExcerpt)' more than once; \(kept.outcome)"
        case .lenient(let leniency):
            leniency == .ragged
                ? "the number of fields differs from that of the columns; this was accepted as lenient=ragged"
                : "this is not \(leniency.format.name) and was accepted as lenient=\(leniency.names)"
        case .charsetReplaced(declared: let declared, used: let used):
            "the content is not valid \(declared?.longExcerpt ?? "utf-8") and was read as \(used); this was accepted "
                + "as lenient=declared-charset"
        case .duplicateKey(let key, kept: let kept):
            "a dictionary has the key '\(key.longExcerpt)' more than once; \(kept.outcome)"
        case .possiblyTruncatedRecord:
            "the record is a number or a literal without white space after it; it may have been cut off and was dropped"
        case .loneSurrogate, .propertyListLoneSurrogate: "a lone surrogate was replaced by U+FFFD"
        case .prefix(let prefix): "the prefix '\(prefix.longExcerpt)' was removed"
        case .numberRewritten(from: let source, to: let canonical):
            "the number \(source.longExcerpt) is written \(canonical) in the canonical form"
        case .propertyListNumberRounded(from: let source, to: let nearest):
            "the number \(source.longExcerpt) was rounded to \(nearest), the nearest number that a property list has"
        case .graphQLNulls:
            "the value looks like a response of GraphQL, whose nulls carry meaning; profile=graphql keeps them"
        case .charsetMismatch(declared: let declared, actual: let actual):
            "the charset parameter says '\(declared.longExcerpt)', the content is in \(actual)"
        case .unlikelyCharset(declared: let declared):
            "the charset parameter says '\(declared.longExcerpt)' and was used, but the content is valid utf-8"
        case .declarationMismatch(declared: let declared, actual: let actual):
            "the XML declaration says '\(declared.longExcerpt)', the content was read as \(actual)"
        case .namespace(let name):
            "Namespaces in XML does not allow it, or a declaration is missing ('\(name.longExcerpt)'); names are "
                + "used as written"
        case .namedEntity(let name):
            "the entity '\(name.longExcerpt)' is not declared here, and was replaced by the one of XHTML"
        case .soapFault: "the SOAP message is a fault"
        case .formEscape: "a percent sign is not followed by two hexadecimal digits, and was used as it is"
        case .eventsUnknownField(let name):
            "the field '\(name.longExcerpt)' is not one of data, event, id and retry, and was ignored"
        case .eventsInvalidID: "the ID contains a NUL and was ignored"
        case .eventsInvalidRetry(let value):
            "the reconnection time '\(value.longExcerpt)' does not consist of digits, or of too many, and was ignored"
        case .eventsWithoutData: "these fields have no data, so that they are not an event, and were omitted"
        case .eventsDataNotJSON: "the data of the event is not accepted as JSON and is a string"
        case .eventsUnfinished: "the content ends before the empty line that ends the last event, which was omitted"
        case .csvUnfinished: "the content ends early, and the last record, which may not be complete, was omitted"
        case .csvSeparatorLine: "a line that specifies the delimiter was removed"
        case .csvDuplicateName(let name, let used):
            "the header has the name '\(name.longExcerpt)' more than once; this column is '\(used.longExcerpt)'"
        case .csvEmptyName(let used): "a name in the header is empty; the column is '\(used.longExcerpt)'"
        case .csvBareQuote: "a quote is in a field that does not begin with one, and is text"
        case .csvBlankLine: "an empty line was omitted"
        case .feedInvalidDate(let text): "'\(text.longExcerpt)' is not a date in a form that feeds use, and is text"
        case .feedBaseTooLong(let max, isDeclared: true):
            "the xml:base has more than \(max) bytes; relative URLs in its element stay relative"
        case .feedBaseTooLong(let max, isDeclared: false):
            "the URL of the response has more than \(max) bytes without its query; relative URLs stay relative"
        case .feedUnexpectedNamespace(let namespace):
            "the root is in the namespace '\(namespace.longExcerpt)', which is none of its format; its name decided"
        case .contentMismatch(declared: let declared, looksLike: let looksLike):
            "Content-Type says '\(declared.longExcerpt)', the content looks like \(looksLike)"
        case .imageTypeMismatch(declared: let declared, actual: let actual):
            "Content-Type says '\(declared.longExcerpt)', the content is \(actual)"
        case .imageMetadata(let part):
            "the image's metadata (\(part.longExcerpt)) is malformed; its unreadable part was omitted"
        case .imageProfile:
            "the image's ICC profile is malformed or for other colours; its colours were interpreted as sRGB"
        case .imageWithoutPixels(let reason): "no thumbnail was made: " + reason.sentence
        case .imageDamaged(let reason): "the image is damaged; its readable part was used: " + reason.sentence
        case .imageMissingEnd: "the end of the image is missing; all of its pixels are present"
        case .imageMissingColorTable: "the image has no colour table; grey levels were used instead"
        case .imageInvalidDate(let text):
            "'\(text.longExcerpt)' is not a valid calendar date and is reported as received"
        case .malformedContentType(let field): "Content-Type is not a media type: '\(field.longExcerpt)'"
        case .malformedParameters(let field):
            "the parameters of Content-Type are malformed and were ignored: '\(field.longExcerpt)'"
        case .lengthMismatch(declared: let declared, received: let received):
            "Content-Length says \(declared) bytes, the content has \(received)"
        case .notEncoded(let coding): "Content-Encoding says \(coding.rawValue), the content is not"
        case .trailingBytes(let coding, let count):
            "\(count.map { "\($0) " } ?? "")bytes after the end of the \(coding.rawValue) data were ignored"
        case .missingTrailer(let coding): "the \(coding.rawValue) data ends without its checksum; all of it was decoded"
        case .truncatedCoding(let coding):
            "the \(coding.rawValue) data ends early; the part before was decoded and used"
        case .unexpectedContent(let bytes):
            "a response that cannot have content came with \(bytes) bytes, which were ignored"
        case .messageNotChunked(let mayBeSize):
            "Transfer-Encoding says chunked, the content is not; it was used as it is"
                + (mayBeSize ? ", although a chunk that was cut off can begin like it" : "")
        case .invalidField(let name):
            "the field '\(name)' is not used: its name is not a field name, or its value is not text without control "
                + "characters"
        case .messageTrailingBytes(let count):
            "\(count) \(count == 1 ? "byte follows" : "bytes follow") the end of the response; "
                + "only one response is read"
        case .messageWithoutContent(let declared):
            "nothing follows the head, which announces \(declared.map { "\($0) bytes of" } ?? "chunked") content; "
                + (declared == nil
                    ? "the content was taken to be empty" : "it was taken for the response to a HEAD request")
        case .messageTruncated(let declared, let received):
            "the message ends before its content does: \(received) bytes were received"
                + (declared.map { " of \($0)" } ?? "") + ", and used"
        case .messageHistoryTruncated(let count): "\(count) more responses that precede the final one are not listed"
        case .rawFallback: "no serializer returned a value; the value is the raw content"
        case .truncated(let count): "\(count) more warnings were omitted"
        }
    }
}

extension Leniencies {
    /// The format from which one leniency deviates: its name, and the code of the warning.
    fileprivate var format: (name: String, code: String) {
        if isSubset(of: .xmlText) { return ("XML", "xml.leniency") }
        return self == .ragged ? ("CSV", "csv.leniency") : ("JSON", "json.leniency")
    }
}

extension DuplicateNames {
    fileprivate var outcome: String {
        switch self {
        case .last: "the last was kept"
        case .first: "the first was kept"
        case .keep: "all were kept"
        case .reject: "none is accepted"
        }
    }
}
