internal import Flights
internal import Serialization

/// The endpoints of the service. Each one is described by a row of the table below. The only other switch over them is
/// that of ``DecantApplication``, which has the objects that handle requests: an endpoint without one does not compile.
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

    private var declaration: EndpointRow {
        switch self {
        case .none: EndpointRow("none", [])
        case .normalize: EndpointRow("normalize", ["/v1/normalize"], post: .permission(.normalize))
        case .value: EndpointRow("value", ["/v1/normalize/value"], post: .permission(.normalize))
        case .message: EndpointRow("message", ["/v1/normalize/message"], post: .permission(.normalize))
        case .envelope: EndpointRow("envelope", ["/v1/normalize/envelope"], post: .permission(.normalize))
        case .thumbnail: EndpointRow("thumbnail", ["/v1/thumbnail"], post: .permission(.normalize))
        case .fetch:
            EndpointRow("fetch", ["/v1/fetch"], get: .permissionOrSignature(.fetch), post: .permission(.fetch))
                .needing(.fetching)
        case .image: EndpointRow("image", ["/v1/image"], get: .permissionOrSignature(.fetch)).needing(.fetching)
        case .fetches:
            EndpointRow("fetches", ["/v1/fetches/{receipt}"], get: .optional(.fetch), delete: .permission(.fetch))
                .needing(.fetching)
        case .slots: EndpointRow("slots", ["/v1/slots/{slot}"], delete: .permission(.fetch)).needing(.fetching)
        case .cache:
            EndpointRow(
                "cache",
                ["/v1/cache"],
                get: .permission(.metrics),
                delete: .permission(.purge),
                for: .administration
            )
            .needing(.fetching)
        case .serializers: EndpointRow("serializers", ["/v1/serializers"], get: .nothing)
        case .profiles: EndpointRow("profiles", ["/v1/profiles"], get: .nothing)
        case .openAPI: EndpointRow("openapi", ["/openapi.yaml", "/openapi.json"], get: .nothing)
        case .problems: EndpointRow("problems", ["/problems", "/problems/{code}"], get: .nothing)
        case .live: EndpointRow("livez", ["/livez"], get: .nothing, for: .everybody)
        case .ready: EndpointRow("readyz", ["/readyz"], get: .nothing, for: .everybody)
        case .metrics: EndpointRow("metrics", ["/metrics"], get: .permission(.metrics), for: .administration)
        case .start: EndpointRow("start", ["/"], get: .nothing)
        case .reference: EndpointRow("docs", ["/docs"], get: .nothing).needing(.pages)
        }
    }

    /// The rows, which exist once, so that a request allocates none.
    private static let rows = allCases.map(\.declaration)

    /// The row of this endpoint.
    var row: EndpointRow { Self.rows[Int(rawValue)] }

    /// The name in the log and in metrics.
    var name: StaticString { row.name }

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
        endpoint.row.paths.map { EndpointPath($0, of: endpoint) }
    }
}

/// A row of the table of endpoints.
struct EndpointRow: Sendable {
    /// Who uses an endpoint, which decides on which listener it is (``Listener``).
    enum Audience: Sendable {
        case callers
        case administration
        case everybody
    }

    /// A part of the service that may be absent, and without which the endpoint is not in the index of endpoints.
    enum Part: Sendable {
        case fetching
        case pages
    }

    /// The name in the log and in metrics.
    let name: StaticString

    /// The paths as in the contract: `/v1/slots/{slot}`.
    let paths: [String]

    let audience: Audience

    /// The part that the endpoint needs; `nil` if it needs none.
    private(set) var part: Part?

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

    fileprivate func needing(_ part: Part) -> EndpointRow {
        var row = self
        row.part = part
        return row
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

private struct EndpointPath {
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
