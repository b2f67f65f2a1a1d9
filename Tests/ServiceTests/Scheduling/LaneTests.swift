import Encoders
import FuzzOracles
import Serialization
import Testing

@testable import HTTP
@testable import Service

/// Tests which lane decodes long content. It depends on the serializer that reads the content, and not on the
/// appearance of the content.
@Suite struct LaneTests {
    private static let application = DecantApplication(readiness: Readiness(.ready))

    private enum Place: Equatable {
        case inline
        case handedOn(Lane)
    }

    /// Returns the lane on which the response to a request is computed.
    private static func place(
        _ target: String,
        type: String?,
        _ content: [UInt8],
        _ fields: [(String, String)] = []
    ) throws -> Place {
        let type = type.map { [("Content-Type", $0)] } ?? []
        let head = RequestHead(
            method: "POST",
            target: try RequestTarget(parsing: target.utf8.span),
            fields: HeaderFields((type + fields).map { HeaderFields.Field(name: $0.0, value: $0.1) }),
            declaredContentBytes: content.count,
            requestID: .given("a")
        )
        switch application.plan(for: head).decision {
        case .respond: throw Unplanned()
        case .accept(_, let firstStep):
            switch try firstStep(content.span, { () throws(RejectionReason) in OwnedContent(content) }) {
            case .done: return .inline
            case .next(let continuation): return .handedOn(continuation.lane)
            case .park: throw Unplanned()
            }
        }
    }

    private struct Unplanned: Error {}

    /// Returns `head`, padded to more than the maximum size that is decoded on an HTTP thread.
    private static func long(_ head: String, filler: UInt8 = 0x20) -> [UInt8] {
        Array(head.utf8) + [UInt8](repeating: filler, count: Lane.maxInlineBytes + 1)
    }

    private static let png = Array("\u{89}PNG\r\n\u{1A}\n".unicodeScalars.map { UInt8($0.value) })
    private static let svg = #"<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>"#

    @Test(
        arguments: [
            ("/v1/normalize", "image/svg+xml", .pixels), ("/v1/normalize", "image/png", .pixels),
            ("/v1/normalize", nil, .pixels), ("/v1/normalize", "application/octet-stream", .pixels),
            ("/v1/normalize?serializer=image", "text/plain", .pixels), ("/v1/thumbnail", "image/png", .pixels),
            ("/v1/normalize?thumbnail=none", "image/svg+xml", .facts),
            ("/v1/normalize?decode=header", "image/png", .facts),
            ("/v1/normalize?thumbnail=none&fingerprint=sha256", "image/png", .facts),
            ("/v1/normalize?thumbnail=none&fingerprint=phash", "image/png", .pixels),
        ] as [(String, String?, Lane)]
    )
    func `the HTTP thread hands an image of any length to the workers that its options need`(
        target: String,
        type: String?,
        lane: Lane
    ) throws {
        for content in [Array(Self.svg.utf8), Self.png, Self.png + Self.long("", filler: 0)] {
            #expect(try Self.place(target, type: type, content) == .handedOn(lane))
        }
    }

    /// The search decodes the content several times.
    @Test
    func `the remedy for short content is searched on the HTTP thread, and that for longer content on another lane`()
        throws
    {
        let start = Array("[1,]".utf8)
        let longest = start + [UInt8](repeating: 0x20, count: (2 << 10) - start.count)
        #expect(try Self.place("/v1/normalize", type: "application/json", longest) == .inline)
        #expect(try Self.place("/v1/normalize", type: "application/json", longest + [0x20]) == .handedOn(.compute))
    }

    private static let maximums: [(type: String, query: String, start: String, max: Int)] = [
        ("application/json", "", "[]", 128 << 10), ("application/json", "?keys=sorted", "[]", 1_024),
        ("application/json;charset=utf-8", "", "[]", 128 << 10),
        ("application/json;charset=iso-8859-1", "", "[]", 12 << 10), ("application/x-ndjson", "", "[]", 12 << 10),
        ("application/json", "?records=many", "[]", 12 << 10), ("application/json", "?lenient=comments", "[]", 1_024),
        ("application/json", "?canonical=true&lenient=comments", "[]", 1_024),
        ("application/json", "?serializer=http", "[]", 24 << 10),
        ("text/plain;charset=iso-8859-1", "?serializer=http", "[]", 12 << 10),
        ("application/xml", "", "<a/>", 1_024), ("application/xml", "?serializer=xml-document", "<a/>", 1_024),
        ("application/x-plist", "", "()", 1_024), ("application/json", "?serializer=json,xml", "[]", 1_024),
    ]

