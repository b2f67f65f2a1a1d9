import Batch
import Testing

@testable import HTTP
@testable import Serialization
@testable import Service

@Suite struct BatchNormalizerTests {
    /// A reader that is never called.
    private final class NoReader: ImageReader {
        func read(_ content: Span<UInt8>, _ orders: [ImageOrder]) -> [Result<ImageRecord, ImageRejection>] {
            Issue.record("there is no image")
            return orders.map { _ in .failure(ImageRejection(ImageError(.pixelsUnavailable))) }
        }
    }

    private struct Outcome: Equatable {
        var code: ProblemCode?
        var json: String
        var id: String?
    }

    private func outcome(
        _ form: (Range<Int>) -> BatchItem.Form,
        _ content: [UInt8],
        memory maxBytes: Int = 512 << 20,
        limits: Limits = Limits(),
        serviceLimits: Limits = Limits(),
        _ change: (inout SerializationOptions) -> Void = { _ in }
    ) -> Outcome {
        var options = SerializationOptions()
        change(&options)
        let shared = BatchNormalizer.SharedMemory(maxBytes: maxBytes)
        let normalizer = BatchNormalizer(
            ResponseSerializer(options: options, limits: limits),
            serviceLimits: serviceLimits,
            NoReader(),
            shared
        )
        let range = 0..<content.count
        let result = normalizer.result(
            of: BatchItem(byte: 0, range: range, form: form(range)),
            in: content.span,
            .made(1, 2)
        )
        let json = result.json
        let isWhole = json.count == result.jsonBytes
        #expect(isWhole)
        let id: [UInt8]? =
            switch result.id {
            case .json(let range): Array(content[range])
            case .text(let text): text
            case nil: nil
            }
        let idText = id.map { String(decoding: $0, as: UTF8.self) }
        return Outcome(code: result.code, json: String(decoding: json, as: UTF8.self), id: idText)
    }

    private func frame(_ content: Range<Int>) -> BatchItem.Form {
        let frame = BatchFrame(id: 1, status: 200, hasContent: true, url: 0..<0, fields: 0..<0, content: content)
        return .frame(frame)
    }

    private func message(isTruncated: Bool = false) -> (Range<Int>) -> BatchItem.Form {
        { _ in .message(WARCRecord(id: "urn:a", targetURI: "http://a.example/", isTruncated: isTruncated)) }
    }

    // MARK: Limits

    @Test(arguments: ["[12345]", "[123456]", "[1234567]"])
    func `content of frames and archives is limited by max-content-bytes`(content: String) {
        var limits = Limits()
        limits.maxContentBytes = 8
        let code: ProblemCode? = content.utf8.count <= 8 ? nil : .contentTooLarge
        #expect(outcome(frame, Array(content.utf8), limits: limits).code == code)
        let entry = """
            {"request":{"method":"GET","url":"http://a.example/"},"response":{"status":200,"headers":[],\
            "content":{"size":8,"mimeType":"application/json","text":"\(content)"}}}
            """
        #expect(outcome({ _ in .entry }, Array(entry.utf8), limits: limits).code == code)
    }

    @Test func `the limits of options apply to the content of an envelope, and not to the envelope`() {
        let envelope = Array(
            #"{"status":200,"headers":{"content-type":"application/json"},"body":{"json":{"abc":12}}}"#.utf8
        )
        var limits = Limits()
        limits.maxNumberBytes = 2
        limits.maxKeyBytes = 3
        limits.maxNestingDepth = 1
        #expect(outcome({ _ in .envelope }, envelope, limits: limits).code == nil)
        limits.maxKeyBytes = 2
        #expect(outcome({ _ in .envelope }, envelope, limits: limits).code == .jsonKeyTooLong)
        #expect(outcome({ _ in .envelope }, envelope, serviceLimits: limits).code == .invalidEnvelope)
    }

    // MARK: Memory

    @Test func `an item that needs more memory than a thread has uses the shared memory`() {
        let content = Array("[\"\(String(repeating: "x", count: 24 << 20))\"]".utf8)
        let result = outcome(frame, content) { $0.view = .value }
        #expect(result.code == nil)
        #expect(result.json.utf8.count == content.count)
    }

    @Test func `an item that needs more than all memory is rejected as by the service`() {
        let content = Array("[\"\(String(repeating: "x", count: 24 << 20))\"]".utf8)
        let result = outcome(frame, content, memory: 40 << 20)
        #expect(result.code == .contentTooLarge)
        #expect(result.json.contains("all requests together may use 41943040 (max-buffered-bytes)"))
        // What is taken while the value is written counts as well: null characters become six bytes.
        let expanding = [UInt8](repeating: 0, count: 8 << 20)
        let taken = outcome(frame, expanding, memory: 40 << 20) { $0.serializer = .one(.http) }
        #expect(taken.code == .contentTooLarge)
    }

    @Test(arguments: [("\"a\"", "\"a\""), ("7", "7"), ("[7]", nil), ("-", nil)] as [(String, String?)])
    func `an item that needs more than all memory keeps its identifier, if that is JSON`(id: String, found: String?) {
        let envelope = #"{"body":{"text":"\#(String(repeating: "x", count: 9_000))"},"id":\#(id)}"#
        let result = outcome({ _ in .envelope }, Array(envelope.utf8), memory: 9_000)
        #expect(result.code == .contentTooLarge && result.id == found)
    }

