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
        return try reader.call(in: text)
    }

    private mutating func call(in text: Span<UInt8>) throws(EnvelopeError) -> FetchCall? {
        var call = FetchCall()
        try expect(.object, in: text)
        let start = cursor.position
        cursor.enter(in: text)
        var seen: [CallMember: Int] = [:]
        while cursor.next(in: text) {
            let start = cursor.position
            let name = cursor.name(in: text).text(in: text)
            guard let member = CallMember(rawValue: name) else {
                throw .unknownMember(name, expected: CallMember.allCases.map(\.rawValue), at: location(start, in: text))
            }
            try checkIsFirst(name, at: start, after: seen.updateValue(start, forKey: member), in: text)
            place = EnvelopePlace(member: name)
            if member != .body, try checkLength(in: text) > maxShortMemberBytes { return nil }
            switch member {
            case .url: call.url = try string(in: text)
            case .method: call.method = try method(in: text)
            case .headers: call.fields = try headers(in: text).fields
            case .body:
                var response = UpstreamResponse()
                switch try body(in: text, &response) {
                case .none: call.content = nil
                case .slice(let range): call.content = range.map { text[$0] }
                case .bytes(let bytes): call.content = bytes
                }
                call.isJSON = !response.hasOriginalContent
            case .cache: call.cache = try choice(in: text)
            case .cacheKey: call.cacheKey = try line(in: text)
            case .store: call.store = try boolean(in: text)
            case .partition: call.partition = PartitionName(parsing: try scopedName(in: text))
            case .redirects: call.redirects = try choice(in: text)
            case .timeoutSeconds: call.timeoutSeconds = try integer(in: text, 1...FetchCall.maxSeconds)
            case .retries: call.retries = try integer(in: text, 0...100)
            case .receipt: call.receipt = try scopedName(in: text)
            case .slot: call.slot = try scopedName(in: text)
            case .waitSeconds: call.waitSeconds = try integer(in: text, 0...FetchCall.maxSeconds)
            case .options: call.options = try options(in: text)
            }
            place = EnvelopePlace()
        }
        guard seen[.url] != nil else {
            throw .unexpected(found: "no member url", expected: ["a member url"], at: location(start, in: text))
        }
        return call
    }

    private mutating func string(in text: Span<UInt8>) throws(EnvelopeError) -> String {
        try expect(.string, in: text)
        return cursor.string(in: text).text(in: text)
    }

    private mutating func boolean(in text: Span<UInt8>) throws(EnvelopeError) -> Bool {
        try expect(.boolean, in: text)
        let range = cursor.skip(in: text)
        return text[range.lowerBound] == UInt8(ascii: "t")
    }

    private mutating func integer(in text: Span<UInt8>, _ bounds: ClosedRange<Int>) throws(EnvelopeError) -> Int {
        try expect(.number, in: text)
        let range = cursor.skip(in: text)
        let digits = text.text(range)
        guard let value = Int(digits), bounds ~= value else {
            throw .unexpected(
                found: digits.excerpt,
                expected: ["\(bounds.lowerBound) to \(bounds.upperBound)"],
                at: location(range.lowerBound, in: text)
            )
        }
        return value
    }

    private mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
        in text: Span<UInt8>
    ) throws(EnvelopeError) -> Value {
        let start = cursor.position
        let name = try string(in: text)
        guard let value = Value(rawValue: name) else {
            throw .unexpected(
                found: quoted(name),
                expected: Value.allCases.map(\.rawValue),
                at: location(start, in: text)
            )
        }
        return value
    }

    private mutating func scopedName(in text: Span<UInt8>) throws(EnvelopeError) -> String {
        let start = cursor.position
        let name = try string(in: text)
        guard ScopedName.isValid(name) else {
            throw .unexpected(found: quoted(name), expected: [FetchCall.nameForm], at: location(start, in: text))
        }
        return name
    }

    /// `{"nulls":"keep","hints":true,"max-nesting-depth":32,"thumbnail":["256x256","64x64"]}`
    private mutating func options(in text: Span<UInt8>) throws(EnvelopeError) -> [FetchCall.Option] {
        try expect(.object, in: text)
        cursor.enter(in: text)
        var options: [FetchCall.Option] = []
        var seen: [String: Int] = [:]
        while cursor.next(in: text) {
            place = EnvelopePlace(member: "options")
            let start = cursor.position
            let name = cursor.name(in: text).text(in: text)
            try checkIsFirst(name, at: start, after: seen.updateValue(start, forKey: name), in: text)
            place.name = name
            switch cursor.kind(in: text) {
            case .string, .number, .boolean:
                options.append(FetchCall.Option(name: name, value: try optionValue(in: text)))
            case .array:
                var values: [String] = []
                cursor.enter(in: text)
                while cursor.next(in: text) { values.append(try optionValue(in: text)) }
                if name == OptionName.thumbnail.rawValue {
                    options += values.map { FetchCall.Option(name: name, value: $0) }
                } else {
                    options.append(FetchCall.Option(name: name, value: values.joined(separator: ",")))
                }
            case .object, .null:
                throw unexpectedType(
                    expected: ["a string", "a number", "true or false", "an array of these"],
                    in: text
                )
            }
            place.name = nil
        }
        return options
    }

    private mutating func optionValue(in text: Span<UInt8>) throws(EnvelopeError) -> String {
        switch cursor.kind(in: text) {
        case .string: return cursor.string(in: text).text(in: text)
        case .number, .boolean: return text.text(cursor.skip(in: text))
        case .object, .array, .null:
            throw unexpectedType(expected: ["a string", "a number", "true or false"], in: text)
        }
    }
}