    /// Each format has the size whose worst content takes less than a millisecond.
    @Test(arguments: maximums)
    func `content of each format has its own maximum on the HTTP thread`(
        type: String,
        query: String,
        start: String,
        max: Int
    ) throws {
        let longest = Array(start.utf8) + [UInt8](repeating: 0x20, count: max - start.utf8.count)
        #expect(try Self.place("/v1/normalize" + query, type: type, longest) == .inline)
        #expect(try Self.place("/v1/normalize" + query, type: type, longest + [0x20]) == .handedOn(.compute))
    }

    @Test func `UTF-16 has its own maximum on the HTTP thread`() throws {
        func place(_ bytes: Int) throws -> Place {
            let text = "[" + String(repeating: " ", count: bytes / 2 - 2) + "]"
            return try Self.place("/v1/normalize", type: "application/json", text.utf16.flatMap { [UInt8($0), 0] })
        }
        #expect(try place(12 << 10) == .inline)
        #expect(try place((12 << 10) + 2) == .handedOn(.compute))
    }

    /// The longest JSON of each kind takes 2.8 million instructions by the estimate of `jsonInstructions`.
    @Test(arguments: [(#"{"a":0},"#, 4802), (#"{"\n":0},            "#, 604), ("[],", 32557), ("0,", 62221)])
    func `JSON with many members, escapes or values is decoded on another lane`(piece: String, count: Int) throws {
        func place(_ count: Int) throws -> Place {
            let text = "[" + String(repeating: piece, count: count) + "0]"
            return try Self.place("/v1/normalize", type: "application/json", Array(text.utf8))
        }
        #expect(try place(count) == .inline)
        #expect(try place(count + 1) == .handedOn(.compute))
    }

    /// To locate them, the content is read again.
    @Test(arguments: [("{\"a\":0,\"a\":1", "}"), ("[", "x]")])
    func `warnings and errors of long JSON are located on another lane`(start: String, end: String) throws {
        func place(_ bytes: Int) throws -> Place {
            let space = String(repeating: " ", count: bytes - start.utf8.count - end.utf8.count)
            // Without the search for a remedy, which other tests cover.
            let target = "/v1/normalize?serializer=json,http"
            return try Self.place(target, type: "application/json", Array((start + space + end).utf8))
        }
        #expect(try place(4 << 10) == .inline)
        #expect(try place((4 << 10) + 4) == .handedOn(.compute))
    }

    /// Each location is found by parsing the content again.
    @Test func `warnings of a property list in XML form are located on another lane`() throws {
        func place(_ duplicates: Int) throws -> Place {
            let members = String(repeating: "<key>a</key><true/>", count: 1 + duplicates)
            let text = "<plist><dict>" + members + String(repeating: " ", count: 850) + "</dict></plist>"
            return try Self.place("/v1/normalize", type: "application/x-plist", Array(text.utf8))
        }
        #expect(try place(2) == .inline)
        #expect(try place(3) == .handedOn(.compute))
    }

    // MARK: Content codings

    private static func spaces(_ count: Int) -> [UInt8] {
        Array("[]".utf8) + [UInt8](repeating: 0x20, count: count - 2)
    }

    private static func place(_ content: [UInt8], _ coding: String, _ query: String = "") throws -> Place {
        try place("/v1/normalize" + query, type: "application/json", content, [("Content-Encoding", coding)])
    }

    /// Its length after the codings are decoded counts.
    @Test(
        arguments: Encoder.allCases.filter { $0 != .brotli },
        [("", 64 << 10), ("?keys=sorted", 1_024), ("?serializer=http", 24 << 10)]
    )
    func `encoded content is decoded on the HTTP thread up to the maximum of its format`(
        encoder: Encoder,
        format: (query: String, max: Int)
    ) throws {
        let (query, max) = format
        #expect(try Self.place(encoder.encode(Self.spaces(max)), encoder.coding, query) == .inline)
        let longer = encoder.encode(Self.spaces(max + 1))
        #expect(try Self.place(longer, encoder.coding, query) == .handedOn(.compute))
        let stacked = Encoder.brotli.encode(longer)
        #expect(try Self.place(stacked, encoder.coding + ",br", query) == .handedOn(.compute))
    }

    /// The library decodes up to a window of content at once: 19 bytes took 55 million instructions.
    @Test func `Brotli with a usual window is decoded on another lane`() throws {
        let encoded = Encoder.brotli.encode(Self.spaces(100))
        #expect(try Self.place(encoded, "br") == .handedOn(.compute))
    }

    /// Encoded content may consist of empty blocks: 64 KB took 8 million instructions.
    @Test func `long encoded content is decoded on another lane`() throws {
        let block: [UInt8] = [0x00, 0x00, 0x00, 0xFF, 0xFF]
        func place(_ blocks: Int) throws -> Place {
            let stored: [UInt8] = [0x01, 0x01, 0x00, 0xFE, 0xFF, UInt8(ascii: "1")]
            return try Self.place(Array([[UInt8]](repeating: block, count: blocks).joined()) + stored, "deflate")
        }
        #expect(try place(1_637) == .inline)
        #expect(try place(1_638) == .handedOn(.compute))
    }

    /// The type of the content decides only after it is decoded.
    @Test func `encoded content of an unknown format is decoded up to the largest maximum`() throws {
        func place(_ text: [UInt8]) throws -> Place {
            let fields = [("Content-Encoding", "gzip")]
            return try Self.place("/v1/normalize", type: "application/octet-stream", Encoder.gzip.encode(text), fields)
        }
        #expect(try place(Self.spaces(64 << 10)) == .inline)
        #expect(try place(Self.spaces((64 << 10) + 1)) == .handedOn(.compute))
        let xml = Array("<a>".utf8) + [UInt8](repeating: 0x20, count: 60_000) + Array("</a>".utf8)
        #expect(try place(xml) == .handedOn(.compute))
    }

    @Test func `content that is not in its coding is decoded like other content`() throws {
        #expect(try Self.place(Self.spaces(8 << 10), "gzip") == .inline)
        #expect(try Self.place(Self.spaces((8 << 10) + 1), "gzip") == .handedOn(.compute))
    }

    @Test(arguments: Encoder.allCases)
    func `what the HTTP thread has begun is finished on the compute lane`(encoder: Encoder) throws {
        let encoded = encoder.encode(Self.numbers(1_500_000))
        let account = MemoryAccount(maxBytes: 64 << 20)
        let (status, bytes) = try Self.respond(encoded, encoder.coding, account)
        #expect(status == 200)
        #expect(bytes > 1_000_000)
        #expect(account.usedBytes == 0)
    }

    /// A list of numbers, which compresses like other text.
    private static func numbers(_ bytes: Int) -> [UInt8] {
        var random = RandomSource(seed: 1)
        var text = Array("[".utf8)
        while text.count < bytes { text += Array("\(random.below(1_000_000)),".utf8) }
        return text + Array("0]".utf8)
    }

    @Test func `memory for decoded content that is not there is 503, and 413 if it can never be`() throws {
        let encoded = Encoder.zlib.encode(Self.numbers(3 << 20))
        let small = MemoryAccount(maxBytes: 4 << 20)
        #expect(try Self.respond(encoded, "deflate", small).status == 413)
        let full = MemoryAccount(maxBytes: 32 << 20)
        let held = try full.reserve(30 << 20, besides: 0)
        #expect(try Self.respond(encoded, "deflate", full).status == 503)
        held.resize(to: 0)
        #expect(try Self.respond(encoded, "deflate", full).status == 200)
        #expect(full.usedBytes == 0)
    }

    /// Returns the status and the size of the response to a request, and expects that its decoding is handed on.
    private static func respond(
        _ content: [UInt8],
        _ coding: String,
        _ account: MemoryAccount
    ) throws -> (status: Int, bytes: Int) {
        let head = RequestHead(
            method: "POST",
            target: try RequestTarget(parsing: "/v1/normalize".utf8.span),
            fields: HeaderFields([
                .init(name: "Content-Type", value: "application/json"), .init(name: "Content-Encoding", value: coding),
            ]),
            declaredContentBytes: content.count,
            requestID: .given("a")
        )
        switch application.plan(for: head).decision {
        case .respond: throw Unplanned()
        case .accept(_, let firstStep):
            var step = try firstStep(content.span) { () throws(RejectionReason) in
                var buffer = ContentBuffer(declaredBytes: content.count, account: account)
                _ = buffer.append(content.span)
                return OwnedContent(buffer)
            }
            var steps = 0
            while true {
                switch consume step {
                case .done(let response):
                    #expect(steps == 1)
                    return (response.status, response.content.count)
                case .next(on: .compute(let next)):
                    steps += 1
                    step = next()
                case .next(on: .factsStep): throw Unplanned()
                case .next(on: .pixelsStep): throw Unplanned()
                case .park: throw Unplanned()
                }
            }
        }
    }

    /// 32 MiB of XML or Base64 delayed all other connections of their thread, because they began like images.
    @Test(
        arguments: [
            ("/v1/normalize", "application/xml"), ("/v1/normalize", "text/xml"), ("/v1/normalize", "application/json"),
            ("/v1/normalize?serializer=xml", "image/svg+xml"), ("/v1/normalize?serializer=xml-document", nil),
            ("/v1/normalize?serializer=http", "image/svg+xml"), ("/v1/normalize?serializer=json", nil),
            ("/v1/normalize?serializer=plist", nil), ("/v1/normalize?serializer=image,json", "image/svg+xml"),
            ("/v1/normalize?profile=afnetworking", "image/svg+xml"),
            ("/v1/normalize?profile=afnetworking&serializer=http", "image/svg+xml"),
        ] as [(String, String?)]
    )
    func `content that looks like an image but is decoded by another serializer is decoded on another lane`(
        target: String,
        type: String?
    ) throws {
        #expect(try Self.place(target, type: type, Self.long(Self.svg)) == .handedOn(.compute))
        #expect(try Self.place(target, type: type, Self.png + Self.long("", filler: 0)) == .handedOn(.compute))
    }

    /// The complete content must be read to determine its type.
    @Test(arguments: [UInt8(ascii: "1"), 0x20])
    func `content that is labeled as an image but is not one is recognized on another lane`(filler: UInt8) throws {
        let content = Self.long("", filler: filler)
        #expect(try Self.place("/v1/normalize", type: "image/png", content) == .handedOn(.pixels))
        #expect(try Self.place("/v1/thumbnail", type: "image/png", content) == .handedOn(.pixels))
        let short = [UInt8](repeating: filler, count: 16 << 10)
        #expect(try Self.place("/v1/thumbnail", type: "image/png", short + [filler]) == .handedOn(.pixels))
        #expect(try Self.place("/v1/thumbnail", type: "image/png", short) != .handedOn(.pixels))
    }

    @Test func `text up to the maximum size is decoded on the HTTP thread, and longer text on another lane`() throws {
        let text = Array("[]".utf8) + [UInt8](repeating: 0x20, count: (128 << 10) - 2)
        #expect(try Self.place("/v1/normalize", type: "application/json", text) == .inline)
        #expect(try Self.place("/v1/normalize", type: "application/json", text + [0x20]) == .handedOn(.compute))
        let envelope = Array("{}".utf8) + [UInt8](repeating: 0x20, count: Envelope.maxInlineBytes - 2)
        #expect(try Self.place("/v1/normalize/envelope", type: "application/json", envelope) == .inline)
        #expect(
            try Self.place("/v1/normalize/envelope", type: "application/json", envelope + [0x20]) == .handedOn(.compute)
        )
    }
}