    /// The item is rejected when it has been read, or needs no more memory after that.
    @Test(arguments: ["1", "1]"]) func `the copies of an item while it is read are a part of its memory`(
        end: String
    ) {
        let content = "[" + String(repeating: "1,", count: 1 << 20) + end
        let envelope = #"{"headers":[["content-type","application/json"]],"body":{"json":\#(content)}}"#
        let entry = """
            {"request":{"method":"GET"},"response":{"status":200,"headers":[],\
            "content":{"mimeType":"application/json","text":"\(content)"}}\(end.last == "]" ? "}" : "")
            """
        for (form, text) in [(BatchItem.Form.envelope, envelope), (.entry, entry)] {
            let bytes = text.utf8.count + Envelope.readingBytes(of: text.utf8.count)
            let read = outcome({ _ in form }, Array(text.utf8), memory: bytes) { $0.view = .value }
            #expect(read.code != .contentTooLarge && (read.code == nil) == (end == "1]"))
            let rejected = outcome({ _ in form }, Array(text.utf8), memory: bytes - 1) { $0.view = .value }
            #expect(rejected.code == .contentTooLarge)
        }
    }

    @Test func `the joined chunks of a message are a part of its memory`() {
        let chunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n800000\r\n"
        let text = Array((chunk + String(repeating: "x", count: 1 << 20)).utf8)
        let read = outcome(message(), text, memory: 2 * text.count)
        #expect(read.code == .messageTruncated)
        #expect(outcome(message(), text, memory: 2 * text.count - 1).code == .contentTooLarge)
    }

    /// The memory of short content is reserved without determining its format.
    @Test(arguments: SerializerKind.allCases)
    func `the memory of a short item suffices for each serializer`(kind: SerializerKind) {
        let bytes = kind.serializer.reservation.bytes(forContentBytes: Normalization.maxShortItemBytes)
        #expect(bytes <= Normalization.shortItemBytes)
    }

    // MARK: Entries of HTTP archives

    @Test func `a lone surrogate in the text of an entry follows the option`() {
        let entry = Array(
            #"""
            {"_initiator":"\ud83d","request":{"method":"GET","url":"http://a.example/"},"response":{"status":200,\#
            "headers":[],"content":{"mimeType":"application/json","text":"[\"\ud83d\"]"}}}
            """#.utf8
        )
        #expect(outcome({ _ in .entry }, entry).code == .invalidBatchItem)
        let replaced = outcome({ _ in .entry }, entry) { $0.surrogates = .replace }
        #expect(replaced.code == nil && replaced.json.contains("\"value\":[\"\u{FFFD}\"]"))
        #expect(replaced.json.contains(#""code":"json.lone_surrogate""#))
    }

    // MARK: Messages of web archives

    @Test func `the URL of a record is that of the response`() {
        let text = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[1]"
        let result = outcome(message(), Array(text.utf8))
        #expect(result.json.contains(#""upstream":{"status":200,"url":"http://a.example/","mediaType""#))
    }

    @Test(
        arguments: [
            (.envelope, #"{"headers":{"a":"\u000a"},"url":"http:\/\/a.example/","status":42,"id":7}"#, true),
            (.envelope, #"{"status":42,"id":7}"#, false),
            (.entry, #"{"request":{"url":"http://a.example/"},"response":{"status":0}}"#, true),
            (.entry, #"{"request":{"url":"http://a.example/"},"response":{"status":200,}"#, true),
            (.entry, #"{"request":1,"response":{"status":0}}"#, false), (.entry, #"{"request":{"url""#, false),
        ] as [(BatchItem.Form, String, Bool)]
    )
    func `the problem of an item that cannot be read has its URL`(form: BatchItem.Form, text: String, hasURL: Bool) {
        let result = outcome({ _ in form }, Array(text.utf8))
        #expect(result.code == (form == .entry ? .invalidBatchItem : .invalidEnvelope))
        #expect(result.json.contains(#""failingURL":"http://a.example/""#) == hasURL)
        #expect(result.id == (form == .entry ? nil : "7"))
    }

    @Test func `the problem of a message that cannot be read has the URL of its record`() {
        let result = outcome(message(), Array("HTTP/1.1 200 OK\r\nA b\r\n\r\n[1]".utf8))
        #expect(result.code == .messageInvalidField)
        #expect(result.json.contains(#""failingURL":"http://a.example/""#))
        #expect(!result.json.contains("upstream"))
    }

    @Test func `a truncated record is used only with truncated=allow, with a warning`() {
        let text = Array("HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\n\r\na,b\r\n1,2\r\n".utf8)
        let rejected = outcome(message(isTruncated: true), text)
        #expect(rejected.code == .messageTruncated)
        #expect(rejected.json.contains("the record has only a part of the content, 10 bytes"))
        let allowed = outcome(message(isTruncated: true), text) { $0.truncated = .allow }
        #expect(allowed.code == nil)
        #expect(allowed.json.contains(#""warnings":[{"code":"message.truncated""#))
        // The message itself shows it, too: there is one warning.
        let short = Array("HTTP/1.1 200 OK\r\nContent-Length: 99\r\nContent-Type: text/csv\r\n\r\na,b\r\n1,2\r\n".utf8)
        let both = outcome(message(isTruncated: true), short) { $0.truncated = .allow }
        #expect(both.json.matches(of: /message\.truncated/).count == 1)
    }

    @Test func `the remedy of a rejected item is not searched for`() {
        let result = outcome(frame, Array("{'a':1}".utf8)) { $0.serializer = .one(.json) }
        #expect(result.code != nil)
        #expect(!result.json.contains("accepts"))
    }
}
