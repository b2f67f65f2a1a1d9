/// The properties of a response while one serializer handles it. Initially, only those of its head are known.
///
/// It is not copyable, because each copy would cost a dozen reference counts.
struct ReceivedMessage: ~Copyable, Sendable {
    let type: DeclaredType

    /// The result of decoding the content codings; `nil` if there are none.
    let decodedCodings: DecodedCodings?

    /// Whether the message cannot have content. Bytes that were received nevertheless are ignored.
    let forbidsContent: Bool

    /// Whether the content is text in UTF-8, whatever the message declares.
    let isUnicodeText: Bool

    let status: Int
    private let statusAssumed: Bool
    let url: String?

    /// The length of the content as it was received, in bytes; `nil` if there was no data.
    let bytes: Int?

    /// The charset in which the content was read, in lower case.
    var charset: String?
    /// The facts about content of one format; `nil` for other content.
    var contentFacts: ContentFacts? {
        get { factsBox?.facts }
        set { factsBox = newValue.map(ContentFactsBox.init) }
    }
    /// An object, because few messages have these facts and every message is moved.
    private var factsBox: ContentFactsBox?
    /// The header fields and their typed meaning; an object for the same reason.
    private let head: HeadBox?

    var warnings: WarningList

    /// Whether the content is known to end early, and is used nevertheless.
    private(set) var isTruncated = false

    /// The format of content that could not be decoded because it is not of its declared type.
    private var mismatch: ContentSignature?

    /// ``SerializationFailure/acceptsTruncated``.
    var acceptsTruncated = false

    /// The source of memory for the serialization.
    let memory: any MemoryGrant

    init(
        _ response: UpstreamResponse,
        contentBytes: Int?,
        options: SerializationOptions,
        limits: Limits,
        memory: any MemoryGrant
    ) {
        self.memory = memory
        warnings = WarningList(max: limits.maxWarnings)
        type = .declared(by: response, options: options, warnings: &warnings)
        decodedCodings = response.decodedCodings
        // The result of decoding a coding has the declared encoding.
        isUnicodeText = response.hasUnicodeContent && response.decodedCodings?.hasNoneDecoded != false
        // AFNetworking has no such rule.
        forbidsContent = options.rules == .decant && response.forbidsContent
        status = response.status
        statusAssumed = response.statusAssumed
        url = response.url
        bytes = response.decodedCodings?.encodedBytes ?? contentBytes
        head =
            response.hasAllFields
            ? UpstreamHead(response.fields, options.upstreamHeaders, message: response.message).map(HeadBox.init) : nil
        if let message = response.message {
            append(message.warnings)
        }
        if let declared = response.differingLength(bytes), !forbidsContent {
            let received = bytes ?? 0
            warnings.append(Warning(.lengthMismatch(declared: declared, received: received)))
            isTruncated = received < declared && options.truncated == .allow
        }
        if let decodedCodings {
            append(decodedCodings.warnings)
        }
    }

    private mutating func append(_ received: [Warning]) {
        for warning in received {
            isTruncated = isTruncated || warning.kind.isTruncation
            warnings.append(warning)
        }
    }

    /// The facts about the response that are reported to the caller.
    var facts: UpstreamFacts {
        let decoded = decodedCodings.flatMap { $0.error == nil ? $0 : nil }
        return UpstreamFacts(
            status: status,
            statusAssumed: statusAssumed,
            url: url,
            representation: UpstreamFacts.Representation(
                mediaType: type.excerpt,
                charset: charset,
                contentCodings: decoded.map { $0.codings.map(\.rawValue) } ?? [],
                bytes: bytes,
                decodedBytes: decoded?.decodedBytes
            ),
            content: contentFacts,
            head: head?.head
        )
    }

    /// The maximum length of the header fields in the response, in bytes. Each field is written as received and with
    /// its typed meaning, both with escapes.
    var headBytes: Int {
        guard let head = head?.head else { return 0 }
        return ([head.fields, head.trailers] + head.history.map(\.fields.fields)).joined()
            .reduce(64 * head.history.count) { $0 + 4 * ($1.name.utf8.count + $1.value.utf8.count) + 64 }
    }

