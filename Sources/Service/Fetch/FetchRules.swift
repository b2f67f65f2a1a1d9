internal import Fetching
internal import Flights
internal import HTTP
internal import Serialization

/// The rules and settings that a request for a resource must obey. An object, because they have many parts, and each
/// request uses them.
///
/// **Invariant.** A ``CallerRequest`` exists only if every rule permits it that can be checked before the host is
/// resolved: the syntax of the URL, the policy, the fields, the content and its length, the partition and the caller's
/// key. Its timeout and retries are at most those of the settings, and `Accept` has a value. The rules that a request
/// obeys do not change while it is served: others are another object. `FetchServiceTests` and `ProfileFetchTests`
/// check this.
final class FetchRules: Sendable {
    private let settings: FlightSettings

    /// The rules of URLs and addresses.
    let policy: FetchPolicy

    /// The fields that the service adds itself.
    let credentials: OriginCredentials

    init(_ settings: FlightSettings, _ policy: FetchPolicy, _ credentials: OriginCredentials) {
        self.settings = settings
        self.policy = policy
        self.credentials = credentials
    }

    /// Applies the rules to a request.
    /// - Parameters:
    ///   - pairs: the options of the query.
    ///   - access: who sends it.
    ///   - isMember: whether the values are members of JSON, and not parameters of a query.
    func callerRequest(
        _ call: FetchCall,
        _ pairs: [QueryString.Pair],
        _ configured: ConfiguredSerializer,
        _ access: AccessGrant,
        isMember: Bool,
        requestID: RequestID
    ) throws(FetchCallError) -> CallerRequest {
        var options = pairs
        if !call.options.isEmpty {
            options += call.options.map { ($0.name, $0.value) }
            let names = Set(call.options.map(\.name))
            for (name, _) in pairs where names.contains(name) {
                throw .option(OptionName(rawValue: name).map { .repeated($0) } ?? .unknownName(name))
            }
        }
        let (serializer, defaults) = try configured.fetching(pairs: options)
        return try callerRequest(call, serializer, defaults, access, isMember: isMember, requestID: requestID)
    }

    /// Applies the rules to a request whose options are a serializer and the defaults of a profile.
    func callerRequest(
        _ call: FetchCall,
        _ serializer: ResponseSerializer,
        _ defaults: FetchPreferences,
        _ access: AccessGrant,
        isMember: Bool,
        requestID: RequestID
    ) throws(FetchCallError) -> CallerRequest {
        let (url, admission) = try admit(call)
        let fields = try fields(of: call, defaults, to: url.origin, accept: serializer.acceptValue)
        let content = try content(of: call)
        guard call.cacheKey == nil || access.isAuthenticated else { throw .cacheKeyNotAllowed }
        let partition: PartitionName
        do throws(AccessError) {
            partition = try access.partition(requested: call.partition)
        } catch { throw .access(error) }
        let own = call.preferences
        let timeoutSeconds = own.timeoutSeconds ?? defaults.timeoutSeconds
        let maxSeconds = Int(clamping: settings.times.total.components.seconds)
        try check(.timeoutSeconds, timeoutSeconds, from: 1, to: maxSeconds, isMember: isMember)
        let retries = own.retries ?? defaults.retries
        try check(.retries, retries, from: 0, to: settings.attempts.maxRetries, isMember: isMember)
        var callerRequest = CallerRequest(
            FetchRequest(method: call.method, url: url, fields: fields, content: content),
            admission,
            FetchRendition(serializer, requestID: requestID),
            maxContentBytes: serializer.limits.maxContentBytes,
            timeout: timeoutSeconds.map { .seconds($0) } ?? settings.times.total,
            retries: retries ?? settings.attempts.maxRetries
        )
        callerRequest.credentials = credentials
        callerRequest.partition = partition.text
        callerRequest.cacheKey = call.cacheKey
        callerRequest.cache = own.cache ?? defaults.cache ?? .default
        callerRequest.permitsStoring = own.store ?? defaults.store ?? true
        callerRequest.redirects = own.redirects ?? defaults.redirects ?? .follow
        callerRequest.receipt = call.receipt ?? ""
        callerRequest.hasGeneratedReceipt = call.receipt == nil
        callerRequest.slot = call.slot
        callerRequest.lowersTimeout = timeoutSeconds != nil
        callerRequest.wait = own.waitSeconds.map { .seconds($0) }
        callerRequest.waitByDefault = defaults.waitSeconds.map { .seconds($0) }
        return callerRequest
    }

    /// Returns the URL of the request, and what permits it.
    private func admit(_ call: FetchCall) throws(FetchCallError) -> (FetchURL, FetchPolicy.Admission) {
        let url: FetchURL
        do throws(FetchURLError) {
            url = try FetchURL(parsing: call.url)
        } catch { throw .url(error) }
        do throws(FetchRejection) {
            return (url, try policy.admit(url, method: call.method))
        } catch { throw .rejected(error, url) }
    }

