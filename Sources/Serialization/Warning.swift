/// Something that was repaired, ignored or chosen, and that the caller should know.
public struct Warning: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        /// A byte order mark was taken off.
        case byteOrderMark(encoding: String)
        /// The content was transcoded to UTF-8 from `encoding`.
        case transcoded(encoding: String)
        /// The `charset` parameter names another encoding than the content has.
        case charsetMismatch(declared: String, actual: String)
        /// An object has this member name more than once; `kept` says which stayed.
        case duplicateName(String, kept: DuplicateNames)
        /// A deviation from RFC 8259 that the caller allows (one switch).
        case lenient(JSONLeniencies)
        /// A dictionary of a property list has this key more than once; `kept` says which stayed.
        case duplicateKey(String, kept: DuplicateNames)
        /// A string of a property list has half a surrogate pair, which was replaced by U+FFFD.
        case propertyListLoneSurrogate
        /// A number, `true`, `false` or `null` ends a record of a JSON text sequence without white space after it, so that
        /// it may have been cut off (RFC 7464 §2.4). It was dropped.
        case possiblyTruncatedRecord
        /// Half a surrogate pair was replaced by U+FFFD.
        case loneSurrogate
        /// A guard against script inclusion, or JSONP, was taken off.
        case prefix(String)
        /// The canonical form writes a number differently.
        case numberRewritten(from: String, to: String)
        /// An XML declaration names another encoding than the content was read in.
        case declarationMismatch(declared: String, actual: String)
        /// An XML prefix, or the name that has it, is not declared; the name is used as it is written.
        case namespace(String)
        /// An XML entity that the document leaves to its DTD, and that was known by its name in XHTML.
        case namedEntity(String)
        /// A SOAP message is a fault. It is a value all the same.
        case soapFault
        /// The content is of another type than the one that was declared.
        case contentMismatch(declared: String, looksLike: String)
        /// An image is of another format than the type that was declared.
        case imageTypeMismatch(declared: String, actual: String)
        /// A part of an image's metadata is broken, and was left out as far as it is.
        case imageMetadata(String)
        /// An image's colour profile could not be used; its colours were taken without it.
        case imageProfile
        /// The default thumbnail was not made.
        case imageWithoutPixels(ImageError.Reason)
        /// A damaged image was used as far as it goes.
        case imageDamaged(ImageError.Reason)
        /// An image ends without what its format ends with. All of its pixels are there.
        case imageMissingEnd
        /// A GIF has no colour table, and grey levels were used instead.
        case imageMissingColorTable
        /// A date in an image's metadata is none of the calendar, and was kept as it was received.
        case imageInvalidDate(String)
        /// `Content-Type` is not a media type: it counts as missing, or with ``RuleSet/afnetworking`` for what stands
        /// before the first `;`.
        case malformedContentType(String)
        /// `Content-Type` is a media type followed by something that is no list of parameters; that was ignored.
        case malformedParameters(String)
        /// `Content-Length` says another length than the content has, both in bytes.
        case lengthMismatch(declared: Int, received: Int)
        /// The content is not in this coding, which its fields say: it was used as it is.
        case notEncoded(ContentCoding)
        /// After the end of the data in this coding there are bytes, which were ignored; `count` is nil where it is not known.
        case trailingBytes(ContentCoding, count: Int?)
        /// The data in this coding ends without its checksum. All of it is there.
        case missingTrailer(ContentCoding)
        /// The data in this coding ends early. The part before was used.
        case truncatedCoding(ContentCoding)
        /// A response to HEAD, a 204, 205 or 304 came with content, which was not looked at.
        case unexpectedContent(bytes: Int)
        /// All components of a compound failed; with ``RuleSet/afnetworking`` the raw content is the value then.
        case rawFallback
        /// More warnings arose than are listed; `count` were left out.
        case truncated(count: Int)
    }

    public var kind: Kind
    public var location: SourceLocation?

    public init(_ kind: Kind, at location: SourceLocation? = nil) {
        self.kind = kind
        self.location = location
    }
}
