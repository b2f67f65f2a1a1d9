import Testing

@testable import Serialization

@Suite struct MarkupScannerTests {
    /// Returns the parts as text: the name of a tag, and `-` for other parts.
    private func parts(_ text: String) -> [String] {
        let content = Array(text.utf8)
        var scanner = MarkupScanner(at: 0)
        var parts: [String] = []
        while let part = scanner.next(content.span) {
            switch part {
            case .tag(let tag):
                let name = String(decoding: content[tag.name], as: UTF8.self)
                parts.append("<\(name)\(tag.isEmpty ? "/" : "")\(tag.isWhole ? ">" : "")")
            case .endTag(let name): parts.append("</" + String(decoding: content[name], as: UTF8.self))
            case .other: parts.append("-")
            }
        }
        return parts
    }

    @Test(arguments: [
        ("<a><b c='>'/>x</b ></a>", ["<a>", "<b/>", "</b", "</a"]), ("<a b=\"</a>'>\"><c d='\"/>'>", ["<a>", "<c>"]),
        ("<!-- <a> -- > --><a/>", ["-", "<a/>"]), ("<![CDATA[<a>]] >]]><?p <a> ??><b>", ["-", "-", "<b>"]),
        ("<!DOCTYPE a [<!ENTITY b \"]>'\">]><a>", ["-", "<a>"]), ("<!-->--><a>", ["-", "<a>"]), ("text", []), ("", []),
        ("<a b='", ["<a"]), ("<a", ["<a"]), ("<", ["<"]), ("<!-- a", []), ("<!DOCTYPE a [", []), ("</a", []),
        ("<?p", []),
        ("<a><!", ["<a>"]), ("<a/", ["<a"]), ("<![CDATA[]]", []), ("<a / >", ["<a>"]),
        ("<!DOCTYPE a '>'><b/>", ["-", "<b/>"]),
    ])
    func `tags are found outside comments, values and declarations`(text: String, expected: [String]) {
        #expect(parts(text) == expected)
    }

    @Test func `content that is cut off anywhere has the parts before`() {
        let text = "<?xml?><!DOCTYPE a [<!-- ' --><!ENTITY b '>'>]><a c=\"d'>\"><![CDATA[<x>]]></a><!-- e -->"
        let whole = parts(text)
        #expect(whole == ["-", "-", "<a>", "-", "</a", "-"])
        for count in 0..<text.utf8.count {
            let cut = parts(String(text.prefix(count)))
            #expect(cut.dropLast() == whole.prefix(max(cut.count - 1, 0)), "\(count)")
        }
    }

    @Test(arguments: [
        ("<a x='1' width = \"2\" width='3'/>", "2"), ("<a title='width=\"1\"' width='2'/>", "2"), ("<a width/>", nil),
        ("<a width=1 b='c'/>", nil), ("<a\n\twidth\r=\n'\t2 '>", "\t2 "), ("<a xwidth='1' widthx='2'/>", nil),
        ("<a width='1", nil), ("<a width=''/>", ""), ("<a =''='' width='1'>", "1"), ("<a width", nil),
        ("<a width=", nil),
    ])
    func `the first attribute with a name is found`(text: String, expected: String?) throws {
        let content = Array(text.utf8)
        var scanner = MarkupScanner(at: 0)
        let root = scanner.nextRoot(content.span)
        let tag = try #require(root)
        let value = tag.value(of: Array("width".utf8), content.span)
        #expect(value.map { String(decoding: content[$0], as: UTF8.self) } == expected)
    }
}
