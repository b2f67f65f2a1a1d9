import Foundation
import Platform
import Serialization
import Testing

@testable import HTTP
@testable import Service

@Suite struct ServicePagesTests {
    private let application = DecantApplication(readiness: Readiness(.ready))
    private static let firefox = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    private static let html = "text/html; charset=utf-8"

    private func get(_ target: String, _ fields: [(String, String)] = []) throws -> LocalExchange {
        try LocalExchange("GET", target, fields: fields, to: application)
    }

    @Test(arguments: [
        firefox, "text/html", "text/*", "text/html, application/json;q=0.9", "*/*;q=0.1, text/html;q=0.2",
        "application/json;q=0, text/html;q=0.001", "TEXT/HTML", "text/html, */*",
    ])
    func `a client that prefers HTML receives the page`(accept: String) throws {
        let response = try get("/", [("Accept", accept)])
        #expect(response.status == 200)
        #expect(response.fields.combined("Content-Type") == Self.html)
        #expect(response.fields.combined("Vary") == "Accept")
        #expect(response.content.hasPrefix("<!doctype html>"))
    }

    @Test(arguments: [
        nil, "", "*/*", "*", "application/json", "application/json, text/plain, */*", "application/json, text/html",
        "text/html;q=0", "text/html;q=0, */*", "text/html;q=0.5, application/json;q=0.6", "text/html;level=1",
        "image/png", "application/*, text/html;q=0.9", "text/html;q=2",
    ])
    func `another client receives the index of the endpoints in JSON`(accept: String?) throws {
        let response = try get("/", accept.map { [("Accept", $0)] } ?? [])
        #expect(response.status == 200)
        #expect(response.fields.combined("Content-Type") == "application/json")
        #expect(response.fields.combined("Vary") == "Accept")
        #expect(response.content.contains(#"{"path":"/v1/normalize","methods":["POST"]}"#))
    }

    @Test func `several fields Accept are one list`() throws {
        let fields = [("Accept", "application/json;q=0.5"), ("Accept", "text/html;q=0.7")]
        #expect(try get("/", fields).fields.combined("Content-Type") == Self.html)
    }

    @Test func `the index lists every path of the contract that this service has`() throws {
        let paths = try Self.paths(get("/").content)
        let contract = try Contract()
        let fetching = ["/v1/fetch", "/v1/image", "/v1/fetches/{receipt}", "/v1/slots/{slot}", "/v1/cache"]
        #expect(Set(paths) == Set(contract.operations.map(\.path)).subtracting(fetching))
        #expect(paths.count == Set(paths).count)
    }

    @Test func `the index of a service with fetching lists the endpoints that fetch`() throws {
        let server = try FetchServer(allow: "api.example", executable: "/nowhere").server
        let client = try RawClient(port: server.address.port)
        client.send(Array("GET / HTTP/1.1\r\nHost: decant.test\r\n\r\n".utf8))
        let paths = try Self.paths(String(decoding: client.readResponse().content, as: UTF8.self))
        #expect(Set(paths).isSuperset(of: ["/v1/fetch", "/v1/image", "/v1/slots/{slot}"]))
    }

    @Test func `the index names permissions if requests need tokens, and needs none itself`() throws {
        let access = try AccessControl.testing(tokens: [TokenFile.web])
        let application = DecantApplication(readiness: Readiness(.ready), access: access)
        let index = try LocalExchange("GET", "/", to: application)
        #expect(index.status == 200)
        #expect(
            index.content.contains(#"{"path":"/v1/normalize","methods":["POST"],"permissions":["normalize"]}"#)
        )
        #expect(index.content.contains(#"{"path":"/livez","methods":["GET","HEAD"]}"#))
        for path in ["/", "/docs"] {
            #expect(try LocalExchange("GET", path, fields: [("Accept", "text/html")], to: application).status == 200)
        }
    }

    @Test(arguments: ["/", "/docs"])
    func `HEAD has the fields of GET`(path: String) throws {
        let fields = [("Accept", Self.firefox)]
        let (get, head) = try (
            LocalExchange("GET", path, fields: fields, to: application),
            LocalExchange("HEAD", path, fields: fields, to: application)
        )
        #expect(head.status == 200)
        #expect(head.fields == get.fields)
    }

