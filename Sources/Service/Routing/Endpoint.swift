internal import Flights
internal import Serialization

/// The endpoints of the service. Each one is described by a row of the table below, and handled by
/// ``DecantApplication``.
enum Endpoint: UInt8, CaseIterable, Sendable {
    /// The head was rejected, or the path is unknown.
    case none
    case normalize
    case value
    case message
    case envelope
    case thumbnail
    case fetch
    case image
    case fetches
    case slots
    case cache
    case serializers
    case profiles
    case openAPI
    case problems
    case live
    case ready
    case metrics
    case start
    case reference

    private var row: Route {
        switch self {
        case .none: Route("none", [])
        case .normalize: Route("normalize", ["/v1/normalize"], post: .permission(.normalize))
        case .value: Route("value", ["/v1/normalize/value"], post: .permission(.normalize))
        case .message: Route("message", ["/v1/normalize/message"], post: .permission(.normalize))
        case .envelope: Route("envelope", ["/v1/normalize/envelope"], post: .permission(.normalize))
        case .thumbnail: Route("thumbnail", ["/v1/thumbnail"], post: .permission(.normalize))
        case .fetch: Route("fetch", ["/v1/fetch"], get: .permissionOrSignature(.fetch), post: .permission(.fetch))
        case .image: Route("image", ["/v1/image"], get: .permissionOrSignature(.fetch))
        case .fetches:
            Route("fetches", ["/v1/fetches/{receipt}"], get: .optional(.fetch), delete: .permission(.fetch))
        case .slots: Route("slots", ["/v1/slots/{slot}"], delete: .permission(.fetch))
        case .cache:
            Route("cache", ["/v1/cache"], get: .permission(.metrics), delete: .permission(.purge), for: .administration)
        case .serializers: Route("serializers", ["/v1/serializers"], get: .nothing)
        case .profiles: Route("profiles", ["/v1/profiles"], get: .nothing)
        case .openAPI: Route("openapi", ["/openapi.yaml", "/openapi.json"], get: .nothing)
        case .problems: Route("problems", ["/problems", "/problems/{code}"], get: .nothing)
        case .live: Route("livez", ["/livez"], get: .nothing, for: .everybody)
        case .ready: Route("readyz", ["/readyz"], get: .nothing, for: .everybody)
        case .metrics: Route("metrics", ["/metrics"], get: .permission(.metrics), for: .administration)
        case .start: Route("start", ["/"], get: .nothing)
        case .reference: Route("docs", ["/docs"], get: .nothing)
        }
    }

    /// The rows, which exist once, so that a request allocates none.
    private static let rows = allCases.map(\.row)

    /// The row of this endpoint.
    var route: Route { Self.rows[Int(rawValue)] }

    /// The name in the log and in metrics.
    var name: StaticString { route.name }

    /// Returns the endpoint of a path, and the name in the path; `nil` for an unknown path.
    ///
    /// Paths are compared byte by byte, without decoding, and an additional slash makes a different path.
    static func find(_ path: String) -> (endpoint: Endpoint, name: String)? {
        // The order is that of the cases: most requests are for the first path.
        for index in paths.indices {
            if let name = paths[index].name(in: path) { return (paths[index].endpoint, name) }
        }
        return nil
    }

    /// The paths without names on a listener.
    static func fixedPaths(on listener: Listener) -> [String] {
        rows.filter { listener.serves($0.audience) }.flatMap(\.paths).filter { !$0.contains("{") }
    }

    private static let paths = allCases.flatMap { endpoint in
        endpoint.row.paths.map { RoutePath($0, of: endpoint) }
    }
}

/// A row of the table of endpoints.
struct Route: Sendable {
    /// Who uses an endpoint, which decides on which listener it is (``Listener``).
    enum Audience: Sendable {
        case callers
        case administration
        case everybody
    }

    /// The name in the log and in metrics.
    let name: StaticString

    /// The paths as in the contract: `/v1/slots/{slot}`.
    let paths: [String]

    let audience: Audience

    /// What a GET or HEAD needs; `nil` if neither is supported.
    private let get: AccessRequirement?
    private let post: AccessRequirement?
    private let delete: AccessRequirement?

    fileprivate init(
        _ name: StaticString,
        _ paths: [String],
        get: AccessRequirement? = nil,
        post: AccessRequirement? = nil,
        delete: AccessRequirement? = nil,
        for audience: Audience = .callers
    ) {
        self.name = name
        self.paths = paths
        self.get = get
        self.post = post
        self.delete = delete
        self.audience = audience
    }

    /// Returns what a request with this method needs; `nil` if the method is not supported.
    func requirement(of method: String) -> AccessRequirement? {
        switch method {
        case "POST": post
        case "GET", "HEAD": get
        case "DELETE": delete
        default: nil
        }
    }

    /// The permissions that the methods need, in the order of ``Permission``.
    var permissions: [Permission] {
        let needed = [get, post, delete].compactMap { $0?.permission }
        return Permission.allCases.filter(needed.contains)
    }

    /// The supported methods, in the order in which `Allow` lists them.
    var methods: [String] { ["GET", "HEAD", "POST", "DELETE"].filter { requirement(of: $0) != nil } }
}

/// A path of an endpoint.
private struct RoutePath {
    /// The names at the end of a path.
    private enum Parameter: String {
        case code, receipt, slot

        func accepts(_ name: String) -> Bool {
            switch self {
            case .code: ProblemCode(rawValue: name) != nil
            case .receipt, .slot: ScopedName.isValid(name)
            }
        }
    }

    let endpoint: Endpoint
    /// The text before the name, or all of it.
    private let text: String
    private let parameter: Parameter?

    init(_ path: String, of endpoint: Endpoint) {
        self.endpoint = endpoint
        let parts = path.split(separator: "{", maxSplits: 1)
        text = String(parts[0])
        parameter = parts.count < 2 ? nil : Parameter(rawValue: String(parts[1].dropLast()))
        precondition((parameter == nil) == (parts.count < 2), "The name at the end of a path is not known.")
    }

    /// Returns the name in `path`, which is empty if the paths of the endpoint have none; `nil` for another path.
    func name(in path: String) -> String? {
        // All known paths are ASCII and contain no characters that Unicode composes, so that `==` compares bytes.
        guard let parameter else { return path == text ? "" : nil }
        guard path.hasPrefix(text) else { return nil }
        let name = String(path.dropFirst(text.utf8.count))
        return parameter.accepts(name) ? name : nil
    }
}
