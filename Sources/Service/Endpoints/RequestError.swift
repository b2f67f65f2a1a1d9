internal import Serialization

/// Why a request to an endpoint was refused on its head alone.
enum RequestError: Error, Equatable, Sendable {
    case option(OptionError)
    case invalidField(String, got: String, expected: [String])
    case repeatedField(String)
    case unknownUpstreamField(String)

    /// An `Upstream-*` field beside a form that says the same in its content.
    case conflictingField(String)

    /// The form takes `application/json`; `got` is nil where no type was sent.
    case unsupportedMediaType(got: String?)

    /// `Accept` leaves none of the types that the answer can have.
    case notAcceptable(String, available: [String])

    /// The form takes no content coding.
    case unsupportedContentCoding(String)
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
        case .conflictingField(let name):
            self.init(
                .conflictingFields,
                "the field \(name.excerpt) belongs to POST /v1/normalize; an envelope says the same in its members "
                    + "status, url and method",
                found: name.excerpt
            )
        case .unsupportedMediaType(let got):
            self.init(
                .unsupportedMediaType,
                "an envelope is sent as application/json, not as \(got.map(\.excerpt) ?? "no type")",
                expected: ["application/json"],
                found: got?.excerpt
            )
            fields = [HeaderFields.Field(name: "Accept", value: "application/json")]
        case .notAcceptable(let accept, let available):
            self.init(
                .notAcceptable,
                "the field Accept allows no type of the answer; there are \(available.joined(separator: ", "))",
                expected: available,
                found: accept.excerpt
            )
            fields = [.varyAccept]
        case .unsupportedContentCoding(let coding):
            self.init(
                .unsupportedMediaType,
                "an envelope is sent without a content coding, not in '\(coding.excerpt)'",
                expected: ["identity"],
                found: coding.excerpt
            )
            fields = [HeaderFields.Field(name: "Accept-Encoding", value: "identity")]
        }
    }
}
