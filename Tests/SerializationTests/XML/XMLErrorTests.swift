import SerializationSupport
import TestSupport
import Testing

@testable import Serialization

/// Rejections, each with the library's number, the location, and the open element.
@Suite struct XMLErrorTests {
    @Test(arguments: [
        ("<a>\n <b></a>", XMLError.Reason.mismatchedTag, 76, 8, 2, 5, "/a/b"),
        ("<a><b/><b/><b>&x;</b></a>", .undeclaredEntity("x"), 26, 14, 1, 15, "/a/b[3]"),
        ("<a/><b/>", .trailingContent, 5, 4, 1, 5, "/"),
        ("<a><b>", .unexpectedEnd, 5, 6, 1, 7, "/a/b"),
        ("<a x='1' x='2'/>", .duplicateAttribute, 42, 14, 1, 15, "/"),
        ("<a xmlns:p='u' xmlns:q='u' p:b='' q:b='' q:b=''/>", .duplicateAttribute, 42, 47, 1, 48, "/"),
        ("<a xmlns:p='u' xmlns:q='u'><b q:c='' p:c='' q:c=''/></a>", .duplicateAttribute, 42, 50, 1, 51, "/a"),
        ("<!DOCTYPEa><a/>", .malformed, 65, 9, 1, 10, "/"),
        ("<!DOCTYPE a>[<!ENTITY e 'f'>]><a/>", .malformed, 4, 12, 1, 13, "/"),
        ("<!DOCTYPE a SYSTEM '[' >[]><a/>", .malformed, 4, 24, 1, 25, "/"),
        ("hello", .malformed, 4, 0, 1, 1, "/"),
        ("<a>&#0;</a>", .invalidCharacter, 9, 3, 1, 4, "/a"),
        ("<a>&#65;\n&#xD800;</a>", .invalidCharacter, 9, 9, 2, 1, "/a"),
        ("<a><b x='&#9;&#x110000;'/></a>", .invalidCharacter, 9, 13, 1, 14, "/a"),
        ("<a>&#65;\u{1}</a>", .invalidCharacter, 9, 8, 1, 9, "/a"),
        ("<!DOCTYPE a [<!ENTITY e 'x&#0;y'>]><a/>", .invalidCharacter, 9, 26, 1, 27, "/"),
        ("<!DOCTYPE a [ <!ENTITY e 'x'> ] <a/>", .malformed, 61, 32, 1, 33, "/"),
        ("<!DOCTYPE a [ <!ENTITY e 'x'>", .unexpectedEnd, 1, 29, 1, 30, "/"),
        ("<a>\n<![CDATA[" + String(repeating: "x", count: 5000), .unexpectedEnd, 63, 5013, 2, 5010, "/a"),
        (
            "<a><![CDATA[" + String(repeating: "x", count: 50_000) + "\u{FFFE}]]></a>", .invalidCharacter, 9, 50_012, 1,
            50_013, "/a"
        ),
        ("<a><b><!--c--d--></b></a>", .malformed, 80, 11, 1, 12, "/a/b"),
        ("<a><b><!--é--d--></b></a>", .malformed, 80, 14, 1, 14, "/a/b"),
        ("<!DOCTYPE a [<!ENTITY e 'f'>]><a><!--c--d--></a>", .malformed, 80, 38, 1, 39, "/a"),
        ("<!DOCTYPE a [<!ENTITY e 'f'>]><a><?p <!--c--d--> ?><!--\r--d--></a>", .malformed, 80, 58, 2, 3, "/a"),
        ("<!DOCTYPE a [<!ENTITY e 'f'>]><a><!--\u{1}--d--></a>", .invalidCharacter, 9, 37, 1, 38, "/a"),
        ("<!DOCTYPE a [<!ENTITY e 'f'><!--c--d-->]><a/>", .malformed, 80, 33, 1, 34, "/"),
        ("<a/>\n\0", .trailingContent, 5, 5, 2, 1, "/"),
        ("<a>\0</a>", .invalidCharacter, 9, 3, 1, 4, "/a"),
        ("x", .malformed, 4, 0, 1, 1, "/"),
        ("<a>x", .unexpectedEnd, 5, 4, 1, 5, "/a"),
        ("<a>x&", .unexpectedEnd, 5, 4, 1, 5, "/a"),
        ("<a><![CD", .unexpectedEnd, 5, 3, 1, 4, "/a"),
        ("<!DOCTY", .unexpectedEnd, 5, 0, 1, 1, "/"),
        ("<!DOCTYPE a [<?p it's?>]>", .unexpectedEnd, 5, 25, 1, 26, "/"),
        ("<a>x<!b></a>", .malformed, 68, 5, 1, 6, "/a"),
        ("<a>x ]]>y</a>", .malformed, 62, 5, 1, 6, "/a"),
        ("<!DOCTYPE a [<!ELEMENT a it's>]><a/>", .malformed, 54, 25, 1, 26, "/"),
        ("<!DOCTYPE a SYSTEM 's <!--c--d' x><a/>", .malformed, 61, 32, 1, 33, "/"),
        ("\u{FEFF}\u{FEFF}<a/>", .malformed, 4, 3, 1, 1, "/"),
    ])
    func `an error reports the reason, the location and the element`(
        text: String,
        reason: XMLError.Reason,
        number: Int,
        byte: Int,
        line: Int,
        column: Int,
        path: String
    ) throws {
        let error = try #require(refusal(text))
        #expect(error.reason == reason)
        #expect(error.number == number)
        var place = SourceLocation(byte: byte, line: line, column: column)
        place.path = path
        #expect(error.location == place)
    }

