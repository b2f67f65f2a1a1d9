/// The endpoint of a path.
enum Route: Equatable, Sendable {
    case normalize
    case value
    case message
    case envelope
    case thumbnail
    case fetch
    case image
    /// The result of a request for a resource, by its receipt.
    case fetches(receipt: String)
    case slots(slot: String)
    case cache
    case serializers
    case profiles
    case openAPI
    case openAPIInJSON
    case problems
    case problem(ProblemCode)
    case live
    case ready
    case metrics

    /// Returns `nil` for an unknown path. Paths are compared byte by byte, without decoding, and an additional slash makes a different path.
    init?(path: String) {
        // All known paths are ASCII and contain no characters that Unicode composes, so that `==` compares bytes.
        if path == "/v1/normalize" {
            self = .normalize
            return
        }
        switch path {
        case "/v1/normalize/value": self = .value
        case "/v1/normalize/message": self = .message
        case "/v1/normalize/envelope": self = .envelope
        case "/v1/thumbnail": self = .thumbnail
        case "/v1/fetch": self = .fetch
        case "/v1/cache": self = .cache
        case "/v1/image": self = .image
        case "/v1/serializers": self = .serializers
        case "/v1/profiles": self = .profiles
        case "/openapi.yaml": self = .openAPI
        case "/openapi.json": self = .openAPIInJSON
        case "/problems": self = .problems
        case "/livez": self = .live
        case "/readyz": self = .ready
        case "/metrics": self = .metrics
        default:
            if path.hasPrefix("/problems/"), let code = ProblemCode(rawValue: String(path.dropFirst(10))) {
                self = .problem(code)
            } else if path.hasPrefix("/v1/fetches/"), ScopedName.isValid(String(path.dropFirst(12))) {
                self = .fetches(receipt: String(path.dropFirst(12)))
            } else if path.hasPrefix("/v1/slots/"), ScopedName.isValid(String(path.dropFirst(10))) {
                self = .slots(slot: String(path.dropFirst(10)))
            } else {
                return nil
            }
        }
    }

    /// The methods that the path supports, in the order in which `Allow` lists them.
    var methods: [String] {
        switch self {
        case .normalize, .value, .message, .envelope, .thumbnail: Self.post
        case .fetch: Self.readAndPost
        case .fetches: Self.read + ["DELETE"]
        case .slots: ["DELETE"]
        case .cache: Self.read + ["DELETE"]
        case .image, .serializers, .profiles, .openAPI, .openAPIInJSON, .problems, .problem, .live, .ready, .metrics:
            Self.read
        }
    }

    /// The endpoint that the log and the metrics name.
    var endpoint: Endpoint {
        switch self {
        case .normalize: .normalize
        case .value: .value
        case .message: .message
        case .envelope: .envelope
        case .thumbnail: .thumbnail
        case .fetch: .fetch
        case .image: .image
        case .fetches: .fetches
        case .slots: .slots
        case .cache: .cache
        case .serializers: .serializers
        case .profiles: .profiles
        case .openAPI, .openAPIInJSON: .openAPI
        case .problems, .problem: .problems
        case .live: .live
        case .ready: .ready
        case .metrics: .metrics
        }
    }

    /// Returns what a request for the path needs. The method is one of ``methods``.
    func requirement(of method: String) -> AccessRequirement {
        switch self {
        case .normalize, .value, .message, .envelope, .thumbnail: .permission(.normalize)
        case .fetch: method == "POST" ? .permission(.fetch) : .permissionOrSignature(.fetch)
        case .image: .permissionOrSignature(.fetch)
        case .fetches: method == "DELETE" ? .permission(.fetch) : .optional(.fetch)
        case .slots: .permission(.fetch)
        case .cache: .permission(method == "DELETE" ? .purge : .metrics)
        case .metrics: .permission(.metrics)
        case .serializers, .profiles, .openAPI, .openAPIInJSON, .problems, .problem, .live, .ready: .nothing
        }
    }

    private static let post = ["POST"]
    /// HEAD is supported wherever GET is.
    private static let read = ["GET", "HEAD"]
    private static let readAndPost = read + post
}
