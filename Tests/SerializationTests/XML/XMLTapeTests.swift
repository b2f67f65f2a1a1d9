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
