// What the label says.
//
// Loose ends of the standards, and our choice for each:
// · No field, or an empty one: the type is missing.
// · Several fields with the same value: that value. With different values they say nothing together: RFC 9110 §8.3
//   allows one; joined as §5.3 joins fields they are no media type, and are treated as such.
// · No media type at all (`json`, `text/html, text/plain`): missing, with a warning. AFNetworking's rules take what
//   Foundation takes: the text before the first `;`, lower-cased.
// · A media type with malformed parameters: the type without parameters, with a warning.

/// The media type that the upstream, or the caller in its place, states for the content.
struct DeclaredType: Equatable, Sendable {
    /// What is compared and reported: `type/subtype` in lower case. Nil where it counts as missing.
    var essence: String?

    /// The whole type. Nil where it counts as missing, or is not well formed.
    var mediaType: MediaType?

    static let missing = DeclaredType(essence: nil, mediaType: nil)

    init(of response: UpstreamResponse, options: SerializationOptions, warnings: inout WarningList) {
        guard let field = options.declaredType ?? response.fields.contentType, !field.isEmpty else {
            self = .missing
            return
        }
        // Most responses say exactly this.
        if field == Self.json.essence {
            self = Self.json
            return
        }
        mediaType = Self.read(field, warnings: &warnings)
        essence =
            switch options.rules {
            case .decant: mediaType?.essence
            case .afnetworking: Self.textBeforeParameters(of: field)
            }
    }

    private init(essence: String?, mediaType: MediaType?) {
        self.essence = essence
        self.mediaType = mediaType
    }

    private static let json = DeclaredType(
        essence: "application/json",
        mediaType: MediaType(essence: "application/json")
    )

    private static func read(_ field: String, warnings: inout WarningList) -> MediaType? {
        do {
            return try MediaType(parsing: field)
        } catch {
            switch error {
            case .malformed:
                warnings.append(Warning(.malformedContentType(field)))
                return nil
            case .malformedParameter:
                warnings.append(Warning(.malformedParameters(field)))
                return textBeforeParameters(of: field).map { MediaType(essence: $0) }
            }
        }
    }

    /// What Foundation calls the MIME type. Nil where nothing stands before the first `;`.
    private static func textBeforeParameters(of field: String) -> String? {
        let bytes = field.utf8.span
        let end = bytes.indices.first { bytes[$0] == UInt8(ascii: ";") } ?? bytes.count
        let text = bytes.lowercasedText(bytes.trimmingBlanks(0..<end))
        return text.isEmpty ? nil : text
    }
}

extension HeaderFields {
    /// The value on which all `Content-Type` fields agree, or all of them joined. One field costs no allocation.
    fileprivate var contentType: String? {
        var agreed: String?
        for field in fields where field.name.equalsIgnoringASCIICase("content-type") {
            if let agreed, !agreed.equalsIgnoringASCIICase(field.value) { return combined("content-type") }
            agreed = agreed ?? field.value
        }
        return agreed
    }
}
