import Fetching
import Serialization
import Testing

@testable import Service

@Suite struct FetchDiagnosticTests {
    private static let origin = FetchOrigin(scheme: .https, host: .name("a.example"))

    @Test(
        arguments: [
            (.notConfigured, .fetchNotConfigured, ["fetch-allow"]),
            (.methodNotAllowed("GET"), .fetchMethodNotAllowed, ["fetch-methods"]),
            (.hostNotAllowed(origin, isRedirect: false), .fetchHostNotAllowed, ["fetch-allow"]),
            (.hostNotAllowed(origin, isRedirect: true), .fetchHostNotAllowed, ["fetch-allow-redirects"]),
            (.hostDenied(origin, entry: "a.example"), .fetchHostNotAllowed, ["fetch-deny"]),
            (
                .addressNotAllowed(.metadata, hostIsNamed: false), .fetchAddressNotAllowed,
                ["fetch-allow", "fetch-allow-addresses"]
            ),
        ] as [(FetchRejection, ProblemCode, [String])]
    )
    func `a rejected fetch names the settings that can allow it`(
        rejection: FetchRejection,
        code: ProblemCode,
        settings: [String]
    ) {
        let diagnostic = rejection.diagnostic
        #expect(diagnostic.code == code)
        #expect(diagnostic.expected == settings)
        #expect(diagnostic.hint?.hasSuffix(settings.joined(separator: ", ")) == true)
        #expect(!settings.contains { diagnostic.sentence.contains($0) }, "the hint names them")
        // The problem of a redirect appends more to the sentence.
        #expect(!diagnostic.sentence.hasSuffix("."))
        #expect(RedirectRejection.notAllowed(rejection).diagnostic == diagnostic)
    }

    @Test(arguments: [
        ("169.254.169.254", ["fetch-allow-addresses"]), ("10.0.0.1", ["fetch-allow-addresses"]),
        ("8.8.8.8", ["fetch-deny-addresses"]), ("127.0.0.1", []), ("[fe80::1]", ["fetch-allow-addresses"]),
        ("[2606::5efe:1:1]", ["fetch-allow-addresses"]),
    ])
    func `a rejected literal address names the setting`(host: String, settings: [String]) throws {
        let policy = FetchPolicy.testing(
            allow: try HostRules(parsing: host),
            addresses: AddressRules(
                allowed: [],
                denied: try AddressBlock.list(parsing: "8.8.8.8"),
                listeners: LocalListeners(addresses: [], ports: [80])
            )
        )
        let url = try FetchURL(parsing: "http://\(host)/")
        do throws(FetchRejection) {
            _ = try policy.admit(url, method: "GET")
            Issue.record("allowed")
        } catch {
            #expect(error.diagnostic.code == .fetchAddressNotAllowed)
            #expect(error.diagnostic.expected == settings)
            #expect((error.diagnostic.hint == nil) == settings.isEmpty)
            #expect(!settings.contains { error.diagnostic.sentence.contains($0) }, "the hint names them")
            #expect(error.cause?.isEmpty == false)
        }
    }

    @Test(
        arguments: [
            (.refused(status: 302), .fetchRedirectRefused), (.tooMany(max: 5), .fetchTooManyRedirects),
            (.downgrade, .fetchRedirectRefused),
            (.malformedLocation(.unsupportedScheme("file")), .fetchRedirectRefused),
            (.malformedLocation(.credentials(at: 11)), .fetchRedirectRefused),
            (.malformedLocation(.host(.notDottedQuad(at: 8))), .fetchMalformedResponse),
            (.malformedLocation(nil), .fetchMalformedResponse),
        ] as [(RedirectRejection, ProblemCode)]
    )
    func `only a redirect to what is not a URL is malformed`(rejection: RedirectRejection, code: ProblemCode) {
        #expect(rejection.diagnostic.code == code)
    }

    @Test(
        arguments: [
            (.missingScheme, .fetchInvalidURL), (.unsupportedScheme("ftp"), .fetchUnsupportedScheme),
            (.credentials(at: 0), .fetchURLHasCredentials), (.host(.localhost(at: 7)), .fetchInvalidURL),
            (.tooLong(bytes: 2, max: 1), .fetchInvalidURL),
        ] as [(FetchURLError, ProblemCode)]
    )
    func `each error of a URL has the code of its problem`(error: FetchURLError, code: ProblemCode) {
        #expect(error.diagnostic.code == code)
    }
}
