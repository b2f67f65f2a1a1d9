import Serialization
import SerializationSupport
import Testing

/// Content that the caller has decoded to text before it was forwarded: its declared encoding no longer applies.
@Suite struct DecodedTextTests {
    @Test(
        arguments: [
            (SerializerKind.xml, "text/xml; charset=iso-8859-1", "<a>Müller</a>", #"{"a":"Müller"}"#, ["iso-8859-1"]),
            (.xml, "text/xml", "<?xml version='1.0' encoding='iso-8859-1'?><a>ü</a>", #"{"a":"ü"}"#, []),
            (.xml, "text/xml; charset=klingon", "<a>ü</a>", #"{"a":"ü"}"#, ["klingon"]),
            (.xml, "text/xml; charset=UTF-8", "<a>ü</a>", #"{"a":"ü"}"#, []),
            (.json, "application/json; charset=windows-1251", #"{"a":"ü"}"#, #"{"a":"ü"}"#, ["windows-1251"]),
            (
                .plist, "application/x-plist; charset=iso-8859-1", "<plist><string>ü</string></plist>", #""ü""#,
                ["iso-8859-1"]
            ),
            (.plist, "application/x-plist; charset=iso-8859-1", "{ a = \"ü\"; }", #"{"a":"ü"}"#, ["iso-8859-1"]),
            (
                .http, "text/plain; charset=iso-8859-1", "ü", #"{"text":"ü"}"#, ["iso-8859-1"]
            ),
        ] as [(SerializerKind, String, String, String, [String])]
    )
    func `text is not decoded again by its label or its declaration`(
        kind: SerializerKind,
        type: String,
        text: String,
        json: String,
        labels: [String]
    ) {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: type)
        response.hasUnicodeContent = true
        var options = SerializationOptions()
        options.serializer = .one(kind)
        options.acceptableMediaTypes = nil
        options.view = .value
        let result = serialize(response, content: Array(text.utf8), options: options)
        #expect(result.json == json)
        #expect(result.upstream.representation.charset == "utf-8")
        let mismatches = result.warnings.filter { $0.code == "response.charset_mismatch" }
        #expect(mismatches == labels.map { Warning(.charsetMismatch(declared: $0, actual: "utf-8")) })
    }

    @Test func `a declaration that no longer applies is a warning`() {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: "text/xml")
        response.hasUnicodeContent = true
        let text = "<?xml version='1.0' encoding='iso-8859-1'?><a>ü</a>"
        let result = serialize(response, content: Array(text.utf8))
        #expect(result.warnings == [Warning(.declarationMismatch(declared: "iso-8859-1", actual: "utf-8"))])
        // The bytes of a message still have their declared encoding.
        response.hasUnicodeContent = false
        #expect(serialize(response, content: Array(text.utf8)).upstream.representation.charset == "windows-1252")
    }

    @Test func `rules of AFNetworking ignore the label without a warning`() {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: "text/xml; charset=iso-8859-1")
        response.hasUnicodeContent = true
        var options = SerializationOptions()
        options.rules = .afnetworking
        options.serializer = .one(.xml)
        options.view = .value
        let result = serialize(response, content: Array("<a>ü</a>".utf8), options: options)
        #expect(result.warnings == [])
        #expect(result.upstream.representation.charset == "utf-8")
    }
}
