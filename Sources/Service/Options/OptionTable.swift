internal import Serialization

/// The one table of options: what the parser accepts, what a refusal lists, what `GET /v1/serializers` and
/// `decant normalize --help` say.
enum OptionTable {
    /// All options, in the order of the contract, with `limits` as the upper bounds of those that lower a limit.
    static func definitions(limits: Limits = Limits()) -> [OptionDefinition] {
        OptionName.allCases.map { definition(of: $0, limits: limits) }
    }

    static func definition(of name: OptionName, limits: Limits = Limits()) -> OptionDefinition {
        switch name {
        case .serializer:
            OptionDefinition(
                name,
                .list(["auto"] + SerializerKind.allCases.map(\.rawValue)),
                default: "auto",
                "How the content is decoded; several, comma-separated, are tried in order. "
                    + "auto: by media type, then structured suffix, then signature."
            )
        case .profile:
            OptionDefinition(
                name,
                .oneOf(Profile.allCases.map(\.rawValue)),
                default: "default",
                "A named set of all the other options; an option given beside it overrides it."
            )
        case .view:
            OptionDefinition(
                name,
                .oneOf(AnswerView.allCases.map(\.rawValue)),
                default: "full",
                "value: the normalized value alone, the rest in Decant-* fields; 204 where there is none."
            )
        case .type:
            OptionDefinition(
                name,
                .text("a media type"),
                default: nil,
                "The upstream's media type, said here in place of its Content-Type field."
            )
        case .acceptStatus:
            OptionDefinition(
                name,
                .text("status codes and ranges, comma-separated; or *; or none"),
                default: "200-299",
                "Acceptable status codes of the upstream."
            )
        case .acceptTypes:
            OptionDefinition(
                name,
                .text("media types, ranges (image/*) and suffixes (+json), comma-separated; or *; or none"),
                default: nil,
                "Acceptable media types of the upstream. Default: those of the serializer."
            )
        case .nulls:
            OptionDefinition(
                name,
                .oneOf(NullPolicy.allCases.map(\.rawValue)),
                default: "drop",
                "drop: object members with null go; drop-all: null array elements too. "
                    + "Default keep for media types whose nulls carry meaning."
            )
        case .upstreamHeaders:
            OptionDefinition(
                name,
                .text("all, none, or names of fields, comma-separated"),
                default: "all",
                "Which of the upstream's header fields the response contains, if they are known; "
                    + "all: without Set-Cookie, which must be named."
            )
        case .hints:
            OptionDefinition(
                name,
                .oneOf(["false", "true"]),
                default: "false",
                "true: the answer says the types that JSON has none for, by JSON Pointer: date, data, integer, real, uid "
                    + "and others of property lists, xsi:type of XML."
            )
        case .fragments:
            OptionDefinition(
                name,
                .oneOf(["true", "false"]),
                default: "true",
                "Whether a top-level scalar is acceptable JSON."
            )
        case .duplicates:
            OptionDefinition(
                name,
                .oneOf(DuplicateNames.allCases.map(\.rawValue)),
                default: "last",
                "Which of several members with the same name stays; reject makes a second one an error."
            )
        case .surrogates:
            OptionDefinition(
                name,
                .oneOf(LoneSurrogates.allCases.map(\.rawValue)),
                default: "reject",
                "What becomes of half a surrogate pair, escaped, on its own; replace makes it U+FFFD, with a warning."
            )
        case .lenient:
            OptionDefinition(
                name,
                .list(JSONLeniencies.named.map(\.name)),
                default: nil,
                "What is accepted beyond RFC 8259, comma-separated; each use is a warning. "
                    + "NaN and infinities become strings."
            )
        case .records:
            OptionDefinition(
                name,
                .oneOf(Records.allCases.map(\.rawValue)),
                default: "auto",
                "Whether the content is one JSON value or many, which become an array. "
                    + "auto: many for NDJSON, JSON Lines and JSON text sequences."
            )
        case .keys:
            OptionDefinition(
                name,
                .oneOf(MemberOrder.allCases.map(\.rawValue)),
                default: "source",
                "The order of an object's members; sorted: by the UTF-16 code units of their names."
            )
        case .canonical:
            OptionDefinition(
                name,
                .oneOf(["false", "true"]),
                default: "false",
                "RFC 8785: members sorted, strings and numbers in canonical form; a number that changes is a warning."
            )
        case .prefixes:
            OptionDefinition(
                name,
                .oneOf(PrefixPolicy.allCases.map(\.rawValue)),
                default: "strip",
                "What becomes of guards against script inclusion and of JSONP; strip warns. "
                    + "The profile afnetworking rejects."
            )
        case .xmlArrays:
            OptionDefinition(
                name,
                .text("auto, always, or element paths (/order/item), comma-separated"),
                default: "auto",
                "Which elements of XML are arrays even when there is only one. "
                    + "auto: those of feeds, sitemaps, OPML, WebDAV, S3 listings and SOAP; paths add to these."
            )
        case .xmlText:
            OptionDefinition(
                name,
                .oneOf(XMLTextForm.allCases.map(\.rawValue)),
                default: "auto",
                "Where the text of XML elements stands; auto: an element with text alone is a string; "
                    + "object: always under #text."
            )
        case .xmlNames:
            OptionDefinition(
                name,
                .oneOf(XMLNameForm.allCases.map(\.rawValue)),
                default: "prefixed",
                "How names of XML elements and attributes are written; clark: {namespace}name."
            )
        case .xmlTrim:
            OptionDefinition(
                name,
                .oneOf(["false", "true"]),
                default: "false",
                "Whether white space around the text of XML elements without child elements goes."
            )
        case .archive:
            OptionDefinition(
                name,
                .oneOf(ArchivePolicy.allCases.map(\.rawValue)),
                default: "keep",
                "What becomes of an NSKeyedArchiver graph in a property list; resolve puts each object where its UID stands."
            )
        case .scale:
            OptionDefinition(
                name,
                .text("a number above 0, at most \(OptionParser.maxScale)"),
                default: "1",
                "Pixels a point of an image: its size is its pixels divided by it."
            )
        case .thumbnail:
            OptionDefinition(
                name,
                .text("none, or WxH[,fit=…][,enlarge=true][,format=…][,quality=…][,background=…]"),
                default: "256x256",
                "A thumbnail of an image, as JPEG, PNG or WebP; the option may be repeated. "
                    + "fit: \(ThumbnailFit.allCases.map(\.rawValue).joined(separator: ", ")). background: rrggbb[aa]."
            )
        case .decode:
            OptionDefinition(
                name,
                .oneOf(DecodePolicy.allCases.map(\.rawValue)),
                default: "auto",
                "How much of an image is decoded; header: no pixel; full: every pixel, which proves that it is whole."
            )
        case .placeholder:
            OptionDefinition(
                name,
                .list(Placeholders.named.map(\.name)),
                default: nil,
                "Small stand-ins for an image that is still loading."
            )
        case .fingerprint:
            OptionDefinition(
                name,
                .list(Fingerprints.named.map(\.name)),
                default: nil,
                "What tells an image again: by how it looks, or its content."
            )
        case .exif:
            OptionDefinition(
                name,
                .oneOf(EXIFPolicy.allCases.map(\.rawValue)),
                default: "typed",
                "Which metadata of an image the answer has; public: an allow-list that says nothing of persons and places, "
                    + "without texts, comments, XMP and the embedded thumbnail."
            )
        case .truncated:
            OptionDefinition(
                name,
                .oneOf(TruncatedPolicy.allCases.map(\.rawValue)),
                default: "reject",
                "What becomes of content that ends early and can still be used in part. Holds for images."
            )
        case .maxContentBytes:
            OptionDefinition(name, limit: limits.maxContentBytes, "Longest content, in bytes.")
        case .maxOutputBytes:
            OptionDefinition(name, limit: limits.maxOutputBytes, "Longest value written, in bytes.")
        case .maxNestingDepth:
            OptionDefinition(name, limit: limits.maxNestingDepth, "Deepest nesting of arrays and objects.")
        case .maxNumberBytes:
            OptionDefinition(name, limit: limits.maxNumberBytes, "Longest number, in bytes.")
        case .maxKeyBytes:
            OptionDefinition(name, limit: limits.maxKeyBytes, "Longest member name, in bytes as written.")
        case .maxObjectMembers:
            OptionDefinition(name, limit: limits.maxObjectMembers, "Most members of one object.")
        case .maxWarnings:
            OptionDefinition(name, limit: limits.maxWarnings, "Most warnings listed in an answer.")
        case .maxPointerBytes:
            OptionDefinition(
                name,
                limit: limits.maxPointerBytes,
                "Longest JSON Pointer or XML path reported, in bytes."
            )
        case .maxXMLEntityExpansionBytes:
            OptionDefinition(
                name,
                limit: limits.maxXMLEntityExpansionBytes,
                "What XML entities and default attributes may add to a document, in bytes."
            )
        case .maxXMLAttributes:
            OptionDefinition(
                name,
                limit: limits.maxXMLAttributes,
                "Most attributes of one XML element, namespace declarations included."
            )
        case .maxImagePixels:
            OptionDefinition(name, limit: limits.maxImagePixels, "Most pixels of an image that is decoded.")
        case .maxImageSide:
            OptionDefinition(name, limit: limits.maxImageSide, "Longest side of an image that is decoded, in pixels.")
        case .maxImageFrames:
            OptionDefinition(name, limit: limits.maxImageFrames, "Most frames of an image that are listed.")
        case .maxJPEGScans:
            OptionDefinition(name, limit: limits.maxJPEGScans, "Most scans of a JPEG that is decoded.")
        case .maxThumbnails:
            OptionDefinition(name, limit: limits.maxThumbnails, "Most thumbnails of one image.")
        case .maxThumbnailSide:
            OptionDefinition(name, limit: limits.maxThumbnailSide, "Longest side of a thumbnail, in pixels.")
        }
    }
}

/// What can be said about one option.
struct OptionDefinition: Equatable, Sendable {
    /// The values that an option takes.
    enum Values: Equatable, Sendable {
        case oneOf([String])
        /// One or several of these, comma-separated.
        case list([String])
        /// Free text, which has this form.
        case text(String)
        /// A whole number from 1 to `max`.
        case number(max: Int)

        /// As a refusal lists them.
        var descriptions: [String] {
            switch self {
            case .oneOf(let values), .list(let values): values
            case .text(let form): [form]
            case .number(let max): ["1 to \(max)"]
            }
        }
    }

    var name: OptionName
    var values: Values
    /// The value that holds without one; nil where it depends on the response.
    var defaultValue: String?
    var summary: String

    init(_ name: OptionName, _ values: Values, default defaultValue: String?, _ summary: String) {
        self.name = name
        self.values = values
        self.defaultValue = defaultValue
        self.summary = summary
    }

    fileprivate init(_ name: OptionName, limit: Int, _ summary: String) {
        self.init(
            name,
            .number(max: limit),
            default: String(limit),
            summary + " A request may lower it, never raise it."
        )
    }
}
