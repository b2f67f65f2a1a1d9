import Testing

@testable import Serialization

/// The C code and its Swift wrapper: the contents of the tape, and measured pitfalls of the library.
@Suite struct XMLTapeTests {
    @Test func `an element is followed by declarations, attributes and content`() throws {
        #expect(
            try tape(#"<a xmlns:p="urn:p" p:x="1">hi<b/>&lt;<![CDATA[<]]></a>"#) == [
                "element a 2", "namespace p=urn:p", "attribute p:x=1", "text hi", "element b 0", "text <", "cdata <",
            ]
        )
    }

    @Test func `nodes without records of their own are text`() throws {
        #expect(
            try tape("<?p q?><a>x<!-- c -->y<b/><![CDATA[z]]></a><!--d-->", keepsAll: false) == [
                "element a 0", "text xy", "element b 0", "text z",
            ]
        )
        #expect(
            try tape("<?p q?><a>x<!-- c -->y<![CDATA[z]]></a><!--d-->") == [
                "instruction p=q", "element a 0", "text x", "comment  c ", "text y", "cdata z", "comment d",
            ]
        )
    }

    @Test func `the only text of an element is part of its record`() throws {
        #expect(
            try tape("<a>x<!-- c -->&lt;<![CDATA[z]]></a>", keepsAll: false) == ["element a 0 x<z"]
        )
        #expect(
            try tape("<a><b c='1'>x</b> <b> </b><b/></a>", keepsAll: false) == [
                "element a 0", "element b 1 x", "attribute c=1", "text  ", "element b 0  ", "element b 0",
            ]
        )
    }

    @Test(arguments: [true, false])
    func `an internal subset does not change the content`(keepsAll: Bool) throws {
        let sources = [
            "<a/>", "<a>x</a>", "<a>x&amp;y&#xe9;z<b/>é&lt;</a>", "<a b='&lt;' c=\"  d\te\n\" d=''/>", "<a>x]]y]</a>",
            "<a>\r\n <b>\r</b>\n\t<!-- c --><?p q?> x <![CDATA[]]><![CDATA[ ]]>y</a><!-- d -->\n<?p?>",
            "<p:a xmlns:p='u' xmlns='v' p:x='1' x='2'><b xmlns=''/><p:b xml:space='preserve'> </p:b></p:a>",
            "<a>\(String(repeating: "<b c='1'>x é &amp; y</b>\n", count: 3000))</a>",
            "<a>\(String(repeating: "é", count: 50_000))</a>",
            // More names than the initial capacity of the table.
            "<a>\((0..<200).map { "<b\($0) c\($0)='1' d\($0)='2'/>" }.joined())</a>",
        ]
        for source in sources {
            let whole = try tape("<!DOCTYPE x>" + source, keepsAll: keepsAll)
            #expect(try tape("<!DOCTYPE x [<!ENTITY e 'f'>]>" + source, keepsAll: keepsAll) == whole)
        }
    }

    /// The library receives the text in pieces, of which the first has 256 bytes.
    @Test(arguments: [
        "<tag a='1' b=\"2&lt;&#xe9;é€😀\tx\n\" xmlns:p='u' p:c=''/>", "<!-- é€😀 - x -->", "<!-- x - y -\r\n->-->",
        "<![CDATA[x]] ]]é€😀\r\n]\r]]>", "<![CDATA[]]>", "<?target data é€😀 ? ?>", "<?t?>", "&amp;&lt;&#65;&#x1F600;",
        "é€😀",
        "\r\n\r\r\n\n", "<p:x xmlns:p='urn:name'>t</p:x >", "<a>1</a> <b/> <a>2</a>", "x]]y]>z]",
        "<e xml:space='preserve'> </e>",
    ])
    func `a piece may end anywhere`(construct: String) throws {
        let expected = try tape("<r><b/>\(construct)<c/></r>")
        for padding in 160...300 {
            let padded = try tape("<r><!--\(String(repeating: "x", count: padding))--><b/>\(construct)<c/></r>")
            #expect(padded.count == expected.count + 1 && padded.filter { !$0.hasPrefix("comment xx") } == expected)
        }
    }

    @Test func `a piece may end anywhere in the prolog`() throws {
        let doctype =
            "<!DOCTYPE r [<!ENTITY e 'f<g>h</g>'><!ENTITY % p '<!ATTLIST r q CDATA \"d\">'>%p;<?p it's?><!-- c -->]>"
        for padding in 0...400 {
            let text = "<?xml version='1.0'\(String(repeating: " ", count: padding))?>\(doctype)<r>&e;</r>"
            #expect(
                try tape(text) == ["doctype r=", "element r 1", "attribute q=d", "text f", "element g 0", "text h"]
            )
        }
    }

    /// The library accepts no section over ten million bytes. Longer ones than four mebibytes are divided for it.
    @Test(arguments: ["x", "é", "\r\n", "]]", "\n"])
    func `a long CDATA section is one record`(unit: String) throws {
        let section = String(repeating: unit, count: (9 << 20) / unit.utf8.count)
        let text = "<r><![CDATA[\(section)]]><![CDATA[y]]></r>"
        let expected = unit == "\r\n" ? section.utf8.count / 2 : section.utf8.count
        try withTape(text) { tape in
            let first = tape.contentStart(of: tape.root)
            #expect(tape.kind(at: first) == .cdata)
            #expect(tape.text(at: first).count == expected)
            let second = tape.next(after: first)
            #expect(tape.string(tape.text(at: second)) == "y")
            #expect(tape.next(after: second) == tape.count)
        }
        try withTape(text, keepsAll: false) { #expect($0.text(at: $0.root).count == expected + 1) }
    }

    /// The library frees a transcoded text while it is read.
    @Test(arguments: [true, false])
    func `a transcoded text has the same tape`(keepsAll: Bool) throws {
        let sources = [
            "<a/>", "<a>xyzzy</a>", "<a>xyzzy&amp;y&#xe9;zyzzy<b/>éééé&lt;éééé</a>", "<a>&lt;éééé&lt;</a>",
            "<a b='12345&lt;6' c=\"  d\te\n1234567\" d='' e='éééé' f='&#65;12345'/>", "<a>x]]yyyy]</a>",
            "<?p éééé?><!-- éééé --><a>\r\n <b>\r</b>\n\t<!-- c --><?p q?> x <![CDATA[]]>"
                + "<![CDATA[ \r\n12345]]>y</a><!-- d -->",
            "<p:a xmlns:p='u' xmlns='v' p:x='1' x='23456'><b xmlns=''/><p:b xml:space='preserve'> </p:b></p:a>",
            "<a>\(String(repeating: "<b c='12345'>x é &amp; y</b>\n     ", count: 3000))</a>",
            "<a><![CDATA[\(String(repeating: "éé\r\n", count: 20_000))]]></a>",
        ]
        for source in sources {
            for prolog in ["<!DOCTYPE x>", "<!DOCTYPE x [<!ENTITY e 'f'>]>"] {
                let lines = try tape(prolog + source, keepsAll: keepsAll)
                let content = utf16(prolog + source)
                #expect(try withTape(content, keepsAll: keepsAll) { self.lines($0) } == lines)
            }
        }
    }

    @Test func `an entity may be longer than its name in a transcoded text`() throws {
        let declaration = "<!DOCTYPE a [<!ENTITY e '\(String(repeating: "efgh", count: 20))'>]>"
        for body in ["<a b='&e;12345&e;' c='23456'>x&e;yyyyy&e;</a>", "<a>&e;&e;<b>&e;</b>12345<b c='&e;'/></a>"] {
            let lines = try tape(declaration + body)
            #expect(try withTape(utf16(declaration + body)) { self.lines($0) } == lines)
        }
    }

    /// The part of a transcoded text that was read is released in steps of at least one megabyte.
    @Test(arguments: ["", "<!DOCTYPE a [<!ENTITY e 'f'>]>"])
    func `texts remain when the data between them is released`(prolog: String) throws {
        let part = "<b c='12345'/>é<b/>123456<b>&lt;</b>"
        let count = 100_000
        try withTape(utf16("\(prolog)<a>\(String(repeating: part, count: count))</a>")) { tape in
            let content = tape.content(of: tape.root)
            var index = content.lowerBound
            var (texts, attributes) = (0, 0)
            while index < content.upperBound {
                if tape.kind(at: index) == .text {
                    let text = tape.text(at: index)
                    if tape.string(text) == (texts % 2 == 0 ? "é" : "123456") { texts += 1 }
                } else if attributeCount(tape, index) == 1 {
                    let attribute = tape.attributes(of: index).lowerBound
                    if tape.isEqual(tape.text(at: attribute), "12345") { attributes += 1 }
                }
                index = tape.next(after: index)
            }
            #expect(texts == 2 * count)
            #expect(attributes == count)
        }
    }

    @Test(arguments: ["", "a", "a\nb\r\nc\rd\r", "\r\r\n\n", "é\u{1F600}\nx", "\n"])
    func `lines are also found in a text that is passed byte by byte`(text: String) {
        let offsets = Array(0...text.utf8.count + 1)
        var locator = LineLocator(offsets)
        for byte in text.utf8 { locator.append(byte) }
        locator.finish()
        #expect(locator.locations == text.utf8.span.locate(offsets))
    }

    @Test(arguments: [true, false])
    func `white space after an end tag is text like any other`(keepsAll: Bool) throws {
        let starts = ["", "\n", "\t", "\r\n", "\n\n\t "]
        for blanks in starts.flatMap({ start in (0...18).map { start + String(repeating: " ", count: $0) } }) {
            for next in ["<c/>", "x", "&#32;<c/>", "<!-- d --> <c/>", "<![CDATA[ ]]><c/>", "\r<c/>", "\n"] {
                let source = "<a> <b>y</b>\(blanks)\(next)</a>\(blanks)"
                let pieces = try tape("<!DOCTYPE x [<!ENTITY e 'f'>]>" + source, keepsAll: keepsAll)
                #expect(try tape("<!DOCTYPE x>" + source, keepsAll: keepsAll) == pieces)
            }
        }
    }

    @Test func `two adjacent CDATA sections remain two, and a long one remains one`() throws {
        let long = String(repeating: "0123456789", count: 1000)
        #expect(try tape("<a><![CDATA[a]]><![CDATA[b]]></a>") == ["element a 0", "cdata a", "cdata b"])
        #expect(try tape("<a><![CDATA[\(long)]]></a>") == ["element a 0", "cdata \(long)"])
    }

    /// XML 1.0 §2.11.
    @Test(arguments: ["", "<!DOCTYPE a [<!ENTITY e 'f'>]>"])
    func `line ends are normalized, also in a CDATA section`(prolog: String) throws {
        let declaration = prolog.isEmpty ? [] : ["doctype a="]
        for (section, text) in [("\r\nb\rc\n\rd\r\n", "\nb\nc\n\nd\n"), ("\r", "\n"), ("", "")] {
            #expect(
                try tape("\(prolog)<a>b\r\nc<![CDATA[\(section)]]>d\re</a>")
                    == declaration + ["element a 0", "text b\nc", "cdata \(text)", "text d\ne"]
            )
        }
        // At any end of a piece, of 300 bytes or of 16 KiB.
        for shift in ["", "y", "yy"] {
            let lines = Array(repeating: "x", count: 20_000)
            let section = shift + lines.joined(separator: "\r\n")
            #expect(
                try tape("\(prolog)<a><![CDATA[\(section)]]></a>")
                    == declaration + ["element a 0", "cdata \(shift)\(lines.joined(separator: "\n"))"]
            )
        }
    }

    /// Without substitution, `&amp;` in an attribute is passed as `&#38;`, and an entity's content is passed twice.
    @Test func `an entity's content comes once each time it is used`() throws {
        let text = #"<!DOCTYPE a [<!ENTITY e "<b>&amp;</b>">]><a x="&amp;&lt;">&e;&e;&e;</a>"#
        #expect(
            try tape(text) == [
                "doctype a=", "element a 1", "attribute x=&<", "element b 0", "text &", "element b 0", "text &",
                "element b 0", "text &",
            ]
        )
    }

    @Test func `a default attribute is an attribute`() throws {
        #expect(
            try tape("<!DOCTYPE a [<!ATTLIST a x CDATA 'd'>]><a/>") == ["doctype a=", "element a 1", "attribute x=d"]
        )
    }

    /// A namespace of three megabytes with a hundred names needed 300 megabytes.
    @Test func `the name of a namespace is stored once`() throws {
        try withTape("<p:a xmlns:p='urn:p'><p:b/><p:c p:d=''/></p:a>") { tape in
            var ranges: [Range<Int>] = []
            for number in 0..<tape.nameCount where !tape.name(number).namespace.isEmpty {
                ranges.append(tape.name(number).namespace)
            }
            #expect(ranges.count == 4)
            #expect(Set(ranges).count == 1)
        }
    }

    @Test func `every record belongs to an element`() throws {
        let text = "<!DOCTYPE a><?p?><a xmlns='u' b=''>x<c d=''><e f='' g=''/>y</c><!-- z --><h i=''>w</h></a><?v?>"
        try withTape(text) { tape in
            var places: [String] = []
            var index = tape.startIndex
            while index < tape.count {
                places.append(tape.path(to: tape.lineage(of: index), maxBytes: 100))
                index = tape.index(after: index)
            }
            #expect(
                places == [
                    "/a", "/a", "/a", "/a", "/a", "/a", "/a/c", "/a/c", "/a/c/e", "/a/c/e", "/a/c/e", "/a/c", "/a",
                    "/a/h", "/a/h", "/a/h", "/a",
                ]
            )
        }
    }

    /// Text other than names of elements and attributes is also stored in the library's dictionary. When it was full,
    /// declarations of namespaces were lost.
    @Test(arguments: [
        ("<a>", "<b xmlns:p='", "'/>", "</a>"), ("<a>", "x<?", "?>", "</a>"),
        ("<!DOCTYPE a [", "<?", "?>", "]><a/>"), ("<!DOCTYPE a [", "<!ATTLIST a b CDATA '", "'>", "]><a/>"),
    ])
    func `other entries of the library's dictionary count as names`(
        start: String,
        opening: String,
        closing: String,
        end: String
    ) {
        var settings = XMLTape.Settings()
        settings.maxNameBytes = 1000
        for keepsAll in [true, false] {
            settings.keepsAll = keepsAll
            for (count, reason) in [(9, nil), (10, XMLTape.Fault.Reason.nameBytes)] {
                // Twice, which counts once; a default value counts each time.
                let name = String(repeating: "n", count: 99)
                let parts = (0..<count).map { opening + name + "\($0)" + closing }.joined()
                let text = Array((start + parts + (opening.hasPrefix("<!") ? "" : parts) + end).utf8)
                #expect(XMLTape(reading: text.span, settings).fault?.reason == reason)
            }
        }
    }

    /// The library treats it as a lack of memory, which terminated the process. The limit of names prevents that.
    @Test func `a full dictionary is not a lack of memory`() {
        var settings = XMLTape.Settings()
        settings.maxNameBytes = .max
        let name = String(repeating: "n", count: 49_000)
        let text = Array(("<a>" + (0..<400).map { "<\(name)\($0)/>" }.joined() + "</a>").utf8)
        let fault = XMLTape(reading: text.span, settings).fault
        #expect(fault?.reason == .nameBytes)
        #expect(fault?.number == 2)
    }

    /// Each of a hundred entities that are resolved by name copied the text before it again.
    @Test(arguments: ["<!DOCTYPE a SYSTEM 's'>", "<!DOCTYPE a SYSTEM 's' [<!ENTITY e 'f'>]>"])
    func `a text with entities in it is copied once`(prolog: String) throws {
        let entities = ["nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy"]
        let text = String(repeating: "x", count: 50_000) + entities.map { "&\($0);" }.joined()
        for keepsAll in [true, false] {
            try withTape("\(prolog)<a>\(text)</a>", keepsAll: keepsAll) { tape in
                #expect(tape.textBytes < 3 * text.utf8.count)
                let kept = keepsAll ? tape.text(at: tape.contentStart(of: tape.root)) : tape.text(at: tape.root)
                #expect(tape.string(kept).hasSuffix("xx\u{A0}¡¢£¤¥¦§¨©"))
                #expect(kept.count == 50_020)
            }
        }
    }

    private func tape(_ text: String, keepsAll: Bool = true) throws -> [String] {
        try withTape(text, keepsAll: keepsAll) { tape in lines(tape) }
    }

    private func withTape<Result>(
        _ text: String,
        keepsAll: Bool = true,
        _ body: (borrowing XMLTape) throws -> Result
    ) throws -> Result {
        try withTape(Array(text.utf8), keepsAll: keepsAll, body)
    }

    /// Returns little-endian UTF-16 with a byte order mark.
    private func utf16(_ text: String) -> [UInt8] {
        [0xFF, 0xFE] + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }

    private func withTape<Result>(
        _ content: [UInt8],
        keepsAll: Bool = true,
        _ body: (borrowing XMLTape) throws -> Result
    ) throws -> Result {
        var warnings = WarningList(max: 100)
        let source = try XMLSource(content.span, charset: nil, memory: .unlimited, warnings: &warnings)
        let tape = try XMLTape.read(content.span, in: source, keepsAll: keepsAll, limits: Limits(), warnings: &warnings)
        return try body(tape)
    }

    private func lines(_ tape: borrowing XMLTape) -> [String] {
        var lines: [String] = []
        var index = tape.startIndex
        while index < tape.count {
            lines.append(line(tape, index))
            index = tape.index(after: index)
        }
        return lines
    }

    /// Returns the number of namespace declarations and attributes of an element.
    private func attributeCount(_ tape: borrowing XMLTape, _ element: Int) -> Int {
        let attributes = tape.attributes(of: element)
        var count = 0
        var index = attributes.lowerBound
        while index < attributes.upperBound {
            count += 1
            index = tape.index(after: index)
        }
        return count
    }

    private func line(_ tape: borrowing XMLTape, _ index: Int) -> String {
        let name = tape.qualifiedName(tape.name(at: index))
        switch tape.kind(at: index) {
        case .element:
            let text = tape.string(tape.text(at: index))
            return "element \(name) \(attributeCount(tape, index))" + (text.isEmpty ? "" : " \(text)")
        case .text: return "text \(tape.string(tape.text(at: index)))"
        case .cdata: return "cdata \(tape.string(tape.text(at: index)))"
        case .comment: return "comment \(tape.string(tape.text(at: index)))"
        case .namespace, .attribute, .instruction, .doctype:
            return "\(tape.kind(at: index)) \(name)=\(tape.string(tape.text(at: index)))"
        }
    }
}
