/// A repair, an omission or a choice that the caller should know about.
public struct Warning: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        /// A byte order mark was removed, or is a part of the text of raw content.
        case byteOrderMark(encoding: String, isKept: Bool = false)
        /// The content was transcoded to UTF-8 from `encoding`.
        case transcoded(encoding: String)
        /// The `charset` parameter does not match the encoding of the content.
        case charsetMismatch(declared: String, actual: String)
        /// The `charset` parameter was used, but the content is also valid UTF-8 with characters beyond ASCII.
        case unlikelyCharset(declared: String)
        /// An object contains this member name more than once; `kept` specifies which member was kept.
        case duplicateName(String, kept: DuplicateNames)
        /// The content uses a deviation from its format that the caller allows (one leniency).
        case lenient(Leniencies)
        /// The content is not valid in the charset that the media type or the XML declaration specifies, and was read
        /// in another one.
        case charsetReplaced(declared: String?, used: String)
        /// A dictionary of a property list contains this key more than once; `kept` specifies which value was kept.
        case duplicateKey(String, kept: DuplicateNames)
        /// A string of a property list contains a lone surrogate, which was replaced by U+FFFD.
        case propertyListLoneSurrogate
        /// A number, `true`, `false` or `null` ends a record of a JSON text sequence without white space after it. It
        /// may have been truncated (RFC 7464 §2.4) and was dropped.
        case possiblyTruncatedRecord
        /// A lone surrogate was replaced by U+FFFD.
        case loneSurrogate
        /// A guard against script inclusion, or JSONP, was removed.
        case prefix(String)
        /// Nulls were removed by default from a value that looks like a response of GraphQL.
        case graphQLNulls
        /// The canonical form of a number differs from the form in the content.
        case numberRewritten(from: String, to: String)
        /// A decimal number of a property list is not that of any double, and was replaced by the nearest one.
        case propertyListNumberRounded(from: String, to: String)
        /// The encoding of the XML declaration differs from the encoding in which the content was read.
        case declarationMismatch(declared: String, actual: String)
        /// An XML prefix is not declared; the name is used as written.
        case namespace(String)
        /// An XML entity that is not declared in the document was replaced according to its name in XHTML.
        case namedEntity(String)
        /// A `%` in a form is not followed by two hexadecimal digits, and was used as it is.
        case formEscape
        /// A field of an event stream has a name that the standard ignores.
        case eventsUnknownField(String)
        /// The ID of an event contains a NUL, and was ignored.
        case eventsInvalidID
        /// The reconnection time of an event stream is not a number, and was ignored.
        case eventsInvalidRetry(String)
        /// Fields without data, which are not an event, were omitted.
        case eventsWithoutData
        /// The data of an event is not JSON, and is a string.
        case eventsDataNotJSON
        /// The last event is not complete, and was omitted.
        case eventsUnfinished
        /// The last record of truncated CSV may not be complete, and was omitted.
        case csvUnfinished
        /// A line of CSV that specifies the delimiter was removed.
        case csvSeparatorLine
        /// A name in the header of CSV occurs more than once; this column has the second name.
        case csvDuplicateName(String, String)
        /// A name in the header of CSV is empty; the column has this name.
        case csvEmptyName(String)
        /// A field of CSV contains a quote, but does not begin with one. The quote is text.
        case csvBareQuote
        /// An empty line of CSV was omitted.
        case csvBlankLine
        /// A date of a feed could not be read, and is text.
        case feedInvalidDate(String)
        /// The URL of the response has more than `max` bytes without its query, or an `xml:base` has more: relative
        /// URLs of a feed stay relative.
        case feedBaseTooLong(max: Int, isDeclared: Bool = false)
        /// The root of a feed is in this namespace, which is none of its format. The name of the root decided.
        case feedUnexpectedNamespace(String)
        /// A SOAP message is a fault. It is still a value.
        case soapFault
        /// The format of the content differs from the declared type.
        case contentMismatch(declared: String, looksLike: String)
        /// The format of an image differs from the declared type.
        case imageTypeMismatch(declared: String, actual: String)
        /// A part of an image's metadata is broken, and its unreadable part was omitted.
        case imageMetadata(String)
        /// The colour profile of an image could not be used; its colours were interpreted without it.
        case imageProfile
        /// The default thumbnail was not made.
        case imageWithoutPixels(ImageError.Reason)
        /// An image is damaged. Its readable part was used.
        case imageDamaged(ImageError.Reason)
        /// The end marker of an image is missing. All of its pixels are present.
        case imageMissingEnd
        /// A GIF has no colour table; grey levels were used instead.
        case imageMissingColorTable
        /// A date in an image's metadata is not a valid calendar date, and was reported as received.
        case imageInvalidDate(String)
        /// `Content-Type` is not a media type: it counts as missing, or with ``RuleSet/afnetworking`` as the text
        /// before the first `;`.
        case malformedContentType(String)
        /// `Content-Type` is a media type, but the text after it is not a list of parameters and was ignored.
        case malformedParameters(String)
        /// The field with this name was not used: the name is not one, or the value is not text without control
        /// characters.
        case invalidField(String)
        /// `Content-Length` differs from the length of the content, both in bytes.
        case lengthMismatch(declared: Int, received: Int)
        /// The fields specify this coding, but the content is not in it: the content was used as it is.
        case notEncoded(ContentCoding)
        /// The data in this coding is followed by bytes, which were ignored; `count` is `nil` if it is not known.
        case trailingBytes(ContentCoding, count: Int?)
        /// The data in this coding ends without its checksum. All of the data is present.
        case missingTrailer(ContentCoding)
        /// The data in this coding ends early. The part before the end was used.
        case truncatedCoding(ContentCoding)
        /// A raw message is marked as chunked, but its content is not: the program that saved it has removed the chunk
        /// framing. `mayBeSize` is true if the content consists of hexadecimal digits, with which a chunk begins.
        case messageNotChunked(mayBeSize: Bool)
        /// Bytes follow the end of a raw message. They were ignored.
        case messageTrailingBytes(Int)
        /// A raw message consists of a head that announces content; `declared` is its length in bytes, if it is known.
        case messageWithoutContent(declared: Int?)
        /// A raw message ends before the end of its content. The part that is present was used. `declared` is its
        /// length in bytes, if it is known.
        case messageTruncated(declared: Int?, received: Int)
        /// More responses precede the final one than are listed; `count` were omitted.
        case messageHistoryTruncated(count: Int)
        /// A response to HEAD, or a 204, 205 or 304 response, has content, which was ignored.
        case unexpectedContent(bytes: Int)
        /// All components of a compound serializer failed. The value is the raw content, with ``RuleSet/afnetworking``.
        case rawFallback
        /// There are more warnings than are listed; `count` were omitted.
        case truncated(count: Int)
    }

    public var kind: Kind
    public var location: SourceLocation?

    /// The location of the first member or key of the same name; `nil` if the warning is not about a duplicate.
    public var first: SourceLocation?

    public init(_ kind: Kind, at location: SourceLocation? = nil, first: SourceLocation? = nil) {
        self.kind = kind
        self.location = location
        self.first = first
    }
}

extension Warning.Kind {
    /// Whether the content ends early, and its intact part is used.
    package var isTruncation: Bool {
        switch self {
        case .truncatedCoding, .messageTruncated: true
        default: false
        }
    }
}
