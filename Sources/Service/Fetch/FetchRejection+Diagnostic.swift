internal import Fetching
internal import Serialization

extension FetchRejection {
    /// The reason in words. What is expected are the settings that can allow the fetch, all of which are needed.
    var diagnostic: Diagnostic {
        switch self {
        case .notConfigured:
            Diagnostic(
                .fetchNotConfigured,
                "fetching is disabled",
                settings: ["fetch-allow"]
            )
        case .methodNotAllowed(let method):
            Diagnostic(
                .fetchMethodNotAllowed,
                "the method \(method) is not allowed",
                settings: ["fetch-methods"]
            )
        case .hostNotAllowed(let origin, isRedirect: false):
            Diagnostic(
                .fetchHostNotAllowed,
                "no entry matches this URL at \(origin); an entry without a port allows only the default ports",
                settings: ["fetch-allow"]
            )
        case .hostNotAllowed(let origin, isRedirect: true):
            Diagnostic(
                .fetchHostNotAllowed,
                "no entry matches the redirect to \(origin)",
                settings: ["fetch-allow-redirects"]
            )
        case .hostDenied(let origin, _):
            Diagnostic(
                .fetchHostNotAllowed,
                "the URL at \(origin) is denied",
                settings: ["fetch-deny"]
            )
        case .addressNotAllowed(let rejection, let hostIsNamed): rejection.diagnostic(hostIsNamed: hostIsNamed)
        }
    }
}

extension AddressRejection {
    /// The reason why a host that is an address is rejected, in words.
    fileprivate func diagnostic(hostIsNamed: Bool) -> Diagnostic {
        let settings = hostIsNamed ? ["fetch-allow-addresses"] : ["fetch-allow", "fetch-allow-addresses"]
        let naming = hostIsNamed ? "" : ", and no entry other than * names it"
        return switch self {
        case .ownListener: Diagnostic(.fetchAddressNotAllowed, "the address is one of this service", settings: [])
        case .denied:
            Diagnostic(
                .fetchAddressNotAllowed,
                "the address is denied",
                settings: ["fetch-deny-addresses"]
            )
        case .metadata:
            Diagnostic(
                .fetchAddressNotAllowed,
                "the address is that of a metadata service, which only an entry of its own can allow\(naming)",
                settings: settings
            )
        case .reserved, .notGlobalUnicast, .isatap:
            Diagnostic(
                .fetchAddressNotAllowed,
                "the address is not that of a public server\(naming)",
                settings: settings
            )
        }
    }
}

extension RedirectRejection {
    /// The reason in words.
    var diagnostic: Diagnostic {
        switch self {
        case .refused(let status):
            Diagnostic(
                .fetchRedirectRefused,
                "the origin responded with a redirect (\(status)), and the request has redirects=error"
            )
        case .tooMany(let max):
            Diagnostic(
                .fetchTooManyRedirects,
                "the origin redirected the request more than \(max) times (fetch-max-redirects)"
            )
        // A scheme or credentials that are rejected in a URL of the caller are a refusal here: the response is
        // well-formed.
        case .malformedLocation(.unsupportedScheme), .malformedLocation(.credentials):
            Diagnostic(.fetchRedirectRefused, "the redirect leads to a URL that is not requested")
        case .malformedLocation:
            Diagnostic(.fetchMalformedResponse, "the field Location of the redirect is not one valid URL")
        case .downgrade: Diagnostic(.fetchRedirectRefused, "the redirect leads from https to http")
        case .notAllowed(let rejection): rejection.diagnostic
        }
    }
}

extension FetchURLError {
    /// The reason in words. The text of the URL is not repeated, because it may contain secrets.
    var diagnostic: Diagnostic {
        let sentence = "the URL is not one that is requested: \(reason)"
        return switch self {
        case .unsupportedScheme(let scheme):
            Diagnostic(.fetchUnsupportedScheme, sentence, expected: ["http", "https"], found: scheme.excerpt)
        case .credentials: Diagnostic(.fetchURLHasCredentials, sentence)
        case .tooLong, .invalidByte, .malformedEscape, .missingScheme, .missingAuthority, .host, .malformedPort,
            .portOutOfRange:
            Diagnostic(.fetchInvalidURL, sentence)
        }
    }
}

extension FieldRejection {
    /// The reason in words.
    var diagnostic: Diagnostic {
        switch self {
        case .malformedName(let index): Diagnostic(.fetchFieldNotAllowed, "the name in headers/\(index) is not a token")
        case .malformedValue(let index, let offset):
            Diagnostic(.fetchFieldNotAllowed, "the value in headers/\(index) has a control character at byte \(offset)")
        case .notAllowed(let name, let index):
            Diagnostic(.fetchFieldNotAllowed, "headers/\(index): callers may not send the field \(name)")
        case .tooLong(let bytes, let max):
            Diagnostic(.fetchFieldNotAllowed, "headers are \(bytes) bytes long; at most \(max) are allowed")
        case .tooMany(let max): Diagnostic(.fetchFieldNotAllowed, "headers have more than \(max) fields")
        }
    }
}

extension Diagnostic {
    /// - Parameter settings: the settings that can allow the request; empty if nothing can allow it.
    fileprivate init(_ code: ProblemCode, _ sentence: String, settings: [String]) {
        let hint = "setting that can allow it: \(settings.joined(separator: ", "))"
        self.init(code, sentence, expected: settings, hint: settings.isEmpty ? nil : hint)
    }
}
