import SerializationSupport
import TestSupport
import Testing

@testable import Serialization

/// The worst cases of the XML reader, each at two sizes: eight times the content takes about eight times as long.
@Suite struct XMLCostTests {
    /// The library reports each `--`, and copied all of the comment for each report: 64 KB took seconds.
    @Test(
        arguments: [
            ("<r>", "<!--", ""), ("<r><!-- ", "--", ""), ("<r><!--", "x--", ""), ("<r><!--", "x--", "--></r>"),
            ("<r>", "<!-- x ->", ""), ("<!--", "x--", "--><r/>"), ("<r/><!--", "x--", "-->"), ("<r/>", "<!--", ""),
            ("<r>text<!--", "\r\n--", "--></r>"), ("<r><!--é", "x--", "--></r>"),
            ("<r><?p <!--", " x-- <!--", "?></r>"), ("<r><![CDATA[<!--", " x-- <!--", "]]></r>"),
        ],
        ["", "<!DOCTYPE r [<!ENTITY e 'f'>]>", "<!DOCTYPE r [<!ELEMENT r ANY>]>"]
    )
    func `a comment with two hyphens takes linear time`(pattern: (String, String, String), prolog: String) {
        expectLinear(prolog: prolog, pattern)
    }

    @Test(arguments: [
        ("<!DOCTYPE r [<!--", "x--", "-->]><r/>"), ("<!DOCTYPE r [<!--", "x--", ""),
        ("<!DOCTYPE r [", "<!--", "]><r/>"), ("<!DOCTYPE r [<!--é", "x--", "-->]><r/>"),
        ("<!DOCTYPE r [<!ENTITY % e '<!--", "x--", "-->'>%e;]><r/>"),
        ("<!DOCTYPE r [<!ENTITY e '<!--", "x--", "-->'>]><r>&e;</r>"),
        ("<!DOCTYPE r [<!ENTITY e '<![CDATA[]]><?p?><!--", "x--", "-->'>]><r>&e;</r>"),
        ("<!DOCTYPE r [<!ENTITY e '", "&#38;", "'>]><r>&e;</r>"),
        ("<!DOCTYPE r [<!ENTITY e 'f'>]><r>&x;", "&e;", "</r>"),
        ("<!DOCTYPE r [<!ENTITY e 'f'>]><r a='&x;", "&e;", "'/>"),
    ])
    func `a comment with two hyphens in a document type declaration takes linear time`(
        pattern: (String, String, String)
    ) {
        expectLinear(pattern)
    }

    @Test(arguments: [
        ("<r><!--", "<![CDATA[", ""), ("<r><![CDATA[", "]] >", ""), ("<r>", "<?p ", ""), ("<r><?p ", "? >", ""),
        ("<r a='", "x", ""), ("<r a='", "&x;", ""), ("<r a='", ">", ""), ("<r>", "<a b='", ""), ("<", "n", ""),
        ("<r", " ", ""), ("<r>", "</", ""), ("<r>&#", "1", ""), ("<!DOCTYPE r [", "<!ENTITY e '", ""),
        ("<!DOCTYPE r [", "<![INCLUDE[", ""), ("<!DOCTYPE r [", "]", ""), ("<!DOCTYPE r [", "<!ELEMENT r (", ""),
        ("<!DOCTYPE r [<!ENTITY e '", "&a;", ""), ("<!DOCTYPE r [<!ATTLIST r a CDATA '", "&a;", ""),
        ("<!DOCTYPE r [", "%", ""), ("<!DOCTYPE r [", "'", ""),
    ])
    func `an unterminated construct takes linear time`(pattern: (String, String, String)) {
        expectLinear(pattern)
        expectLinear(prolog: "<!DOCTYPE r [<!ENTITY e 'f'>]>", pattern)
    }

    @Test(arguments: [
        ("<r><b>&#", "v1\" x <!--", "&]]></r>"), ("<r>&x", "<!--a--b ", ";</r>"), ("<r><?x ", "<!--a--b ", "?></r>"),
        ("<r><?x ", "<!--a--b >", "?></r>"), ("<r><a b=\"", "> <!--a--b ", "\"/></r>"), ("<r></r ", "<!--a--b ", ""),
        ("<r><![CDATA[", "<!--a--b >", "]]></r>"), ("<r>&x", "<q \(list(300) { "n\($0)=''" })/>", "</r>"),
    ])
    func `comments and tags in a construct that is not complete take linear time`(pattern: (String, String, String)) {
        expectLinear(pattern)
    }

    /// The library copies the names of an error, and those of a default attribute were not counted: 64 KB took 0.1 s to
    /// 0.6 s, 8 MB minutes.
    @Test(arguments: [
        ("<!DOCTYPE r [<!ATTLIST a \(long(9000, "p")):\(long(9000)) CDATA ''>]><r>", "<a/>", "</r>"),
        ("<r xmlns:a='\(long(40_000))' xmlns:b='\(long(40_000))'>", "<a a:x='' b:x=''/>", "</r>"),
        ("<!DOCTYPE r [<!ATTLIST a \(list(250) { "xmlns:n\($0) CDATA 'u'" })>]><r>", "<a/>", "</r>"),
        ("<!DOCTYPE r [<!ATTLIST a \(list(900) { "n\($0) CDATA ''" })>]><r>", "<a/>", "</r>"),
        ("<!DOCTYPE r [<!ATTLIST \(long(9000)) \(list(800) { "p:n\($0) CDATA ''" })>]><r>", "<a/>", "</r>"),
    ])
    func `long names and many defaults take linear time`(pattern: (String, String, String)) {
        expectLinear(pattern)
    }

