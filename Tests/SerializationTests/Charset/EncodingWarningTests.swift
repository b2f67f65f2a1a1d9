import SerializationSupport
import Testing

@testable import Serialization

/// A byte order mark and a charset other than UTF-8 are warnings in every format.
@Suite struct EncodingWarningTests {
    private struct Format {
        var kind: SerializerKind
        var type: String
        var text: String
    }

    private static let formats = [
        Format(kind: .json, type: "application/json", text: #"{"a":"é"}"#),
        Format(kind: .xml, type: "text/xml", text: "<a>é</a>"),
        Format(kind: .xmlDocument, type: "text/xml", text: "<a>é</a>"),
        Format(kind: .plist, type: "application/x-plist", text: "<plist><string>é</string></plist>"),
        Format(kind: .plist, type: "application/x-plist", text: "{ a = \"é\"; }"),
        Format(kind: .http, type: "text/plain", text: "é"),
        Format(kind: .form, type: "application/x-www-form-urlencoded", text: "a=é"),
        Format(kind: .csv, type: "text/csv", text: "a\né"),
        Format(kind: .feed, type: "application/rss+xml", text: "<rss><channel><title>é</title></channel></rss>"),
        Format(
            kind: .feed,
            type: "application/feed+json",
            text: #"{"version":"https://jsonfeed.org/version/1","title":"é","items":[]}"#
        ),
        Format(kind: .events, type: "text/event-stream", text: "data: é\n\n"),
    ]

    private func mismatches(_ format: Format, _ content: [UInt8], label: String) -> [Serialization.SourceLocation?] {
        result(format, content, label: label).warnings.filter { $0.code == "response.charset_mismatch" }.map(\.location)
    }

    private func codes(_ format: Format, _ content: [UInt8], label: String? = nil) -> [String]? {
        let result = result(format, content, label: label)
        return result.json == nil ? nil : result.warnings.map(\.code)
    }

    private func result(_ format: Format, _ content: [UInt8], label: String?) -> Serialized {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: format.type + (label.map { "; charset=" + $0 } ?? ""))
        var options = SerializationOptions()
        options.serializer = .one(format.kind)
        options.acceptableMediaTypes = nil
        return serialize(response, content: content, options: options)
    }

    @Test(arguments: formats.indices)
    func `a byte order mark is a warning`(index: Int) {
        let format = Self.formats[index]
        #expect(codes(format, Array(format.text.utf8)) == [])
        #expect(codes(format, Array(("\u{FEFF}" + format.text).utf8)) == ["response.byte_order_mark"])
    }

    /// A reader receives the text before such a byte, and must not take it for the whole.
    @Test(arguments: formats.indices)
    func `a byte that is not valid UTF-8 is an error wherever it is`(index: Int) {
        let format = Self.formats[index]
        // Other bytes become Base64.
        guard format.kind != .http else { return }
        let text = Array(format.text.utf8)
        for offset in 0...text.count {
            let content = text[..<offset] + [0xFF] + text[offset...]
            let codes = codes(format, Array(content))
            // A feed may be read in another charset, with a warning.
            let isReplaced = format.kind == .feed && codes?.contains("response.charset_replaced") == true
            #expect(codes == nil || isReplaced, "at \(offset)")
        }
    }

    @Test func `every format of text has a row`() {
        let rows = Set(Self.formats.map(\.kind))
        #expect(SerializerKind.allCases.filter { $0.serializer.isText && !rows.contains($0) } == [])
    }

    @Test(arguments: formats.indices)
    func `transcoding is a warning`(index: Int) {
        let format = Self.formats[index]
        let marked = ("\u{FEFF}" + format.text).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(codes(format, marked) == ["response.byte_order_mark", "response.transcoded"])
        let latin1 = format.text.unicodeScalars.map { UInt8($0.value) }
        let codes = codes(format, latin1, label: "iso-8859-1")
        #expect(codes == ["response.transcoded"])
    }

    @Test(arguments: ["iso-8859-1", "windows-1251", "koi8-r"])
    func `valid UTF-8 under the label of a charset of single bytes is a warning`(label: String) {
        for kind in [SerializerKind.json, .xml, .xmlDocument, .plist] {
            for format in Self.formats where format.kind == kind {
                let codes = codes(format, Array(format.text.utf8), label: label)
                #expect(codes?.first == "response.charset_mismatch", "\(format)")
                let ascii = Array(format.text.replacing("é", with: "e").utf8)
                let isXML = format.text.hasPrefix("<")
                #expect(self.codes(format, ascii, label: label) == (isXML ? [] : ["response.charset_mismatch"]))
            }
        }
    }

    @Test(arguments: formats.indices)
    func `the first byte that contradicts the label is its location`(index: Int) throws {
        let format = Self.formats[index]
        // The text is what the label says it is, in any charset of single bytes.
        guard format.kind != .http else { return }
        let content = Array(format.text.utf8)
        let accent = try #require(content.firstIndex(of: 0xC3))
        #expect(mismatches(format, content, label: "koi8-r") == [SourceLocation(byte: accent)])
        #expect(mismatches(format, content, label: "utf-16") == [SourceLocation(byte: 0)])
        let marked = Array(("\u{FEFF}" + format.text).utf8)
        #expect(mismatches(format, marked, label: "koi8-r") == [SourceLocation(byte: 0)])
    }

    @Test func `ASCII contradicts no charset of single bytes, and an escape does`() {
        let json = Format(kind: .json, type: "application/json", text: "")
        #expect(mismatches(json, Array("[1]".utf8), label: "koi8-r") == [nil])
        let form = Format(kind: .form, type: "application/x-www-form-urlencoded", text: "")
        #expect(mismatches(form, Array("a=1&b=x%C3%A9&c=%C3%A9".utf8), label: "koi8-r") == [SourceLocation(byte: 7)])
    }

    /// The label is used, as RFC 7303 requires.
    @Test func `the value of XML is that of its label`() {
        let result = serialize(type: "text/xml; charset=iso-8859-1", "<a>é</a>") { $0.view = .value }
        #expect(result.json == #"{"a":"Ã©"}"#)
        #expect(
            result.warnings == [
                Warning(.unlikelyCharset(declared: "iso-8859-1"), at: SourceLocation(byte: 3)),
                Warning(.transcoded(encoding: "windows-1252"), at: SourceLocation(byte: 0)),
            ]
        )
        // The declaration decides otherwise, and a charset of several bytes can have the same bytes.
        let declared = "<?xml version='1.0' encoding='iso-8859-1'?><a>é</a>"
        let codes = serialize(type: "text/xml; charset=iso-8859-1", declared).warnings.map(\.code)
        #expect(codes == ["response.transcoded"])
        #expect(serialize(type: "text/xml; charset=gbk", "<a>éé</a>").warnings.map(\.code) == ["response.transcoded"])
    }

    /// Nothing was removed from the text.
    @Test func `the byte order mark of raw content is a part of its text`() {
        let result = serialize(type: "text/plain", "\u{FEFF}a") {
            $0.view = .value
            $0.serializer = .one(.http)
        }
        #expect(result.json == "{\"text\":\"\u{FEFF}a\"}")
        #expect(
            result.warnings.map(\.message) == [
                "the content begins with a byte order mark (utf-8), which is a part of the text"
            ]
        )
    }
}
