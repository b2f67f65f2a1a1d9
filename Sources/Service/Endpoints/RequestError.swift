internal import Serialization

/// Why a request to an endpoint was refused on its head alone.
enum RequestError: Error, Equatable, Sendable {
    case option(OptionError)
    case invalidField(String, got: String, expected: [String])
    case repeatedField(String)
    case unknownUpstreamField(String)

    /// An `Upstream-*` field beside a form whose content contains the same.
    case conflictingField(String, form: UpstreamForm)

    /// The form has other media types; `got` is `nil` if no type was sent.
    case unsupportedMediaType(got: String?, form: UpstreamForm)

    /// `Accept` leaves none of the types that the answer can have.
    case notAcceptable(String, available: [String])

    /// The form takes no content coding.
    case unsupportedContentCoding(String, form: UpstreamForm)
}

extension Problem {
    init(_ error: RequestError) {
        switch error {
        case .option(let error):
            self.init(error)
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
            let known = ["Upstream-Status", "Upstream-URL", "Upstream-Method"]
            self.init(
                .invalidField,
                "there is no field \(name.excerpt); there are \(known.joined(separator: ", "))",
                expected: known,
                found: name.excerpt
            )
            let names = known.map { $0.lowercased() }
            if let nearest = NearestName.nearest(to: name, in: names), let index = names.firstIndex(of: nearest) {
                hint = "Did you mean \(known[index])?"
                accepts = known[index]
                detail += ". Did you mean \(known[index])?"
            }
        case .conflictingField(let name, let form):
            let other =
                switch form {
                case .envelope: "an envelope says the same in its members status, url and method"
                case .message: "a message has the status in its status line"
                case .fetch: "a fetch request has the URL in its member url"
                }
            self.init(
                .conflictingFields,
                "the field \(name.excerpt) belongs to POST /v1/normalize; \(other)",
                found: name.excerpt
            )
        case .unsupportedMediaType(let got, let form):
            self.init(
                .unsupportedMediaType,
                "\(form.name) is sent as \(form.mediaTypes.joined(separator: " or ")), "
                    + "not as \(got.map(\.excerpt) ?? "no type")",
                expected: form.mediaTypes,
                found: got?.excerpt
            )
            fields = [HeaderFields.Field(name: "Accept", value: form.mediaTypes.joined(separator: ", "))]
        case .notAcceptable(let accept, let available):
            self.init(
                .notAcceptable,
                "the field Accept allows no type of the answer; there are \(available.joined(separator: ", "))",
                expected: available,
                found: accept.excerpt
            )
            fields = [.varyAccept]
        case .unsupportedContentCoding(let coding, let form):
            self.init(
                .unsupportedMediaType,
                "\(form.name) is sent without a content coding, not in '\(coding.excerpt)'",
                expected: ["identity"],
                found: coding.excerpt
            )
            fields = [HeaderFields.Field(name: "Accept-Encoding", value: "identity")]
        }
    }
}
