/// Decides, before anything is decoded, whether a response is acceptable and whether it has anything to decode.
///
/// The rules are the table "status × type × content" of the HTTP contract, for both rule sets.
struct ResponseValidator {
    let options: SerializationOptions

    /// −1011, or no refusal where the status is acceptable.
    func refusalOfStatus(of message: borrowing ReceivedMessage) -> RefusalChain {
        let status = message.status
        guard let acceptable = options.acceptableStatusCodes, !acceptable.contains(status) else { return .none }
        return RefusalChain(.unacceptableStatus(status, acceptable: acceptable, url: message.url))
    }

    /// −1016 in full.
    func refusedType(
        of message: borrowing ReceivedMessage,
        looksLike: ContentSignature?,
        for kind: SerializerKind?
    ) -> SerializationError {
        let own: MediaTypeSet =
            switch (kind, options.rules) {
            case (let kind?, let rules): kind.acceptableMediaTypes(under: rules)
            case (nil, .decant): .auto
            case (nil, .afnetworking): SerializerKind.json.acceptableMediaTypes(under: .afnetworking)
            }
        return .unacceptableMediaType(
            got: message.type.excerpt,
            acceptable: (options.acceptableMediaTypes ?? own).descriptions,
            looksLike: looksLike?.mediaType,
            url: message.url
        )
    }

    /// Whether there is nothing to decode, so that an acceptable response is `empty`.
    /// - Parameter kind: the serializer that was chosen by name; nil lets the type choose (`auto`).
    func isEmpty(_ content: Span<UInt8>?, of message: borrowing ReceivedMessage, for kind: SerializerKind?) -> Bool {
        if message.forbidsContent { return true }
        guard let content else { return !decodesNoData(kind) }
        switch (options.rules, kind) {
        case (.decant, .http), (.decant, .xml), (.decant, .xmlDocument), (.decant, .plist), (_, .image):
            return content.isEmpty
        case (.decant, .json): return content.isBlank
        case (.decant, nil): return content.isEmpty || readsUnnamedAsJSON(message.type) && content.isBlank
        // The raw content of zero bytes is a value; zero bytes are no property list.
        case (.afnetworking, .http), (.afnetworking, .plist): return false
        // Its XML serializers decode whatever came, zero bytes too.
        case (.afnetworking, .xml), (.afnetworking, .xmlDocument): return false
        case (.afnetworking, .json), (.afnetworking, nil):
            // The type is looked at first: one space of a wrong type is refused, not empty.
            return content.isEmpty
                || content.isOneSpace && decision(for: .json, message.type, content) == .decode(.json)
        }
    }

    /// Whether no data at all is decoded like zero bytes: AFNetworking's XML serializers look at neither.
    private func decodesNoData(_ kind: SerializerKind?) -> Bool {
        switch (options.rules, kind) {
        case (.afnetworking, .xml), (.afnetworking, .xmlDocument): true
        case (.decant, _), (.afnetworking, .http), (.afnetworking, .json), (.afnetworking, .plist),
            (.afnetworking, .image), (.afnetworking, nil):
            false
        }
    }

    /// The serializer that an empty answer names: the one that would have decoded it, else plain validation.
    func serializerOfEmpty(_ type: DeclaredType, for kind: SerializerKind?) -> SerializerKind {
        if let kind { return kind }
        if options.rules == .afnetworking || readsUnnamedAsJSON(type) { return .json }
        return switch type.format {
        case .xml: .xml
        case .plist: .plist
        case .image: .image
        case .json, .records, nil: .http
        }
    }

    /// Whether `auto` would try JSON on content of this type.
    private func readsUnnamedAsJSON(_ type: DeclaredType) -> Bool {
        type.format == .json || type.format == .records || type.mediaType?.isUndecided ?? true
    }
}

extension Span<UInt8> {
    /// The space that Rails' `head :ok` once sent in place of nothing.
    fileprivate var isOneSpace: Bool {
        count == 1 && self[0] == 0x20
    }

    /// Nothing but white space of JSON, in any form of Unicode, after a byte order mark or none.
    fileprivate var isBlank: Bool {
        guard !isEmpty else { return true }
        // What begins neither with white space, nor with half of one, nor with a mark: nearly always.
        if 0x21..<0xEF ~= self[0] { return false }
        let (encoding, markBytes) = UnicodeEncoding.detect(self)
        return encoding.isBlank(self, from: markBytes)
    }
}
