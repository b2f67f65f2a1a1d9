import Encoders
import SerializationSupport
import Testing

@testable import Serialization

/// Tests of complete responses whose content is encoded.
@Suite struct CodedResponseTests {
    private func response(
        _ coding: String,
        status: Int = 200,
        type: String = "application/json",
        method: String? = nil,
        _ more: [(String, String)] = []
    ) -> UpstreamResponse {
        let fields = [("Content-Type", type), ("Content-Encoding", coding)] + more
        return UpstreamResponse(
            status: status,
            method: method,
            fields: HeaderFields(fields.map { .init(name: $0.0, value: $0.1) })
        )
    }

    @Test(arguments: Encoder.allCases)
    func `the answer reports which codings were decoded`(encoder: Encoder) {
        let content = encoder.encode(Array(#"{"a":[1.50]}"#.utf8))
        let result = serialize(response(encoder.coding), content: content)
        let expected =
            #"{"outcome":"value","serializer":"json","value":{"a":[1.50]},"upstream":{"status":200,"#
            + #""mediaType":"application/json","charset":"utf-8","contentCodings":["\#(encoder.coding)"],"#
            + #""bytes":\#(content.count),"decodedBytes":12}}"#
        #expect(result.json == expected)
        #expect(result.upstream.representation.contentCodings == [encoder.coding])
        #expect(result.upstream.representation.decodedBytes == 12)
    }

    @Test func `content that the client has already decoded produces a warning`() {
        let result = serialize(response("gzip"), content: Array("[]".utf8))
        let expected =
            #"{"outcome":"value","serializer":"json","value":[],"upstream":{"status":200,"#
            + #""mediaType":"application/json","#
            + #""charset":"utf-8","bytes":2},"warnings":[{"code":"encoding.not_encoded","#
            + #""message":"Content-Encoding says gzip, the content is not","at":{"byte":0}}]}"#
        #expect(result.json == expected)
    }

    @Test(arguments: Encoder.allCases)
    func `locations count in the decoded content`(encoder: Encoder) throws {
        let result = serialize(response(encoder.coding), content: encoder.encode(Array("[1,\n  x]".utf8)))
        guard let error = result.chain.first?.contentError as? JSONError else {
            Issue.record("no error of JSON")
            return
        }
        #expect(error.location.byte == 6 && error.location.line == 2 && error.location.column == 3)
    }

    @Test func `the error of a coding has its location in the encoded bytes`() throws {
        let content = Array(Encoder.gzip.encode(sampleText(1_000)).dropLast(20))
        let result = serialize(response("gzip"), content: content)
        let error = CodingError(.truncated, in: .gzip, at: content.count)
        #expect(result.chain == [.coding(error)])
        #expect(error.location?.isEncoded == true)
        #expect(result.upstream.representation.bytes == content.count)
        #expect(result.upstream.representation.contentCodings == [])
        #expect(result.upstream.representation.decodedBytes == nil)
        let refused = serialize(response("gzip", status: 500), content: content)
        #expect(refused.chain == [.coding(error), .status(500)])
    }

    @Test(arguments: [RuleSet.decant, .afnetworking])
    func `empty content is not encoded`(rules: RuleSet) {
        var options = SerializationOptions()
        options.rules = rules
        for content in [[], nil] as [[UInt8]?] {
            #expect(serialize(response("gzip"), content: content, options: options).chain == [])
        }
        let empty = serialize(response("gzip"), content: Encoder.gzip.encode([]), options: options)
        #expect(empty.json?.contains(#""outcome":"empty""#) == true)
        #expect(empty.upstream.representation.decodedBytes == 0)
    }

    @Test(arguments: [("HEAD", 200), ("GET", 204), ("GET", 304), ("GET", 205)])
    func `responses without content may name a coding`(method: String, status: Int) {
        let options = with { $0.acceptableStatusCodes = nil }
        let coded = response("gzip", status: status, method: method)
        for content in [nil, [], Encoder.gzip.encode([1]), [0x1F, 0x8B, 0xFF]] as [[UInt8]?] {
            #expect(serialize(coded, content: content, options: options).chain == [])
        }
    }

    @Test func `an unknown type is detected in the decoded content`() {
        let xml = Encoder.brotli.encode(Array("<a><b/></a>".utf8))
        let result = serialize(response("br", type: "application/octet-stream"), content: xml)
        #expect(result.json?.contains(#""serializer":"xml""#) == true)
        let html = Encoder.gzip.encode(Array("<html></html>".utf8))
        let refused = serialize(response("gzip", type: "text/html"), content: html)
        guard case .unacceptableMediaType(_, _, "text/html", _)? = refused.chain.first else {
            Issue.record("\(refused.chain)")
            return
        }
    }

    @Test func `content over the limit is rejected by its encoded length`() {
        let content = Encoder.gzip.encode(sampleText(5_000))
        var limits = Limits()
        limits.maxContentBytes = content.count
        let options = with { $0.serializer = .one(.http) }
        #expect(serialize(response("gzip"), content: content, options: options, limits: limits).chain == [])
        limits.maxContentBytes = content.count - 1
        let refused = serialize(response("gzip"), content: content, options: options, limits: limits)
        #expect(refused.chain == [.contentTooLong(max: content.count - 1)])
    }

    @Test func `Content-Length is the length of the encoded content`() {
        let content = Encoder.gzip.encode(Array("{}".utf8))
        func warnings(_ length: Int, _ content: [UInt8]) -> [String] {
            var response = response("gzip", [("Content-Length", String(length))])
            response.hasAllFields = true
            return serialize(response, content: content).warnings.map(\.code)
        }
        #expect(warnings(content.count, content) == [])
        #expect(warnings(2, content) == ["response.length_mismatch"])
        #expect(warnings(content.count, Array("{}".utf8)) == ["encoding.not_encoded"])
    }

    @Test func `a compound decodes once, and each component receives the decoded content`() {
        let options = with { $0.serializer = .compound([.json, .xml]) }
        let xml = Encoder.zstd.encode(Array("<a>1</a>".utf8))
        #expect(serialize(response("zstd", type: "text/xml"), content: xml, options: options).chain == [])
        let cut = Array(xml.dropLast(3))
        let failed = serialize(response("zstd", type: "text/xml"), content: cut, options: options)
        #expect(failed.attempts.count == 2)
        #expect(failed.chain == [.coding(CodingError(.truncated, in: .zstd, at: cut.count))])
    }

    // MARK: Truncated content

    @Test func `the decoded part of truncated content is used if truncation is allowed`() {
        let content = Array(Encoder.gzip.encode(sampleText(5_000)).dropLast(100))
        let raw = with { $0.serializer = .one(.http) }
        let coded = response("gzip", type: "text/plain")
        #expect(serialize(coded, content: content, options: raw).json == nil)
        let allowed = with {
            $0.serializer = .one(.http)
            $0.truncated = .allow
        }
        let result = serialize(coded, content: content, options: allowed)
        #expect(result.chain == [])
        #expect(result.warnings.map(\.code) == ["encoding.truncated"])
        #expect(result.warnings.first?.location?.isEncoded == true)
        #expect(result.upstream.representation.decodedBytes ?? 0 > 3_000)
        #expect(remedy(coded, content, raw) == .truncated)
        #expect(remedy(response("gzip"), content, SerializationOptions()) == nil, "JSON that ends early is rejected")
    }

    @Test func `remedies are searched in the decoded content`() {
        let content = Encoder.brotli.encode(Array("[1,]".utf8))
        #expect(remedy(response("br"), content, SerializationOptions()) == .lenient(.trailingCommas))
        #expect(remedy(response("foo"), content, SerializationOptions()) == .noContentCoding)
        #expect(remedy(response("br"), Array(content.dropLast(1)), SerializationOptions()) == nil)
    }

    /// The field was lost on the way, or lists another coding.
    @Test(arguments: [Encoder.gzip, .zlib, .zstd], [nil, "identity", "compress", "gzip", "deflate", "br", "zstd"])
    func `the field Content-Encoding is proposed for content with a signature`(encoder: Encoder, label: String?) {
        guard label != encoder.coding else { return }
        let long = Array("[\(Array(repeating: "1234567", count: 1_000).joined(separator: ","))]".utf8)
        for type in [nil, "application/json"] {
            var response = UpstreamResponse()
            if let type { response.fields.append(name: "Content-Type", value: type) }
            if let label { response.fields.append(name: "content-encoding", value: label) }
            for text in [Array("[1]".utf8), long] {
                let remedy = remedy(response, encoder.encode(text), SerializationOptions())
                #expect(remedy == .contentCoding(encoder.coding), "\(type ?? "") \(text.count)")
            }
            // Only if that accepts it.
            let remedy = remedy(response, encoder.encode(Array("[1".utf8)), SerializationOptions())
            #expect(remedy != .contentCoding(encoder.coding))
        }
    }

    @Test func `the field Content-Encoding is proposed for content that was encoded twice`() {
        let content = Encoder.gzip.encode(Encoder.gzip.encode(Array("[1]".utf8)))
        #expect(remedy(response("gzip"), content, SerializationOptions()) == .contentCoding("gzip, gzip"))
        #expect(remedy(response("gzip, gzip"), content, SerializationOptions()) == nil)
        #expect(
            remedy(response("br"), Encoder.brotli.encode(content), SerializationOptions()) != .contentCoding("gzip, br")
        )
        let damaged = Array(content.dropLast(20))
        #expect(remedy(response("gzip"), damaged, SerializationOptions()) == nil)
    }

    @Test func `the length of content that is decoded for a remedy is limited`() {
        func content(_ count: Int) -> [UInt8] { Encoder.gzip.encode(Array(repeating: 0x20, count: count - 1) + [0x31]) }
        #expect(remedy(UpstreamResponse(), content(1 << 20), SerializationOptions()) == .contentCoding("gzip"))
        #expect(remedy(UpstreamResponse(), content((8 << 20) + 1), SerializationOptions()) == .rawContent)
    }

    // MARK: Positions in stacked codings

    @Test func `the location of an inner coding counts in the content after the outer ones`() throws {
        var inner = Encoder.gzip.encode(Array("[1]".utf8))
        inner[inner.count - 5] ^= 1
        let content = Encoder.zstd.encode(Encoder.brotli.encode(inner))
        let result = serialize(response("gzip, br, zstd"), content: content)
        let error = CodingError(.corrupt(part: .checksum), in: .gzip, at: inner.count - 8, after: [.zstd, .br])
        #expect(result.chain == [.coding(error)])
        #expect(error.location?.isEncoded == true)
        #expect(error.location?.decodedCodings == 2)
        let trailing = serialize(
            response("gzip, zstd"),
            content: Encoder.zstd.encode(Encoder.gzip.encode(Array("[1]".utf8)) + [0])
        )
        #expect(trailing.warnings.map(\.code) == ["encoding.trailing_bytes"])
        #expect(trailing.warnings.first?.location?.decodedCodings == 1)
    }

    private func remedy(_ response: UpstreamResponse, _ content: [UInt8], _ options: SerializationOptions) -> Remedy? {
        let serializer = ResponseSerializer(options: options)
        do {
            _ = try serializer.serialize(response, content: content.span)
            return nil
        } catch {
            return serializer.remedy(for: error, response, content: content.span)
        }
    }

    private func with(_ change: (inout SerializationOptions) -> Void) -> SerializationOptions {
        var options = SerializationOptions()
        change(&options)
        return options
    }
}
