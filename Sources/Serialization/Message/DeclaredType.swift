// The media type of the `Content-Type` field.
//
// Ambiguities in the standards, and how we resolve them:
// · There is no field, or it is empty: the type is missing.
// · Several fields have the same value: that value counts. With different values there is no media type: RFC 9110 §8.3
//   allows one value, and the values joined according to §5.3 are not a media type.
// · The field is not a media type (`json`, `text/html, text/plain`): the type is missing, with a warning. The rule set
//   of AFNetworking uses the same text as Foundation: the text before the first `;`, in lower case.
// · A media type has malformed parameters, or more than 32: the type without parameters counts, with a warning.

/// The media type that the upstream, or the caller instead of it, declares for the content.
///
/// This is a class because the usual types are created once. A copy then costs one reference count.
final class DeclaredType: Sendable {
    /// The type that is compared and reported: `type/subtype` in lower case. `nil` if the type counts as missing.
    let essence: String?

    /// The ``essence`` for responses, truncated if it is long.
    let excerpt: String?

    /// The complete type. `nil` if it counts as missing or is malformed.
    let mediaType: MediaType?

    /// The `charset` parameter, in lower case. `nil` if there is none.
    let charset: String?

    /// The serializer that the type selects; `nil` if it selects none.
    let serializer: SerializerKind?

    /// The way in which the content separates several JSON values. `nil` if it is a single value.
    let recordFormat: JSONReader.RecordFormat?

    /// Whether the content may be wrapped in a function call: the type is a script type, or is not specific.
    let acceptsJSONP: Bool

    /// Whether ``excerpt`` is `application/json`.
    let isNamedJSON: Bool

    /// Whether null and absent members have different meanings in content of this type.
    let nullsCarryMeaning: Bool

    /// Whether content of this type is not text, although some servers add a charset to each type.
    let isNeverText: Bool

    static func declared(
        by response: UpstreamResponse,
        options: SerializationOptions,
        warnings: inout WarningList
    ) -> DeclaredType {
        if response.fields.isPlainJSON, options.declaredType == nil { return json }
        guard let field = options.declaredType ?? response.fields.contentType, !field.isEmpty else { return missing }
        // A span, because an iterator would retain and release each element.
        let usual = usual.span
        for index in usual.indices where usual[index].field.equalsIgnoringASCIICase(field) { return usual[index].type }
        let mediaType = read(field, warnings: &warnings)
        return switch options.rules {
        case .decant: DeclaredType(mediaType, essence: mediaType?.essence)
        case .afnetworking: DeclaredType(mediaType, essence: textBeforeParameters(of: field))
        }
    }

    private static let missing = DeclaredType(nil, essence: nil)

    private init(_ mediaType: MediaType?, essence: String?) {
        self.essence = essence
        excerpt = essence?.longExcerpt
        self.mediaType = mediaType
        charset = mediaType?.charset
        serializer = mediaType?.serializer
        recordFormat = mediaType?.recordFormat
        acceptsJSONP = mediaType.map { $0.isJavaScript || $0.isUndecided } ?? true
        isNamedJSON = excerpt == "application/json"
        nullsCarryMeaning = mediaType?.nullsCarryMeaning ?? false
        isNeverText = mediaType?.isNeverText ?? false
    }

    /// The type of ``HeaderFields/plainJSON``.
    private static let json: DeclaredType = {
        let type = MediaType(essence: "application/json")
        return DeclaredType(type, essence: type.essence)
    }()

    /// The most frequent types, parsed in advance, the most frequent first.
    private static let usual = [
        "application/json", "application/json; charset=utf-8", "application/json;charset=utf-8",
        "image/jpeg", "image/png", "application/xml", "text/xml", "image/webp",
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

    /// Returns what Foundation calls the MIME type, or `nil` if there is no text before the first `;`.
    private static func textBeforeParameters(of field: String) -> String? {
        let bytes = field.utf8.span
        let end = bytes.indices.first { bytes[$0] == UInt8(ascii: ";") } ?? bytes.count
        let text = bytes.lowercasedText(bytes.trimmingBlanks(0..<end))
        return text.isEmpty ? nil : text
    }
}

extension HeaderFields {
    /// The value on which all `Content-Type` fields agree, or all of them joined. A single field costs no allocation.
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

extension MediaType {
    /// Whether content of the type is not text: images, sound, video and fonts that are not XML, and PDF.
    fileprivate var isNeverText: Bool {
        switch type {
        case "image", "audio", "video", "font": suffix != "xml"
        default: essence == "application/pdf"
        }
    }
}
