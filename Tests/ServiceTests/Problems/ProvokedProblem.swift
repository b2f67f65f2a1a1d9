import Foundation
import Serialization
import Testing

@testable import Service

/// A request that the service rejects with one code.
struct ProvokedProblem: Sendable, CustomTestStringConvertible {
    let code: ProblemCode
    /// The method, the target and the version.
    let line: String
    let fields: [(name: String, value: String)]
    /// The content. A page shows content that is not text in Base64.
    let content: [UInt8]

    var testDescription: String { code.rawValue }

    /// Whether the service needs workers to reject the request with this code.
    var needsWorkers: Bool { code.rawValue.hasPrefix("image.") }

    /// Whether the service rejects the request with this code if fetching is enabled.
    var needsFetching: Bool {
        code.rawValue.hasPrefix("fetch.") && code != .fetchNotConfigured || code == .invalidFetch
            || code.rawValue.hasPrefix("cache.")
    }

    /// Whether the service needs a file of tokens to reject the request with this code.
    var needsTokens: Bool { [.tokenMissing, .tokenInvalid, .permissionMissing].contains(code) }

    init(_ code: ProblemCode, _ line: String, _ fields: [(String, String)] = [], _ content: [UInt8] = []) {
        self.code = code
        self.line = line
        self.fields = fields
        self.content = content
    }

    /// Content in the direct form.
    private init(_ code: ProblemCode, type: String, _ query: String = "", content: [UInt8]) {
        let target = "/v1/normalize" + (query.isEmpty ? "" : "?" + query)
        self.init(code, "POST \(target) HTTP/1.1", [("Content-Type", type)], content)
    }

    private init(_ code: ProblemCode, json content: String, _ query: String = "") {
        self.init(code, type: "application/json", query, content: Array(content.utf8))
    }

    private init(_ code: ProblemCode, xml content: String, _ query: String = "") {
        self.init(code, type: "application/xml", query, content: Array(content.utf8))
    }

    private init(_ code: ProblemCode, plist content: String, _ query: String = "") {
        self.init(code, type: "application/x-plist", query, content: Array(content.utf8))
    }

    private init(_ code: ProblemCode, form content: String, _ query: String = "") {
        self.init(code, type: "application/x-www-form-urlencoded", query, content: Array(content.utf8))
    }

    private init(_ code: ProblemCode, csv content: String, _ query: String = "") {
        self.init(code, type: "text/csv", query, content: Array(content.utf8))
    }

    /// A property list in binary form, whose first object is the value.
    private init(_ code: ProblemCode, objects: [UInt8]..., changing change: (inout [UInt8]) -> Void = { _ in }) {
        var content = Self.propertyList(objects)
        change(&content)
        self.init(code, type: "application/x-bplist", content: content)
    }

