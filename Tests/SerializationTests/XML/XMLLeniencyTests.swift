import Serialization
import SerializationSupport
import TestSupport
import Testing

/// The repairs of XML that the option `lenient` allows.
@Suite struct XMLLeniencyTests {
    private func serialized(
        _ content: String,
        _ leniencies: Leniencies = .xmlText,
        type: String = "text/xml",
        limits: Limits = Limits()
    ) -> Serialized {
        serialized(Array(content.utf8), leniencies, type: type, limits: limits)
    }

    private func serialized(
        _ content: [UInt8],
        _ leniencies: Leniencies,
        type: String = "text/xml",
        limits: Limits = Limits(),
        _ configure: (inout SerializationOptions) -> Void = { _ in }
    ) -> Serialized {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: type)
        var options = SerializationOptions()
        options.view = .value
        options.leniencies = leniencies
        configure(&options)
        return serialize(response, content: content, options: options, limits: limits)
    }

    private func reason(_ result: Serialized) -> XMLError.Reason? {
        (result.chain.first?.contentError as? XMLError)?.reason
    }

    // MARK: Each leniency

    @Test(
        arguments: [
            (
                "<a b='&nbsp;'>&eacute;&hellip;&thetasym;&lt;</a>", "{\"a\":{\"@b\":\"\u{A0}\",\"#text\":\"é…ϑ<\"}}",
                .htmlEntities
            ),
            (
                "<a b='?c=1&d=2'>R&D &amp; &; &1; &#; &#x; &#xg; &’; a&</a>",
                "{\"a\":{\"@b\":\"?c=1&d=2\",\"#text\":\"R&D & &; &1; &#; &#x; &#xg; &’; a&\"}}", .bareAmpersands
            ),
            (" \r\n\t<?xml version='1.0'?><a/>", #"{"a":""}"#, .leadingSpace),
            (
                "<a b='\u{0}c&#31;'>d\u{B}\u{FFFE}&#x0;&#xFFFF;e<!--\u{1}--></a>", ##"{"a":{"@b":"c","#text":"de"}}"##,
                .controlCharacters
            ),
        ] as [(String, String, Leniencies)]
    )
    func `each has an option of its own`(content: String, expected: String, leniency: Leniencies) {
        let result = serialized(content, leniency)
        #expect(result.json == expected)
        #expect(!result.warnings.isEmpty && result.warnings.allSatisfy { $0.kind == .lenient(leniency) })
        #expect(result.warnings.allSatisfy { $0.code == "xml.leniency" })
        #expect(serialized(content, Leniencies.all.subtracting(leniency)).json == nil)
        #expect(serialized(content, []).json == nil)
    }

    /// The parser knows the entities of XHTML in a document that refers to a DTD.
    @Test func `the entities are those of HTML 4`() {
        let names = HTMLEntityNames.all
        #expect(names.count == 248)
        let body = "<a>" + names.map { "&\($0);" }.joined(separator: " ") + "</a>"
        let strict = serialized("<!DOCTYPE a SYSTEM 's'>" + body, [])
        let lenient = serialized(body, .htmlEntities)
        #expect(strict.json != nil && strict.json == lenient.json)
        #expect(serialized("<a>&Nbsp;</a>", .htmlEntities).json == nil)
        #expect(serialized("<a>&nbs;</a>", .htmlEntities).json == nil)
        #expect(serialized("<a>&nbspnbsp;</a>", .htmlEntities).json == nil)
        #expect(serialized("<a>&;</a>", .htmlEntities).json == nil)
    }

    @Test func `each use is a warning with its location in the received bytes`() {
        let content = " \n<?xml version='1.0'?>\n<a b='é&c'>\u{1}\n&nbsp;&#2;</a>"
        let result = serialized(content)
        #expect(result.json == "{\"a\":{\"@b\":\"é&c\",\"#text\":\"\\n\u{A0}\"}}")
        func warning(_ leniency: Leniencies, _ byte: Int, _ line: Int, _ column: Int) -> Warning {
            Warning(.lenient(leniency), at: SourceLocation(byte: byte, line: line, column: column))
        }
        #expect(
            result.warnings == [
                warning(.leadingSpace, 0, 1, 1), warning(.bareAmpersands, 32, 3, 8),
                warning(.controlCharacters, 36, 3, 12), warning(.htmlEntities, 38, 4, 1),
                warning(.controlCharacters, 44, 4, 7),
            ]
        )
    }

    /// The first error that remains, and warnings of the parser.
    @Test(arguments: [
        ("<a>&&&&&</b>", XMLError.Reason.mismatchedTag, 8, "</b>"), ("<a>\u{1}\u{2}&nbsp;<", .unexpectedEnd, 11, "'<'"),
        ("\n<?xml version='1.0'?><a>&&unknown;</a>", .undeclaredEntity("unknown"), 26, "'&'"),
        ("<a>&<b c='1' c='2'/></a>", .duplicateAttribute, 18, "'/'"),
    ])
    func `locations after a repair refer to the received bytes`(
        content: String,
        reason: XMLError.Reason,
        byte: Int,
        found: String
    ) {
        let result = serialized(content)
        guard let error = result.chain.first?.contentError as? XMLError else {
            Issue.record("\(result)")
            return
        }
        #expect(error.reason == reason)
        #expect(error.location.byte == byte)
        #expect(error.found == found)
    }

    @Test func `warnings of the parser after a repair refer to the received bytes`() {
        let result = serialized("<a>&&&<m:b/></a>")
        let namespace = result.warnings.last
        #expect(namespace?.code == "xml.namespace")
        #expect(namespace?.location?.byte == 10)
    }

    // MARK: What is not repaired

    @Test func `strict content is read as usual`() {
        let content =
            "<!DOCTYPE a [<!ENTITY nbsp 'x'>]><a><!-- & &nbsp; --><![CDATA[& &nbsp;]]><?b & &nbsp;?>&nbsp;&amp;</a>"
        #expect(serialized(content) == serialized(content, []))
        #expect(serialized(content).json == #"{"a":"& &nbsp;x&"}"#)
        #expect(serialized(content).warnings.isEmpty)
    }

    @Test func `an ampersand in a comment, a section or an instruction is not repaired`() {
        let content = "<?b &?><!--& -- --><a>&<!--&--><!--&-- -->"
        #expect(serialized(content).json == nil)
        let valid = Array("<?b & > -->?><!--& ?> ]]>--><a>&<![CDATA[& &nbsp; ]>]]]]>&<!--&--><?c &?></a>".utf8)
        let result = serialized(valid, .xmlText) { $0.serializer = .one(.xmlDocument) }
        #expect(result.warnings.map { $0.location?.byte } == [31, 57])
        #expect(result.json?.contains(#"{"cdata":"& &nbsp; ]>]]"}"#) == true)
        #expect(result.json?.contains(#"{"comment":"&"}"#) == true)
        #expect(result.json?.contains(#"{"pi":["c","&"]}"#) == true)
    }

    /// The copy decides where they begin and end, because the parser reads the copy.
    @Test func `constructs are recognized after control characters are removed`() {
        let content = Array("<a><!\u{1}--&nbsp;-\u{1}-><![CDA\u{1}TA[&nbsp;]\u{1}]>&nbsp;</a>".utf8)
        let result = serialized(content, .xmlText) { $0.serializer = .one(.xmlDocument) }
        #expect(result.json?.contains(#"[{"comment":"&nbsp;"},{"cdata":"&nbsp;"},"\#u{A0}"]"#) == true)
    }

    @Test(arguments: [
        ("<!DOCTYPE a [<!ENTITY nbsp 'x'>]><a>&nbsp;&</a>", #"{"a":"x&"}"#),
        ("<!DOCTYPE a [<!ENTITY % p \"<!ENTITY nbsp 'x'>\">%p;]><a>&nbsp;&</a>", #"{"a":"x&"}"#),
        ("<!DOCTYPE a [<!-- ' --><?p ' ?><!ENTITY  nbsp\n'x'>]><a>&nbsp;&</a>", #"{"a":"x&"}"#),
        ("<!DOCTYPE a [<!ENTITY copy 'x'>]><a>&copy;&nbsp;</a>", "{\"a\":\"x\u{A0}\"}"),
    ])
    func `a name that the document declares has its declared value`(content: String, expected: String) {
        #expect(serialized(content).json == expected)
    }

    @Test func `a name that parameter entities may declare is left to the parser`() {
        let content = "<!DOCTYPE a [<!ENTITY % p '&#60;!ENTITY nbsp \"x\">'>%p;]><a>&nbsp;&</a>"
        #expect(serialized(content).json == #"{"a":"x&"}"#)
        #expect(reason(serialized("<!DOCTYPE a [<!ENTITY % p ''>%p;]><a>&nbsp;&</a>")) == .undeclaredEntity("nbsp"))
    }

    @Test func `an error that no leniency repairs is that of strict reading`() {
        for content in [
            "<a>", "<a></b>", "<a b='1' b='2'/>", "<a>&unknown;</a>", "<a/>b", "  ", "<a b=c/>",
        ] {
            let (lenient, strict) = (serialized(content, .all), serialized(content, []))
            #expect(lenient.json == nil)
            #expect(lenient.chain == strict.chain)
            #expect(lenient.warnings == strict.warnings)
        }
        // The error is at the ampersand, which was repaired before.
        #expect(serialized("<a b=&/>").chain == serialized("<a b=&/>", []).chain)
    }

    // MARK: Charsets

    @Test(
        arguments: [
            // The declaration.
            ("<?xml version='1.0' encoding='windows-1251'?><a>", [0xE9], "utf-8", "windows-1251", "й"),
            ("<?xml version='1.0' encoding='utf-8'?><a>", [0xC3, 0xA9], "iso-2022-jp", "utf-8", "é"),
            // Otherwise UTF-8, otherwise windows-1252.
            ("<a>", [0xC3, 0xA9], "nonsense", "utf-8", "é"), ("<a>", [0xE9], "utf-8", "windows-1252", "é"),
            ("<a>", [0xE9], nil, "windows-1252", "é"),
            ("<?xml version='1.0' encoding='utf-8'?><a>", [0xE9], nil, "windows-1252", "é"),
            ("<?xml version='1.0' encoding='utf-16'?><a>", [0xC3, 0xA9], nil, "utf-8", "é"),
            ("<?xml version='1.0' encoding='utf-16'?><a>", [0xE9], nil, "windows-1252", "é"),
            ("<?xml version='1.0' encoding='nonsense'?><a>", [0xE9], "utf-8", "windows-1252", "é"),
        ] as [(String, [UInt8], String?, String, String)]
    )
    func `a charset that fails is replaced`(
        start: String,
        letter: [UInt8],
        label: String?,
        charset: String,
        text: String
    ) {
        let content = Array(start.utf8) + letter + Array("</a>".utf8)
        let type = "text/xml" + (label.map { "; charset=" + $0 } ?? "")
        let result = serialized(content, .declaredCharset, type: type)
        #expect(result.json == "{\"a\":\"\(text)\"}")
        #expect(result.upstream.representation.charset == charset)
        let codes = ["response.charset_replaced"] + (charset == "utf-8" ? [] : ["response.transcoded"])
        #expect(result.warnings.map(\.code) == codes)
        #expect(serialized(content, .xmlText, type: type).json == nil)
        let plist = serialized(
            Array(start.utf8.dropLast(3)) + Array("<plist><string>".utf8) + letter + Array("</string></plist>".utf8),
            .declaredCharset,
            type: "application/x-plist" + (label.map { "; charset=" + $0 } ?? "")
        )
        #expect(plist.json == "\"\(text)\"")
        #expect(plist.warnings.map(\.code) == codes)
    }

    @Test func `a charset that does not fail is used`() {
        let content = Array("<?xml version='1.0' encoding='utf-8'?><a>".utf8) + [0xE9] + Array("</a>".utf8)
        #expect(serialized(content, .all, type: "text/xml; charset=windows-1251").json == #"{"a":"й"}"#)
    }

    @Test func `the declaration after white space has an encoding, too`() {
        let content = Array("\n<?xml version='1.0' encoding='windows-1251'?><a>".utf8) + [0xE9] + Array("&</a>".utf8)
        let result = serialized(content, .xmlText)
        #expect(result.json == #"{"a":"й&"}"#)
        let repairs = result.warnings.filter { $0.code == "xml.leniency" }
        #expect(repairs.map { $0.location?.byte } == [0, 50])
        // Without the leniency it is not a declaration.
        #expect(reason(serialized(content, .bareAmpersands)) == .invalidEncoding("utf-8"))
    }

    @Test func `text in UTF-16 is repaired, and locations refer to its bytes`() {
        let text = "\u{FEFF}<a>é&\u{1}&nbsp;<b></a>"
        let content = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let result = serialized(content, .xmlText)
        #expect((result.chain.first?.contentError as? XMLError)?.location.byte == 2 * 16)
        let valid = text.replacing("<b>", with: "").utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(serialized(valid, .xmlText).json == "{\"a\":\"é&\u{A0}\"}")
        #expect(serialized(valid, .xmlText).warnings.map { $0.location?.byte } == [0, 0, 10, 12, 14])
    }

    // MARK: Limits

    @Test func `at most max-warnings repairs are listed, and the rest is counted`() {
        let content = "<a>" + String(repeating: "&", count: 5) + "</a>"
        for (max, listed) in [(0, 0), (1, 1), (4, 4), (5, 5), (6, 5)] {
            var limits = Limits()
            limits.maxWarnings = max
            let warnings = serialized(content, limits: limits).warnings
            #expect(warnings.filter { $0.code == "xml.leniency" }.count == listed)
            #expect(warnings.contains { $0.kind == .truncated(count: 5 - listed) } == (listed < 5))
        }
    }

    @Test func `limits apply to repaired content`() {
        var limits = Limits()
        limits.maxNestingDepth = 2
        #expect(serialized("<a><b>&</b></a>", limits: limits).json != nil)
        #expect(reason(serialized("<a>&<b><c/></b></a>", limits: limits)) == .nestingTooDeep(max: 2))
        limits = Limits()
        limits.maxOutputBytes = 10
        #expect(serialized("<a>&&</a>", limits: limits).json == #"{"a":"&&"}"#)
        limits.maxOutputBytes = 9
        #expect(serialized("<a>&&</a>", limits: limits).chain.first == .outputTooLong(max: 9))
        limits = Limits()
        limits.maxXMLAttributes = 1
        #expect(serialized("<a b='&'/>", limits: limits).json != nil)
        #expect(reason(serialized("<a b='&' c=''/>", limits: limits)) == .tooManyAttributes(max: 1))
    }

    /// Each was searched, or each repair was located, from the start of the content.
    @Test(arguments: [
        "&", "&#", "&a", "&nbsp;", "\u{1}", "<!--", "<![CDATA[", "<?", "&#1;", "<!DOCTYPE a [", "'", "<!ENTITY ",
    ])
    func `repairs take linear time`(piece: String) {
        func time(_ count: Int) -> Duration {
            let content = Array(("<a>" + String(repeating: piece, count: count / piece.utf8.count)).utf8)
            return processorTime { _ = serialized(content, .all).json }
        }
        _ = time(1_000)
        #expect(time(400_000) < time(25_000) * 40 + .seconds(1))
    }
}

/// The names of the entities of HTML 4 (§24.2–24.4) that are beyond ASCII.
private enum HTMLEntityNames {
    static let all = """
        AElig Aacute Acirc Agrave Alpha Aring Atilde Auml Beta Ccedil Chi Dagger Delta ETH Eacute Ecirc Egrave Epsilon
        Eta Euml Gamma Iacute Icirc Igrave Iota Iuml Kappa Lambda Mu Ntilde Nu OElig Oacute Ocirc Ograve Omega Omicron
        Oslash Otilde Ouml Phi Pi Prime Psi Rho Scaron Sigma THORN Tau Theta Uacute Ucirc Ugrave Upsilon Uuml Xi
        Yacute Yuml Zeta aacute acirc acute aelig agrave alefsym alpha and ang aring asymp atilde auml bdquo beta
        brvbar bull cap ccedil cedil cent chi circ clubs cong copy crarr cup curren dArr dagger darr deg delta diams
        divide eacute ecirc egrave empty emsp ensp epsilon equiv eta eth euml euro exist fnof forall frac12 frac14
        frac34 frasl gamma ge hArr harr hearts hellip iacute icirc iexcl igrave image infin int iota iquest isin iuml
        kappa lArr lambda lang laquo larr lceil ldquo le lfloor lowast loz lrm lsaquo lsquo macr mdash micro middot
        minus mu nabla nbsp ndash ne ni not notin nsub ntilde nu oacute ocirc oelig ograve oline omega omicron oplus
        or ordf ordm oslash otilde otimes ouml para part permil perp phi pi piv plusmn pound prime prod prop psi rArr
        radic rang raquo rarr rceil rdquo real reg rfloor rho rlm rsaquo rsquo sbquo scaron sdot sect shy sigma sigmaf
        sim spades sub sube sum sup sup1 sup2 sup3 supe szlig tau there4 theta thetasym thinsp thorn tilde times trade
        uArr uacute uarr ucirc ugrave uml upsih upsilon uuml weierp xi yacute yen yuml zeta zwj zwnj
        """.split { $0 == " " || $0 == "\n" }.map(String.init)
}
