import Serialization
import Testing

@testable import HTTP
@testable import Service

@Suite struct DecantApplicationTests {
    private let application = DecantApplication(readiness: Readiness(.ready))

    private func send(
        _ method: String,
        _ target: String,
        _ fields: [(String, String)] = [],
        _ content: String = ""
    ) throws -> LocalExchange {
        try LocalExchange(method, target, fields: fields, content: content, to: application)
    }

    @Test(arguments: [
        "/index.html", "/docs/", "/v1", "/v1/", "/v1/normalize/", "/V1/normalize", "//v1/normalize", "/problems/x",
        "/problems/", "*",
    ])
    func `an unknown path is not found`(path: String) throws {
        let response = try send("GET", path)
        #expect(response.status == 404)
        #expect(response.code == "request.not_found")
        #expect(response.fields.combined("Content-Type") == "application/problem+json")
    }

    @Test(arguments: [
        ("POST", "/v2/normalize", "/v1/normalize"), ("GET", "/v1/serializer", "/v1/serializers"),
        ("GET", "/v1/normalise", nil), ("POST", "/v1/nothing/like/it", nil),
    ])
    func `a client can apply the nearest path, if it has the method`(method: String, path: String, nearest: String?)
        throws
    {
        let content = try send(method, path).content
        #expect(content.contains(#""accepts":"#) == (nearest != nil))
        if let nearest { #expect(content.contains(#""accepts":{"path":"\#(nearest)"}"#)) }
    }

    @Test(arguments: [
        ("GET", "/v1/normalize", "POST"), ("HEAD", "/v1/normalize", "POST"),
        ("OPTIONS", "/v1/normalize/envelope", "POST"),
        ("POST", "/livez", "GET, HEAD"), ("DELETE", "/problems/internal", "GET, HEAD"), ("get", "/readyz", "GET, HEAD"),
        ("GET", "/v1/normalize/value", "POST"), ("POST", "/openapi.json", "GET, HEAD"),
        ("GET", "/v1/thumbnail", "POST"), ("HEAD", "/v1/thumbnail", "POST"),
    ])
    func `another method is rejected with a list of the allowed methods`(method: String, path: String, allowed: String)
        throws
    {
        let response = try send(method, path)
        #expect(response.status == 405)
        #expect(response.code == "request.method_not_allowed")
        #expect(response.fields.combined("Allow") == allowed)
    }

    @Test(arguments: ["GET", "HEAD"])
    func `probes succeed while the service is ready`(method: String) throws {
        #expect(try send(method, "/livez").content == #"{"status":"live"}"#)
        #expect(try send(method, "/readyz").content == #"{"status":"ready"}"#)
    }

    @Test(arguments: [Readiness.State.starting, .draining])
    func `a service that is not ready reports the reason, and is alive`(state: Readiness.State) throws {
        let readiness = Readiness(.ready)
        let application = DecantApplication(readiness: readiness)
        readiness.state = state
        let response = try LocalExchange("GET", "/readyz", to: application)
        #expect(response.status == 503)
        #expect(response.content == #"{"status":"unavailable","reasons":["\#(state.rawValue)"]}"#)
        #expect(try LocalExchange("GET", "/livez", to: application).status == 200)
    }

    @Test(arguments: ProblemCode.allCases)
    func `every problem has a page`(code: ProblemCode) throws {
        let response = try send("GET", "/problems/\(code.rawValue)")
        #expect(response.status == 200)
        #expect(response.fields.combined("Content-Type") == "text/html; charset=utf-8")
        #expect(response.content.contains("<h1>\(code.definition.type.title)</h1>"))
        #expect(try send("GET", "/problems").content.contains("/problems/\(code.rawValue)\""))
    }

    @Test(arguments: ["", "nulls=keep", "profile=afnetworking", "nulls=burn", "serializer=http", "thumbnail=none"])
    func `the path for values is view=value`(query: String) throws {
        let fields = [("Content-Type", "application/json"), ("X-Request-ID", "0190163d8694739baea5966c26f8ad91")]
        for content in [#"{"a":1,"b":null}"#, "", "{"] {
            let value = try send("POST", "/v1/normalize/value?\(query)", fields, content)
            let view = try send("POST", "/v1/normalize?view=value&\(query)", fields, content)
            #expect(value.status == view.status)
            #expect(value.content == view.content)
            #expect(value.fields.combined("Decant-Outcome") == view.fields.combined("Decant-Outcome"))
        }
    }

    @Test(arguments: ["GET", "HEAD"])
    func `the contract is available in two formats`(method: String) throws {
        #expect(try send(method, "/openapi.yaml").fields.combined("Content-Type") == "application/yaml")
        let json = try send(method, "/openapi.json")
        #expect(json.fields.combined("Content-Type") == "application/json")
        #expect(json.content.hasPrefix(#"{\#n  "openapi": "3.1.0","#))
    }

    @Test func `the query of a page is ignored`() throws {
        #expect(try send("GET", "/livez?x=%").status == 200)
    }
}
