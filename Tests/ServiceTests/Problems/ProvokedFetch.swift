import Fetching
import Flights
import Foundation
import Glibc
import Origin
import Serialization
import TestSupport
import Testing

@testable import HTTP
@testable import Service

/// The problems of fetching that depend on an origin, on the fetcher, or on other requests. Each has a service and an
/// origin of its own.
///
/// In requests and responses, the origin is `http://api.example`, and durations are constant, so that they can be
/// recorded.
enum ProvokedFetch {
    static let codes: [ProblemCode] = [
        .signatureInvalid, .signatureExpired, .fetchLoop, .fetchCancelled, .fetchSuperseded, .fetchResolveFailed,
        .fetchConnectFailed, .fetchConnectionLost, .fetchTooManyRedirects, .fetchRedirectRefused,
        .fetchMalformedResponse, .fetchTLSFailed, .fetchCertificateUntrusted, .fetchProxyFailed, .fetchFetcherDied,
        .fetchSaturated, .fetchCircuitOpen, .fetchTimedOut, .contentTooLong,
    ]

    /// A response, and its content with constant values.
    typealias Result = (problem: ProvokedProblem, response: (response: ReceivedResponse, content: String))

    /// Provokes a problem.
    /// - Returns: `nil` if the system has no programs for TLS.
    static func provoke(_ code: ProblemCode) throws -> Result? {
        switch code {
        case .signatureInvalid:
            return try signature(code, target + "&signature=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE")
        case .signatureExpired:
            let keys = try SigningKeys(parsing: TokenFile.signingKeys)
            return try signature(code, keys.sign(target + "&expires=1700000000"))
        case .fetchLoop: return try loop()
        case .fetchCancelled, .fetchSuperseded: return try cancelled(code)
        case .fetchResolveFailed: return try resolveFailed()
        case .fetchConnectFailed, .fetchCircuitOpen: return try closedPort(code)
        case .fetchTLSFailed, .fetchCertificateUntrusted: return try tls(code)
        case .fetchProxyFailed: return try proxyFailed()
        case .fetchFetcherDied: return try fetcherDied()
        case .fetchSaturated: return try saturated()
        default: return try responded(code)
        }
    }

    // MARK: Origins