    /// Whether the facts are those of most responses: JSON in UTF-8, without a status or URL. Such facts differ only in
    /// ``bytes``.
    var hasUsualFacts: Bool {
        type.isNamedJSON && statusAssumed && status == 200 && url == nil && charset == "utf-8" && factsBox == nil
            && head == nil && decodedCodings == nil
    }

    /// Returns the charset in which the content is read, if its bytes do not indicate another one; `nil` if it is not
    /// known.
    func charset(under rules: RuleSet) -> String? {
        if isUnicodeText { return UnicodeEncoding.utf8.rawValue }
        // AFNetworking ignores the parameter.
        return rules == .afnetworking ? nil : type.charset
    }

    /// Adds a warning if the declared charset is ignored because the caller has decoded the text.
    mutating func warnOfDecodedText(under rules: RuleSet) {
        guard isUnicodeText, rules == .decant, let label = type.charset, !UnicodeEncoding.utf8.isNamed(label) else {
            return
        }
        warnings.append(Warning(.charsetMismatch(declared: label, actual: UnicodeEncoding.utf8.rawValue)))
    }

    /// Adds a warning if the content cannot be of its declared type.
    mutating func warnOfMismatch(_ content: Span<UInt8>) {
        guard let declared = type.mediaType, let looksLike = ContentSignature(of: content),
            looksLike.contradicts(declared)
        else { return }
        let mismatch = Warning.Kind.contentMismatch(declared: declared.essence, looksLike: looksLike.mediaType)
        warnings.append(Warning(mismatch))
    }

    /// Returns the error with which the content is rejected, and records whether it is of its declared type.
    mutating func rejection(of content: Span<UInt8>, _ error: some ContentError) -> SerializationError {
        guard !error.isOutOfMemory else { return .outOfMemory }
        noteMismatch(content)
        return SerializationError(error)
    }

    /// Records that content that could not be decoded is not of its declared type, or adds a warning if this is not
    /// certain.
    mutating func noteMismatch(_ content: Span<UInt8>) {
        guard let declared = type.mediaType,
            let looksLike = ContentSignature(of: content, isDeclaredXML: declared.serializer == .xml),
            looksLike.disproves(declared)
        else { return warnOfMismatch(content) }
        mismatch = looksLike
    }

    func failure(_ rejections: RejectionChain, value: [UInt8]? = nil) -> SerializationFailure {
        var failure = SerializationFailure(rejections.errors, upstream: facts)
        failure.warnings = warnings.warnings
        if let mismatch, let declared = type.mediaType {
            failure.mismatch = TypeMismatch(declared: declared.essence, looksLike: mismatch.mediaType)
        }
        failure.value = value
        failure.acceptsTruncated = acceptsTruncated
        return failure
    }
}

private final class ContentFactsBox: Sendable {
    let facts: ContentFacts

    init(_ facts: ContentFacts) { self.facts = facts }
}

private final class HeadBox: Sendable {
    let head: UpstreamHead

    init(_ head: UpstreamHead) { self.head = head }
}

extension UpstreamResponse {
    /// Returns the `Content-Length` of the message if it differs from the length of the received content, in bytes;
    /// otherwise `nil`. The lengths of content whose coding or charset was decoded before it was received cannot be
    /// compared.
    fileprivate func differingLength(_ received: Int?) -> Int? {
        guard hasAllFields, hasOriginalContent, !hasUnicodeContent, let received,
            let field = fields.first("Content-Length"), field.utf8.count <= 15, let declared = field.decimal(),
            declared != received, decodedCodings?.hasUnencoded != true
        else { return nil }
        return declared
    }

    /// Whether the response has no content: the response to HEAD (RFC 9110 §9.3.2), 204 (§15.3.5), 205 (§15.3.6) and
    /// 304 (§15.4.5), unless it was stored with content.
    var forbidsContent: Bool {
        !hasStoredContent && (status == 204 || status == 205 || status == 304 || method == "HEAD")
    }
}
