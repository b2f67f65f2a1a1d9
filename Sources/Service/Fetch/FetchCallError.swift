internal import Fetching
internal import Serialization

/// The reason why a request for a resource is rejected before it waits.
enum FetchCallError: Error, Equatable, Sendable {
    case notConfigured
    /// The request was sent by this deployment.
    case loop
    /// The field `CDN-Loop` cannot be passed on.
    case malformedLoop
    case url(FetchURLError)
    case rejected(FetchRejection, FetchURL?)
    case field(FieldRejection)
    /// A field that the service itself adds to requests to this origin.
    case ownField(String, FetchOrigin)
    case option(OptionError)
    /// A parameter of the query, or a member, has a value that is not allowed.
    case parameter(String, got: String, expected: String, isMember: Bool)
    case repeatedParameter(String)
    case missingParameter(String)
    /// - Parameter known: the names of all parameters.
    case unknownParameter(String, known: [String])
    case access(AccessError)
    /// A cache key without a token or a signature.
    case cacheKeyNotAllowed
    /// `allow-purge` is not set.
    case purgeNotAllowed
    /// Content in a GET or HEAD, which `fetch-allow-get-content` does not permit.
    case contentNotAllowed(method: String)
    /// The content of the request to the origin is too long.
    case contentTooLong(bytes: Int, max: Int)
    /// The head of a request for an image is rejected as on other paths.
    case request(RequestError)
    /// A thumbnail that is not one of `image-sizes`, without a signature.
    case sizeNotAllowed(ThumbnailRequest, allowed: ImageSizes)
    /// A parameter with any number of values, although `image-sizes` is set, without a signature.
    case parameterNotAllowed(String)
}

extension Problem {
    init(_ error: FetchCallError) {
        switch error {
        case .notConfigured: self.init(.notConfigured, url: nil)
        case .loop:
            self.init(
                .fetchLoop,
                "the field CDN-Loop contains the identifier of this service: the request leads back to it"
            )
        case .malformedLoop:
            self.init(
                .invalidField,
                "the field CDN-Loop has bytes that are not ASCII, or is longer than \(CDNLoop.maxBytes) bytes",
                expected: ["identifiers of CDNs (RFC 8586)"]
            )
        case .url(let error): self.init(error.diagnostic)
        case .access(let error): self.init(error)
        case .request(let error): self.init(error)
        case .rejected(let rejection, let url): self.init(rejection, url: url)
        case .field(let rejection): self.init(rejection.diagnostic)
        case .ownField(let name, let origin):
            self.init(
                .fetchFieldNotAllowed,
                "headers: the service itself adds the field \(name.excerpt) to requests to \(origin) "
                    + "(fetch-credentials-file)",
                found: name.excerpt
            )
        case .option(let error): self.init(error)
        case .parameter(let name, let got, let expected, let isMember):
            self.init(
                isMember ? .invalidFetch : .invalidOption,
                "\(isMember ? "the member" : "the parameter") '\(name)' cannot be '\(got.excerpt)'; "
                    + "allowed: \(expected)",
                expected: [expected],
                found: got.excerpt
            )
        case .repeatedParameter(let name):
            self.init(
                .invalidOption,
                "the parameter '\(name)' is given more than once",
                expected: ["\(name) once"],
                found: name
            )
        case .missingParameter(let name):
            self.init(.invalidOption, "the parameter '\(name)' is required", expected: [name])
        case .unknownParameter(let name, let known):
            let message = "there is no parameter '\(name.excerpt)'"
            self.init(.invalidOption, message, expected: known, found: name.excerpt)
            hint = NearestName.nearest(to: name, in: known).map { "Did you mean '\($0)'?" }
        case .cacheKeyNotAllowed:
            self.init(
                .fetchCacheKeyNotAllowed,
                "cacheKey needs a token or a signature (tokens-file, fetch-signing-keys-file)"
            )
        case .purgeNotAllowed:
            self.init(
                .cachePurgeNotAllowed,
                "this service does not permit purging",
                expected: ["allow-purge"]
            )
            hint = "setting that can allow it: allow-purge"
        case .contentNotAllowed(let method):
            self.init(
                .invalidFetch,
                "a \(method) has no content, unless the setting fetch-allow-get-content permits it",
                expected: ["no member 'body'"],
                found: "content"
            )
        case .contentTooLong(let bytes, let max):
            self.init(
                .invalidFetch,
                "the member 'body' has \(bytes) bytes, and the content of a request to an origin at most \(max)",
                expected: ["at most \(max) bytes"],
                found: "\(bytes) bytes"
            )
        case .sizeNotAllowed(let thumbnail, let allowed):
            let size = thumbnail.text
            self.init(
                .fetchSizeNotAllowed,
                "images of \(size) need a signature; allowed without one (image-sizes): "
                    + allowed.texts.joined(separator: ", "),
                expected: allowed.texts,
                found: size
            )
        case .parameterNotAllowed(let name):
            self.init(
                .fetchSizeNotAllowed,
                "this value of the parameter '\(name)' needs a signature, because the setting image-sizes restricts "
                    + "what can be requested without one",
                found: name
            )
        }
        if !fields.contains(.noStore) { fields.append(.noStore) }
    }
}