    /// Each of the names was compared with the namespace of the root, for the arrays of feeds.
    @Test(arguments: ["rss", "feed", "r"])
    func `the length of a namespace does not count for each of its names`(root: String) {
        let namespace = Self.long(100_000)
        func time(_ prefix: String) -> Duration {
            let names = (0..<4_000).map { "<\(prefix):n\($0)/>" }.joined()
            let text = "<\(root) xmlns='\(namespace)b' xmlns:p='\(namespace)c' xmlns:q='d'>\(names)</\(root)>"
            return (0..<2).map { _ in
                processorTime { #expect(serialize(type: "text/xml", text).json != nil) }
            }.min() ?? .zero
        }
        #expect(time("p") < time("q") * 4)
    }

    /// The library added each catalog to a list, which it traversed from the start.
    @Test func `an instruction that names a catalog costs no more than another one`() {
        func time(_ target: String) -> Duration {
            let text = String(repeating: "<?\(target) catalog='x'?>", count: 14_000) + "<r/>"
            return (0..<2).map { _ in
                processorTime { #expect(serialize(type: "text/xml", text).json != nil) }
            }.min() ?? .zero
        }
        #expect(time("oasis-xml-catalog") < time("oasis-xml-catalox") * 3)
    }

    @Test(arguments: [
        "<r><\(long(9000)) \(list(100) { "p:n\($0)=''" })/></r>",
        "<!DOCTYPE r [<!ENTITY e 'f'>]><r><\(long(9000)) \(list(100) { "p:n\($0)=''" })/></r>",
        "<r xmlns:a='\(long(9000))' xmlns:b='\(long(9000))'><a \(list(100) { "a:n\($0)='' b:n\($0)=''" })/></r>",
        "<!DOCTYPE r [<!ATTLIST \(long(9000)) \(list(100) { "p:n\($0) CDATA ''" })>]><r/>",
        "<!DOCTYPE r [<!ENTITY % e \"<!ATTLIST \(long(9000)) \(list(100) { "n\($0) CDATA ''" })>\">%e;]><r/>",
    ])
    func `the names of accepted errors and attribute lists are limited`(text: String) {
        let result = serialize(type: "text/xml", text)
        guard let error = result.chain.first?.contentError as? XMLError else {
            Issue.record("\(result)")
            return
        }
        #expect(error.reason == .namesTooLong(max: 2 << 20))
    }

    /// The library creates a parser for each use of an entity: 64 KB took 10 ms.
    @Test(arguments: [
        ("<!DOCTYPE r [<!ENTITY e 'f'>]><r>&e;</r>", false), ("<!DOCTYPE r [<!ATTLIST r a CDATA 'f'>]><r/>", false),
        ("\u{FEFF}<!-- --><!DOCTYPE r [<!ENTITY % e 'f'>]><r/>", false),
        ("<!DOCTYPE plist PUBLIC 'a' 'b'><plist/>", true),
        ("<r>&amp;</r>", true), (#"{"a":"<!ENTITY e 'f'>"}"#, true),
    ])
    func `only XML without entities and default values is short`(text: String, isShort: Bool) {
        func isShortContent(_ bytes: Int) -> Bool {
            let content = Array(text.utf8) + [UInt8](repeating: 0x20, count: bytes - text.utf8.count)
            var response = UpstreamResponse()
            response.fields.append(name: "Content-Type", value: "text/xml")
            return ResponseSerializer(options: SerializationOptions()).isShort(content.span, of: response)
        }
        #expect(isShortContent(text.utf8.count) == isShort)
        #expect(isShortContent(1_024) == isShort)
        #expect(!isShortContent(1_025))
    }

    @Test func `long names without errors are accepted`() {
        let attributes = Self.list(100) { "n\($0)=''" }
        #expect(serialize(type: "text/xml", "<r><\(Self.long(9000)) \(attributes)/></r>").json != nil)
        #expect(serialize(type: "text/xml", "<r><\(Self.long(9000)) p:n=''/></r>").json != nil)
    }

    /// Each namespace was compared with all others of its prefix, byte by byte: 5 MB/s.
    @Test func `namespaces of one length are not compared byte by byte`() {
        func time(_ difference: (String) -> String) -> Duration {
            let names = (100..<190).map { difference("\($0)") }
            let elements = names.map { "<a xmlns:p='\($0)'/>" }.joined()
            let text = "<r>" + String(repeating: elements, count: 4) + "</r>"
            return (0..<2).map { _ in processorTime { _ = serialize(type: "text/xml", text) } }.min() ?? .zero
        }
        let long = Self.long(2000)
        let first = time { "urn:\($0)\(long)" }
        let last = time { "urn:\(long)\($0)" }
        // About the same time; it was more than ten times as long.
        #expect(last < first * 3 + .milliseconds(5))
    }

    private static func long(_ bytes: Int, _ letter: String = "n") -> String { String(repeating: letter, count: bytes) }

    private static func list(_ count: Int, _ item: (Int) -> String) -> String {
        (0..<count).map(item).joined(separator: " ")
    }

    private func expectLinear(prolog: String = "", _ pattern: (start: String, piece: String, end: String)) {
        func time(_ bytes: Int, _ serializer: SerializerKind) -> Duration {
            let count = bytes / pattern.piece.utf8.count
            let text = prolog + pattern.start + String(repeating: pattern.piece, count: count) + pattern.end
            return (0..<2).map { _ in
                processorTime { _ = serialize(type: "text/xml", text) { $0.serializer = .one(serializer) } }
            }.min() ?? .zero
        }
        for serializer in [SerializerKind.xml, .xmlDocument] {
            let once = time(24_000, serializer)
            // Quadratic time would be 64 times as long.
            #expect(time(8 * 24_000, serializer) < once * 24 + .milliseconds(20), "\(prolog) \(pattern)")
        }
    }
}
