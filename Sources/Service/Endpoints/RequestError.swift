internal import Serialization

/// The reason why a request to an endpoint was rejected because of its head.
enum RequestError: Error, Equatable, Sendable {
    case option(OptionError)
    case invalidField(String, got: String, expected: [String])
    case repeatedField(String)
    case unknownUpstreamField(String)

    /// `Upstream-Status` is missing, and the setting `require-upstream-status` requires it.
    case missingStatus

    /// `Upstream-Field-NAME` with a name that the request has itself.
    case fieldOfContent(String)

    /// An `Upstream-*` field in a request whose content contains the same information.
    case conflictingField(String, format: RequestFormat)

    /// The media type is not one of the format. `got` is `nil` if no type was sent.
    case unsupportedMediaType(got: String?, format: RequestFormat)

    /// `Accept` allows none of the media types that the response can have.
    case notAcceptable(String, available: [String])

    /// The format does not support content codings.
    case unsupportedContentCoding(String, format: RequestFormat)
}

extension Problem {
    init(_ error: RequestError) {
        switch error {
        case .option(let error): self.init(error)
        case .invalidField(let name, let got, let expected):
            self.init(
                .invalidField,
                "the field \(name) cannot be '\(got.excerpt)'; allowed: \(expected.joined(separator: ", "))",
                expected: expected,
                found: got.excerpt
            )
        case .repeatedField(let name):
            self.init(
                .invalidField,
                "the field \(name) is given more than once",
                expected: ["\(name) once"],
                found: name
            )
        case .unknownUpstreamField(let name):
            let known = ["Upstream-Status", "Upstream-URL", "Upstream-Method", "Upstream-Field-NAME"]
            self.init(
                .invalidField,
                "there is no field \(name.excerpt); allowed: \(known.joined(separator: ", "))",
                expected: known,
                found: name.excerpt
            )
            let names = known.map { $0.lowercased() }
            if let nearest = NearestName.nearest(to: name, in: names), let index = names.firstIndex(of: nearest) {
                hint = "Did you mean \(known[index])?"
            }
        case .missingStatus:
            self.init(
                .invalidField,
                "the field Upstream-Status is missing, and this service requires it (require-upstream-status)",
                expected: ["Upstream-Status"]
            )
        case .fieldOfContent(let name):
            self.init(
                .conflictingFields,
                "the field Upstream-Field-\(name.excerpt) is not allowed; the field \(name.excerpt) of the request is "
                    + "that of the upstream response",
                found: "Upstream-Field-\(name.excerpt)"
            )
        case .conflictingField(let name, let format):
            let other =
                switch format {
                case .envelope: "an envelope contains the same in its members status, url, method and headers"
                case .message: "a message has the status and the fields in its head"
                case .fetch: "a fetch request has the URL in its member url"
                }
            self.init(
                .conflictingFields,
                "the field \(name.excerpt) is not allowed here; \(other)",
                found: name.excerpt
            )
        case .unsupportedMediaType(let got, let format):
            self.init(
                .unsupportedMediaType,
                "\(format.name) is sent as \(format.mediaTypes.joined(separator: " or ")), "
                    + (got.map { "not as \($0.excerpt)" } ?? "not without a media type"),
                expected: format.mediaTypes,
                found: got?.excerpt
            )
            fields = [HeaderFields.Field(name: "Accept", value: format.mediaTypes.joined(separator: ", "))]
        case .notAcceptable(let accept, let available):
            self.init(
                .notAcceptable,
                "the field Accept allows no media type of the response; "
                    + "available: \(available.joined(separator: ", "))",
                expected: available,
                found: accept.excerpt
            )
            fields = [.varyAccept]
        case .unsupportedContentCoding(let coding, let format):
            self.init(
                .unsupportedMediaType,
                "\(format.name) must not have a content coding, but has '\(coding.excerpt)'",
                expected: ["identity"],
                found: coding.excerpt
            )
            fields = [HeaderFields.Field(name: "Accept-Encoding", value: "identity")]
        }
    }
}