    @Test(arguments: ["/", "/docs"])
    func `a client that has the page receives 304`(path: String) throws {
        let first = try get(path, [("Accept", Self.firefox)])
        let tag = try #require(first.fields.combined("ETag"))
        #expect(first.fields.combined("Cache-Control") == "no-cache")
        for (known, status) in [(tag, 304), ("\"other\", \(tag)", 304), ("*", 304), ("\"other\"", 200), ("x", 200)] {
            let second = try get(path, [("Accept", Self.firefox), ("If-None-Match", known)])
            #expect(second.status == status, "\(known)")
            #expect(second.fields.combined("ETag") == tag)
        }
        // The representation for programs has no tag.
        #expect(try get("/", [("If-None-Match", tag)]).status == 200)
    }

    @Test(arguments: ["/", "/docs"])
    func `the policy permits the script and the style sheet of the document, and nothing from elsewhere`(path: String)
        throws
    {
        let response = try get(path, [("Accept", Self.firefox)])
        let policy = try #require(response.fields.combined("Content-Security-Policy"))
        let styles = response.content.matches(of: /<style>([^<]*)<\/style>/).map { String($0.1) }
        let scripts = response.content.matches(of: /<script>([\s\S]*?)<\/script>/).map { String($0.1) }
        #expect(styles.count == 1 && scripts.count == 1)
        for (name, text) in [("style-src", styles[0]), ("script-src", scripts[0])] {
            let digest = SHA256.digest(of: Array(text.utf8).span)
            #expect(policy.contains("\(name) 'sha256-\(Data(digest).base64EncodedString())';"))
        }
        for rule in [
            "default-src 'none';", "connect-src 'self';", "base-uri 'none';", "form-action 'none';",
            "frame-ancestors 'none';", "require-trusted-types-for 'script';",
        ] {
            #expect(policy.contains(rule))
        }
        #expect(!policy.contains("unsafe"))
        // Links are relative, so that the page works below any path; the only URLs are those of names and texts.
        let references = response.content.matches(of: /(?:src|href|action)="([^"]*)"/).map { String($0.1) }
        #expect(references.filter { $0.contains("//") && !$0.hasPrefix("data:") } == [])
        #expect(!response.content.contains("innerHTML"))
    }

    @Test func `the page has at most 60 KB`() throws {
        #expect(try get("/", [("Accept", Self.firefox)]).content.utf8.count <= 60_000)
    }

    @Test func `a style sheet is sent without the white space around punctuation, except in strings`() {
        let style = "@media (a: b) {\n  .c > d:e, :is(f, g):h { i: j k; l: \"; {m}\"; }\n}\n"
        let compact = WebPage.compactStyle(Array(style.utf8))
        #expect(String(decoding: compact, as: UTF8.self) == "@media (a:b){.c > d:e,:is(f,g):h{i:j k;l:\"; {m}\"}}")
    }

    @Test func `page=off leaves the index, and removes the pages`() throws {
        let application = DecantApplication(readiness: Readiness(.ready)) { $0.options.pages = nil }
        let index = try LocalExchange("GET", "/", fields: [("Accept", Self.firefox)], to: application)
        #expect(index.fields.combined("Content-Type") == "application/json")
        #expect(!index.content.contains("/docs"))
        let reference = try LocalExchange("GET", "/docs", to: application)
        #expect(reference.status == 404)
        #expect(reference.code == "request.not_found")
    }

    @Test func `the setting page is on by default, and off removes the pages`() throws {
        var configuration = Configuration(resources: .init(cores: 1, memoryBytes: 4 << 30))
        #expect(configuration.page == .on)
        try Settings.server.page.set("off", in: &configuration)
        #expect(configuration.page == .off)
        #expect(throws: SettingError.self) { try Settings.server.page.set("no", in: &configuration) }
    }

    private static func paths(_ index: String) throws -> [String] {
        let object = try #require(JSONSerialization.jsonObject(with: Data(index.utf8)) as? [String: Any])
        return try #require(object["endpoints"] as? [[String: Any]]).compactMap { $0["path"] as? String }
    }
}
