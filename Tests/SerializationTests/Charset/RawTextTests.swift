import Serialization
import SerializationSupport
import Testing

/// The member `"text"` of the `http` serializer: the content in its declared charset, if it is valid.
@Suite struct RawTextTests {
    @Test(
        arguments: [
            ("text/plain; charset=ISO-8859-1", "47 72 F6 DF 65", "Größe", "windows-1252"),
            ("text/plain; charset=Shift_JIS", "93 FA 96 7B", "日本", "shift_jis"),
            ("text/plain; charset=utf-16", "FE FF 65 E5", "\u{FEFF}日", "utf-16be"),
            ("text/plain; charset=utf-16", "E5 65", "日", "utf-16le"),
            ("text/plain; charset=iso-8859-1", "EF BB BF C3 B6", "\u{FEFF}ö", "utf-8"),
            ("text/plain; charset=iso-8859-1", "FF FE F6 00", "\u{FEFF}ö", "utf-16le"),
            ("text/plain; charset=shift_jis", "FE FF 00 F6", "\u{FEFF}ö", "utf-16be"),
            ("text/plain; charset=utf-8", "00 00 FE FF 00 00 00 F6", "\u{FEFF}ö", "utf-32be"),
            ("text/plain", "FF FE F6 00", "\u{FEFF}ö", "utf-16le"),
            // Not valid in the encoding of the mark.
            ("text/plain; charset=iso-8859-1", "FF FE F6", "ÿþö", "windows-1252"),
            ("text/plain; charset=us-ascii", "C3 B6", "ö", "utf-8"),
            ("text/plain; charset=us-ascii", "F6", "ö", "windows-1252"),
            ("text/plain", "C3 B6", "ö", "utf-8"),
            ("text/plain", "F6", nil, nil),
            ("text/plain; charset=utf-8", "F6", nil, nil),
            ("text/plain; charset=klingon", "41", nil, nil),
            ("text/plain; charset=shift_jis", "93", nil, nil),
            ("image/png; charset=iso-8859-1", "89 50 4E 47", nil, nil),
            ("application/pdf; charset=iso-8859-1", "25 50 44 46 2D F6", nil, nil),
            ("image/svg+xml; charset=iso-8859-1", "F6", "ö", "windows-1252"),
        ] as [(String, String, String?, String?)]
    )
    func `raw content is text in its charset`(type: String, bytes: String, text: String?, charset: String?) throws {
        var options = SerializationOptions()
        options.serializer = .one(.http)
        options.acceptableMediaTypes = nil
        options.declaredType = type
        let content = bytes.hexBytes
        let answer = try ResponseSerializer(options: options).serialize(UpstreamResponse(), content: content.span)
        #expect(answer.upstream.representation.charset == charset)
        let label = type.split(separator: "=").dropFirst().first.map(String.init)
        let isMarked = text?.first == "\u{FEFF}"
        let start = SourceLocation(byte: 0)
        var expected: [Warning] = []
        if isMarked, let label, let charset, label != "utf-16" {
            expected.append(Warning(.charsetMismatch(declared: label, actual: charset), at: start))
        }
        if isMarked, let charset {
            expected.append(Warning(.byteOrderMark(encoding: charset, isKept: true), at: start))
        }
        if let charset, charset != "utf-8" { expected.append(Warning(.transcoded(encoding: charset), at: start)) }
        #expect(answer.warnings == expected)
        let buffer = answer.takeJSON()
        let json = String(decoding: Array(buffer), as: UTF8.self)
        #expect(json.contains(#""text":"# + "\"\(text ?? "")\"") == (text != nil))
        #expect(json.contains(#""text":"#) == (text != nil))
    }
}
