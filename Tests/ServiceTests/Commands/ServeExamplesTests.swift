import Foundation
import Glibc
import Testing

@testable import HTTP
@testable import Service

/// Tests of `decant serve --try`.
@Suite struct ServeExamplesTests {
    /// A service with examples, the port of the service, and that of the examples.
    private func serving() throws -> (process: DecantProcess, port: UInt16, origin: UInt16) {
        // A worker may start slowly on a busy machine.
        let (service, address) = try DecantProcess.serving("--try", "--workers", "1", "--queue-timeout-seconds", "300")
        let port = try service.awaitError(/fetch\?url=http:\/\/127\.0\.0\.1:(\d+)\/order/)
        return (service, address.port, try #require(UInt16(port)))
    }

    private func get(_ target: String, port: UInt16) throws -> ReceivedResponse {
        let client = try RawClient(port: port)
        client.send("GET \(target) HTTP/1.1\r\nHost: decant.test\r\nConnection: close\r\n\r\n")
        return try client.readResponse()
    }

    @Test func `each example is fetched, and has the result that the documents show`() throws {
        let (service, port, origin) = try serving()
        defer { service.signal(SIGTERM) }
        func fetch(_ path: String, _ options: String = "") throws -> ReceivedResponse {
            try get("/v1/fetch?url=http://127.0.0.1:\(origin)\(path)\(options)", port: port)
        }
        let value = #""value":{"id":9007199254740993,"status":"paid","customer":"Zoë"}"#
        for path in ["/order", "/moved"] {
            let order = try fetch(path)
            #expect(order.status == 200 && order.text.contains(value), "\(order.text)")
            for code in ["json.prefix", "json.duplicate_name", "response.transcoded"] {
                #expect(order.text.contains(#""code":"\#(code)""#))
            }
        }
        #expect(try fetch("/order").fields["cache-status"]?.contains("hit") == true)
        #expect(try fetch("/feed").text.contains(#""item":[{"title":"Open again"}]"#))
        #expect(try fetch("/broken").text.contains(#""code":"json.unexpected_character""#))
        #expect(try fetch("/page").text.contains("Please sign in"))
        let unavailable = try fetch("/unavailable")
        #expect(unavailable.status == 422 && unavailable.text.contains(#""retryable":true"#))
        let image = try get("/v1/image?url=http://127.0.0.1:\(origin)/photo.jpg&thumbnail=32x32,format=png", port: port)
        #expect(image.status == 200 && image.content.starts(with: [0x89, 0x50, 0x4E, 0x47]), "\(image.text)")
        let paths = ["/order", "/moved", "/feed", "/broken", "/page", "/unavailable", "/photo.jpg"]
        #expect(Set(ExampleOrigin.examples.map(\.path)) == Set(paths))
    }

    @Test func `nothing but the examples can be fetched`() throws {
        let (service, port, origin) = try serving()
        defer { service.signal(SIGTERM) }
        for other in [
            "127.0.0.1:\(origin ^ 1)", "127.0.0.2:\(origin)", "localhost:\(origin)", "[::1]:\(origin)", "a.example",
            "127.0.0.1:\(port)",
        ] {
            let response = try get("/v1/fetch?url=http://\(other)/order", port: port)
            // localhost is never requested, whatever is allowed.
            #expect(response.status == (other.hasPrefix("localhost") ? 400 : 403), "\(other): \(response.text)")
        }
        #expect(try get("/order?x=1", port: origin).status == 200)
        #expect(try get("/etc/passwd", port: origin).status == 404)
        let client = try RawClient(port: origin)
        client.send("DELETE /order HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readResponse().status == 405)
    }

    @Test func `the examples end with the service`() throws {
        let (service, _, origin) = try serving()
        service.signal(SIGTERM)
        #expect(try service.finish().status == 0)
        #expect(throws: ClientError.self) { _ = try RawClient(port: origin) }
    }

    @Test(
        arguments: [
            ("fetch-allow", "*"), ("fetch-allow-redirects", "a.example"), ("fetch-allow-addresses", "10.0.0.0/8"),
            ("fetch-proxy", "http://proxy.example:3128"), ("tokens-file", "tokens.json"),
            ("fetch-signing-keys-file", "keys"),
        ]
    )
    func `is rejected with settings that allow or restrict anything else`(setting: String, value: String) throws {
        let variable = "DECANT_" + setting.uppercased().replacingOccurrences(of: "-", with: "_")
        let results = try [
            DecantProcess.run("serve", "--port", "0", "--try", "--\(setting)", value),
            DecantProcess.run("serve", "--port", "0", "--try", environment: [variable: value]),
        ]
        for result in results {
            #expect(result.status == 2 && result.output.isEmpty)
            #expect(result.errors.contains("it cannot be combined with \(setting)."), "\(result.errors)")
        }
    }
}
