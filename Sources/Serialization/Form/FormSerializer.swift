enum FormSerializer: TextFormatSerializer {
    static var summary: String {
        "Forms (application/x-www-form-urlencoded) as an object: names that occur several times are arrays."
    }

    // MARK: Selection

    static let selectingTypes = SelectingTypes(names: [MediaType.form])

    static let mediaTypes = selectingTypes.orUndecided

    /// Programs such as `curl -d` send JSON with the type of a form. A form would begin with an escaped bracket.
    static func decision(for content: Span<UInt8>) -> SerializerDecision {
        guard !content.isEmpty, !content[0].mayBeginForm, let looksLike = ContentSignature(of: content) else {
            return .decode(.form)
        }
        return .unacceptable(looksLike: looksLike)
    }

    static func proposedType(for content: Span<UInt8>) -> String? { content.resemblesForm ? MediaType.form : nil }

    // MARK: Bounds

    static func maxInlineBytes(of type: DeclaredType, _ options: SerializationOptions) -> Int {
        type.charset.map { $0 != "utf-8" } ?? false ? ResponseSerializer.minShortBytes : 8 << 10
    }

    static var reservation: Reservation { .init(perByte: 1.5, constantBytes: 512 << 10) }

    // MARK: Reading

    static func read(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        _ context: ResponseSerializer,
        _ reader: (any ImageReader)?,
        into writer: inout JSONWriter
    ) throws(SerializationError) -> DecodedFacts {
        guard content.count <= FormReader.maxBytes else { throw .contentTooLong(max: FormReader.maxBytes) }
        var options = FormReader.Options(memory: message.memory)
        options.arrays = context.options.formArrays
        options.limits = context.limits
        do {
            let summary = try FormReader.read(
                content,
                options: options,
                charset: message.charset(under: context.options.rules),
                into: &writer,
                warnings: &message.warnings
            )
            message.charset = summary.charset
            message.contentFacts = .form(summary.facts)
            return DecodedFacts()
        } catch { throw message.rejection(of: content, error) }
    }
}

extension MediaType {
    /// The media type of forms. Programs such as `curl -d` send it by default.
    static let form = "application/x-www-form-urlencoded"
}

extension UInt8 {
    /// Whether a form can begin with this byte: WHATWG URL §5.2 escapes everything but letters, digits and `*-._`.
    fileprivate var mayBeginForm: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "%"), UInt8(ascii: "+"), UInt8(ascii: "&"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}

extension Span<UInt8> {
    /// Whether the start of the content resembles what a program writes as a form: only characters that need no escape,
    /// and in each pair one `=` between a name and a value. At least one value is not empty.
    fileprivate var resemblesForm: Bool {
        let end = Swift.min(count, 4 << 10)
        var hasValue = false
        var (nameBytes, valueBytes, hasEquals) = (0, 0, false)
        for index in 0..<end {
            switch self[index] {
            case UInt8(ascii: "&"):
                guard hasEquals, nameBytes > 0 else { return false }
                (nameBytes, valueBytes, hasEquals) = (0, 0, false)
            case UInt8(ascii: "="):
                guard !hasEquals, nameBytes > 0 else { return false }
                hasEquals = true
            case let byte:
                guard byte.mayBeginForm else { return false }
                if hasEquals { valueBytes += 1 } else { nameBytes += 1 }
                if valueBytes > 0 { hasValue = true }
            }
        }
        return hasValue && (hasEquals || end < count)
    }
}
