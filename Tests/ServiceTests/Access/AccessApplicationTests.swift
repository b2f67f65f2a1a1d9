import Foundation
import Serialization
import Testing

@testable import HTTP
@testable import Service

/// Tokens at the endpoints.
@Suite struct AccessApplicationTests {
    private static let posts = [
        "/v1/normalize", "/v1/normalize/value", "/v1/normalize/message", "/v1/normalize/envelope", "/v1/thumbnail",
    ]
    private static let open = [
        "/livez", "/readyz", "/openapi.yaml", "/openapi.json", "/problems", "/problems/auth.token_missing",
        "/v1/serializers", "/v1/profiles",
    ]

    private let application: DecantApplication

    init() throws {
        application = DecantApplication(
            readiness: Readiness(.ready),
            access: try .testing(tokens: [TokenFile.web, TokenFile.prometheus, TokenFile.admin])
        )
    }

    private func send(_ method: String, _ target: String, token: String? = nil) throws -> LocalExchange {
        let fields = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        return try LocalExchange(method, target, fields: fields, to: application)
    }

    @Test(arguments: posts + ["/metrics"])
    func `an endpoint needs a token with its permission`(path: String) throws {
        let methods = path == "/metrics" ? ["GET", "HEAD"] : ["POST"]
        let (permission, other) = path == "/metrics" ? ("metrics", "web") : ("normalize", "prometheus")
        for method in methods {
            let missing = try send(method, path)
            #expect(missing.status == 401 && missing.code == "auth.token_missing")
            #expect(missing.fields.combined("WWW-Authenticate") == #"Bearer realm="decant""#)
            let invalid = try send(method, path, token: "x")
            #expect(invalid.status == 401 && invalid.code == "auth.token_invalid")
            #expect(invalid.fields.combined("WWW-Authenticate") == #"Bearer realm="decant", error="invalid_token""#)
            let forbidden = try send(method, path, token: "\(other)-secret")
            #expect(forbidden.status == 403 && forbidden.code == "auth.permission_missing")
            #expect(
                forbidden.fields.combined("WWW-Authenticate")
                    == #"Bearer realm="decant", error="insufficient_scope", scope="\#(permission)""#
            )
            #expect(forbidden.content.contains(#""expected":["\#(permission)"]"#))
            #expect(![401, 403].contains(try send(method, path, token: "admin-secret").status))
            for response in [missing, invalid, forbidden] { #expect(!response.content.contains("-secret")) }
        }
    }

    @Test(arguments: open)
    func `other endpoints need no token, and do not look at one`(path: String) throws {
        #expect(try send("GET", path).status == 200)
        #expect(try send("HEAD", path, token: "x").status == 200)
    }

    @Test(arguments: posts + open + ["/metrics"])
    func `another method is rejected without a token, so that OPTIONS lists the methods`(path: String) throws {
        let response = try send("OPTIONS", path)
        #expect(response.status == 405 && response.fields.combined("Allow") != nil)
        #expect(try send("GET", "/v2").status == 404)
    }

    @Test func `several fields are malformed`() throws {
        let fields = [("Authorization", "Bearer web-secret"), ("authorization", "Bearer web-secret")]
        let response = try LocalExchange("POST", "/v1/normalize", fields: fields, to: application)
        #expect(response.status == 400 && response.code == "request.invalid_field")
        #expect(response.fields.combined("WWW-Authenticate") == #"Bearer realm="decant", error="invalid_request""#)
    }

    @Test func `every path of the contract needs what it says`() throws {
        for operation in try Contract().operations {
            let path = operation.path
            let endpoint = try #require(Endpoint.allCases.first { $0.row.paths.contains(path) })
            let isOpen = endpoint.row.requirement(of: operation.method) == .nothing
            #expect((operation.responses["401"] == nil) == isOpen, "\(operation.method) \(path)")
            #expect((operation.responses["403"] == nil) == isOpen, "\(operation.method) \(path)")
        }
    }
}
