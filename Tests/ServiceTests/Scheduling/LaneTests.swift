import Serialization
import Testing

@testable import Service

/// Tests which lane decodes long content. It depends on the serializer that reads the content, and not on the appearance of the
/// content.
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
        case .accept(_, let answer):
            switch try answer(content.span, { () throws(RejectionReason) in KeptContent(content) }) {
            case .done: return .inline
            case .next(let continuation): return .handedOn(continuation.lane)
            case .stream: throw Unplanned()
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
            ("/v1/normalize", "image/svg+xml"), ("/v1/normalize", "image/png"), ("/v1/normalize", nil),
            ("/v1/normalize", "application/octet-stream"), ("/v1/normalize?serializer=image", "text/plain"),
            ("/v1/normalize?thumbnail=none", "image/svg+xml"),
        ] as [(String, String?)]
    )
    func `the header of an image is read on the HTTP thread, up to the maximum size of an image`(
        target: String,
        type: String?
    ) throws {
        let longest = Array(Self.svg.utf8) + [UInt8](repeating: 0x20, count: (256 << 10) - Self.svg.utf8.count)
        #expect(try Self.place(target, type: type, longest) == .inline)
        #expect(try Self.place(target, type: type, longest + [0x20]) == .handedOn(.compute))
        // The header is rejected immediately, and the remedy is searched on another lane.
        let png = Self.png + [UInt8](repeating: 0, count: (256 << 10) - Self.png.count)
        #expect(try Self.place(target, type: type, png) == .handedOn(.compute))
    }

    /// The search decodes the content several times.
    @Test
    func `the remedy for short content is searched on the HTTP thread, and that for longer content on another lane`()
        throws
    {
        let start = Array("[1,]".utf8)
        let longest = start + [UInt8](repeating: 0x20, count: (8 << 10) - start.count)
        #expect(try Self.place("/v1/normalize", type: "application/json", longest) == .inline)
        #expect(try Self.place("/v1/normalize", type: "application/json", longest + [0x20]) == .handedOn(.compute))
    }

    /// Each format has the size that is decoded in about a millisecond.
    @Test(
        arguments: [
            ("application/json", "", "[]", 256 << 10), ("application/json", "?keys=sorted", "[]", 32 << 10),
            ("application/json", "?lenient=comments", "[]", 64 << 10),
            ("application/json", "?canonical=true&lenient=comments", "[]", 32 << 10),
            ("application/json", "?serializer=http", "[]", 128 << 10), ("application/xml", "", "<a/>", 64 << 10),
            ("application/xml", "?serializer=xml-document", "<a/>", 64 << 10),
            ("application/x-plist", "", "()", 32 << 10), ("application/json", "?serializer=json,xml", "[]", 64 << 10),
        ]
    )
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

    /// 32 MiB of XML or Base64 delayed all other connections of their thread, because they began like images.
    @Test(
        arguments: [
            ("/v1/normalize", "application/xml"), ("/v1/normalize", "text/xml"), ("/v1/normalize", "application/json"),
            ("/v1/normalize?serializer=xml", "image/svg+xml"), ("/v1/normalize?serializer=xml-document", nil),
            ("/v1/normalize?serializer=http", "image/svg+xml"), ("/v1/normalize?serializer=json", nil),
            ("/v1/normalize?serializer=plist", nil), ("/v1/normalize?serializer=image,json", "image/svg+xml"),
            ("/v1/normalize?profile=afnetworking", "image/svg+xml"),
            ("/v1/normalize?profile=afnetworking&serializer=http", "image/svg+xml"),
            ("/v1/normalize?fingerprint=sha256", "image/svg+xml"),
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
    func `content that is labeled as an image but is not one is decoded on another lane`(filler: UInt8) throws {
        #expect(
            try Self.place("/v1/normalize", type: "image/png", Self.long("", filler: filler)) == .handedOn(.compute)
        )
        #expect(
            try Self.place("/v1/thumbnail", type: "image/png", Self.long("", filler: filler)) == .handedOn(.compute)
        )
    }

    @Test func `text up to the maximum size is decoded on the HTTP thread, and longer text on another lane`() throws {
        let text = Array("[]".utf8) + [UInt8](repeating: 0x20, count: Lane.maxInlineBytes - 2)
        #expect(try Self.place("/v1/normalize", type: "application/json", text) == .inline)
        #expect(try Self.place("/v1/normalize", type: "application/json", text + [0x20]) == .handedOn(.compute))
        let envelope = Array("{}".utf8) + [UInt8](repeating: 0x20, count: Lane.maxInlineBytes - 2)
        #expect(try Self.place("/v1/normalize/envelope", type: "application/json", envelope) == .inline)
        #expect(
            try Self.place("/v1/normalize/envelope", type: "application/json", envelope + [0x20]) == .handedOn(.compute)
        )
    }
}