    @Test(arguments: [100, 16_340, 16_352, 16_356, 16_360, 16_384, 50_000])
    func `an internal subset does not change how a mismatched end tag is reported`(count: Int) throws {
        let filler = String(repeating: "é\n", count: count / 3) + String(repeating: "x", count: count % 3)
        let body = "\n<a>\n<b/> <b y='1' q:z=''><c/>\(filler)</d></a>"
        let (whole, pieces) = ("<!DOCTYPE a>", "<!DOCTYPE a [<!ENTITY e 'f'>]>")
        var expected = try #require(refusal(pieces + body))
        #expect(expected.number == 76)
        #expect(expected.location.path == "/a/b[2]")
        expected.location.byte -= pieces.utf8.count - whole.utf8.count
        #expect(refusal(whole + body) == expected)
    }

    /// The library receives the text in pieces, of which the first has 256 bytes.
    @Test(arguments: [
        "&undefined;", "]]>", "</b>", "<b x='1' x='2'/>", "<!-- b--c -->", "&#0;", "\u{1}", "<!x>", "<b c=d/>",
        "<b c='<'/>",
        "<?xml version='1.0'?>", "\u{FFFE}", "<![CDATA[\u{1}]]>", "<b \u{1}/>", "& ", "<1/>",
    ])
    func `the location of an error does not depend on where a piece ends`(construct: String) throws {
        var expected = try #require(refusal("<a>\(construct)</a>"))
        expected.excerpt = nil
        for padding in 220...300 {
            var error = try #require(refusal("<a>\(String(repeating: " ", count: padding))\(construct)</a>"))
            error.excerpt = nil
            error.location.byte -= padding
            error.location.column = error.location.column.map { $0 - padding }
            if var first = error.first {
                first.byte -= padding
                first.column = first.column.map { $0 - padding }
                error.first = first
            }
            #expect(error == expected)
        }
    }

    @Test func `an instruction in an internal subset may have an apostrophe`() {
        let text = "<!DOCTYPE a [<!ENTITY e 'f'><?p it's?>]><a b='&e;'><![CDATA[c]]>&e;</a>"
        #expect(serialize(type: "text/xml", text) { $0.view = .value }.json == ##"{"a":{"@b":"f","#text":"cf"}}"##)
    }

    // MARK: Entities

    /// Without this check, the library removes the reference, with only a warning if there is a DTD that it has not
    /// read.
    @Test(arguments: ["<a>&x;</a>", "<!DOCTYPE a SYSTEM 's'><a>&x;</a>", "<!DOCTYPE a SYSTEM 's'><a b='&x;'/>"])
    func `an entity that is not declared is an error with its name`(text: String) {
        #expect(refusal(text)?.reason == .undeclaredEntity("x"))
        #expect(refusal(text)?.diagnostic.sentence.hasPrefix("the entity 'x' is not declared") == true)
    }

    @Test func `the name is that of the entity that is not declared, not of one that uses it`() {
        #expect(refusal("<!DOCTYPE a [<!ENTITY b '&c;'>]><a>&b;</a>")?.reason == .undeclaredEntity("c"))
        #expect(refusal("<!DOCTYPE a [%b;]><a/>")?.reason == .undeclaredEntity("b"))
    }

