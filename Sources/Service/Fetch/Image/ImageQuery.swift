internal import Fetching
internal import Serialization

/// The parameters of `GET /v1/image` that `GET /v1/fetch` does not have.
struct ImageQuery {
    /// A plain image that takes the place of a problem.
    struct Fallback: Equatable {
        var color: RGBA
        var conditions = FallbackConditions.all
        /// The status of its response; `nil` for that of the problem.
        var status: Int?
    }

    private enum Name: String, CaseIterable {
        case fallback
        case fallbackOn = "fallback-on"
        case fallbackStatus = "fallback-status"
    }

    /// The names of all parameters.
    private static let names =
        FetchQuery.names + Name.allCases.map(\.rawValue) + OptionParser.namesForThumbnail.map(\.rawValue)

    /// The other parameters, in their order. They are options.
    private(set) var options: [QueryString.Pair] = []

    private(set) var fallback: Fallback?

    init(_ pairs: [QueryString.Pair]) throws(FetchCallError) {
        var given: [Name: String] = [:]
        for (name, value) in pairs {
            guard let parameter = Name(rawValue: name) else {
                guard OptionName(rawValue: name) != nil else { throw .unknownParameter(name, known: Self.names) }
                options.append((name, value))
                continue
            }
            guard given.updateValue(value, forKey: parameter) == nil else { throw .repeatedParameter(name) }
        }
        guard let color = given[.fallback] else {
            // Without the colour, there is nothing that they could apply to.
            guard given.isEmpty else { throw .missingParameter(Name.fallback.rawValue) }
            return
        }
        fallback = Fallback(
            color: try Self.value(.fallback, color, "transparent, or a colour as rrggbb", Self.color),
            conditions: try given[.fallbackOn].map { text throws(FetchCallError) in
                try Self.value(.fallbackOn, text, FallbackConditions.syntax, FallbackConditions.init(parsing:))
            } ?? .all,
            status: try given[.fallbackStatus].map { text throws(FetchCallError) in
                try Self.value(.fallbackStatus, text, "200, 400 to 599", Self.status)
            }
        )
    }

    /// Returns the name of a parameter, other than `thumbnail`, by which the same image would be requested, decoded or
    /// stored in any number of ways; `nil` if there is none.
    func parameterWithManyValues(in call: FetchCall) -> String? {
        let few: [OptionName] = [.thumbnail, .serializer, .profile]
        if let option = options.first(where: { pair in !few.contains { $0.rawValue == pair.name } }) {
            return option.name
        }
        let preferences = call.preferences
        if !preferences.fields.isEmpty { return FetchParameter.headers.row.query }
        if call.cacheKey != nil { return FetchParameter.cacheKey.row.query }
        if preferences.store == false { return FetchParameter.store.row.query }
        switch preferences.cache {
        case .default, .forceCache, .onlyIfCached, nil: return nil
        case .noCache, .reload, .noStore: return FetchParameter.cache.row.query
        }
    }

    private static func value<Value>(
        _ name: Name,
        _ text: String,
        _ expected: String,
        _ parse: (String) -> Value?
    ) throws(FetchCallError) -> Value {
        guard let value = parse(text) else {
            throw .parameter(name.rawValue, got: text, expected: expected, isMember: false)
        }
        return value
    }

    private static func color(_ text: String) -> RGBA? {
        if text == "transparent" { return RGBA(red: 0, green: 0, blue: 0, alpha: 0) }
        // The syntax of the option `thumbnail` also permits `#` and an alpha.
        return text.utf8.count == 6 && text.utf8.first != UInt8(ascii: "#") ? RGBA(parsing: text) : nil
    }

    /// A status that has content, and neither continues nor redirects a request.
    private static func status(_ text: String) -> Int? {
        guard let status = FallbackConditions.status(text), status == 200 || status >= 400 else { return nil }
        return status
    }
}

/// The problems whose place a fallback takes: `404,5xx,fetch`.
struct FallbackConditions: Equatable, Sendable {
    /// Whether it is every problem with a response of an origin that was rejected.
    private var statuses: [ClosedRange<Int>]
    /// Whether it is every problem without such a response.
    private var includesFetch: Bool

    /// Every problem.
    static let all = FallbackConditions(statuses: [100...999], includesFetch: true)

    static let syntax = "statuses (404), classes of statuses (5xx) and fetch, comma-separated"

    private init(statuses: [ClosedRange<Int>], includesFetch: Bool) {
        self.statuses = statuses
        self.includesFetch = includesFetch
    }

    init?(parsing text: String) {
        self.init(statuses: [], includesFetch: false)
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if part == "fetch" {
                includesFetch = true
            } else if part.utf8.count == 3, part.hasSuffix("xx"), let first = part.first?.wholeNumberValue,
                1...5 ~= first
            {
                statuses.append(first * 100...first * 100 + 99)
            } else if let status = Self.status(String(part)) {
                statuses.append(status...status)
            } else {
                return nil
            }
        }
    }

    /// Reads a status of HTTP from 100 to 599.
    static func status(_ text: String) -> Int? {
        guard let status = text.utf8.span.statusCode, status < 600 else { return nil }
        return status
    }

    /// - Parameter status: the status of the origin's response that was rejected; `nil` if there is none, or if it is
    ///   not the reason.
    func contain(upstreamStatus status: Int?) -> Bool {
        guard let status else { return includesFetch }
        return statuses.contains { $0.contains(status) }
    }
}
