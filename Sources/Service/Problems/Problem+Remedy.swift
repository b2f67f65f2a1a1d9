internal import Serialization

extension Problem {
    /// Sets `hint` and `accepts`.
    mutating func propose(_ remedy: Remedy) {
        hint = remedy.hint
        accepts = remedy.accepts
    }
}

extension Problem {
    /// Proposes the endpoint for raw messages, which accepts the content of the response.
    mutating func proposeMessageEndpoint(for response: UpstreamResponse) {
        let hasType = response.fields.first("Content-Type").map { RequestFormat.message.accepts($0) } ?? false
        // The message has all of these itself.
        let hasOthers =
            !response.statusAssumed || response.url != nil || response.method != nil || response.hasAllFields
            || response.fields.first("Content-Encoding") != nil
        hint =
            "the content is a raw HTTP message, which POST /v1/normalize/message takes"
            + (hasType ? "" : " with the media type application/http")
            + (hasOthers ? (hasType ? "" : ", and") + " without the fields Upstream-… and Content-Encoding" : "")
        if hasType, !hasOthers { accepts = .path(Endpoint.message.row.paths[0]) }
    }
}

extension Remedy {
    /// The change of the request; `nil` if only a person can apply the remedy: to a field of the upstream response, or
    /// to the settings of the service.
    var accepts: Diagnostic.Change? {
        switch self {
        case .lenient(let leniencies): .option(.lenient, leniencies.names)
        case .manyRecords: .option(.records, "many")
        case .fragments: .option(.fragments, "true")
        case .lastDuplicate: .option(.duplicates, "last")
        case .replacedSurrogates: .option(.surrogates, "replace")
        case .strippedPrefix: .option(.prefixes, "strip")
        case .functionCall: .option(.type, MediaType.functionCall)
        case .type(let type), .charset(let type): .option(.type, type)
        case .acceptableTypes(let types): .option(.acceptTypes, types.joined(separator: ","))
        case .acceptableStatuses(let codes): .option(.acceptStatus, codes.joined(separator: ","))
        case .rawContent: .option(.serializer, SerializerKind.http.rawValue)
        case .serializer(let kind): .option(.serializer, kind.rawValue)
        case .truncated: .option(.truncated, "allow")
        case .noThumbnail: .option(.thumbnail, "none")
        case .backslashEscapes: .option(.csvEscape, CSVEscape.backslash.rawValue)
        case .noQuotes: .option(.csvQuote, CSVQuote.none.rawValue)
        case .emptyPart: .option(.selectMissing, MissingPart.empty.rawValue)
        case .defaultNestingDepth(let depth): .option(.maxNestingDepth, String(depth))
        case .noContentCoding, .contentCoding, .nestingDepth: nil
        }
    }

    private static let explanationOfDeclaredCharset =
        "; it is then read in its declared charset if that is valid, or as windows-1252, in which any bytes are text"

    /// One sentence, without a full stop.
    var hint: String {
        switch self {
        case .lenient(let leniencies):
            "lenient=\(leniencies.names) accepts this content"
                + (leniencies.contains(.declaredCharset) ? Self.explanationOfDeclaredCharset : "")
        case .manyRecords: "the content is several JSON values, which records=many accepts as an array"
        case .fragments: "fragments=true accepts a value that is neither an object nor an array"
        case .lastDuplicate: "duplicates=last keeps the last of several members with the same name"
        case .replacedSurrogates: "surrogates=replace replaces a lone surrogate with U+FFFD"
        case .strippedPrefix: "prefixes=strip removes the prefix of the value"
        case .functionCall:
            "the content is a function call (JSONP), which is removed with type=\(MediaType.functionCall)"
        case .type(let type): "if the content is \(type), override its type with type=\(type)"
        case .charset(let type): "if the content is in a charset other than UTF-8, specify it, for example type=\(type)"
        case .acceptableTypes(let types): "accept-types=\(types.joined(separator: ",")) accepts this type too"
        case .acceptableStatuses(let codes): "accept-status=\(codes.joined(separator: ",")) accepts this status too"
        case .noContentCoding: "if you have already decoded the content, drop the field Content-Encoding"
        case .contentCoding(let coding):
            "the content is compressed: forward the field Content-Encoding: \(coding), or decode the content first"
        case .rawContent: "serializer=http returns content of any type as it is"
        case .serializer(let kind): "serializer=\(kind.rawValue) accepts this content"
        case .truncated: "truncated=allow uses the content that was received"
        case .noThumbnail: "thumbnail=none returns the facts without pixels"
        case .backslashEscapes: "csv-escape=backslash accepts this content"
        case .noQuotes: "csv-quote=none accepts this content; quotes are then text"
        case .emptyPart: "select-missing=empty accepts a value without this part, and the outcome is empty"
        case .defaultNestingDepth(let depth): "max-nesting-depth=\(depth), the default, accepts this content"
        case .nestingDepth(let max):
            "the setting max-nesting-depth of the service can be raised to \(max); the option with this name "
                + "can only lower it"
        }
    }
}

extension Diagnostic.Change {
    /// Sets an option.
    static func option(_ name: OptionName, _ value: String) -> Self { .option(name: name.rawValue, value: value) }
}
