import Foundation
import Serialization
import Testing

@testable import Service

/// The output of curl(1), which `scripts/record-curl` has recorded.
@Suite struct CurlOutputTests {
    struct Recording: CustomTestStringConvertible, Sendable {
        var name: String
        var status = 200
        var content = small
        var history: [Int] = []
        var warnings: [String] = []
        var trailers: [String] = []

        var testDescription: String { name }
    }

    private static let small = Array(#"{"id":1,"name":null}"#.utf8)
    private static let large: [UInt8] = {
        let items = (0..<60).map { #"{"id": \#($0), "name": "name \#($0)"}"# }
        return Array("[\(items.joined(separator: ", "))]".utf8)
    }()

    /// The content of the recording that contains it as it was sent.
    private static let gzip = content(of: "gzip", after: "\r\n\r\n")
    private static let gzipWithLength = content(of: "gzip-length", after: "\r\n\r\n")

    static let recordings: [Recording] = [
        Recording(name: "length"),
        Recording(name: "gzip", content: gzip, warnings: ["message.not_chunked"]),
        Recording(name: "gzip-decoded", content: large, warnings: ["message.not_chunked"]),
        Recording(name: "gzip-raw", content: gzip),
        Recording(name: "gzip-length", content: gzipWithLength),
        Recording(name: "gzip-length-decoded", content: large, warnings: ["response.length_mismatch"]),
        Recording(name: "gzip-longer-decoded", warnings: ["response.length_mismatch"]),
        Recording(name: "redirects", history: [301, 302]),
        Recording(name: "redirect", status: 302, content: content(of: "redirect", after: "\r\n\r\n")),
        Recording(name: "not-found", status: 404, content: content(of: "not-found", after: "\r\n\r\n")),
        Recording(name: "head", content: [], warnings: ["message.no_content"]),
        Recording(name: "head-chunked", content: []),
        Recording(name: "no-content", status: 204, content: []),
        Recording(name: "not-modified", status: 304, content: []),
        Recording(name: "http2"),
        Recording(name: "http2-decoded", content: large),
        Recording(name: "http2-redirects", history: [301, 302]),
        Recording(name: "http2-head", content: [], warnings: ["message.no_content"]),
        Recording(name: "http2-without-tls"),
        Recording(name: "tunnel", history: [200]),
        Recording(name: "tunnel-redirects", history: [200, 301, 302]),
        Recording(name: "chunks", warnings: ["message.not_chunked"], trailers: ["X-Checksum", "X-Other"]),
        Recording(name: "chunks-raw", trailers: ["X-Checksum", "X-Other"]),
        Recording(name: "chunks-empty", content: [], warnings: ["message.no_content"]),
        Recording(name: "http10"),
        Recording(name: "expectation", status: 201, history: [100]),
        Recording(name: "early-hints", history: [103]),
        Recording(name: "digest", history: [401]),
        Recording(name: "proxy-authentication", history: [407, 200]),
        Recording(name: "message-in-message", content: content(of: "message-in-message", after: "71\r\n\r\n")),
    ]

    @Test func `every recording is tested`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        let names = files.filter { $0.hasSuffix(".http") }.map { String($0.dropLast(5)) }
        #expect(Set(names) == Set(Self.recordings.map(\.name)))
    }

    @Test(arguments: recordings)
    func `the output of curl is read`(recording: Recording) throws {
        let bytes = try Self.bytes(of: recording.name)
        let message = try MessageReader.read(bytes.span, maxContentBytes: 1 << 20, allowsTruncation: false)
        let content =
            switch message.content {
            case .slice(let range): Array(bytes[range])
            case .bytes(let bytes): bytes
            }
        #expect(content == recording.content)
        #expect(message.response.status == recording.status)
        let facts = try #require(message.response.message)
        #expect(facts.history.map(\.status) == recording.history)
        #expect(facts.warnings.map(\.code) == recording.warnings)
        #expect(facts.trailers.fields.map(\.name) == recording.trailers)
    }

    private static let folder = Contract.root.appending(path: "Tests/Fixtures/Curl")

    static func bytes(of name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appending(path: name + ".http")))
    }

    /// The bytes after the first occurrence of `separator`.
    private static func content(of name: String, after separator: String) -> [UInt8] {
        guard let data = try? Data(bytes(of: name)), let range = data.range(of: Data(separator.utf8)) else { return [] }
        return Array(data[range.upperBound...])
    }
}
