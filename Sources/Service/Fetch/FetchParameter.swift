internal import Fetching
internal import Flights
internal import HTTP
internal import Serialization

/// The parameters of a request for a resource, one row each. The raw value is the name of the member in `POST
/// /v1/fetch` and in a profile.
///
/// The readers of JSON (``EnvelopeReader``), of queries (``FetchQuery``), of profiles (``ProfilesReader``) and of flags
/// (``FetchURLCommand``) read values by their type. None of them knows a parameter by its name.
enum FetchParameter: String, CaseIterable, Sendable {
    case url, method, headers, body, cache, cacheKey, store, partition, redirects, timeoutSeconds, retries, receipt,
        slot
    case waitSeconds, options

    struct Row: Sendable {
        let value: Value
        /// The name in the query of `GET /v1/fetch`; `nil` if it is not allowed there. A query has no fields but
        /// `Accept`.
        var query: String?
        /// The flag of `decant fetch`; `nil` if there is none.
        var flag: FlagDefinition?
    }

    private var definition: Row {
        switch self {
        case .url: Row(value: .text(\.url), query: "url")
        case .method:
            Row(
                value: .method,
                flag: FlagDefinition(
                    name: "method",
                    valueName: "method",
                    help: "Method of the request. (default: GET)",
                    completions: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
                )
            )
        case .headers:
            Row(
                value: .preference(.fields),
                query: "accept",
                flag: FlagDefinition(
                    name: "header",
                    valueName: "field",
                    help: "Header field of the request, such as 'Accept: text/xml'. It may be repeated.",
                    isRepeatable: true
                )
            )
        case .body: Row(value: .content)
        case .cache: Row(value: .preference(.choice(\.cache, "mode of the cache")), query: "cache")
        case .cacheKey: Row(value: .line(\.cacheKey), query: "cache-key")
        case .store: Row(value: .preference(.boolean(\.store)), query: "store")
        case .partition: Row(value: .partition)
        case .redirects:
            Row(
                value: .preference(.choice(\.redirects, "mode of redirects")),
                query: "redirects",
                flag: FlagDefinition(
                    name: "redirects",
                    valueName: "mode",
                    help: "What is done with redirects. [\(Self.redirectModes.joined(separator: ", "))] "
                        + "(default: \(RedirectMode.follow.rawValue))",
                    completions: Self.redirectModes
                )
            )
        case .timeoutSeconds: Row(value: .preference(.integer(\.timeoutSeconds, 1...FetchCall.maxSeconds, .timeout)))
        case .retries: Row(value: .preference(.integer(\.retries, 0...100, .retries)))
        case .receipt: Row(value: .name(\.receipt))
        case .slot: Row(value: .name(\.slot), query: "slot")
        case .waitSeconds:
            Row(value: .preference(.integer(\.waitSeconds, 0...FetchCall.maxSeconds, nil)), query: "wait")
        case .options: Row(value: .options)
        }
    }

    private static let redirectModes = RedirectMode.allCases.map(\.rawValue)

    private static let rows = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.definition) })
    private static let queries = Dictionary(
        uniqueKeysWithValues: allCases.compactMap { one in one.definition.query.map { ($0, one) } }
    )

    var row: Row {
        guard let row = Self.rows[self] else { preconditionFailure("every parameter has a row") }
        return row
    }

    /// What a profile can contain; `nil` for a parameter that concerns one request.
    var preference: Preference? { if case .preference(let preference) = row.value { preference } else { nil } }

    /// Returns the parameter with this name in a query; `nil` if there is none.
    static func inQuery(_ name: String) -> FetchParameter? { queries[name] }

    static let queryNames = allCases.compactMap(\.definition.query)

    /// The parameters that a profile can contain.
    static let preferences = allCases.compactMap { parameter in
        parameter.preference.map { (parameter: parameter, preference: $0) }
    }
}

extension FetchParameter {
    /// The type of a value, and the property that it sets.
    enum Value: Sendable {
        typealias Path<Value> = any WritableKeyPath<FetchCall, Value> & Sendable

        case preference(Preference)
        case text(Path<String>)
        /// Text without control characters.
        case line(Path<String?>)
        /// A name within a partition.
        case name(Path<String?>)
        case method
        case content
        case partition
        case options
    }

    /// The type of a value that a profile can contain, and the property that it sets.
    enum Preference: Sendable {
        typealias Path<Value> = any WritableKeyPath<FetchPreferences, Value> & Sendable

        case fields
        case choice(Choice)
        case boolean(Path<Bool?>)
        case integer(Path<Int?>, ClosedRange<Int>, Bound?)

        static func choice<Value: RawRepresentable<String> & CaseIterable & SendableMetatype>(
            _ path: Path<Value?>,
            _ noun: String
        ) -> Preference {
            .choice(
                Choice(
                    noun: noun,
                    names: Value.allCases.map(\.rawValue),
                    get: { $0[keyPath: path]?.rawValue },
                    set: { name, preferences in
                        guard let value = Value(rawValue: name) else { return false }
                        preferences[keyPath: path] = value
                        return true
                    }
                )
            )
        }
    }

    /// One of several names.
    struct Choice: Sendable {
        /// What the names are, for errors.
        let noun: String
        let names: [String]
        let get: @Sendable (FetchPreferences) -> String?
        /// Returns whether there is such a name.
        let set: @Sendable (String, inout FetchPreferences) -> Bool
    }

    /// A setting that is the upper bound of a number, which a profile may lower.
    struct Bound: Sendable {
        let setting: String
        let value: any KeyPath<FetchPreferences.Bounds, Int> & Sendable

        static let timeout = Bound(setting: Settings.fetching.fetchTimeoutSeconds.name, value: \.timeoutSeconds)
        static let retries = Bound(setting: Settings.fetching.fetchRetries.name, value: \.retries)
    }
}

// MARK: Values as text

extension FetchParameter.Value {
    /// The allowed values of a parameter that is given as text.
    var allowed: [String] {
        switch self {
        case .preference(.choice(let choice)): choice.names
        case .preference(.boolean): ["true", "false"]
        case .preference(.integer(_, let bounds, _)): ["\(bounds.lowerBound) to \(bounds.upperBound)"]
        case .name, .partition: [FetchCall.nameSyntax]
        case .preference(.fields), .text, .line, .method, .content, .options: []
        }
    }

    /// Sets the value that a query or a flag contains. Fields, content and options have no such form.
    /// - Returns: whether the value is allowed.
    func set(_ text: String, in call: inout FetchCall) -> Bool {
        switch self {
        case .preference(.choice(let choice)): return choice.set(text, &call.preferences)
        case .preference(.boolean(let path)):
            guard let value = Bool(text) else { return false }
            call.preferences[keyPath: path] = value
        case .preference(.integer(let path, let bounds, _)):
            guard let value = text.decimal(), bounds ~= value else { return false }
            call.preferences[keyPath: path] = value
        case .name(let path):
            guard ScopedName.isValid(text) else { return false }
            call[keyPath: path] = text
        case .partition:
            guard let partition = PartitionName(parsing: text) else { return false }
            call.partition = partition
        case .text(let path): call[keyPath: path] = text
        case .line(let path): call[keyPath: path] = text
        case .method: call.method = text
        case .preference(.fields), .content, .options: return false
        }
        return true
    }
}
