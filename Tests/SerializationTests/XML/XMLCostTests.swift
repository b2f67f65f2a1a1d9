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
