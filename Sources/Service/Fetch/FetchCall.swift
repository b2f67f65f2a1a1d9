internal import Fetching
internal import Flights
internal import HTTP
internal import Serialization

/// What a caller asks for with `POST /v1/fetch` or `GET /v1/fetch`, before the rules and settings of the service are applied.
struct FetchCall: Equatable, Sendable {
    var url = ""
    var method = "GET"
    var fields: [HeaderFields.Field] = []
    var content: [UInt8]?
    /// Whether the content was given as JSON.
    var isJSON = false
    var cache: CacheMode?
    var cacheKey: String?
    var store: Bool?
    var partition: PartitionName?
    var redirects: RedirectMode?
    var timeoutSeconds: Int?
    var retries: Int?
    var receipt: String?
    var slot: String?
    var waitSeconds: Int?
    var options: [Option] = []

    struct Option: Equatable, Sendable {
        var name: String
        var value: String
    }

    /// The maximum of the members that are numbers of seconds: a day.
    static let maxSeconds = 86_400

    static let nameForm = "1 to 128 of A-Z a-z 0-9 _ -"
}

extension EnvelopeReader {
    private enum CallMember: String, CaseIterable {
        case url, method, headers, body, cache, cacheKey, store, partition, redirects, timeoutSeconds, retries, receipt,
            slot,
            waitSeconds, options
    }

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
        var reader = try EnvelopeReader(
            text,
            limits: limits,
            memory: memory,
            maxShortMemberBytes: maxShortMemberBytes
        )
        return try reader.read(text) { reader throws(JSONDocumentFault) in try reader.call(in: text) }
    }

    private mutating func call(in text: Span<UInt8>) throws(JSONDocumentFault) -> FetchCall? {
        var call = FetchCall()
        var hasURL = false
        let start = json.mark(in: text)
        try json.enterObject(in: text)
        while let member: CallMember = try json.nextMember(in: text) {
            if member != .body, try !isShort(in: text) { return nil }
            switch member {
            case .url:
                call.url = try json.string(in: text)
                hasURL = true
            case .method: call.method = try token("a method name", in: text)
            case .headers: call.fields = try headers(in: text).fields
            case .body:
                var response = UpstreamResponse()
                switch try body(in: text, &response) {
                case .none: call.content = nil
                case .slice(let range): call.content = range.map { text[$0] }
                case .bytes(let bytes): call.content = bytes
                }
                call.isJSON = !response.hasOriginalContent
            case .cache: call.cache = try json.choice("mode of the cache", in: text)
            case .cacheKey: call.cacheKey = try line(in: text)
            case .store: call.store = try json.boolean(in: text)
            case .partition: call.partition = PartitionName(parsing: try scopedName(in: text))
            case .redirects: call.redirects = try json.choice("mode of redirects", in: text)
            case .timeoutSeconds: call.timeoutSeconds = try json.integer(1...FetchCall.maxSeconds, in: text)
            case .retries: call.retries = try json.integer(0...100, in: text)
            case .receipt: call.receipt = try scopedName(in: text)
            case .slot: call.slot = try scopedName(in: text)
            case .waitSeconds: call.waitSeconds = try json.integer(0...FetchCall.maxSeconds, in: text)
            case .options: call.options = try options(in: text)
            }
        }
        guard hasURL else { throw unexpected("no member url", "a member url", at: start, in: text) }
        return call
    }

    private mutating func scopedName(in text: Span<UInt8>) throws(JSONDocumentFault) -> String {
        let start = json.mark(in: text)
        let name = try json.string(in: text)
        guard ScopedName.isValid(name) else {
            throw unexpected("'\(name.excerpt)'", FetchCall.nameForm, at: start, in: text)
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
        case .object, .array, .null:
            throw json.unexpectedKind(["a string", "a number", "true or false"], in: text)
        }
    }
}
