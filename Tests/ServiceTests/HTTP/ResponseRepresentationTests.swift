import Foundation
import Serialization
import Testing

@testable import HTTP
@testable import Service

/// Responses that are compressed and have a digest, from a running service.
@Suite(.serialized) struct ResponseRepresentationTests {
    private let service: DecantProcess
    private let client: RawClient

    init() throws {
        let (service, address) = try DecantProcess.serving(
            "--workers",
            "0",
            "--gzip-responses-above-bytes",
            "1000",
            "--max-buffered-bytes",
            "50000000"
        )
        self.service = service
        client = try RawClient(port: address.port)
    }

    private func send(_ request: String, _ fields: [String: String] = [:], content: String? = nil) throws
        -> ReceivedResponse
    {
        var head = "\(request) HTTP/1.1\r\nHost: a\r\n"
        if let content { head += "Content-Type: application/json\r\nContent-Length: \(content.utf8.count)\r\n" }
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        client.send(head + "\r\n" + (content ?? ""))
        return try client.readResponse(isToHead: request.hasPrefix("HEAD"))
    }

    /// Decompresses with another program.
    private func gunzip(_ content: [UInt8]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "content.gz")
        try Data(content).write(to: file)
        let gzip = Process()
        gzip.executableURL = URL(fileURLWithPath: "/bin/gzip")
        gzip.arguments = ["-d", file.path]
        try gzip.run()
        gzip.waitUntilExit()
        #expect(gzip.terminationStatus == 0)
        return [UInt8](try Data(contentsOf: folder.url.appending(path: "content")))
    }

    private static func digest(_ content: [UInt8]) -> String {
        "sha-256=:\(Data(SHA256.digest(of: content.span)).base64EncodedString()):"
    }

    /// Numbers, whose JSON has `bytes` bytes or a few more.
    private static func numbers(bytes: Int) -> String {
        "[" + (0..<bytes / 6).map { String(10_000 + $0 % 80_000) }.joined(separator: ",") + "]"
    }

    @Test(arguments: [2_000, 100_000, 3_000_000])
    func `a response of any lane is compressed for those who accept it`(bytes: Int) throws {
        let content = Self.numbers(bytes: bytes)
        let plain = try send("POST /v1/normalize/value", content: content)
        #expect(plain.status == 200 && plain.text == content)
        #expect(plain.fields["vary"] == "Accept-Encoding" && plain.fields["content-encoding"] == nil)
        let compressed = try send(
            "POST /v1/normalize/value",
            ["Accept-Encoding": "br, gzip", "Want-Repr-Digest": "sha-256=1"],
            content: content
        )
        #expect(compressed.fields["content-encoding"] == "gzip" && compressed.fields["vary"] == "Accept-Encoding")
        #expect(compressed.fields["repr-digest"] == Self.digest(compressed.content))
        #expect(try gunzip(compressed.content) == Array(content.utf8))
        #expect(compressed.content.count < content.utf8.count)
    }

    @Test func `a short response is not compressed, unless nothing else is acceptable`() throws {
        let short = try send("POST /v1/normalize/value", ["Accept-Encoding": "gzip"], content: "[1]")
        #expect(short.fields["content-encoding"] == nil && short.fields["vary"] == nil)
        let only = try send("POST /v1/normalize/value", ["Accept-Encoding": "gzip, identity;q=0"], content: "[1]")
        #expect(only.fields["content-encoding"] == "gzip" && only.fields["vary"] == "Accept-Encoding")
        #expect(try gunzip(only.content) == Array("[1]".utf8))
        let refused = try send("GET /openapi.json", ["Accept-Encoding": "gzip;q=0"])
        #expect(refused.fields["content-encoding"] == nil && refused.fields["vary"] == "Accept-Encoding")
    }

    @Test(arguments: ["/openapi.yaml", "/openapi.json", "/v1/serializers", "/v1/profiles", "/problems", "/metrics"])
    func `documents are compressed, and HEAD has the fields of GET`(path: String) throws {
        let fields = ["Accept-Encoding": "gzip", "Want-Repr-Digest": "sha-256=1"]
        let head = try send("HEAD \(path)", fields)
        let get = try send("GET \(path)", fields)
        #expect(head.fields["content-encoding"] == "gzip" && get.fields["content-encoding"] == "gzip")
        #expect(head.fields["vary"] == "Accept-Encoding")
        #expect(get.fields["repr-digest"] == Self.digest(get.content))
        if path != "/metrics" {
            #expect(head.fields["repr-digest"] == get.fields["repr-digest"])
            #expect(head.fields["content-length"] == get.fields["content-length"])
            #expect(try send("GET \(path)").content == gunzip(get.content))
        }
    }

    @Test func `problems and rejections have digests too`() throws {
        for (request, status) in [("GET /nowhere", 404), ("PUT /v1/normalize", 405), ("POST /v1/normalize?x=1", 400)] {
            let response = try send(request, ["Want-Repr-Digest": "sha-256=1"])
            #expect(response.status == status)
            #expect(response.fields["repr-digest"] == Self.digest(response.content))
        }
        let rejected = try send(
            "POST /v1/normalize?max-content-bytes=2",
            ["Want-Repr-Digest": "sha-256=1"],
            content: "[11]"
        )
        #expect(rejected.status == 413)
        #expect(rejected.fields["repr-digest"] == Self.digest(rejected.content))
        let empty = try send("POST /v1/normalize/value", ["Want-Repr-Digest": "sha-256=1"], content: " ")
        #expect(empty.status == 204 && empty.fields["repr-digest"] == nil)
    }

    @Test func `only digests with SHA-256 are sent`() throws {
        let response = try send("GET /livez", ["Want-Repr-Digest": "sha-512=9, sha-256=1"])
        #expect(response.fields["repr-digest"] == Self.digest(response.content))
        #expect(try send("GET /livez", ["Want-Repr-Digest": "sha-512=9"]).fields["repr-digest"] == nil)
        #expect(try send("GET /livez").fields["repr-digest"] == nil)
    }
}