    /// Returns the fields of the request to the origin.
    /// - Parameter accept: the value of `Accept` if the caller gives none.
    private func fields(
        of call: FetchCall,
        _ defaults: FetchPreferences,
        to origin: FetchOrigin,
        accept: @autoclosure () -> String
    ) throws(FetchCallError) -> [HeaderFields.Field] {
        var fields: [HeaderFields.Field]
        do throws(FieldRejection) {
            fields = try FieldRules.check(defaults.fields(besides: call.preferences.fields))
        } catch { throw .field(error) }
        if let name = credentials.conflict(with: fields, at: origin) { throw .ownField(name, origin) }
        if !fields.contains(where: { $0.name.equalsIgnoringASCIICase("accept") }) {
            fields.append(HeaderFields.Field(name: "Accept", value: accept()))
        }
        if call.isJSON, !fields.contains(where: { $0.name.equalsIgnoringASCIICase("content-type") }) {
            fields.append(HeaderFields.Field(name: "Content-Type", value: "application/json"))
        }
        return fields
    }

    /// Returns the content of the request to the origin.
    private func content(of call: FetchCall) throws(FetchCallError) -> [UInt8]? {
        guard let content = call.content else { return nil }
        guard content.count <= FetchStart.maxContentBytes else {
            throw .contentTooLong(bytes: content.count, max: FetchStart.maxContentBytes)
        }
        guard ["GET", "HEAD"].contains(call.method), !settings.requests.allowsGetContent else { return content }
        // RFC 9110 §9.3.1: it has no semantics, and origins that ignore it take it for the next request.
        guard content.isEmpty else { throw .contentNotAllowed(method: call.method) }
        return nil
    }

    /// Rejects a value that is not within the bounds, of which the upper one is that of the settings.
    private func check(
        _ parameter: FetchParameter,
        _ value: Int?,
        from min: Int,
        to max: Int,
        isMember: Bool
    ) throws(FetchCallError) {
        guard let value, value < min || value > max else { return }
        throw .parameter(parameter.rawValue, got: "\(value)", expected: "\(min) to \(max)", isMember: isMember)
    }
}

extension ResponseSerializer {
    /// The value of `Accept` with the media types that the serializer accepts.
    fileprivate var acceptValue: String {
        if let listed = options.acceptableMediaTypes { return Self.acceptValue(of: listed.descriptions) }
        switch options.serializer {
        case .auto: return Self.automaticAcceptValue
        case .one(let kind):
            guard let value = Self.acceptValues[options.rules]?[kind] else {
                preconditionFailure("every serializer has a value")
            }
            return value
        case .compound(let components):
            return Self.shortAcceptValue(
                of: components.flatMap {
                    $0?.acceptableMediaTypes(under: options.rules).descriptions ?? MediaTypeSet.auto.descriptions
                }
            )
        }
    }

    /// The value for the serializer that most requests use.
    private static let automaticAcceptValue = shortAcceptValue(of: MediaTypeSet.auto.descriptions)

    private static let acceptValues: [RuleSet: [SerializerKind: String]] = Dictionary(
        uniqueKeysWithValues: RuleSet.allCases.map { rules in
            let values: [(SerializerKind, String)] = SerializerKind.allCases.map { kind in
                let types = kind.acceptableMediaTypes(under: rules).descriptions
                // AFNetworking names every type that it accepts.
                return (kind, rules == .afnetworking ? acceptValue(of: types) : shortAcceptValue(of: types))
            }
            return (rules, Dictionary(uniqueKeysWithValues: values))
        }
    )

    /// Returns the value that lists the first of the types that differ only before the slash and in `x-`:
    /// `application/json` of this one, `text/json` and `application/x-json`. The others are less preferred.
    private static func shortAcceptValue(of types: [String]) -> String {
        var seen: Set<Substring> = []
        let listed = types.filter { type in
            guard let slash = type.firstIndex(of: "/") else { return true }
            let subtype = type[type.index(after: slash)...]
            return seen.insert(subtype.hasPrefix("x-") ? subtype.dropFirst(2) : subtype).inserted
        }
        return acceptValue(of: listed, isComplete: listed.count == types.count)
    }

    private static func acceptValue(of types: [String], isComplete: Bool = true) -> String {
        // A suffix such as `+json` is not a media range. Sorted types give equal requests an equal field.
        var listed = Set(types.filter { $0.contains("/") }).sorted()
        if listed.isEmpty || !isComplete || types.contains(where: { !$0.contains("/") }) {
            listed.append(listed.isEmpty ? "*/*" : "*/*;q=0.1")
        }
        return listed.joined(separator: ", ")
    }
}
