internal import Serialization

/// The table of options and limits. Each row contains the name, the property that the option sets, the type and the
/// values, the default, the hard maximum and the meaning.
///
/// The following are derived from it: the parser, `decant normalize --help`, the settings of the limits (`decant serve
/// --help`), `GET /v1/serializers`, `GET /v1/profiles`, the texts of problems, the parameters in `openapi.yaml`, and
/// `docs/options.md`.
enum OptionTable {
    /// All options, in the order of the contract.
    static let all = OptionName.allCases.map(definition(of:))

    /// The rows of limits.
    static let limits = all.filter { $0.values == .limit }

    static subscript(name: OptionName) -> OptionDefinition {
        rows[name] ?? definition(of: name)
    }

    private static let rows = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The syntax of a thumbnail, as text for people.
    static let thumbnailSyntax = "WxH[,fit=…][,enlarge=true][,format=…][,quality=…][,background=…]"

    /// The syntax of a thumbnail, as a part of a regular expression (ECMA-262).
    static let thumbnailPattern = "[0-9]{1,5}x[0-9]{1,5}(,(fit|enlarge|format|quality|background)=[#A-Za-z0-9]+)*"

    private static func definition(of name: OptionName) -> OptionDefinition {
        switch name {
        case .serializer:
            OptionDefinition(
                name,
                .list(["auto"] + SerializerKind.allCases.map(\.rawValue), or: nil),
                .property(
                    \.serialization.serializer,
                    read: { $0.serialization.serializer.text },
                    parse: { SerializerChoice(parsing: $0) }
                ),
                "The serializer that decodes the content. Several, comma-separated, form a compound: they are tried in "
                    + "order, and the first value is used.",
                "`auto`, alone or in a compound, selects the serializer by the media type, then by the structured "
                    + "suffix, then by the signature of the content. `http` only validates the response: the value is "
                    + "the raw content (see `RawValue`)."
            )
        case .profile:
            OptionDefinition(
                name,
                .known(BuiltInProfile.allCases.map(\.rawValue)),
                .profile,
                "A named set of options. An option of the request overrides its value in the profile.",
                "The service may have more profiles (setting `profiles`). `GET /v1/profiles` lists all of them, with "
                    + "the value of every option. In a fetch, its member `fetch` contains defaults for the request to "
                    + "the origin; members of the request override them."
            )
        case .view:
            .choice(
                name,
                \.serialization.view,
                "The form of the response. value: the normalized value alone. Decant-* fields contain the rest, and an "
                    + "empty result is 204."
            )
        case .type:
            OptionDefinition(
                name,
                .text("a media type", pattern: Patterns.contentType),
                .property(
                    \.serialization.declaredType,
                    read: { $0.serialization.declaredType },
                    parse: { text in (try? MediaType(parsing: text)).map { _ in .some(text) } }
                ),
                derivedDefault: "the Content-Type field",
                "The media type of the upstream response. It overrides the Content-Type field."
            )
        case .acceptStatus:
            OptionDefinition(
                name,
                .text("status codes and ranges, comma-separated; or *; or none", pattern: Patterns.statusCodes),
                .property(
                    \.serialization.acceptableStatusCodes,
                    read: { $0.serialization.acceptableStatusCodes?.description ?? "*" },
                    parse: { $0 == "*" ? .some(nil) : (try? StatusCodes(parsing: $0)).map { .some($0) } }
                ),
                "The acceptable status codes of the upstream response: codes and ranges, * for all, none for no code."
            )
        case .acceptTypes:
            OptionDefinition(
                name,
                .text(
                    "at most \(MediaTypeSet.maxEntries) media types, ranges (image/*) and suffixes (+json), "
                        + "comma-separated; or *; or none",
                    pattern: Patterns.mediaTypes
                ),
                .property(
                    \.serialization.acceptableMediaTypes,
                    read: { $0.serialization.acceptableMediaTypes?.description },
                    parse: { (try? MediaTypeSet(parsing: $0)).map { .some($0) } }
                ),
                derivedDefault: "the media types of the serializer",
                "The acceptable media types of the upstream response: types, media ranges (image/*) and suffixes "
                    + "(+json), * for all, none for no type.",
                "A type with parameters matches only a response that has the same parameters. If the response has no "
                    + "media type, its content must look like one of these types: content that is not in a known "
                    + "format is rejected, also with *, except in the profile `afnetworking`. `GET /v1/serializers` "
                    + "lists the media types of each serializer."
            )
        case .nulls:
            .optionalChoice(
                name,
                \.serialization.nulls,
                byDefault: { $0.serialization.rules == .afnetworking ? .keep : nil },
                derivedDefault: "drop, or keep for media types whose nulls carry meaning",
                "The treatment of nulls in the upstream data. drop: object members whose value is null are removed; "
                    + "drop-all: null array elements too.",
                "Containers that become empty are kept. Nulls carry meaning in "
                    + MediaType.withMeaningfulNulls.map { "`\($0)`" }.joined(separator: ", ") + "."
            )
        case .select:
            OptionDefinition(
                name,
                .text("a JSON Pointer (/items/0/name); empty for the whole value", pattern: Patterns.pointer),
                .parts(
                    \.serialization.parts.selected,
                    isList: false,
                    read: { $0.serialization.parts.selected.text },
                    parse: { text throws(PartPointerError) in try PartPointer(parsing: text) }
                ),
                derivedDefault: "the whole value",
                "The part that is the value of the response: a JSON Pointer (RFC 6901).",
                """
                The rest of the content is validated too. The pointer refers to the value without this option: nulls \
                are removed, and duplicates resolved. If a name occurs several times (`duplicates=keep`), it leads to \
                the first part that exists. The value in a problem is the whole value.
                """
            )
        case .selectMissing:
            .choice(
                name,
                \.serialization.parts.missing,
                "The treatment of a value without the selected part. reject: a problem; empty: the outcome empty."
            )
        case .omit:
            OptionDefinition(
                name,
                .text(
                    "none, or JSON Pointers (/items/*/internal), comma-separated; * stands for every member or element",
                    pattern: "^(none|\(Patterns.omitted))$"
                ),
                .parts(
                    \.serialization.parts.omitted,
                    isList: true,
                    read: { $0.serialization.parts.omitted.isEmpty ? "none" : $0.serialization.parts.omittedText },
                    parse: { text throws(PartPointerError) in
                        text == "none" ? [] : try ValueParts.patterns(parsing: text)
                    }
                ),
                "The members and elements that are left out of the value: JSON Pointers (RFC 6901), in which * stands "
                    + "for every member or element.",
                """
                At most \(ValueParts.maxPatterns) patterns. `omitted` counts what was left out. Patterns refer to the \
                value without `select` and `omit`; a selected part that is left out does not exist. Names are compared \
                as bytes, and a name with a comma cannot be given. There are no expressions and no renaming: use jq.
                """
            )
        case .upstreamHeaders:
            OptionDefinition(
                name,
                .text("all, none, or names of fields, comma-separated", pattern: Patterns.fieldNames),
                .property(
                    \.serialization.upstreamHeaders,
                    read: { $0.serialization.upstreamHeaders.text },
                    parse: { UpstreamHeaderPolicy(parsing: $0) }
                ),
                "The header fields of the upstream response that are included in the response. all: all except "
                    + "Set-Cookie.",
                "All fields are known only if the request is a message, or an envelope with `headers`. They are in "
                    + "`upstream.headers`, and those of a message also in `upstream.trailers` and `upstream.history`. "
                    + "Other members of `upstream` contain the parsed values of valid fields. `Set-Cookie` is included "
                    + "only if it is listed."
            )
        case .hints:
            .boolean(
                name,
                \.serialization.hints,
                "Whether the response has hints: a map from JSON Pointers to types of the source format that JSON does "
                    + "not have.",
                "The types are `date`, `data`, `integer`, `real`, `uid`, `uuid`, `url`, `set` and `ordered-set` of "
                    + "property lists, the text of `xsi:type` (`xs:dateTime`) of XML, and `integer`, `decimal`, "
                    + "`boolean` and `date` of the columns of CSV."
            )
        case .fragments: .boolean(name, \.serialization.fragments, "Whether a top-level scalar is acceptable JSON.")
        case .duplicates:
            .choice(
                name,
                \.serialization.duplicates,
                "The member that is kept if several have the same name. reject: a duplicate is an error.",
                "Names are compared after their escapes are decoded. `last` and `first` produce a warning."
            )
        case .surrogates:
            .choice(
                name,
                \.serialization.surrogates,
                "The treatment of an escaped lone surrogate. replace: it becomes U+FFFD, with a warning."
            )
        case .lenient:
            .list(
                name,
                \.serialization.leniencies,
                "The deviations of JSON, XML and CSV from their standards that are accepted, comma-separated. Each "
                    + "deviation in the content produces a warning.",
                """
                Content is read strictly first. JSON: `NaN`, `Infinity` and `-Infinity` become strings. \
                `raw-control-characters` in strings, such as line breaks, become escapes; the backslash of \
                `bad-escapes` is text (`\\d` is `\\\\d`); `number-forms` are `01`, `.5`, `1.` and `+1`. XML: \
                `html-entities` resolves the names of HTML 4 that the document does not declare (`&nbsp;`); \
                `bare-ampersands`: an `&` that begins no reference is text; `leading-space` before the XML declaration \
                and `control-characters`, also as references, are removed. Both: with `declared-charset`, content \
                that is not valid in the charset of its media type is read in that of the XML declaration, otherwise \
                in UTF-8 (XML), otherwise in windows-1252; also CSV and event streams. CSV: with `ragged`, a record \
                may have fewer fields than the header, and the fields beyond it are the array `_extra`.
                """
            )
        case .records:
            .choice(
                name,
                \.serialization.records,
                "Whether the content is one JSON value, or many values, which become an array. auto: many for NDJSON, "
                    + "JSON Lines and JSON text sequences.",
                "With `many`, content of any other type is a sequence of values (concatenated JSON)."
            )
        case .keys:
            .choice(
                name,
                \.serialization.keys,
                "The order of an object's members. sorted: by the UTF-16 code units of their names.",
                "The option is for JSON. Values of other formats, and feeds, have the order of their content."
            )
        case .canonical:
            .boolean(
                name,
                \.serialization.canonical,
                "Whether the value is written in the canonical form of RFC 8785: members sorted, strings and numbers "
                    + "in canonical form.",
                "A number whose text changes produces a warning. A number beyond the range of a double is an error. "
                    + "The option is for JSON, and has no effect on other formats and on feeds."
            )
        case .prefixes:
            .optionalChoice(
                name,
                \.serialization.prefixes,
                byDefault: { $0.serialization.rules == .afnetworking ? .reject : .strip },
                "The treatment of JSONP and of prefixes that prevent script inclusion. strip: they are removed, with a "
                    + "warning.",
                "Such prefixes are `)]}'`, `while(1);` and similar text. JSONP is recognized if the media type is a "
                    + "JavaScript type or does not identify a format."
            )
        case .xmlArrays:
            OptionDefinition(
                name,
                .text("auto, always, or element paths (/order/item), comma-separated", pattern: nil),
                .property(
                    \.serialization.xmlArrays,
                    read: { $0.serialization.xmlArrays.text },
                    parse: { XMLArrays(parsing: $0) }
                ),
                "The XML elements that become arrays even if they occur only once. auto: those of RSS, Atom, sitemaps, "
                    + "OPML, WebDAV, S3 listings and SOAP faults.",
                "A list of paths (`/order/item`, names as in the value) adds to `auto`. `always`: every child element. "
                    + "`upstream.xml.inferredArrays` lists the arrays that were inferred from repetition."
            )
        case .xmlText:
            .choice(
                name,
                \.serialization.xmlText,
                "The form of the text of XML elements. auto: an element that contains only text is a string; object: "
                    + "text is always under #text."
            )
        case .xmlNames:
            .choice(
                name,
                \.serialization.xmlNames,
                "The form of XML names: as in the document, without prefix, or in Clark notation ({namespace}name).",
                "With `local`, attributes keep their prefix if two attributes of an element would otherwise have the "
                    + "same name."
            )
        case .xmlTrim:
            .boolean(
                name,
                \.serialization.xmlTrim,
                "Whether white space around the text of XML elements without child elements is removed."
            )
        case .formArrays:
            OptionDefinition(
                name,
                .text("auto, always, or names, comma-separated", pattern: nil),
                .property(
                    \.serialization.formArrays,
                    read: { $0.serialization.formArrays.text },
                    parse: { FormArrays(parsing: $0) }
                ),
                "The names of a form whose values are arrays even if there is only one. auto: only names that occur "
                    + "several times.",
                "`always`: all names. `upstream.form.inferredArrays` lists the arrays that were inferred from "
                    + "repetition."
            )
        case .csvDelimiter:
            OptionDefinition(
                name,
                .text("auto, comma, semicolon, tab, pipe, or a character of ASCII", pattern: Patterns.delimiter),
                .property(
                    \.serialization.csvDelimiter,
                    read: { $0.serialization.csvDelimiter.text },
                    parse: { CSVDelimiter(parsing: $0) }
                ),
                "The character between the fields of CSV. auto: that of a `sep=` line, otherwise the one that the "
                    + "first records indicate: comma, semicolon, tab or pipe.",
                "A character is one of ASCII that is not a letter, a digit, a quote, a backslash, NUL or a part of a "
                    + "line end: `%01` in a query is the default delimiter of Hive. For `text/tab-separated-values`, "
                    + "`auto` is the tab. `upstream.csv.delimiter` is the one that was used."
            )
        case .csvQuote:
            .choice(
                name,
                \.serialization.csvQuote,
                "The quote of CSV fields that contain delimiters or line ends. none: a double quote is text.",
                "With `none`, each line end ends a record. With `csv-escape=backslash`, a backslash then escapes the "
                    + "delimiter, a line end, a quote and a backslash."
            )
        case .csvEscape:
            .choice(
                name,
                \.serialization.csvEscape,
                "The escape of a quote in a CSV field with quotes. quote: a second quote; backslash: also a backslash.",
                "With `backslash`, a backslash before a quote or another backslash is an escape, and any other is text."
            )
        case .csvHeader:
            .optionalChoice(
                name,
                \.serialization.csvHeader,
                byDefault: { _ in nil },
                derivedDefault: "the parameter header of the media type, otherwise present",
                "Whether the first record of CSV contains the names of the columns. absent: each record is an array."
            )
        case .csvEmpty:
            .choice(
                name,
                \.serialization.csvEmpty,
                "The value of an empty CSV field. null: nulls decides whether its member is removed."
            )
        case .eventsData:
            .choice(
                name,
                \.serialization.eventsData,
                "The form of the data of events. json: data that is JSON becomes its value, and other data stays a "
                    + "string, with a warning.",
                "The options for JSON apply to the data, for example `nulls`."
            )
        case .archive:
            .choice(
                name,
                \.serialization.archive,
                "The treatment of an NSKeyedArchiver graph in a property list. resolve: each object replaces the "
                    + "references to it.",
                "`keep` writes the archive like any other property list, and a UID as `{\"CF$UID\":n}`. With `resolve` "
                    + "the value is `$top`. Foundation's collections, strings, dates, data, UUIDs, URLs and null "
                    + "become the values that they represent. Any other object has the name of its class under "
                    + "`$class`. An object that contains itself is an error."
            )
        case .scale:
            OptionDefinition(
                name,
                .number(max: OptionParser.maxScale),
                .property(
                    \.serialization.scale,
                    read: { OptionParser.text(ofScale: $0.serialization.scale) },
                    parse: { OptionParser.scale($0) }
                ),
                "The number of pixels per point of an image. The size of the image in points is its size in pixels "
                    + "divided by the scale."
            )
        case .thumbnail:
            OptionDefinition(
                name,
                .text("none, or \(thumbnailSyntax)", pattern: "^(none|\(thumbnailPattern))$"),
                .thumbnails,
                derivedDefault: "256x256 if the image is larger and its pixels can be decoded",
                "A thumbnail of an image, as JPEG, PNG or WebP. The option may be repeated: each occurrence adds one "
                    + "thumbnail.",
                """
                `none`, or the size of a box in pixels (`WxH`), followed by comma-separated parts: `fit=` (`inside`, \
                the default: as large as fits in the box; `outside`: covers the box, nothing is cropped; `cover`: \
                fills the box, cropped; `contain`: padded with the background; `fill`: stretched), `enlarge=true` (may \
                be larger than the image), `format=` (`jpeg`, `png`, `webp`; the default is JPEG for an opaque image \
                and PNG otherwise), `quality=` (1 to 100, default 80), `background=` (`rrggbb` or `rrggbbaa`). If the \
                default thumbnail cannot be made, it is omitted, with a warning unless no pixels of the format can be \
                decoded. If a requested thumbnail cannot be made, this is an error. For a thumbnail, the image is \
                decoded, which takes time (`docs/images.md`); with `none` it is not.
                """
            )
        case .decode:
            .choice(
                name,
                \.serialization.decode,
                "The part of an image that is decoded. header: no pixels; full: all pixels, which checks that the "
                    + "image is complete.",
                "`auto` decodes only what the response requires. With `header`, nothing that is made from pixels can "
                    + "be requested."
            )
        case .placeholder:
            .list(
                name,
                \.serialization.placeholders,
                "Small placeholders for a page that is still loading the image, comma-separated: colours, a BlurHash, "
                    + "a ThumbHash."
            )
        case .fingerprint:
            .list(
                name,
                \.serialization.fingerprints,
                "Fingerprints of an image, comma-separated. phash: 64 bits that are similar for similar pictures; "
                    + "sha256: the hash of the content."
            )
        case .exif:
            .choice(
                name,
                \.serialization.exif,
                "The metadata of an image in the response. typed: all; public: an allow-list that omits people, "
                    + "locations, texts and previews.",
                "`public` also omits the names of devices' owners, serial numbers, dates, comments, XMP and the "
                    + "embedded thumbnail."
            )
        case .truncated:
            .choice(
                name,
                \.serialization.truncated,
                "The treatment of content whose coding ends early, of images that end early or are corrupt, and of an "
                    + "unfinished last event. allow: the intact part is used.",
                "With `allow`, a warning reports that a part is missing, and for an image also the member `integrity`. "
                    + "An unfinished event and a last record of CSV without a line end are omitted. The last value of "
                    + "other text may be incomplete, such as a number in a form."
            )
        case .maxContentBytes:
            .limit(
                name,
                \.limits.maxContentBytes,
                note: "The default is at most four fifths of max-buffered-bytes.",
                "Maximum size of the content, in bytes."
            )
        case .maxDecodedBytes:
            .limit(
                name,
                \.limits.maxDecodedBytes,
                "Maximum size of the content after its content codings are undone, in bytes.",
                "Content of more than 1 MiB may also not exceed 1000 times the encoded bytes that were read so far."
            )
        case .maxContentCodings:
            .limit(name, \.limits.maxContentCodings, "Maximum number of content codings that are undone.")
        case .maxOutputBytes:
            .limit(name, \.limits.maxOutputBytes, "Maximum size of the value that is written, in bytes.")
        case .maxNestingDepth:
            .limit(
                name,
                \.limits.maxNestingDepth,
                "Maximum nesting depth of arrays and objects.",
                "For XML the maximum is never more than \(Limits.maxXMLNestingDepth)."
            )
        case .maxNumberBytes: .limit(name, \.limits.maxNumberBytes, "Maximum length of a number, in bytes.")
        case .maxKeyBytes:
            .limit(
                name,
                \.limits.maxKeyBytes,
                "Maximum length of a member name, in bytes as written.",
                "The `@` of an XML attribute is included. The limit does not apply to `serializer=xml-document`, in "
                    + "which names are values."
            )
        case .maxObjectMembers:
            .limit(
                name,
                \.limits.maxObjectMembers,
                "Maximum number of members of one object.",
                "The limit does not apply to the objects of XML elements: a document has at most 32 768 different "
                    + "names."
            )
        case .maxWarnings: .limit(name, \.limits.maxWarnings, "Maximum number of warnings per response.")
        case .maxPointerBytes:
            .limit(
                name,
                \.limits.maxPointerBytes,
                minimum: 64,
                "Maximum length of a reported JSON Pointer or XML path, in bytes."
            )
        case .maxXMLEntityExpansionBytes:
            .limit(
                name,
                \.limits.maxXMLEntityExpansionBytes,
                "Maximum number of bytes that XML entities and default attributes may add to a document.",
                "In addition, the maximum is 64 KiB or five times the size of the content, whichever is greater."
            )
        case .maxXMLAttributes:
            .limit(
                name,
                \.limits.maxXMLAttributes,
                "Maximum number of attributes of one XML element, including namespace declarations and default "
                    + "attributes."
            )
        case .maxImagePixels:
            .limit(name, \.limits.maxImagePixels, "Maximum size of an image that is decoded, in pixels.")
        case .maxImageSide:
            .limit(name, \.limits.maxImageSide, "Maximum width and height of an image that is decoded, in pixels.")
        case .maxImageFrames:
            .limit(name, \.limits.maxImageFrames, "Maximum number of frames of an image that the response lists.")
        case .maxJPEGScans: .limit(name, \.limits.maxJPEGScans, "Maximum number of scans of a JPEG that is decoded.")
        case .maxThumbnails: .limit(name, \.limits.maxThumbnails, "Maximum number of thumbnails per image.")
        case .maxThumbnailSide:
            .limit(name, \.limits.maxThumbnailSide, "Maximum width and height of a thumbnail, in pixels.")
        }
    }

    /// Regular expressions of ECMA-262 for the contract. They are necessary conditions: the parser may reject more.
    private enum Patterns {
        private static let token = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"
        static let contentType = "^\(token)/\(token)( *; *\(token)=\(token))*$"
        private static let code = "[1-9][0-9]{2}(-[1-9][0-9]{2})?"
        static let statusCodes = #"^(\*|none|"# + "\(code)(,\(code))*)$"
        // ASCII without NUL, line ends, the quote, digits, letters and the backslash.
        private static let delimiterCharacter =
            #"[\x01-\x09\x0B\x0C\x0E-\x21\x23-\x2F\x3A-\x40\x5B\x5D-\x60\x7B-\x7F]"#
        static let delimiter = "^(auto|comma|semicolon|tab|pipe|\(delimiterCharacter))$"
        private static let pointerToken = "/([^/~]|~[01])*"
        static let pointer = "^(\(pointerToken))*$"
        private static let omittedPointer = "(/([^/~,]|~[01])*)+"
        static let omitted = "\(omittedPointer)(,\(omittedPointer))*"
        static let fieldNames = "^\(token)(,\(token))*$"
        static let mediaTypes = "^[A-Za-z0-9!#$%&'*+.^_`|~/;=, \"-]+$"
    }
}
