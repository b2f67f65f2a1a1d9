import Testing

@testable import Serialization

/// The shim and its wrapper: what is on the tape, and the traps of the library that were measured.
@Suite struct XMLTapeTests {
    @Test func `an element is followed by declarations, attributes and content`() throws {
        #expect(
            try tape(#"<a xmlns:p="urn:p" p:x="1">hi<b/>&lt;<![CDATA[<]]></a>"#) == [
                "element a 2", "namespace p=urn:p", "attribute p:x=1", "text hi", "element b 0", "text <", "cdata <",
            ]
        )
    }

    @Test func `what is not kept apart is text`() throws {
        #expect(
            try tape("<?p q?><a>x<!-- c -->y<![CDATA[z]]></a><!--d-->", keepsAll: false) == [
                "element a 0", "text xyz",
            ]
        )
        #expect(
            try tape("<?p q?><a>x<!-- c -->y<![CDATA[z]]></a><!--d-->") == [
                "instruction p=q", "element a 0", "text x", "comment  c ", "text y", "cdata z", "comment d",
            ]
        )
    }

    @Test func `two CDATA sections in a row stay two, and a long one stays one`() throws {
        let long = String(repeating: "0123456789", count: 1000)
        #expect(try tape("<a><![CDATA[a]]><![CDATA[b]]></a>") == ["element a 0", "cdata a", "cdata b"])
        #expect(try tape("<a><![CDATA[\(long)]]></a>") == ["element a 0", "cdata \(long)"])
    }

    /// XML 1.0 §2.11. The library's push parser leaves the ends of lines in a section as they are, and tells of a long
    /// section in pieces.
    @Test(arguments: ["", "<!DOCTYPE a [<!ENTITY e 'f'>]>"])
    func `a line ends in a line feed, in a CDATA section too`(prolog: String) throws {
        let declaration = prolog.isEmpty ? [] : ["doctype a="]
        for (section, text) in [("\r\nb\rc\n\rd\r\n", "\nb\nc\n\nd\n"), ("\r", "\n"), ("", "")] {
            #expect(
                try tape("\(prolog)<a>b\r\nc<![CDATA[\(section)]]>d\re</a>")
                    == declaration + ["element a 0", "text b\nc", "cdata \(text)", "text d\ne"]
            )
        }
        // Wherever a piece ends, of 300 bytes or of 16 KiB.
        for shift in ["", "y", "yy"] {
            let lines = Array(repeating: "x", count: 20_000)
            let section = shift + lines.joined(separator: "\r\n")
            #expect(
                try tape("\(prolog)<a><![CDATA[\(section)]]></a>")
                    == declaration + ["element a 0", "cdata \(shift)\(lines.joined(separator: "\n"))"]
            )
        }
    }

    /// Without substitution `&amp;` in an attribute arrives as `&#38;`, and an entity's content comes twice.
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

    private func tape(_ text: String, keepsAll: Bool = true) throws -> [String] {
        let content = Array(text.utf8)
        var warnings = WarningList(max: 100)
        let source = try XMLSource(content.span, charset: nil, warnings: &warnings)
        let tape = try XMLTape.read(
            content.span,
            in: source,
            keepsAll: keepsAll,
            limits: Limits(),
            warnings: &warnings
        )
        return (0..<tape.count).map { index in
            let name = tape.qualifiedName(tape.name(at: index))
            switch tape.kind(at: index) {
            case .element: return "element \(name) \(tape.attributeCount(at: index))"
            case .text: return "text \(tape.string(tape.text(at: index)))"
            case .cdata: return "cdata \(tape.string(tape.text(at: index)))"
            case .comment: return "comment \(tape.string(tape.text(at: index)))"
            case .namespace, .attribute, .instruction, .doctype:
                return "\(tape.kind(at: index)) \(name)=\(tape.string(tape.text(at: index)))"
            }
        }
    }
}
