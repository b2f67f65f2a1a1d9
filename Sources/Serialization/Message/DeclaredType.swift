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
///
/// A class, because the usual ones are made once and a copy then costs one reference count.
final class DeclaredType: Sendable {
    /// What is compared and reported: `type/subtype` in lower case. Nil where it counts as missing.
    let essence: String?

    /// ``essence`` as answers show it: cut where it is long.
    let excerpt: String?

    /// The whole type. Nil where it counts as missing, or is not well formed.
    let mediaType: MediaType?

    /// The type's `charset`, in lower case. Nil where there is none.
    let charset: String?

    /// What the type says the content is. Nil where it says nothing that a serializer reads.
    let format: ContentFormat?

    /// How the content holds several JSON values. Nil where it is one.
    let recordFormat: JSONReader.RecordFormat?

    /// Whether the content may be wrapped in a call: the type is one of scripts, or says nothing.
    let acceptsJSONP: Bool

    /// Whether ``excerpt`` is `application/json`.
    let isNamedJSON: Bool

    /// Whether null and absent are different things in content of this type.
    let nullsCarryMeaning: Bool

    static func declared(
        by response: UpstreamResponse,
        options: SerializationOptions,
        warnings: inout WarningList
    ) -> DeclaredType {
        if response.fields.isPlainJSON, options.declaredType == nil { return json }
        guard let field = options.declaredType ?? response.fields.contentType, !field.isEmpty else { return missing }
        // Over a span, because an iterator would retain and release each.
        let usual = usual.span
        for index in usual.indices where usual[index].field.equalsIgnoringASCIICase(field) {
            return usual[index].type
        }
        let mediaType = read(field, warnings: &warnings)
        return switch options.rules {
        case .decant: DeclaredType(mediaType, essence: mediaType?.essence)
        case .afnetworking: DeclaredType(mediaType, essence: textBeforeParameters(of: field))
        }
    }

    private static let missing = DeclaredType(nil, essence: nil)

    private init(_ mediaType: MediaType?, essence: String?) {
        self.essence = essence
        excerpt = essence?.excerpt
        self.mediaType = mediaType
        charset = mediaType?.charset
        format = mediaType?.format
        recordFormat = mediaType?.recordFormat
        acceptsJSONP = mediaType.map { $0.isJavaScript || $0.isUndecided } ?? true
        isNamedJSON = excerpt == "application/json"
        nullsCarryMeaning = mediaType?.nullsCarryMeaning ?? false
    }

    /// The type of ``HeaderFields/plainJSON``.
    private static let json: DeclaredType = {
        let type = MediaType(essence: "application/json")
        return DeclaredType(type, essence: type.essence)
    }()

    /// What most responses say, the commonest first, read beforehand.
    private static let usual = [
        "application/json", "application/json; charset=utf-8", "application/json;charset=utf-8",
    ].compactMap { field in
        (try? MediaType(parsing: field)).map { (field: field, type: DeclaredType($0, essence: $0.essence)) }
    }

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
        let name = "Content-Type"
        guard let first = index(of: name) else { return nil }
        let value = fields[first].value
        var last = first
        while let next = index(of: name, from: last + 1) {
            guard fields[next].value.equalsIgnoringASCIICase(value) else { return combined(name) }
            last = next
        }
        return value
    }
}
