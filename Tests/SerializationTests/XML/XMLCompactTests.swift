import SerializationSupport
import TestSupport
import Testing

@testable import Serialization

/// The compact form, rule by rule and document by document.
@Suite struct XMLCompactTests {
    @Test(arguments: [
        ("<a/>", #"{"a":""}"#),
        ("<a>  </a>", #"{"a":"  "}"#),
        ("<a>1</a>", #"{"a":"1"}"#),
        ("<a x='1'/>", #"{"a":{"@x":"1"}}"#),
        ("<a x='1'>t</a>", ##"{"a":{"@x":"1","#text":"t"}}"##),
        ("<a>\n <b>1</b>\n <c/>\n</a>", #"{"a":{"b":"1","c":""}}"#),
        ("<a><b>1</b><c/><b>2</b></a>", #"{"a":{"b":["1","2"],"c":""}}"#),
        ("<a><b><b>1</b></b><b/><c><b>2</b></c></a>", #"{"a":{"b":[{"b":"1"},""],"c":{"b":"2"}}}"#),
        ("<p>Hi <b>bold</b> <i>it</i>!</p>", ##"{"p":{"#content":["Hi ",{"b":"bold"}," ",{"i":"it"},"!"]}}"##),
        ("<a xml:space='preserve'> <b/></a>", ##"{"a":{"@xml:space":"preserve","#content":[" ",{"b":""}]}}"##),
        (
            "<a xml:space='preserve'><b xml:space='default'> <c/></b></a>",
            ##"{"a":{"@xml:space":"preserve","b":{"@xml:space":"default","c":""}}}"##
        ),
        ("<a>x<!-- c --><?p q?><![CDATA[<&]]>y</a>", #"{"a":"x<&y"}"#),
        (
            "<a xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'><b xsi:nil='true'/></a>",
            #"{"a":{"b":{"@xsi:nil":"true"}}}"#
        ),
        ("<a>\"\\\t&#9;</a>", #"{"a":"\"\\\t\t"}"#),
        ("<x:a xmlns:x='u'><x:b xmlns:x='v'/><x:b/></x:a>", #"{"x:a":{"x:b":["",""]}}"#),
    ])
    func `elements become members`(text: String, json: String) {
        #expect(value(text) == json)
    }

    /// The names of an element's children are recorded in 64 bits.
    @Test(arguments: [1, 2, 63, 64, 65, 128, 200])
    func `a recurring name joins its first occurrence, whatever is between them`(count: Int) {
        let others = (1...count).map { "<n\($0)/>" }.joined()
        let members = (1...count).map { #""n\#($0)":"""# }.joined(separator: ",")
        #expect(value("<a>\(others)</a>") == #"{"a":{\#(members)}}"#)
        #expect(value("<a><b>1</b>\(others)<b>2</b></a>") == #"{"a":{"b":["1","2"],\#(members)}}"#)
        #expect(value("<a><b>1</b>\(others)<c/><c/></a>") == #"{"a":{"b":"1",\#(members),"c":["",""]}}"#)
    }

    @Test func `names whose total length is too large are rejected before writing`() {
        let names = (0..<100).map { "<p:n\($0)/>" }.joined()
        let text = "<p:a xmlns:p='urn:\(String(repeating: "x", count: 10_000))'>\(names)</p:a>"
        var limits = Limits()
        limits.maxOutputBytes = 1 << 20
        #expect(serialize(type: "application/xml", text, limits: limits) { $0.xmlNames = .clark }.json != nil)
        limits.maxOutputBytes = 1_000_000
        let refused = serialize(type: "application/xml", text, limits: limits) { $0.xmlNames = .clark }
        #expect(refused.chain.first == .outputTooLong(max: 1_000_000))
        #expect(serialize(type: "application/xml", text, limits: limits).json != nil)
    }

    @Test(arguments: [
        (XMLTextStyle.object, "<a/>", ##"{"a":{"#text":""}}"##),
        (.object, "<a><b x='1'>t</b></a>", ##"{"a":{"b":{"@x":"1","#text":"t"}}}"##),
        (.auto, "<a><b x='1'>t</b></a>", ##"{"a":{"b":{"@x":"1","#text":"t"}}}"##),
    ])
    func `text has the requested form`(style: XMLTextStyle, text: String, json: String) {
        #expect(value(text) { $0.xmlText = style } == json)
    }

    @Test(arguments: [
        (XMLNameStyle.prefixed, #"{"p:a":{"@q:x":"1","@r:x":"2","@x":"3","p:b":"","b":""}}"#),
        (.local, #"{"a":{"@q:x":"1","@r:x":"2","@x":"3","b":["",""]}}"#),
        (.clark, #"{"{urn:p}a":{"@{urn:q}x":"1","@{urn:r}x":"2","@x":"3","{urn:p}b":"","b":""}}"#),
    ])
    func `names have the requested form`(style: XMLNameStyle, json: String) {
        let text = """
            <p:a xmlns:p="urn:p" xmlns:q="urn:q" xmlns:r="urn:r" q:x="1" r:x="2" x="3"><p:b/><b/></p:a>
            """
        #expect(value(text) { $0.xmlNames = style } == json)
    }

    @Test func `an attribute keeps its prefix in elements where another has the same name`() {
        let text = """
            <a xmlns:p="urn:p" xmlns:q="urn:q"><b p:x="1" q:y="2"/>\
            <b p:x="3" y="4" q:y="5" p:y="6" x="7"/><b q:x="8"/></a>
            """
        #expect(
            value(text) { $0.xmlNames = .local }
                == #"{"a":{"b":[{"@x":"1","@y":"2"},{"@p:x":"3","@y":"4","@q:y":"5","@p:y":"6","@x":"7"},{"@x":"8"}]}}"#
        )
    }

    /// Both are well-formed, but violate Namespaces in XML.
    @Test(arguments: [
        (
            XMLNameStyle.clark, "<r xmlns:p='u' xmlns:q='u' p:a='1' q:a='2' p:b='3' a='4'/>",
            #"{"r":{"@p:a":"1","@q:a":"2","@{u}b":"3","@a":"4"}}"#
        ),
        (.local, "<r a:b:c='1' b:c='2' d:c='3'/>", #"{"r":{"@a:b:c":"1","@b:c":"2","@d:c":"3"}}"#),
        (.local, "<r a:b:c='1' b:c='2' c='3'/>", #"{"r":{"@a:b:c":"1","@b:c":"2","@c":"3"}}"#),
    ])
    func `no member is written twice, whatever the attributes are called`(
        style: XMLNameStyle,
        text: String,
        json: String
    ) {
        let result = serialize(type: "text/xml", text) {
            $0.view = .value
            $0.xmlNames = style
        }
        #expect(result.json == json)
        #expect(!result.warnings.isEmpty && result.warnings.allSatisfy { $0.code == "xml.namespace" })
    }

    /// The attributes of an element are not compared pairwise.
    @Test func `many attributes without their prefixes take no more time than with them`() {
        let element = "<b " + (0..<500).map { "a\($0)=''" }.joined(separator: " ") + "/>"
        // Two of one name, so that there is a duplicate to find.
        let text = "<a xmlns:p='u'><c x='' p:x=''/>" + String(repeating: element, count: 40) + "</a>"
        let prefixed = processorTime { #expect(value(text) { $0.xmlNames = .prefixed } != nil) }
        let local = processorTime { #expect(value(text) { $0.xmlNames = .local } != nil) }
        // Comparing them pairwise would take a hundred times as much.
        #expect(local < prefixed * 10)
    }

    @Test func `names that are canonically equivalent but different are not merged`() throws {
        let (one, two) = ("\u{E9}", "e\u{301}")
        let text = "<a><\(one)/><\(two)/><\(one) \(one)='1' \(two)='2'/></a>"
        let json =
            "{\"a\":{\"\(one)\":[\"\",{\"@\(one)\":\"1\",\"@\(two)\":\"2\"}],\"\(two)\":\"\"}}"
        #expect(value(text).map { Array($0.utf8) } == Array(json.utf8))
        let arrays = try #require(XMLArrays(parsing: "/a/\(two)"))
        #expect(arrays != XMLArrays(parsing: "/a/\(one)"))
        let listed = value("<a><\(one)/><\(two)/></a>") { $0.xmlArrays = arrays }
        #expect(listed.map { Array($0.utf8) } == Array("{\"a\":{\"\(one)\":\"\",\"\(two)\":[\"\"]}}".utf8))
    }

    @Test func `only the text of leaves is trimmed`() {
        #expect(value("<a> <b> x\n</b> t </a>") { $0.xmlTrim = true } == ##"{"a":{"#content":[" ",{"b":"x"}," t "]}}"##)
        #expect(value("<a>\u{A0} </a>") { $0.xmlTrim = true } == "{\"a\":\"\u{A0}\"}")
    }

    @Test(arguments: [
        ("/a/b", #"{"a":{"b":[""],"c":{"b":""}}}"#),
        ("/a/c/b", #"{"a":{"b":"","c":{"b":[""]}}}"#),
        ("/a/c,/a/c/b,/a/nothing", #"{"a":{"b":"","c":[{"b":[""]}]}}"#),
        ("always", #"{"a":{"b":[""],"c":[{"b":[""]}]}}"#),
        ("auto", #"{"a":{"b":"","c":{"b":""}}}"#),
    ])
    func `arrays are written at the requested paths`(arrays: String, json: String) throws {
        let arrays = try #require(XMLArrays(parsing: arrays))
        #expect(value("<a><b/><c><b/></c></a>") { $0.xmlArrays = arrays } == json)
    }

    @Test func `a path in Clark notation may have slashes and commas in its braces`() throws {
        let arrays = try #require(XMLArrays(parsing: "/{urn:a/b,c}a/{urn:a/b,c}b"))
        let json = #"{"{urn:a/b,c}a":{"{urn:a/b,c}b":[""]}}"#
        #expect(
            value("<a xmlns='urn:a/b,c'><b/></a>") {
                $0.xmlArrays = arrays
                $0.xmlNames = .clark
            } == json
        )
    }

    @Test(arguments: ["", "a", "/", "/a/", "a/b", "/a//b", "/a,", ",/a"])
    func `text that is not a path is rejected`(text: String) {
        #expect(XMLArrays(parsing: text) == nil)
    }

    @Test func `arrays that result from repetition are listed once`() {
        let text = "<a><b><c/><c/></b><b><c/><c/></b><d/></a>"
        #expect(serialize(type: "text/xml", text).upstream.xml?.inferredArrays == ["/a/b", "/a/b/c"])
        #expect(serialize(type: "text/xml", text) { $0.xmlArrays = .always }.upstream.xml?.inferredArrays == [])
    }

    @Test func `a section without text is ignored`() {
        #expect(value("<a xml:space='preserve'><b/><![CDATA[]]></a>") == ##"{"a":{"@xml:space":"preserve","b":""}}"##)
        #expect(value("<a><![CDATA[]]>x<![CDATA[]]><![CDATA[y]]></a>") == #"{"a":"xy"}"#)
    }

    /// The library accepts at most 10 MB, and its push parser passes 300 bytes at a time.
    @Test(arguments: ["<a>", "<!DOCTYPE a [<!ENTITY e 'f'>]><a>"])
    func `a section may have any length`(opening: String) throws {
        let line = "\u{E9}]]\r\n"
        let text = opening + "<![CDATA[" + String(repeating: line, count: 1_700_000) + "]]><b/></a>"
        let expected =
            ##"{"a":{"#content":[""## + String(repeating: "\u{E9}]]\\n", count: 1_700_000) + ##"",{"b":""}]}}"##
        // Without #expect, which would print both.
        if value(text) != expected { Issue.record("a long section has a different text") }
    }

    @Test func `long paths of arrays are truncated like pointers and listed once`() {
        let name = String(repeating: "n", count: 40_000)
        let pairs = (0..<100).map { "<a\($0)/><a\($0)/>" }.joined()
        let text = "<r><b/><b/><\(name)>" + pairs + "</\(name)></r>"
        #expect(serialize(type: "text/xml", text).upstream.xml?.inferredArrays == ["/r/b", "/r/…"])
        var limits = Limits()
        limits.maxPointerBytes = 6
        let short = "<r><b><c/><c/></b><bb><c/><c/></bb><bb><dd/><dd/></bb></r>"
        #expect(
            serialize(type: "text/xml", short, limits: limits).upstream.xml?.inferredArrays
                == ["/r/b/c", "/r/bb", "/r/bb/…"]
        )
    }

    @Test func `the total length of listed paths is limited`() throws {
        var limits = Limits()
        limits.maxPointerBytes = 4 << 10
        let name = String(repeating: "n", count: 4000)
        let text = "<\(name)>" + (0..<100).map { "<a\($0)/><a\($0)/>" }.joined() + "</\(name)>"
        let paths = try #require(serialize(type: "text/xml", text, limits: limits).upstream.xml?.inferredArrays)
        #expect(paths.count == 16 && paths.allSatisfy { $0.utf8.count <= limits.maxPointerBytes })
    }

    @Test func `an answer in Clark notation does not list long namespaces`() {
        let text =
            "<p:a xmlns:p='" + String(repeating: "u", count: 30_000) + "'>" + String(repeating: "<p:a>", count: 199)
            + "<a0/><a0/>" + String(repeating: "</p:a>", count: 200)
        let result = serialize(type: "text/xml", text) { $0.xmlNames = .clark }
        #expect(result.upstream.xml?.inferredArrays == ["/…"])
    }

    @Test func `the facts report what the value does not contain`() {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?><!DOCTYPE a PUBLIC "p" "s"><a xmlns="urn:a" xmlns:b="urn:b">\
            <b:c xmlns:b="urn:other"/><b:c xmlns:b="urn:b"/></a>
            """
        var facts = XMLFacts()
        facts.version = "1.0"
        facts.encoding = "UTF-8"
        facts.doctype = XMLFacts.Doctype(name: "a", publicIdentifier: "p", systemIdentifier: "s")
        facts.namespaces = [
            XMLFacts.Namespace(prefix: "", names: ["urn:a"]),
            XMLFacts.Namespace(prefix: "b", names: ["urn:b", "urn:other"]),
        ]
        facts.inferredArrays = ["/a/b:c"]
        #expect(serialize(type: "text/xml", text).upstream.xml == facts)
    }

    @Test(arguments: ["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"])
    func `a SOAP fault is a value, with a warning that points at it`(namespace: String) {
        let opening = "<s:Envelope xmlns:s=\"\(namespace)\"><s:Body>"
        let result = serialize(type: "text/xml", opening + "<s:Fault><f>x</f></s:Fault></s:Body></s:Envelope>") {
            $0.view = .value
        }
        #expect(result.json == #"{"s:Envelope":{"s:Body":{"s:Fault":{"f":"x"}}}}"#)
        var place = SourceLocation(byte: opening.utf8.count, line: 1, column: opening.utf8.count + 1)
        place.path = "/s:Envelope/s:Body/s:Fault"
        #expect(result.warnings == [Warning(.soapFault, at: place)])
    }

    @Test func `content beyond the limits is rejected`() {
        let text = "<a>" + String(repeating: "<b>1</b>", count: 1000) + "</a>"
        var limits = Limits()
        limits.maxOutputBytes = 100
        #expect(serialize(type: "text/xml", text, limits: limits).chain == [.outputTooLong(max: 100)])
    }

    private func value(_ text: String, _ configure: (inout SerializationOptions) -> Void = { _ in }) -> String? {
        serialize(type: "application/xml", text) {
            $0.view = .value
            configure(&$0)
        }.json
    }
}
