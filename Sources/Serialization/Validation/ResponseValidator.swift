/// Decides before decoding whether a response is acceptable and whether it has content to decode.
///
/// The rules are the table "status × type × content" of the HTTP contract, for both rule sets.
struct ResponseValidator {
    let options: SerializationOptions

    /// Returns the rejection of the status (−1011), or no rejection if the status is acceptable.
    func statusRejection(of message: borrowing ReceivedMessage) -> RejectionChain {
        let status = message.status
        guard let acceptable = options.acceptableStatusCodes, !acceptable.contains(status) else { return .none }
        return RejectionChain(.unacceptableStatus(status, acceptable: acceptable, url: message.url))
    }

    /// Returns the complete rejection of the type (−1016).
    func typeRejection(
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

    /// Returns whether there is nothing to decode, so that an acceptable response is `empty`.
    /// - Parameter kind: The serializer that was chosen by name, or `nil` to let the type choose (`auto`).
    func isEmpty(_ content: Span<UInt8>?, of message: borrowing ReceivedMessage, for kind: SerializerKind?) -> Bool {
        if message.forbidsContent { return true }
        let kind = serializerOfEmpty(message.type, for: kind)
        let empty = kind.serializer.emptyContent(under: options.rules)
        guard let content else { return empty != .never }
        return switch empty {
        case .never, .missing: false
        case .zeroBytes: content.isEmpty
        case .whiteSpace: content.isBlank
        case .oneSpace:
            // The type is checked first: one space with a wrong type is rejected, not empty.
            content.isEmpty || content.isOneSpace && decision(for: kind, message.type, content) == .decode(kind)
        }
    }

    /// Returns the serializer that an empty answer names: the one that would have decoded content, or else plain
    /// validation.
    func serializerOfEmpty(_ type: DeclaredType, for kind: SerializerKind?) -> SerializerKind {
        if let kind { return kind }
        if options.rules == .afnetworking { return .json }
        // `auto` tries JSON for content whose type is missing or not specific.
        return type.serializer ?? (type.mediaType?.isUndecided ?? true ? .json : .http)
    }
}

extension Span<UInt8> {
    /// Whether the content is the single space that old versions of Rails send for `head :ok` instead of nothing.
    fileprivate var isOneSpace: Bool { count == 1 && self[0] == 0x20 }

    /// Whether the content is only JSON white space, in any Unicode encoding, with or without a byte order mark.
    fileprivate var isBlank: Bool {
        guard !isEmpty else { return true }
        // The usual case: the first byte is not part of white space in any encoding, or of a byte order mark.
        if 0x21..<0xEF ~= self[0] { return false }
        let (encoding, markBytes) = UnicodeEncoding.detect(self)
        return encoding.isBlank(self, from: markBytes)
    }
}