    @Test func `XHTML entities are known only if there is a DTD`() {
        let body = "<a b='&nbsp;'>&eacute;</a>"
        #expect(refusal(body)?.reason == .undeclaredEntity("nbsp"))
        let result = serialize(type: "text/xml", "<!DOCTYPE a SYSTEM 's'>" + body) { $0.view = .value }
        #expect(result.json == "{\"a\":{\"@b\":\"\u{A0}\",\"#text\":\"\u{E9}\"}}")
        #expect(result.warnings.map(\.code) == ["xml.named_entity", "xml.named_entity"])
    }

    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>",
        "<!DOCTYPE a [<!ENTITY e SYSTEM 'http://127.0.0.1/'>]><a>&e;</a>",
        "<!DOCTYPE a [<!ENTITY % e SYSTEM 'http://127.0.0.1/'> %e;]><a/>",
        "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a b='&e;'/>",
    ])
    func `an entity outside the document is never read`(text: String) {
        #expect(refusal(text)?.reason == .externalEntity)
    }

    @Test func `an external entity that is never used is harmless`() {
        #expect(refusal("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a/>") == nil)
        #expect(refusal("<!DOCTYPE a SYSTEM 'http://127.0.0.1/a.dtd'><a/>") == nil)
    }

    /// The library stops billion laughs itself, but expands 400 KB of the quadratic kind to 2.5 GB.
    static let expansions = [
        "<!DOCTYPE a [<!ENTITY e0 'lol'>"
            + (1...9).map { "<!ENTITY e\($0) '" + String(repeating: "&e\($0 - 1);", count: 10) + "'>" }.joined()
            + "]><a>&e9;</a>",
        "<!DOCTYPE a [<!ENTITY e '" + String(repeating: "x", count: 50_000) + "'>]><a>"
            + String(repeating: "&e;", count: 50_000) + "</a>",
        "<!DOCTYPE a [<!ENTITY e '" + String(repeating: "x", count: 20_000) + "'>]><a "
            + (0..<900).map { "a\($0)='" + String(repeating: "&e;", count: 20) + "'" }.joined(separator: " ") + "/>",
        "<!DOCTYPE a [<!ATTLIST b c CDATA '" + String(repeating: "x", count: 20_000) + "'>]><a>"
            + String(repeating: "<b/>", count: 20_000) + "</a>",
        "<!DOCTYPE a [<!ENTITY e ''>]><a>" + String(repeating: "&e;", count: 200_000) + "</a>",
        "<!DOCTYPE a [<!ENTITY e '" + String(repeating: "x", count: 200_000) + "'>]><a b='"
            + String(repeating: "&e;", count: 1_000_000) + "'/>",
        "<!DOCTYPE a [<!ENTITY e '" + String(repeating: "x", count: 200_000) + "'><!ATTLIST a b CDATA '"
            + String(repeating: "&e;", count: 1_000_000) + "'>]><a/>",
        "<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]><a>&e;</a>",
    ]

    @Test(arguments: expansions.map(LongArgument.init))
    func `the expansion of entities and defaults is limited`(text: LongArgument<String>) throws {
        var error: XMLError?
        let time = processorTime { error = refusal(text.value) }
        guard case .entityExpansion = try #require(error).reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        // It takes milliseconds; a debug build is slower.
        #expect(time < .seconds(3))
    }

    @Test func `expansion within the limit is accepted`() {
        let text = "<!DOCTYPE a [<!ENTITY e '0123456789'>]><a>" + String(repeating: "&e;", count: 2000) + "</a>"
        #expect(refusal(text) == nil)
        var limits = Limits()
        limits.maxXMLEntityExpansionBytes = 1000
        #expect(refusal(text, limits)?.reason == .entityExpansion(max: 1000))
    }

    // MARK: Limits

    @Test func `elements nest at most 256 deep`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(refusal(nested(256)) == nil)
        #expect(refusal(nested(257))?.reason == .nestingTooDeep(max: 256))
        #expect(refusal(nested(100_000))?.reason == .nestingTooDeep(max: 256))
        var limits = Limits()
        limits.maxNestingDepth = 3
        #expect(refusal(nested(3), limits) == nil)
        #expect(refusal(nested(4), limits)?.reason == .nestingTooDeep(max: 3))
    }

    @Test func `an element has at most 1000 attributes`() {
        func tag(_ count: Int) -> String {
            "<a " + (0..<count).map { "a\($0)=''" }.joined(separator: " ") + "/>"
        }
        #expect(refusal(tag(1000)) == nil)
        #expect(refusal(tag(1001))?.reason == .tooManyAttributes(max: 1000))
        #expect(refusal("<r>x" + tag(100_000) + "</r>")?.reason == .tooManyAttributes(max: 1000))
        #expect(
            refusal("<!DOCTYPE r [<!ENTITY e \"\(tag(5000))\">]><r>&e;</r>")?.reason == .tooManyAttributes(max: 1000)
        )
        // Text that only looks like a tag is ignored.
        #expect(refusal("<r><!--\(tag(5000))--><![CDATA[\(tag(5000))]]><?p \(tag(5000))?>\(tag(3))</r>") == nil)
        #expect(refusal("<!--\(tag(5000))--><?p \(tag(5000))?><!DOCTYPE r SYSTEM '<!--c--d'><r/>") == nil)
        #expect(refusal("<r>" + String(repeating: "a=b ", count: 10_000) + "</r>") == nil)
    }

    @Test func `other causes of quadratic time are limited`() {
        let declarations = (0..<900).map { "xmlns:p\($0)='u'" }.joined(separator: " ")
        #expect(refusal("<a \(declarations)/>")?.reason == .tooManyNamespaces(max: 256))
        let names = (0..<40_000).map { "<e\($0)/>" }.joined()
        #expect(refusal("<a>\(names)</a>")?.reason == .tooManyNames(max: 32_768))
        let entities = (0..<10_000).map { "<!ENTITY e\($0) 'x'>" }.joined()
        #expect(refusal("<!DOCTYPE a [\(entities)]><a/>")?.reason == .doctypeTooLong(max: 32_768))
        // The end delimiter also occurs in quotes, comments and instructions.
        let quoted = "<!ENTITY e ']>'><!-- ]> ' --><?p ]> ' ?>"
        #expect(refusal("<?x ?><!-- <!DOCTYPE --><!DOCTYPE a SYSTEM '>[' [\(quoted)]><a>&e;</a>") == nil)
        #expect(
            refusal("<!DOCTYPE a SYSTEM '[>' [\(quoted)\(entities)]><a/>")?.reason == .doctypeTooLong(max: 32_768)
        )
    }

    /// Five hundred different names of 45 000 bytes filled the library's dictionary and terminated the process.
    @Test(arguments: ["", "<!DOCTYPE a [<!ENTITY e 'f'>]>"])
    func `different names have at most two mebibytes`(prolog: String) throws {
        let name = String(repeating: "n", count: 41_900)
        func document(_ count: Int, _ rest: String = "") -> String {
            prolog + "<a>" + (10..<10 + count).map { "<b><\(name)\($0)/></b>" }.joined() + rest + "</a>"
        }
        // Known names cost nothing.
        #expect(refusal(document(50, "<\(name)10 \(name)11=''/>")) == nil)
        let error = try #require(refusal(document(51)))
        #expect(error.reason == .namesTooLong(max: 2 << 20))
        #expect(error.location.byte == document(50).utf8.count - 4 + 3)
        #expect(error.location.path == "/a/b[51]")
        // Prefixes and namespaces are part of a name.
        #expect(refusal("<p:a xmlns:p='\(String(repeating: name, count: 51))'/>")?.reason == error.reason)
    }

    @Test func `a name is at most as long as max-key-bytes`() throws {
        var limits = Limits()
        limits.maxKeyBytes = 5
        #expect(refusal("<a><p:bcd xmlns:p='uri' abcd=''/></a>", limits) == nil)
        let element = try #require(refusal("<a><b/><p:bcde xmlns:p='uri'/></a>", limits))
        #expect(element.reason == .keyTooLong(max: 5))
        #expect(element.location.byte == 7)
        #expect(element.location.path == "/a/p:bcde")
        // Including the `@` before an attribute.
        let attribute = try #require(refusal("<a><b abcde=''/></a>", limits))
        #expect(attribute.reason == .keyTooLong(max: 5))
        #expect(attribute.location.byte == 3)
        #expect(attribute.location.path == "/a/b")
    }

    @Test func `a part of a name has at most 50 000 bytes`() throws {
        let name = String(repeating: "n", count: 50_000)
        #expect(refusal("<a><\(name)/></a>") == nil)
        let error = try #require(refusal("<a><\(name)n/></a>"))
        #expect(error.reason == .keyTooLong(max: 50_000))
        #expect(error.location.byte == 4)
    }

    @Test(arguments: [(XMLNameStyle.prefixed, true), (.local, true), (.clark, false)])
    func `the length of a name is that of its written form`(style: XMLNameStyle, isAccepted: Bool) {
        var limits = Limits()
        limits.maxKeyBytes = 5
        let result = serialize(type: "text/xml", "<p:a xmlns:p='uri'/>", limits: limits) { $0.xmlNames = style }
        #expect((result.json != nil) == isAccepted)
        let document = serialize(type: "text/xml", "<longer/>", limits: limits) { $0.serializer = .one(.xmlDocument) }
        #expect(document.json != nil)
    }

    /// 100 000 of them took the library more than a minute: it only examined the subset when it was complete.
    @Test(arguments: ["(", "NOTATION (", "CDATA 'd' d NOTATION ("])
    func `an enumeration has at most 512 choices`(opening: String) {
        func document(_ count: Int) -> String {
            let choices = (0..<count).map { "n\($0)" }.joined(separator: "|")
            return "<!DOCTYPE a [<!ATTLIST a c \(opening)\(choices)) #IMPLIED>]><a/>"
        }
        #expect(refusal(document(512)) == nil)
        #expect(refusal(document(513))?.reason == .tooManyChoices(max: 512))
        #expect(refusal(document(100_000))?.reason == .doctypeTooLong(max: 32_768))
        // In a parameter entity, and with the bars and the parenthesis as references.
        let hidden = (0..<2000).map { "n\($0)" }.joined(separator: "&#124;")
        let entity = "<!ENTITY % e '<!ATTLIST a c NOTATION &#40;\(hidden)) #IMPLIED>'>%e;"
        #expect(refusal("<!DOCTYPE a [\(entity)]><a/>")?.reason == .tooManyChoices(max: 512))
    }

    // MARK: Encodings

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF] + Array("<a>\u{E9}</a>".utf8), nil, "utf-8", nil),
            (
                [0xEF, 0xBB, 0xBF] + Array("<?xml version='1.0' encoding='latin1'?><a>\u{E9}</a>".utf8), nil, "utf-8",
                "latin1"
            ),
            (
                Array("<?xml version='1.0' encoding='iso-8859-1'?><a>".utf8) + [0xE9] + Array("</a>".utf8), nil,
                "windows-1252", nil
            ),
            (
                Array("<?xml version='1.0' encoding='utf-8'?><a>".utf8) + [0xE9] + Array("</a>".utf8), "latin1",
                "windows-1252", "utf-8"
            ),
            (
                XMLErrorTests.utf16("<?xml version='1.0' encoding='utf-8'?><a>\u{E9}</a>", mark: true), nil, "utf-16le",
                "utf-8"
            ),
            (
                XMLErrorTests.utf16("<?xml version='1.0' encoding='ISO-10646-UCS-2'?><a>\u{E9}</a>", mark: true), nil,
                "utf-16le", nil
            ),
            (
                XMLErrorTests.utf16("<?xml version='1.0' encoding='UTF-16BE'?><a>\u{E9}</a>", mark: true), nil,
                "utf-16le", "UTF-16BE"
            ),
            (
                XMLErrorTests.utf16("<?xml version='1.0' encoding='UTF-32'?><a>\u{E9}</a>", mark: true), nil,
                "utf-16le", "UTF-32"
            ),
            (XMLErrorTests.utf32("<?xml version='1.0' encoding='UTF-16'?><a>\u{E9}</a>"), nil, "utf-32be", "UTF-16"),
            (
                XMLErrorTests.utf32("<?xml version='1.0' encoding='ISO-10646-UCS-4'?><a>\u{E9}</a>"), nil, "utf-32be",
                nil
            ),
            (XMLErrorTests.utf16("<a>\u{E9}</a>", mark: false), "utf-16", "utf-16le", nil),
            (Array("<?xml version='1.0' encoding='US-ASCII'?><a>\u{E9}</a>".utf8), "us-ascii", "utf-8", nil),
        ] as [([UInt8], String?, String, String?)]
    )
    func `the mark, then the label, then the declaration determine the encoding`(
        content: [UInt8],
        label: String?,
        charset: String,
        outweighed: String?
    ) {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: "text/xml" + (label.map { "; charset=" + $0 } ?? ""))
        var options = SerializationOptions()
        options.view = .value
        let result = serialize(response, content: content, options: options)
        #expect(result.json == "{\"a\":\"\u{E9}\"}")
        let hasMark = [[0xEF, 0xBB], [0xFF, 0xFE], [0xFE, 0xFF]].contains(Array(content.prefix(2)))
        let start = SourceLocation(byte: 0)
        var expected = hasMark ? [Warning(.byteOrderMark(encoding: charset), at: start)] : []
        if charset != "utf-8" { expected.append(Warning(.transcoded(encoding: charset), at: start)) }
        if let outweighed { expected.append(Warning(.declarationMismatch(declared: outweighed, actual: charset))) }
        #expect(result.warnings == expected)
        #expect(result.upstream.representation.charset == charset)
    }

    @Test func `locations refer to the received content`() {
        let content = Self.utf16("<a>\u{E9}</b>", mark: true)
        let result = serialize(UpstreamResponse(), content: content, options: .xml)
        guard let error = result.chain.first?.contentError as? XMLError else {
            Issue.record("\(result)")
            return
        }
        #expect(error.location.byte == 2 + 2 * 4)
        #expect(error.location.column == 5)
    }

    @Test(arguments: [
        (Array("<a>".utf8) + [0xFF] + Array("</a>".utf8), XMLError.Reason.invalidEncoding("utf-8"), 3),
        (Array("<?xml version='1.0' encoding='nonsense'?><a/>".utf8), .unsupportedCharset("nonsense"), 0),
        (Array("<?xml version='1.0' encoding='utf-16'?><a/>".utf8), .invalidEncoding("utf-16"), 0),
        (Array("<a>&#0;</a>".utf8), .invalidCharacter, 3),
    ])
    func `malformed text is an error`(content: [UInt8], reason: XMLError.Reason, byte: Int) {
        let result = serialize(UpstreamResponse(), content: content, options: .xml)
        guard let error = result.chain.first?.contentError as? XMLError else {
            Issue.record("\(result)")
            return
        }
        #expect(error.reason == reason)
        #expect(error.location.byte == byte)
    }

    @Test func `a prefix that is not declared is a warning`() {
        let result = serialize(type: "text/xml", "<a><m:b m:c='1'/></a>") { $0.view = .value }
        #expect(result.json == #"{"a":{"m:b":{"@m:c":"1"}}}"#)
        #expect(result.warnings.allSatisfy { $0.code == "xml.namespace" } && !result.warnings.isEmpty)
    }

    /// Each of a hundred was searched from the start of the content.
    @Test(arguments: ["utf-8", "iso-8859-1"])
    func `the locations of many warnings are found in one pass`(charset: String) {
        func time(_ count: Int) -> Duration {
            let start = "<!DOCTYPE a SYSTEM 's'><a>" + String(repeating: "x\n", count: 100_000)
            let text = start + (100..<100 + count).map { "<p:b\($0)/>\n" }.joined() + "</a>"
            var warnings: [Warning] = []
            let time = processorTime {
                warnings = serialize(type: "text/xml; charset=\(charset)", text) { $0.view = .value }.warnings
            }
            #expect(warnings.map(\.location?.line) == (0..<count).map { 100_001 + $0 })
            // Each is reported at the end of the name of its tag.
            #expect(warnings.map(\.location?.byte) == (0..<count).map { 200_033 + 10 * $0 })
            return time
        }
        // About the same time.
        #expect(time(100) < time(1) * 8)
    }

    private func refusal(_ text: String, _ limits: Limits = Limits()) -> XMLError? {
        let result = serialize(UpstreamResponse(), content: Array(text.utf8), options: .xml, limits: limits)
        guard let error = result.chain.first?.contentError as? XMLError else { return nil }
        return error
    }

    fileprivate static func utf32(_ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
        }
    }

    fileprivate static func utf16(_ text: String, mark: Bool) -> [UInt8] {
        (mark ? [0xFF, 0xFE] : []) + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }
}

extension SerializationOptions {
    fileprivate static var xml: SerializationOptions {
        var options = SerializationOptions()
        options.serializer = .one(.xml)
        options.view = .value
        return options
    }
}