    private static func propertyList(_ objects: [[UInt8]]) -> [UInt8] {
        var content = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(content.count))
            content += object
        }
        let table = content.count
        content += offsets
        content += [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [objects.count, 0, table] {
            content += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        return content
    }

    /// JSON with the field `Content-Encoding`.
    private init(_ code: ProblemCode, coding: String, _ query: String = "", content: [UInt8]) {
        let target = "/v1/normalize" + (query.isEmpty ? "" : "?" + query)
        self.init(code, "POST \(target) HTTP/1.1", Self.empty + [("Content-Encoding", coding)], content)
    }

    /// Content that is a message.
    private init(_ code: ProblemCode, message content: String) {
        self.init(
            code,
            "POST /v1/normalize/message HTTP/1.1",
            [("Content-Type", "application/http")],
            Array(content.utf8)
        )
    }

    // MARK: On the wire

    /// The bytes that are sent.
    var bytes: [UInt8] { bytes { $0 } }

    /// The target of the request.
    var target: String { String(line.split(separator: " ")[1]) }

    /// - Parameter change: changes the line, the values of fields and the content, whose length is that of the changed
    ///   one.
    func bytes(_ change: (String) -> String) -> [UInt8] {
        let line = change(line)
        let content = String(validating: content, as: UTF8.self).map { Array(change($0).utf8) } ?? content
        var head = line + "\r\n"
        var fields = fields.map { (name: $0.name, value: change($0.value)) }
        fields.append((name: "Host", value: "decant.test"))
        fields.append((name: "X-Request-ID", value: "0190163d-8694-739b-aea5-966c26f8ad91"))
        if !content.isEmpty { fields.append((name: "Content-Length", value: "\(content.count)")) }
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        return Array((head + "\r\n").utf8) + content
    }

    // MARK: In a page

    /// The request as text for people: long lines are shortened, and content that is not text is in Base64.
    var text: String {
        var lines = [Self.shortened(line)]
        for (name, value) in fields { lines.append(Self.shortened("\(name): \(value)")) }
        guard !content.isEmpty else { return lines.joined(separator: "\n") }
        lines.append("")
        let text = String(validating: content, as: UTF8.self)
        let isText = text?.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 } ?? false
        if let text, isText {
            lines += text.split(separator: "\n", omittingEmptySubsequences: false).map { Self.shortened(String($0)) }
        } else {
            lines.append("(\(content.count) bytes, here in Base64)")
            lines.append(Self.shortened(Data(content).base64EncodedString()))
        }
        return lines.joined(separator: "\n")
    }

    private static func shortened(_ line: String) -> String {
        line.count <= 400 ? line : "\(line.prefix(100))… (\(line.utf8.count) bytes)"
    }

    // MARK: All requests

    static let all =
        request + messages + response + json + parts + xml + propertyLists + forms + csv + events + feeds + images
        + fetching

    static let empty: [(String, String)] = [("Content-Type", "application/json")]
    private static let braces = Array("{}".utf8)

    private static let request = [
        ProvokedProblem(.invalidOption, json: "{}", "nulls=keeep"),
        ProvokedProblem(.invalidField, "POST /v1/normalize HTTP/1.1", empty + [("Upstream-Status", "99")], braces),
        ProvokedProblem(
            .conflictingFields,
            "POST /v1/normalize/envelope HTTP/1.1",
            empty + [("Upstream-Status", "404")],
            braces
        ),
        ProvokedProblem(
            .invalidEnvelope,
            "POST /v1/normalize/envelope HTTP/1.1",
            empty,
            Array(#"{"status":"200"}"#.utf8)
        ),
        ProvokedProblem(
            .malformedFraming,
            "POST /v1/normalize HTTP/1.1",
            empty + [("Transfer-Encoding", "chunked"), ("Content-Length", "2")]
        ),
        ProvokedProblem(.targetTooLong, "GET /\(String(repeating: "a", count: 17_000)) HTTP/1.1"),
        ProvokedProblem(
            .headTooLarge,
            "GET /livez HTTP/1.1",
            (0..<20).map { ("X-\($0)", String(repeating: "a", count: 1_000)) }
        ),
        ProvokedProblem(
            .unsupportedTransferCoding,
            "POST /v1/normalize HTTP/1.1",
            empty + [("Transfer-Encoding", "gzip, chunked")]
        ),
        ProvokedProblem(.unsupportedVersion, "GET /livez HTTP/3.0"),
        ProvokedProblem(.notFound, "GET /v1/serializer HTTP/1.1"),
        ProvokedProblem(.methodNotAllowed, "GET /v1/normalize HTTP/1.1"),
        ProvokedProblem(
            .notAcceptable,
            "POST /v1/thumbnail HTTP/1.1",
            [("Content-Type", "image/png"), ("Accept", "image/avif")],
            png
        ),
        ProvokedProblem(.contentTooLarge, json: #"{"id":1}"#, "max-content-bytes=4"),
        ProvokedProblem(
            .unsupportedMediaType,
            "POST /v1/normalize/envelope HTTP/1.1",
            [("Content-Type", "text/xml")],
            Array("<a/>".utf8)
        ),
        ProvokedProblem(.tokenMissing, "POST /v1/normalize HTTP/1.1", empty, braces),
        ProvokedProblem(
            .tokenInvalid,
            "POST /v1/normalize HTTP/1.1",
            empty + [("Authorization", "Bearer revoked-secret")],
            braces
        ),
        ProvokedProblem(.permissionMissing, "GET /metrics HTTP/1.1", [("Authorization", "Bearer web-secret")]),
    ]

    /// `{"id":1,"name":"decant"}`.
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xAB, 0x56, 0xCA, 0x4C, 0x51, 0xB2,
        0x32, 0xD4, 0x51, 0xCA, 0x4B, 0xCC, 0x4D, 0x55, 0xB2, 0x52, 0x4A, 0x49, 0x4D, 0x4E, 0xCC, 0x2B,
        0x51, 0xAA, 0x05, 0x00, 0xD6, 0xBB, 0x55, 0x3F, 0x18, 0x00, 0x00, 0x00,
    ]

    /// 4 MiB of the digit 0.
    private static let zeros: [UInt8] = [
        0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x68, 0x4C, 0x00, 0x00, 0x08, 0x30, 0x01, 0x00, 0xFC, 0xFF, 0x39,
        0x10, 0x02, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00,
        0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00,
        0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00,
        0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00,
        0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00,
        0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00,
        0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00,
        0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x02, 0x00, 0x10, 0x30, 0x03, 0x00, 0x10, 0x30,
    ]

    private static let messages = [
        ProvokedProblem(.messageInvalidStatusLine, message: "HTTP/1.1 OK\r\n\r\n"),
        ProvokedProblem(.messageUnsupportedVersion, message: "HTTP/4 200\r\n\r\n"),
        ProvokedProblem(.messageBareLineFeed, message: "HTTP/1.1 200 OK\nContent-Type: application/json\n\n{}"),
        ProvokedProblem(.messageInvalidField, message: "HTTP/1.1 200 OK\r\nContent-Type : application/json\r\n\r\n{}"),
        ProvokedProblem(
            .messageHeadTooLarge,
            message: "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 66_000))\r\n\r\n{}"
        ),
        ProvokedProblem(.messageInvalidLength, message: "HTTP/1.1 200 OK\r\nContent-Length: 2 bytes\r\n\r\n{}"),
        ProvokedProblem(
            .messageConflictingFraming,
            message: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"
        ),
        ProvokedProblem(
            .messageUnsupportedTransferCoding,
            message: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
        ),
        ProvokedProblem(
            .messageMalformedChunk,
            message: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n"
        ),
        ProvokedProblem(.messageTruncated, message: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}"),
        ProvokedProblem(
            .messageTrailingBytes,
            message: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}{}"
        ),
    ]

    private static let response = [
        ProvokedProblem(.typeMismatch, json: "<!DOCTYPE html><title>Log in</title>"),
        ProvokedProblem(
            .unacceptableStatus,
            "POST /v1/normalize HTTP/1.1",
            empty + [("Upstream-Status", "404")],
            Array(#"{"message":"no such user"}"#.utf8)
        ),
        ProvokedProblem(
            .unacceptableType,
            type: "text/html",
            content: Array("<!doctype html><title>Sign in</title>".utf8)
        ),
        ProvokedProblem(
            .codingUnsupported,
            "POST /v1/normalize HTTP/1.1",
            empty + [("Content-Encoding", "compress")],
            braces
        ),
        ProvokedProblem(.codingTruncated, coding: "gzip", content: Array(gzip.dropLast(12))),
        ProvokedProblem(.codingCorrupt, coding: "gzip", content: gzip.dropLast(5) + [0] + gzip.suffix(4)),
        // A frame header without content size, whose window is 16 MiB.
        ProvokedProblem(.codingWindowTooLarge, coding: "zstd", content: [0x28, 0xB5, 0x2F, 0xFD, 0, 14 << 3, 1, 0, 0]),
        // A zlib header with the bit for a preset dictionary.
        ProvokedProblem(.codingDictionary, coding: "deflate", content: [0x78, 0xBB, 0, 0, 0, 1, 3, 0, 0, 0, 0, 1]),
        ProvokedProblem(.contentCodings, coding: "br,br,br,br,br", content: braces),
        ProvokedProblem(.decodedTooLong, coding: "gzip", "max-decoded-bytes=4", content: gzip),
        ProvokedProblem(.decodedRatio, coding: "zstd", content: zeros),
        ProvokedProblem(
            .charsetUnsupported,
            type: "application/json; charset=x-unknown",
            content: [UInt8(ascii: "\""), 0xE9, UInt8(ascii: "\"")]
        ),
        ProvokedProblem(.outputTooLong, json: #"{"id":1}"#, "max-output-bytes=4"),
    ]

    private static let json = [
        ProvokedProblem(.jsonUnexpectedCharacter, json: #"{"user":{"name":"x" "age":1}}"#),
        ProvokedProblem(.jsonUnexpectedEnd, json: #"{"user":{"name":"x""#),
        ProvokedProblem(.jsonTrailingContent, json: #"{"id":1},"#),
        ProvokedProblem(.jsonInvalidNumber, json: #"{"price":01.50}"#),
        ProvokedProblem(.jsonInvalidLiteral, json: #"{"active":tru}"#),
        ProvokedProblem(.jsonInvalidEscape, json: #"{"path":"C:\dir"}"#),
        ProvokedProblem(.jsonLoneSurrogate, json: #"{"name":"\ud83d"}"#),
        ProvokedProblem(.jsonControlCharacter, json: "{\"text\":\"two\nlines\"}"),
        ProvokedProblem(.jsonInvalidEncoding, type: "application/json", content: [0x5B, 0x22, 0xE9, 0x22, 0x5D]),
        ProvokedProblem(.jsonDuplicateName, json: #"{"id":1,"id":2}"#, "duplicates=reject"),
        ProvokedProblem(.jsonTopLevelScalar, json: "42", "fragments=false"),
        ProvokedProblem(.jsonNumberNotRepresentable, json: #"{"size":1e400}"#, "canonical=true"),
        ProvokedProblem(.jsonNestingTooDeep, json: "[[[[]]]]", "max-nesting-depth=3"),
        ProvokedProblem(.jsonNumberTooLong, json: "[12345]", "max-number-bytes=4"),
        ProvokedProblem(.jsonKeyTooLong, json: #"{"identifier":1}"#, "max-key-bytes=4"),
        ProvokedProblem(.jsonTooManyMembers, json: #"{"a":1,"b":2,"c":3}"#, "max-object-members=2"),
    ]

    private static let xml = [
        ProvokedProblem(.xmlMalformed, xml: "<user name=Ann/>"),
        ProvokedProblem(.xmlUnexpectedEnd, xml: "<user><name>Ann</name>"),
        ProvokedProblem(.xmlTrailingContent, xml: "<user/><user/>"),
        ProvokedProblem(.xmlMismatchedTag, xml: "<user><name>Ann</user>"),
        ProvokedProblem(.xmlDuplicateAttribute, xml: #"<user id="1" id="2"/>"#),
        ProvokedProblem(.xmlInvalidCharacter, xml: "<user>&#1;</user>"),
        ProvokedProblem(
            .xmlInvalidEncoding,
            type: "application/xml",
            content: [0x3C, 0x61, 0x3E, 0xE9, 0x3C, 0x2F, 0x61, 0x3E]
        ),
        ProvokedProblem(.xmlUndeclaredEntity, xml: "<user>&name;</user>"),
        ProvokedProblem(
            .xmlExternalEntity,
            xml: #"<!DOCTYPE user [<!ENTITY name SYSTEM "file:///etc/passwd">]><user>&name;</user>"#
        ),
        ProvokedProblem(
            .xmlEntityExpansion,
            xml: #"<!DOCTYPE a [<!ENTITY b "bbbbbbbb">]><a>&b;&b;&b;&b;</a>"#,
            "max-xml-entity-expansion-bytes=16"
        ),
        ProvokedProblem(.xmlNestingTooDeep, xml: "<a><b><c/></b></a>", "max-nesting-depth=2"),
        ProvokedProblem(.xmlTooManyAttributes, xml: #"<a b="1" c="2" d="3"/>"#, "max-xml-attributes=2"),
        ProvokedProblem(
            .xmlTooManyNamespaces,
            xml: "<a " + (0..<257).map { "xmlns:n\($0)=\"n\($0)\"" }.joined(separator: " ") + "/>"
        ),
        ProvokedProblem(.xmlTooManyNames, xml: "<a>" + (0..<32_768).map { "<n\($0)/>" }.joined() + "</a>"),
        ProvokedProblem(.xmlKeyTooLong, xml: "<identifier/>", "max-key-bytes=4"),
        ProvokedProblem(
            .xmlDoctypeTooLong,
            xml: "<!DOCTYPE a [" + (0..<3_000).map { "<!ELEMENT n\($0) ANY>" }.joined() + "]><a/>"
        ),
        ProvokedProblem(
            .xmlTooManyChoices,
            xml: "<!DOCTYPE a [<!ATTLIST a b (" + (0..<513).map { "c\($0)" }.joined(separator: "|") + ") 'c0'>]><a/>"
        ),
    ]

    private static let propertyLists = [
        ProvokedProblem(.plistNotAPropertyList, plist: "// no value"),
        ProvokedProblem(
            .plistUnsupportedVersion,
            type: "application/x-bplist",
            content: Array("bplist15".utf8) + [UInt8](repeating: 0, count: 40)
        ),
        ProvokedProblem(.plistUnexpectedEnd, plist: "{ name = Ann;"),
        ProvokedProblem(.plistUnexpectedCharacter, plist: "{ name = Ann, }"),
        ProvokedProblem(.plistUnexpectedElement, plist: "<plist><name>Ann</name></plist>"),
        ProvokedProblem(.plistTrailingContent, plist: "{ name = Ann; } { name = Ben; }"),
        ProvokedProblem(.plistMalformedXML, plist: "<plist><dict></plist>"),
        ProvokedProblem(.plistInvalidTrailer, objects: [0x09]) { $0[$0.count - 1] = 200 },
        ProvokedProblem(.plistInvalidReference, objects: [0xA1, 5]),
        ProvokedProblem(.plistOverlappingObjects, objects: [0xA2, 1, 2], [0x52, 0x51, 0x61], [0x09]) {
            $0[$0.count - 33] = 12
        },
        ProvokedProblem(.plistUnknownMarker, objects: [0x01]),
        ProvokedProblem(.plistInvalidString, objects: [0x51, 0xE9]),
        ProvokedProblem(.plistLoneSurrogate, objects: [0x61, 0xD8, 0x3D]),
        ProvokedProblem(.plistInvalidEncoding, type: "application/x-plist", content: [0x28, 0x22, 0xE9, 0x22, 0x29]),
        ProvokedProblem(.plistInvalidEscape, plist: #"{ name = "\Uxyz"; }"#),
        ProvokedProblem(.plistInvalidNumber, plist: "<plist><integer>one</integer></plist>"),
        ProvokedProblem(.plistInvalidDate, plist: "<plist><date>2026-02-30T00:00:00Z</date></plist>"),
        ProvokedProblem(.plistInvalidData, plist: "<plist><data>*</data></plist>"),
        ProvokedProblem(.plistInvalidKey, objects: [0xD1, 1, 1], [0x09]),
        ProvokedProblem(.plistDuplicateKey, plist: "{ id = 1; id = 2; }", "duplicates=reject"),
        ProvokedProblem(.plistCycle, objects: [0xA1, 0]),
        ProvokedProblem(
            .plistInvalidArchive,
            plist: """
                <plist><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key>\
                <integer>100000</integer>
                <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>9</integer></dict></dict>
                <key>$objects</key><array><string>$null</string></array></dict></plist>
                """,
            "archive=resolve"
        ),
        ProvokedProblem(.plistExpansionTooLarge, type: "application/x-bplist", content: doubled),
        ProvokedProblem(.plistNestingTooDeep, plist: "((((1))))", "max-nesting-depth=3"),
        ProvokedProblem(.plistNumberTooLong, plist: "<plist><integer>12345</integer></plist>", "max-number-bytes=4"),
        ProvokedProblem(.plistKeyTooLong, plist: "{ identifier = 1; }", "max-key-bytes=4"),
        ProvokedProblem(.plistTooManyMembers, plist: "{ a = 1; b = 2; c = 3; }", "max-object-members=2"),
    ]

    private static let forms = [
        ProvokedProblem(.formInvalidEncoding, form: "name=Ann&city=Z%FCrich"),
        ProvokedProblem(.formKeyTooLong, form: "identifier=1", "max-key-bytes=4"),
        ProvokedProblem(.formTooManyMembers, form: "a=1&b=2&c=3", "max-object-members=2"),
    ]

    private static let parts = [
        ProvokedProblem(.partNotFound, json: #"{"user":{"id":7,"name":"Ann"}}"#, "select=/user/nmae")
    ]

    private static let feeds = [
        ProvokedProblem(
            .feedNotAFeed,
            type: "application/xml",
            "serializer=feed",
            content: Array("<html><head><title>Not found</title></head></html>".utf8)
        )
    ]

    private static let csv = [
        ProvokedProblem(
            .csvInvalidEncoding,
            type: "text/csv",
            content: Array("name,city\nAnn,Z".utf8) + [0xFC] + Array("rich\n".utf8)
        ),
        ProvokedProblem(.csvUnterminatedQuote, csv: "name,note\nAnn,\"first\nBob,second\n"),
        ProvokedProblem(.csvTextAfterQuote, csv: "name,note\nAnn,\"the \"best\" one\"\n"),
        ProvokedProblem(.csvTooFewFields, csv: "name,city,country\nAnn,Oslo,NO\nBob,Rome\n"),
        ProvokedProblem(.csvTooManyFields, csv: "name,price\ntea,1,50\n"),
        ProvokedProblem(.csvKeyTooLong, csv: "identifier,name\n1,Ann\n", "max-key-bytes=4"),
        ProvokedProblem(.csvTooManyColumns, csv: "a,b,c\n1,2,3\n", "max-object-members=2"),
    ]

    private static let events = [
        ProvokedProblem(
            .eventsInvalidEncoding,
            type: "text/event-stream",
            content: Array("data: Z".utf8) + [0xFC] + Array("rich\n\n".utf8)
        ),
        ProvokedProblem(
            .eventsUnfinished,
            type: "text/event-stream",
            content: Array("event: price\ndata: 10\n\nevent: price\nda".utf8)
        ),
    ]

    /// 40 arrays, each of which contains the next one twice.
    private static let doubled: [UInt8] = {
        let arrays = (1...40 as ClosedRange<UInt8>).map { [0xA2, $0, $0] }
        return propertyList(arrays + [[0x09]])
    }()

    init(_ code: ProblemCode, fetch content: String, fields: [(String, String)] = []) {
        self.init(code, "POST /v1/fetch HTTP/1.1", Self.empty + fields, Array(content.utf8))
    }

    private static let fetching = [
        ProvokedProblem(.invalidFetch, fetch: #"{"url":"https://api.example/","waitSeconds":"5"}"#),
        ProvokedProblem(.fetchNotConfigured, fetch: #"{"url":"https://api.example/"}"#),
        ProvokedProblem(.fetchInvalidURL, fetch: #"{"url":"https://api.example/a b"}"#),
        ProvokedProblem(.fetchUnsupportedScheme, fetch: #"{"url":"ftp://api.example/"}"#),
        ProvokedProblem(.fetchURLHasCredentials, fetch: #"{"url":"https://me@api.example/"}"#),
        ProvokedProblem(
            .fetchFieldNotAllowed,
            fetch: #"{"url":"https://api.example/","headers":[["Host","b.example"]]}"#
        ),
        ProvokedProblem(.fetchMethodNotAllowed, fetch: #"{"url":"https://api.example/","method":"DELETE"}"#),
        ProvokedProblem(.fetchHostNotAllowed, fetch: #"{"url":"https://b.example/"}"#),
        ProvokedProblem(.fetchAddressNotAllowed, fetch: #"{"url":"https://10.0.0.1/"}"#),
        ProvokedProblem(.fetchCacheKeyNotAllowed, fetch: #"{"url":"https://api.example/","cacheKey":"a"}"#),
        ProvokedProblem(
            .fetchSizeNotAllowed,
            "GET /v1/image?url=https://api.example/photo.jpg&thumbnail=65x65 HTTP/1.1"
        ),
        ProvokedProblem(.fetchNotFound, "DELETE /v1/fetches/r-1 HTTP/1.1"),
        ProvokedProblem(.fetchUnavailable, fetch: #"{"url":"https://api.example/"}"#),
        ProvokedProblem(.cachePurgeNotAllowed, "DELETE /v1/cache HTTP/1.1"),
        ProvokedProblem(.cacheNotFound, "DELETE /v1/cache?url=https://api.example/ HTTP/1.1"),
        ProvokedProblem(.cacheOnlyIfCached, fetch: #"{"url":"https://api.example/","cache":"only-if-cached"}"#),
    ]

    private static let images = [
        ProvokedProblem(.imageNotAnImage, type: "image/png", content: Array("no image".utf8)),
        ProvokedProblem(.imageTruncated, type: "image/png", "thumbnail=none", content: Array(png.prefix(20))),
        ProvokedProblem(
            .imageCorrupt,
            type: "image/png",
            "thumbnail=none",
            content: png.prefix(16) + [0x7F] + png.dropFirst(17)
        ),
        ProvokedProblem(
            .imageUnsupportedPixels,
            type: "image/svg+xml",
            "serializer=image&thumbnail=64x64",
            content: Array(#"<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>"#.utf8)
        ),
        ProvokedProblem(.imageTooLargeToDecode, type: "image/png", "thumbnail=1x1&max-image-pixels=2", content: png),
        ProvokedProblem(.noWorkers, type: "image/png", "thumbnail=1x1", content: png),
    ]

    /// A grey image of 2 × 2 pixels.
    private static let png = [UInt8](
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAADklEQVR42mNoaGBoaAAABgYCATGpHqEAAAAASUVORK5CYII="
        ) ?? Data()
    )
}