    /// Problems that depend on the response of the origin alone.
    private static func responded(_ code: ProblemCode) throws -> Result {
        let origin = try Origin()
        var script = Script(content: .json(bytes: 64))
        var members = ""
        switch code {
        case .fetchConnectionLost: script.failure = .reset(.inContent)
        case .fetchMalformedResponse:
            script.raw = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}".utf8)
        case .fetchTooManyRedirects: script = Script(status: 302, fields: [("Location", "/items")])
        case .fetchRedirectRefused:
            script = Script(status: 302, fields: [("Location", "/login")])
            members = #","redirects":"error""#
        case .fetchTimedOut: script.waitsBeforeHead = [.hold("gate")]
        case .contentTooLong: members = #","options":{"max-content-bytes":4}"#
        default: Issue.record("there is no origin for \(code)")
        }
        origin.respond(to: "/items", with: script)
        guard code == .fetchTimedOut else { return try post(code, FetchServer(for: origin), origin.port, members) }
        // The time is that of the service, so that the test does not take a second. On a busy machine, it may end
        // before the request is sent.
        for milliseconds in [200, 1_000, 5_000] {
            let server = try FetchServer(for: origin) { $0.times.total = .milliseconds(milliseconds) }
            let count = origin.recordedRequests.count
            let result = try post(code, server, origin.port, members)
            if origin.recordedRequests.count > count { return result }
        }
        return try post(code, FetchServer(for: origin) { $0.times.total = .seconds(30) }, origin.port, members)
    }

    private static func closedPort(_ code: ProblemCode) throws -> Result {
        try withClosedPort { port in
            let server = try FetchServer(allow: "http://127.0.0.1:\(port)/") { $0.attempts.breaker.failuresInARow = 1 }
            let first = try post(.fetchConnectFailed, server, port, #","retries":0"#)
            return code == .fetchConnectFailed ? first : try post(code, server, port, "")
        }
    }

    private static func tls(_ code: ProblemCode) throws -> Result? {
        guard TLSFront.isAvailable, CertificateAuthority.isAvailable else { return nil }
        let origin = try Origin()
        // Its folder contains the certificate.
        let authority = try CertificateAuthority()
        let front = try TLSFront(
            authority.issue(.selfSigned),
            before: origin,
            handshake: code == .fetchTLSFailed ? .garbage : .complete
        )
        let server = try FetchServer(allow: "https://127.0.0.1:\(front.port)/")
        return try withExtendedLifetime((authority, front)) {
            try post(code, server, front.port, scheme: "https", #","retries":0"#)
        }
    }

    private static func proxyFailed() throws -> Result {
        try withClosedPort { port in
            var settings = FetcherSettings()
            settings.proxy = try FetchProxy(parsing: "http://127.0.0.1:\(port)")
            let server = try FetchServer(allow: "api.example", fetcherSettings: settings)
            return try post(.fetchProxyFailed, server, nil, #","retries":0"#)
        }
    }

    private static func resolveFailed() throws -> Result {
        let folder = try TemporaryFolder()
        // There is no DNS server, and no name.
        let empty = try folder.write("", to: "empty")
        var settings = FetcherSettings()
        settings.resolvConf = empty
        settings.hosts = empty
        let server = try FetchServer(allow: "api.example", fetcherSettings: settings)
        return try post(.fetchResolveFailed, server, nil, #","retries":0"#)
    }

    // MARK: The service

    private static let target = "/v1/fetch?url=http%3A%2F%2Fapi.example%2Fitems"

    private static func signature(_ code: ProblemCode, _ target: String) throws -> Result {
        let access = try AccessControl.testing(tokens: [], signingKeys: TokenFile.signingKeys)
        let server = try FetchServer(allow: "api.example", access: access)
        let problem = ProvokedProblem(code, "GET \(target) HTTP/1.1")
        return (problem, try send(problem, server, nil))
    }

    private static func loop() throws -> Result {
        let server = try FetchServer(allow: "api.example")
        let identifier = "decant-0190163d8694739baea5966c26f8ad91"
        let problem = ProvokedProblem(
            .fetchLoop,
            fetch: #"{"url":"http://api.example/items"}"#,
            fields: [("CDN-Loop", identifier)]
        )
        let client = try server.client()
        client.send(problem.bytes { $0.replacing(identifier, with: server.service.loop.identifier) })
        let response = try client.readResponse()
        return (problem, (response, shown(response, nil)))
    }

    private static func cancelled(_ code: ProblemCode) throws -> Result {
        let origin = try Origin()
        origin.respond(to: "/items", with: held)
        let server = try FetchServer(for: origin)
        let name = code == .fetchCancelled ? "receipt" : "slot"
        let problem = ProvokedProblem(
            code,
            fetch: #"{"url":"http://api.example/items","\#(name)":"avatar-42"}"#
        )
        let client = try server.client()
        client.send(bytes(problem, origin.port))
        #expect(origin.awaitHolding(1, at: "gate"))
        if code == .fetchCancelled {
            #expect(try server.send("DELETE", "/v1/fetches/avatar-42").status == 200)
        } else {
            let other = try server.post(#"{"url":"\#(origin.url("/json/64"))","slot":"avatar-42"}"#)
            #expect(other.status == 200)
        }
        let response = try client.readResponse()
        return (problem, (response, shown(response, origin.port)))
    }

    private static var held: Script {
        var script = Script(content: .json(bytes: 64))
        script.waitsBeforeHead = [.hold("gate")]
        return script
    }

    private static func saturated() throws -> Result {
        let origin = try Origin()
        origin.respondToOthers { _, _ in held }
        let server = try FetchServer(for: origin) { settings in
            settings.permits.maxActive = 1
            settings.permits.maxQueued = 1
        }
        let waiting = try (0..<2).map { _ in try server.client() }
        FetchServer.post(#"{"url":"\#(origin.url("/0"))"}"#, on: waiting[0])
        #expect(origin.awaitHolding(1, at: "gate"))
        FetchServer.post(#"{"url":"\#(origin.url("/1"))"}"#, on: waiting[1])
        #expect(eventually { server.service.thread.metrics.figures.queued == 1 })
        return try withExtendedLifetime(waiting) { try post(.fetchSaturated, server, origin.port, "") }
    }

    /// A POST is not sent again: the origin may have received it.
    private static func fetcherDied() throws -> Result {
        let origin = try Origin()
        origin.respond(to: "/items", with: held)
        let server = try FetchServer(for: origin) { settings in
            settings.policy.methods = (try? FetchMethods(parsing: "GET,POST")) ?? settings.policy.methods
        }
        let problem = ProvokedProblem(
            .fetchFetcherDied,
            fetch: #"{"url":"http://api.example/items","method":"POST","body":{"json":{}}}"#
        )
        let client = try server.client()
        client.send(bytes(problem, origin.port))
        #expect(origin.awaitHolding(1, at: "gate"))
        kill(try #require(server.fetcherProcess), SIGKILL)
        let response = try client.readResponse()
        return (problem, (response, shown(response, origin.port)))
    }

    // MARK: Requests

    /// - Parameter port: the port of the origin, which is 127.0.0.1; `nil` if `api.example` is not replaced.
    private static func post(
        _ code: ProblemCode,
        _ server: FetchServer,
        _ port: UInt16?,
        scheme: String = "http",
        _ members: String
    ) throws -> Result {
        let problem = ProvokedProblem(code, fetch: #"{"url":"\#(scheme)://api.example/items"\#(members)}"#)
        return (problem, try send(problem, server, port))
    }

    private static func bytes(_ problem: ProvokedProblem, _ port: UInt16?) -> [UInt8] {
        problem.bytes { text in port.map { text.replacing("api.example", with: "127.0.0.1:\($0)") } ?? text }
    }

    private static func send(
        _ problem: ProvokedProblem,
        _ server: FetchServer,
        _ port: UInt16?
    ) throws -> (response: ReceivedResponse, content: String) {
        let client = try server.client()
        client.send(bytes(problem, port))
        let response = try client.readResponse()
        return (response, shown(response, port))
    }

    /// Returns the content with constant values in place of those of this run.
    private static func shown(_ response: ReceivedResponse, _ port: UInt16?) -> String {
        var text = String(decoding: response.content, as: UTF8.self)
        if let port { text = text.replacing("127.0.0.1:\(port)", with: "api.example") }
        let durations = [
            "queue": "0.021", "resolve": "1.250", "connect": "0.430", "tls": "2.115", "ttfb": "12.500",
            "transfer": "3.875",
        ]
        for (phase, duration) in durations {
            let pattern = try? Regex(#""\#(phase)":\d+\.\d{3}"#)
            if let pattern { text = text.replacing(pattern, with: "\"\(phase)\":\(duration)") }
        }
        // A wait that takes no time by the clock of the event loop is not reported.
        text = text.replacing(/"timings":\{(?!"queue")/, with: #""timings":{"queue":0.021,"#)
        text = text.replacing(/"attempts":1}/, with: #""attempts":1,"timings":{"queue":0.021}}"#)
        return text.replacing(/made in \d+ seconds/, with: "made in 5 seconds")
    }
}
