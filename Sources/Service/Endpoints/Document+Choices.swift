internal import Serialization

// What can be chosen: `GET /v1/serializers` and `GET /v1/profiles`.

extension Document {
    static func serializers(limits: Limits) -> Document {
        var writer = JSONWriter(capacity: 4096)
        writer.beginObject()
        writer.name("serializers")
        writer.beginArray()
        writer.beginObject()
        writer.member("name", "auto")
        writer.member("summary", "By media type, then structured suffix, then signature.")
        writer.name("mediaTypes")
        writer.beginObject()
        writer.name(Profile.default.rawValue)
        writer.strings(MediaTypeSet.auto.descriptions)
        writer.endObject()
        writer.endObject()
        for kind in SerializerKind.allCases {
            writer.beginObject()
            writer.member("name", kind.rawValue)
            writer.member("summary", kind.summary)
            writer.name("mediaTypes")
            writer.beginObject()
            for profile in Profile.allCases {
                writer.name(profile.rawValue)
                writer.strings(kind.acceptableMediaTypes(under: profile.serialization.rules).descriptions)
            }
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
        writer.name("options")
        writer.beginArray()
        for definition in OptionTable.definitions(limits: limits) {
            writer.option(definition)
        }
        writer.endArray()
        writer.endObject()
        return Document(json: writer.finish())
    }

    static func profiles(limits: Limits) -> Document {
        var writer = JSONWriter(capacity: 2048)
        writer.beginObject()
        writer.name("profiles")
        writer.beginArray()
        for profile in Profile.allCases {
            writer.beginObject()
            writer.member("name", profile.rawValue)
            writer.member("summary", profile.summary)
            writer.name("options")
            writer.beginObject()
            for definition in OptionTable.definitions(limits: limits) {
                guard let value = profile.value(of: definition) else { continue }
                writer.name(definition.name.rawValue)
                writer.string(value)
            }
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return Document(json: writer.finish())
    }
}

extension JSONWriter {
    fileprivate mutating func option(_ definition: OptionDefinition) {
        beginObject()
        member("name", definition.name.rawValue)
        switch definition.values {
        case .oneOf(let values):
            name("values")
            strings(values)
        case .list(let values):
            name("values")
            strings(values)
            name("list")
            boolean(true)
        case .text(let form):
            member("form", form)
        case .number(let max):
            name("minimum")
            integer(1)
            name("maximum")
            integer(max)
        }
        member("default", definition.defaultValue)
        member("summary", definition.summary)
        endObject()
    }
}

extension Profile {
    /// The value that holds in this profile; nil where it depends on the response.
    fileprivate func value(of definition: OptionDefinition) -> String? {
        switch definition.name {
        case .serializer: serialization.serializer.text
        case .nulls: serialization.nulls?.rawValue ?? definition.defaultValue
        case .fragments: serialization.fragments ? "true" : "false"
        case .duplicates: serialization.duplicates.rawValue
        case .prefixes: serialization.prefixes?.rawValue ?? definition.defaultValue
        case .view: serialization.view.rawValue
        case .upstreamHeaders: serialization.upstreamHeaders.text
        case .hints: serialization.hints ? "true" : "false"
        case .archive: serialization.archive.rawValue
        case .profile: nil
        case .type, .acceptTypes, .acceptStatus, .surrogates, .lenient, .records, .keys, .canonical, .xmlArrays,
            .xmlText,
            .xmlNames, .xmlTrim, .scale, .thumbnail, .decode, .placeholder, .fingerprint, .exif, .truncated,
            .maxContentBytes, .maxOutputBytes, .maxNestingDepth,
            .maxNumberBytes, .maxKeyBytes, .maxObjectMembers, .maxWarnings, .maxPointerBytes,
            .maxXMLEntityExpansionBytes, .maxXMLAttributes, .maxImagePixels, .maxImageSide, .maxImageFrames,
            .maxJPEGScans, .maxThumbnails, .maxThumbnailSide:
            definition.defaultValue
        }
    }
}

extension SerializerChoice {
    /// As the option is written.
    fileprivate var text: String {
        switch self {
        case .auto: "auto"
        case .one(let kind): kind.rawValue
        case .compound(let kinds): kinds.map(\.name).joined(separator: ",")
        }
    }
}

extension SerializerKind {
    fileprivate var summary: String {
        switch self {
        case .http: "Validation only: the raw content, in Base64 and as text where it is text."
        case .xml: "XML 1.0 as an object: attributes @name, text #text, repeated elements as arrays."
        case .xmlDocument: "XML 1.0, lossless: every element, attribute and text as what it is."
        case .plist: "Property lists: binary, XML, and OpenStep's and GNUstep's text."
        case .image: "Images of all usual formats, told by their content: what the header says, and thumbnails."
        case .json: "RFC 8259: JSON in UTF-8, or in UTF-16 or UTF-32 where the content says so."
        }
    }
}
