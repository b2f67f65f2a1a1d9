internal import Fetching
internal import Flights
internal import HTTP
internal import Serialization

/// What a caller asks for with `POST /v1/fetch` or `GET /v1/fetch`, before the rules and settings of the service are
/// applied.
struct FetchCall: Equatable, Sendable {
    var url = ""
    var method = "GET"
    var preferences = FetchPreferences()
    var content: [UInt8]?
    /// Whether the content was given as JSON.
    var isJSON = false
    var cacheKey: String?
    var partition: PartitionName?
    var receipt: String?
    var slot: String?
    var options: [Option] = []

    struct Option: Equatable, Sendable {
        var name: String
        var value: String
    }

    /// The maximum of the members that are numbers of seconds: a day.
    static let maxSeconds = 86_400

    static let nameSyntax = "1 to 128 of A-Z a-z 0-9 _ -"
}

extension EnvelopeReader {
    /// Reads the content of `POST /v1/fetch` strictly: everything unknown is rejected, with its location.
    /// - Parameters:
    ///   - limits: the limits of the service; `maxContentBytes` limits the content that is sent to the origin.
    ///   - memory: the source of memory for tables of many names.
    ///   - maxShortMemberBytes: the maximum length of a member other than `body`, in bytes, inclusive.
    /// - Returns: `nil` if a member is longer.
    static func readCall(
        _ text: Span<UInt8>,
        limits: Limits,
        memory: any MemoryGrant,
        maxShortMemberBytes: Int
    ) throws(EnvelopeError) -> FetchCall? {
        var reader = EnvelopeReader(text, limits: limits, memory: memory, maxShortMemberBytes: maxShortMemberBytes)
        return try reader.read(text) { reader throws(JSONDocumentFault) in try reader.call(in: text) }
    }

    private mutating func call(in text: Span<UInt8>) throws(JSONDocumentFault) -> FetchCall? {
        var call = FetchCall()
        var hasURL = false
        let start = json.mark(in: text)
        try json.enterObject(in: text)
        while let parameter: FetchParameter = try json.nextMember(in: text) {
            if parameter != .body {
                try checkLength(in: text)
                guard isShort(in: text) else { return nil }
            }
            hasURL = hasURL || parameter == .url
            switch parameter.row.value {
            case .preference(let preference): try set(preference, in: text, &call.preferences)
            case .text(let path): call[keyPath: path] = try json.string(in: text)
            case .line(let path): call[keyPath: path] = try line(in: text)
            case .name(let path): call[keyPath: path] = try scopedName(in: text)
            case .method: call.method = try method(in: text)
            case .content:
                var response = UpstreamResponse()
                switch try body(in: text, &response) {
                case .slice(let range): call.content = range.map { text[$0] }
                case .bytes(let bytes): call.content = bytes
                }
                call.isJSON = !response.hasOriginalContent
            case .partition: call.partition = PartitionName(parsing: try scopedName(in: text))
            case .options: call.options = try options(in: text)
            }
        }
        guard hasURL else { throw unexpected("no member url", "a member url", at: start, in: text) }
        return call
    }

    private mutating func set(
        _ preference: FetchParameter.Preference,
        in text: Span<UInt8>,
        _ preferences: inout FetchPreferences
    ) throws(JSONDocumentFault) {
        switch preference {
        case .fields: preferences.fields = try headers(in: text).fields.fields
        case .boolean(let path): preferences[keyPath: path] = try json.boolean(in: text)
        case .integer(let path, let bounds, _): preferences[keyPath: path] = try json.integer(bounds, in: text)
        case .choice(let choice): _ = choice.set(try json.choice(choice.noun, of: choice.names, in: text), &preferences)
        }
    }

    private mutating func scopedName(in text: Span<UInt8>) throws(JSONDocumentFault) -> String {
        let start = json.mark(in: text)
        let name = try json.string(in: text)
        guard ScopedName.isValid(name) else {
            throw unexpected("'\(name.excerpt)'", FetchCall.nameSyntax, at: start, in: text)
        }
        return name
    }

    /// `{"nulls":"keep","hints":true,"max-nesting-depth":32,"thumbnail":["256x256","64x64"]}`
    private mutating func options(in text: Span<UInt8>) throws(JSONDocumentFault) -> [FetchCall.Option] {
        try json.enterObject(in: text)
        var options: [FetchCall.Option] = []
        while let name = try json.nextName(in: text) {
            switch json.kind(in: text) {
            case .string, .number, .boolean:
                options.append(FetchCall.Option(name: name, value: try optionValue(in: text)))
            case .array:
                var values: [String] = []
                try json.enterArray(in: text)
                while json.nextElement(in: text) { values.append(try optionValue(in: text)) }
                if name == OptionName.thumbnail.rawValue {
                    options += values.map { FetchCall.Option(name: name, value: $0) }
                } else {
                    options.append(FetchCall.Option(name: name, value: values.joined(separator: ",")))
                }
            case .object, .null:
                throw json.unexpectedKind(["a string", "a number", "true or false", "an array of these"], in: text)
            }
        }
        return options
    }

    private mutating func optionValue(in text: Span<UInt8>) throws(JSONDocumentFault) -> String {
        switch json.kind(in: text) {
        case .string: return try json.string(in: text)
        case .number, .boolean: return text.text(json.skip(in: text))
        case .object, .array, .null: throw json.unexpectedKind(["a string", "a number", "true or false"], in: text)
        }
    }
}
