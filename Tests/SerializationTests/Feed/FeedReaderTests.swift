import SerializationSupport
import TestSupport
import Testing

@testable import Serialization

/// Feeds in the shape of JSON Feed.
@Suite struct FeedReaderTests {
    private static let version = #""version":"https://jsonfeed.org/version/1.1""#

    private func result(
        _ content: String,
        type: String? = "application/xml",
        url: String? = nil,
        _ configure: (inout SerializationOptions) -> Void = { _ in }
    ) -> Serialized {
        var options = SerializationOptions()
        options.serializer = .one(.feed)
        options.view = .value
        configure(&options)
        var response = UpstreamResponse()
        response.url = url
        if let type { response.fields.append(name: "Content-Type", value: type) }
        return serialize(response, content: Array(content.utf8), options: options)
    }

    /// Returns an object with the version of JSON Feed.
    private static func jsonFeed(_ object: String) -> String { "{\(version)," + object.dropFirst() }

    /// The value without its version, which is always the same.
    private func value(_ content: String, type: String? = "application/xml", url: String? = nil) -> String? {
        result(content, type: type, url: url).json?.replacing(Self.version + ",", with: "")
    }

    /// The first item of a channel of RSS.
    private func item(_ content: String, url: String? = nil) -> String? {
        let value = value(
            "<rss version=\"2.0\"\(Self.namespaces)><channel><item>\(content)</item></channel></rss>",
            url: url
        )
        return value.map { String($0.dropFirst(#"{"items":["#.count).dropLast(2)) }
    }

    private func channel(_ content: String, url: String? = nil) -> String? {
        let value = value("<rss version=\"2.0\"\(Self.namespaces)><channel>\(content)</channel></rss>", url: url)
        return value?.replacing(#""items":[]"#, with: "").replacing(",}", with: "}")
    }

    private func entry(_ content: String, attributes: String = "", url: String? = nil) -> String? {
        let feed = "<feed xmlns=\"http://www.w3.org/2005/Atom\"\(attributes)><entry>\(content)</entry></feed>"
        return value(feed, url: url).map { String($0.dropFirst(#"{"items":["#.count).dropLast(2)) }
    }

    private func location(
        _ byte: Int,
        _ line: Int,
        _ column: Int,
        _ pointer: String? = nil
    ) -> Serialization.SourceLocation {
        Serialization.SourceLocation(byte: byte, line: line, column: column, pointer: pointer)
    }

    private static let namespaces =
        #" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:media="http://search.yahoo.com/mrss/""#
        + #" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/""#
        + #" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:slash="http://purl.org/rss/1.0/modules/slash/""#
        + #" xmlns:georss="http://www.georss.org/georss" xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#""#

    // MARK: Selection

    @Test(arguments: [
        "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml", "text/xml",
        "text/plain", "application/octet-stream",
    ])
    func `it runs only if it is named`(type: String) {
        let content = "<rss><channel><title>T</title></channel></rss>"
        let automatic = serialize(type: type, content)
        #expect(automatic.json?.contains(#""serializer":"xml""#) == true)
        let named = serialize(type: type, content) { $0.serializer = .one(.feed) }
        #expect(named.json?.contains(#""serializer":"feed""#) == true)
    }

    @Test(arguments: ["application/json", "application/feed+json", "text/plain"])
    func `JSON Feed is accepted with the types of JSON`(type: String) {
        #expect(value(Self.jsonFeed(#"{"items":[]}"#), type: type) == #"{"items":[]}"#)
    }

    @Test(arguments: [
        "application/xml-dtd", "application/xml-external-parsed-entity", "text/xml-external-parsed-entity",
    ])
    func `the media types of DTDs and of external parsed entities are not acceptable`(type: String) {
        let content = "<rss><channel><title>T</title></channel></rss>"
        let error = result(content, type: type).chain.first
        guard case .unacceptableMediaType(let got, _, _, _)? = error else {
            Issue.record("accepted, or another error: \(String(describing: error))")
            return
        }
        #expect(got == type)
        let overridden = result(content, type: type) { $0.declaredType = "application/xml" }
        #expect(overridden.json?.contains(#""title":"T""#) == true)
    }

    @Test func `profile afnetworking does not accept it`() {
        let result = serialize(type: "application/xml", "<rss/>") {
            $0.rules = .afnetworking
            $0.serializer = .one(.feed)
        }
        #expect(result.json == nil)
    }

    @Test func `a compound continues with another serializer if the content is not a feed`() {
        let result = serialize(type: "application/json", #"{"a":1}"#) { $0.serializer = .compound([.feed, .json]) }
        #expect(result.json?.contains(#""serializer":"json","value":{"a":1}"#) == true)
    }

    @Test(arguments: [
        ("<html><body/></html>", 0, "<html>"), ("<!-- a -->\n<opml version=\"2.0\"/>", 11, "<opml>"),
        ("<r:RDF xmlns:r=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"/>", 0, "<r:RDF>"), ("[1]", 0, "an array"),
        ("<Feed xmlns='urn:x' name='a'><Products><Product/></Products></Feed>", 0, "<Feed>"),
        ("<feed><programme>y</programme></feed>", 0, "<feed>"), ("<rss><foo>1</foo></rss>", 0, "<rss>"),
        ("<rss xmlns='urn:x' version='1'><foo/></rss>", 0, "<rss>"),
        ("<channel><id>5</id><name>Sales</name><members/></channel>", 0, "<channel>"),
        (#"{"a":1}"#, 0, "an object"), (#"{"items":{}}"#, 0, "an object"),
        (#"{"items":[]}"#, 0, "an object"), (#"{"version":7,"items":[]}"#, 0, "an object"),
        (#"{"version":"https://jsonfeed.org/version/2","items":[]}"#, 0, "an object"),
        (#"{"version":"https://jsonfeed.org/version/10","items":[]}"#, 0, "an object"),
    ])
    func `content that is not a feed is an error at its root`(content: String, byte: Int, found: String) {
        let error = result(content, type: "text/plain").chain.first?.contentError as? FeedError
        #expect(error?.reason == .notAFeed)
        #expect(error?.location.byte == byte)
        #expect(error?.found == found)
    }

    @Test func `a document with one entry of Atom is a feed with one item`() {
        let entry = """
            <a:entry xmlns:a="http://www.w3.org/2005/Atom" xml:base="b/" xml:lang="de"><a:id>1</a:id>\
            <a:title>T</a:title><a:link href="c"/><a:updated>2024-01-02</a:updated></a:entry>
            """
        let expected = value(
            "<feed xmlns=\"http://www.w3.org/2005/Atom\">\(entry)</feed>",
            url: "http://a/"
        )
        #expect(expected?.contains(#""url":"http://a/b/c""#) == true)
        #expect(value(entry, url: "http://a/") == expected)
        #expect(result(entry).upstream.feed?.format == .atom)
        #expect(result(entry).upstream.feed?.formatVersion == "1.0")
        #expect(result("<entry/>").json == nil)
    }

    // MARK: Formats

    @Test func `RSS, RDF and Atom have one shape`() {
        let expected =
            #"{"title":"T","home_page_url":"http://a.example/","items":[{"id":"1","url":"http://a.example/1"}]}"#
        #expect(
            value(
                """
                <rss version="2.0"><channel><title>T</title><link>http://a.example/</link>
                <item><guid>1</guid><link>http://a.example/1</link></item></channel></rss>
                """
            ) == expected
        )
        #expect(
            value(
                """
                <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
                <channel><title>T</title><link>http://a.example/</link></channel>
                <item rdf:about="1"><link>http://a.example/1</link></item></rdf:RDF>
                """
            ) == expected
        )
        #expect(
            value(
                """
                <feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><link href="http://a.example/"/>
                <entry><id>1</id><link href="http://a.example/1"/></entry></feed>
                """
            ) == expected
        )
        #expect(
            value(
                Self.jsonFeed(
                    #"{"title":"T","home_page_url":"http://a.example/","items":[{"id":1,"url":"http://a.example/1"}]}"#
                ),
                type: "application/feed+json"
            ) == expected
        )
    }

    @Test(
        arguments: [
            ("<rss version='0.91'><channel/></rss>", FeedFacts.Format.rss, "0.91"),
            ("<rss><channel/></rss>", .rss, nil),
            ("<feed xmlns='http://www.w3.org/2005/Atom'/>", .atom, "1.0"),
            ("<feed version='0.3' xmlns='http://purl.org/atom/ns#'/>", .atom, "0.3"), ("<feed/>", .atom, nil),
            (#"{"version":"https://jsonfeed.org/version/1","items":[]}"#, .json, "1"),
            (#"{"version":"http://jsonfeed.org/version/1.1","items":[]}"#, .json, "1.1"),
        ] as [(String, FeedFacts.Format, String?)]
    )
    func `the facts name the format`(content: String, format: FeedFacts.Format, version: String?) {
        let facts = result(content, type: "text/plain").upstream.feed
        #expect(facts?.format == format)
        #expect(facts?.formatVersion == version)
    }

    @Test func `facts of the channel come first, wherever they are`() {
        #expect(
            value("<rss><channel><item><title>1</title></item><title>T</title></channel></rss>")
                == #"{"title":"T","items":[{"title":"1"}]}"#
        )
    }

    @Test func `elements that are not read are listed`() {
        let content = "<rss xmlns:x='urn:x'><channel><x:a/><item><x:b/><x:a/><foo/></item></channel></rss>"
        #expect(result(content).upstream.feed?.unreadElements == ["x:a", "x:b", "foo"])
    }

    @Test func `prefixes that are not declared have their usual meaning`() {
        #expect(value("<rss><channel><dc:title>T</dc:title></channel></rss>")?.hasPrefix(#"{"title":"T""#) == true)
    }

    // MARK: Texts

    @Test(arguments: [
        ("<title> A &amp; B </title>", #"{"title":"A & B"}"#),
        ("<title><![CDATA[<b>A</b>]]></title>", #"{"title":"<b>A</b>"}"#),
        ("<title>&lt;b&gt;A&lt;/b&gt;</title>", #"{"title":"<b>A</b>"}"#),
        (
            "<title><b c=\"d&quot;&lt;\">A &amp; B</b><br/><i></i> </title>",
            #"{"title":"<b c=\"d&quot;&lt;\">A &amp; B</b><br/><i></i>"}"#
        ),
        ("<description>D</description>", #"{"summary":"D"}"#),
        ("<content:encoded>C</content:encoded><description>D</description>", #"{"content_html":"C","summary":"D"}"#),
        ("<title/><dc:title>T</dc:title>", #"{"title":"T","_dc":{"title":["T"]}}"#),
    ])
    func `texts of RSS are as received`(content: String, expected: String) {
        #expect(item(content) == expected)
    }

    @Test func `a div that contains all elements of a text is removed, in RSS and in Atom`() {
        let div = "<div class='a'><div>x</div> y</div>"
        let expected = #"{"summary":"<div>x</div> y"}"#
        #expect(item("<description> \(div) </description>") == expected)
        #expect(entry("<summary type='xhtml'>\(div)</summary>") == expected)
        #expect(item("<description>z \(div)</description>")?.contains(#"<div class=\"a\">"#) == true)
    }

    @Test(arguments: [
        ("<content>a &lt; b</content>", #"{"content_text":"a < b"}"#),
        ("<content type='html'>&lt;b&gt;</content>", #"{"content_html":"<b>"}"#),
        (
            "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>a<br/>&lt;</div></content>",
            #"{"content_html":"a<br/>&lt;"}"#
        ),
        (
            "<content type='xhtml'><h:div xmlns:h='http://www.w3.org/1999/xhtml'><h:p x='1'/></h:div></content>",
            #"{"content_html":"<p x=\"1\"></p>"}"#
        ),
        (
            "<content type='application/octet-stream'>YSA8IGI=</content>",
            #"{"content_text":"a < b","_rss":{"content":{"type":"application/octet-stream"}}}"#
        ),
        (
            "<content type='image/png'>iVBORw==</content>",
            #"{"_rss":{"content":{"type":"image/png","base64":"iVBORw=="}}}"#
        ),
        (
            "<content type='video/mp4' src='http://a.example/v'/>",
            #"{"_rss":{"content":{"type":"video/mp4","url":"http://a.example/v"}}}"#
        ),
        (
            "<title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><b>T</b></div></title>",
            #"{"title":"<b>T</b>"}"#
        ),
    ])
    func `the type of a text of Atom decides`(content: String, expected: String) {
        #expect(entry(content) == expected)
    }

    @Test func `nothing is sanitized`() {
        #expect(
            item("<description>&lt;script&gt;x&lt;/script&gt;</description>") == #"{"summary":"<script>x</script>"}"#
        )
    }

    // MARK: Dates

    @Test func `dates become RFC 3339`() {
        #expect(
            item("<pubDate>Thu, 01 Jan 2004 19:48:21 PST</pubDate>")
                == #"{"date_published":"2004-01-01T19:48:21-08:00"}"#
        )
        #expect(
            entry("<updated>2003-12-31T10:14:55.5Z</updated><published>2003-12-31</published>")
                == #"{"date_published":"2003-12-31T00:00:00Z","date_modified":"2003-12-31T10:14:55.5Z"}"#
        )
    }

    @Test func `a date that cannot be read stays as text, with a warning`() {
        let content = """
            <rss><channel><pubDate>soon</pubDate>
            <item><title>é</title><pubDate>later</pubDate></item><item/>
            <item><pubDate>2003-12-31</pubDate></item><item><pubDate>never</pubDate></item></channel></rss>
            """
        let result = result(content)
        #expect(result.json?.contains(#""_rss":{"date_published":"soon"}"#) == true)
        #expect(result.json?.contains(#"{"title":"é","date_published":"later"}"#) == true)
        #expect(
            result.warnings == [
                Warning(.feedInvalidDate("soon"), at: location(14, 1, 15, "/_rss/date_published")),
                Warning(.feedInvalidDate("later"), at: location(61, 2, 23, "/items/0/date_published")),
                Warning(.feedInvalidDate("never"), at: location(148, 3, 49, "/items/3/date_published")),
            ]
        )
    }

    @Test func `a date of JSON Feed that cannot be read has its location`() {
        let start = "{\(Self.version),\"items\":[{},{\"id\":\"é\",\n\"date_modified\":"
        let content = start + "\"x\",\"date_published\":\"Thu, 01 Jan 2004 10:00 GMT\"}]}"
        let result = result(content, type: "application/json")
        #expect(result.json?.contains(#""date_modified":"x","date_published":"2004-01-01T10:00:00Z""#) == true)
        let location = location(start.utf8.count, 2, 17, "/items/1/date_modified")
        #expect(result.warnings == [Warning(.feedInvalidDate("x"), at: location)])
    }

    @Test func `a date of JSON Feed can have escapes, and white space around it`() {
        let date = #"" 2004-01-01T10:00:00\u002B01:00\n""#
        let result = result("{\(Self.version),\"items\":[{\"date_published\":\(date)}]}", type: "application/json")
        #expect(result.json?.contains(#""date_published":"2004-01-01T10:00:00+01:00""#) == true)
        #expect(result.warnings == [])
    }

    @Test func `warnings beyond the limit are counted`() {
        let items = String(repeating: "<item><pubDate>x</pubDate></item>", count: 150)
        let warnings = result("<rss><channel>\(items)</channel></rss>").warnings
        #expect(warnings.count == 101)
        #expect(warnings.last == Warning(.truncated(count: 50)))
    }

    // MARK: URLs

    @Test(
        arguments: [
            ("<link>b</link>", nil, #"{"url":"b"}"#),
            ("<link>b</link>", "http://a.example/c/d", #"{"url":"http://a.example/c/b"}"#),
            ("<link xml:base='http://b.example/'>b</link>", "http://a.example/", #"{"url":"http://b.example/b"}"#),
            ("<link xml:base='e/'>b</link>", "http://a.example/c", #"{"url":"http://a.example/e/b"}"#),
            ("<guid>b</guid>", "http://a.example/", #"{"id":"b"}"#),
            ("<guid>http://a.example/1</guid>", nil, #"{"id":"http://a.example/1","url":"http://a.example/1"}"#),
            ("<guid isPermaLink='false'>http://a.example/1</guid>", nil, #"{"id":"http://a.example/1"}"#),
            ("<link>a</link><link>b</link>", nil, #"{"url":"b","_rss":{"links":[{"url":"a"}]}}"#),
        ] as [(String, String?, String)]
    )
    func `relative URLs are resolved against xml:base, then against the URL of the response`(
        content: String,
        url: String?,
        expected: String
    ) {
        #expect(item(content, url: url) == expected)
    }

    @Test func `a warning reports that the URL of the response is too long for relative URLs`() {
        let url = "http://a.example/" + String(repeating: "p", count: 1_024)
        let warnings = [Warning(.feedBaseTooLong(max: 1_024))]
        let xml = result("<rss><channel><link>b</link></channel></rss>", url: url)
        #expect(xml.json?.contains(#""home_page_url":"b""#) == true)
        #expect(xml.warnings == warnings)
        let json = result(Self.jsonFeed(#"{"icon":"b","items":[]}"#), type: "application/json", url: url)
        #expect(json.json?.contains(#""icon":"b""#) == true)
        #expect(json.warnings == warnings)
        let signed = "http://a.example/c?" + String(repeating: "q", count: 1_024)
        #expect(item("<link>b</link>", url: signed) == #"{"url":"http://a.example/b"}"#)
        #expect(result("<rss><channel/></rss>", url: signed).warnings == [])
    }

    @Test(
        arguments: [
            (600, 600, nil), (1, 1_025, nil), (0, 601, "http://a.example/" + String(repeating: "u", count: 582) + "/"),
        ] as [(Int, Int, String?)]
    )
    func `references stay relative in an element whose xml:base is too long, with one warning`(
        outer: Int,
        inner: Int,
        url: String?
    ) {
        func base(_ url: String) -> String { " xml:base='\(url)/'" }
        let markup = "<content type='xhtml'><p xmlns='http://www.w3.org/1999/xhtml'><a href='x'/></p></content>"
        let entry = "<entry\(base(String(repeating: "b", count: inner - 1)))><id>1</id><link href='x'/>\(markup)"
        let inside =
            "<link rel='related'\(base("c")) href='y'/><link rel='alternate'\(base("http://b.example")) href='z'/>"
        let start =
            "<feed xmlns='http://www.w3.org/2005/Atom'"
            + (outer == 0 ? "" : base("http://a.example/" + String(repeating: "a", count: outer))) + ">"
        let result = result(start + String(repeating: entry + inside + "</entry>", count: 2) + "</feed>", url: url)
        let item =
            #"{"id":"1","url":"x","external_url":"y","content_html":"<p><a href=\"x\"></a></p>","#
            + #""_rss":{"links":[{"rel":"alternate","url":"http://b.example/z"}]}}"#
        #expect(result.json?.contains("[\(item),\(item)]") == true, "\(result.json ?? "")")
        let location = location(start.utf8.count, 1, start.utf8.count + 1)
        #expect(result.warnings == [Warning(.feedBaseTooLong(max: 1_024, isDeclared: true), at: location)])
    }

    @Test func `an identifier of Atom is only resolved against xml:base`() {
        #expect(entry("<id>b</id>", url: "http://a.example/") == #"{"id":"b"}"#)
        #expect(entry("<id>b</id>", attributes: " xml:base='http://a.example/c/'") == #"{"id":"http://a.example/c/b"}"#)
    }

    @Test func `links of Atom have members by their relation`() {
        let links = """
            <link rel="self" href="s"/><link rel="alternate" href="p"/><link rel="alternate" href="q" hreflang="de"/>
            <link rel="hub" href="h"/><link rel="next" href="n"/>
            """
        #expect(
            value("<feed xmlns=\"http://www.w3.org/2005/Atom\">\(links)</feed>")
                == #"{"home_page_url":"p","feed_url":"s","next_url":"n","hubs":[{"type":"WebSub","url":"h"}],"#
                + #""_rss":{"links":[{"rel":"alternate","url":"q","language":"de"}]},"items":[]}"#
        )
        #expect(
            entry("<link rel='related' href='r'/><link rel='enclosure' href='e' length='5' type='a/b' title='t'/>")
                == #"{"external_url":"r","attachments":[{"url":"e","mime_type":"a/b","title":"t","size_in_bytes":5}]}"#
        )
    }

    @Test func `links that have a member only in feeds or only in items are under _rss in the other`() {
        let links = "<link rel='self' href='s'/><link rel='hub'>h</link><link rel='related' href='r'/>"
        #expect(
            entry(links)
                == #"{"external_url":"r","_rss":{"links":[{"rel":"self","url":"s"},{"rel":"hub","url":"h"}]}}"#
        )
        #expect(
            value("<feed xmlns='http://www.w3.org/2005/Atom'>\(links)</feed>")
                == #"{"feed_url":"s","hubs":[{"type":"WebSub","url":"h"}],"#
                + #""_rss":{"links":[{"rel":"related","url":"r"}]},"items":[]}"#
        )
    }

    @Test func `a link of Atom may lack its namespace, or have its URL as text`() {
        #expect(
            item("<link href='p'/><link rel='enclosure' href='e'/><link rel='self' href='s'/>")
                == #"{"url":"p","attachments":[{"url":"e"}],"_rss":{"links":[{"rel":"self","url":"s"}]}}"#
        )
        #expect(item("<link>a</link><link rel='alternate' href='b'/>")?.hasPrefix(#"{"url":"a","#) == true)
        #expect(
            entry("<link>p</link><link rel='enclosure' type='a/b'>e</link>")
                == #"{"url":"p","attachments":[{"url":"e","mime_type":"a/b"}]}"#
        )
    }

    @Test(arguments: [
        "http://example.com/necho", "http://purl.org/echo/", "http://purl.org/pie/", "http://example.com/newformat#",
    ])
    func `drafts of Atom are Atom, and may call an entry an item`(namespace: String) {
        let content = "<feed xmlns='\(namespace)'><title>T</title><item><id>1</id></item></feed>"
        #expect(value(content) == #"{"title":"T","items":[{"id":"1"}]}"#)
    }

    @Test(arguments: ["rss", "rss2", "rss091", "rss2.1", "RSS2"])
    func `each version of RSS may have its namespace`(name: String) {
        let content = "<rss xmlns='http://backend.userland.com/\(name)'><channel><title>T</title></channel></rss>"
        #expect(value(content) == #"{"title":"T","items":[]}"#)
    }

    @Test(
        arguments: [
            "http://www.w3.org/2005/Atom", "https://cyber.harvard.edu/rss/rss.html",
            "http://www.rssboard.org/rss-specification", "urn:x", "http://www.w3.org/1999/xhtml",
            "http://search.yahoo.com/mrss/", "urn:" + String(repeating: "x", count: 252),
        ]
    )
    func `a wrong default namespace counts as that of the root, with a warning`(namespace: String) {
        let items = "<item><guid>1</guid><description><p><a href='b'/></p></description></item>"
        let content = "<rss version='2.0' xmlns='\(namespace)'><channel><title>T</title>\(items)</channel></rss>"
        #expect(
            value(content, url: "http://a.example/")
                == #"{"title":"T","items":[{"id":"1","summary":"<p><a href=\"http://a.example/b\"></a></p>"}]}"#
        )
        let kind = Warning.Kind.feedUnexpectedNamespace(namespace)
        #expect(result(content).warnings == [Warning(kind, at: location(0, 1, 1))])
        #expect(result(content).upstream.feed?.format == .rss)
        let prefixed = "<r:rss xmlns:r='\(namespace)'><r:channel><r:title>T</r:title></r:channel></r:rss>"
        #expect(value(prefixed) == #"{"title":"T","items":[]}"#)
    }

    /// Each of the names was compared with the namespace of the root, and white space around its own was skipped.
    @Test(arguments: ["x", " "])
    func `the length of a namespace does not count for each of its names`(character: String) {
        let namespace = String(repeating: character, count: 200_000)
        func time(_ prefix: String) -> Duration {
            let names = (0..<4_000).map { "<\(prefix):n\($0)/>" }.joined()
            let content = "<rss xmlns='\(namespace)b' xmlns:p='\(namespace)c' xmlns:q='d'>\(names)</rss>"
            return (0..<2).map { _ in processorTime { _ = result(content) } }.min() ?? .zero
        }
        #expect(time("p") < time("q") * 4)
    }

    @Test(arguments: ["https://www.w3.org/2005/Atom", "http://www.w3.org/2005/Atom/", "urn:x"])
    func `an unknown namespace of a feed counts as that of Atom, with a warning`(namespace: String) {
        let content =
            "<feed xmlns='\(namespace)' xmlns:a='\(namespace)'><title>T</title><a:entry><id>1</id></a:entry></feed>"
        #expect(value(content) == #"{"title":"T","items":[{"id":"1"}]}"#)
        #expect(result(content).warnings == [Warning(.feedUnexpectedNamespace(namespace), at: location(0, 1, 1))])
    }

    @Test(arguments: [
        "<rss version='2.0'/>", "<feed xmlns='http://www.w3.org/2005/Atom'/>", "<rss><channel/></rss>", "<rss/>",
        "<feed/>", "<channel/>",
    ])
    func `a feed may be empty`(content: String) {
        #expect(value(content) == #"{"items":[]}"#)
        #expect(result(content).warnings == [])
    }

    @Test func `the namespace of a module may have another scheme, or no final slash`() {
        let modules =
            "<dc:creator>J</dc:creator><content:encoded>C</content:encoded><slash:section>s</slash:section>"
        for dublinCore in [
            "https://purl.org/dc/elements/1.1/", "http://purl.org/dc/elements/1.1", "HTTPS://purl.org/dc/terms",
        ] {
            let content = """
                <rss version='2.0' xmlns:dc='\(dublinCore)' xmlns:content='https://purl.org/rss/1.0/modules/content' \
                xmlns:slash='https://purl.org/rss/1.0/modules/slash/'><channel><item>\(modules)</item></channel></rss>
                """
            #expect(
                value(content)
                    == #"{"items":[{"content_html":"C","authors":[{"name":"J"}],"_dc":{"creator":["J"]},"#
                    + #""_slash":{"section":"s"}}]}"#
            )
            #expect(result(content).upstream.feed?.unreadElements == [])
        }
        let rdf = """
            <rdf:RDF xmlns:rdf="https://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="https://purl.org/rss/1.0">\
            <channel><title>T</title></channel><item rdf:about="1"/></rdf:RDF>
            """
        #expect(value(rdf) == #"{"title":"T","items":[{"id":"1"}]}"#)
        #expect(result(rdf).upstream.feed?.formatVersion == "1.0")
    }

    @Test func `a prefix of Atom has its meaning in RSS with the namespace of Atom`() {
        let atom = "http://www.w3.org/2005/Atom"
        let content = """
            <rss xmlns="\(atom)" xmlns:atom="\(atom)" xmlns:y="urn:y"><channel><atom:link rel="self" href="s"/>\
            <link>p</link><item><title>A</title><atom:updated>2003-12-31</atom:updated><y:id>2</y:id></item>\
            </channel></rss>
            """
        #expect(
            value(content)
                == #"{"home_page_url":"p","feed_url":"s","items":[{"title":"A","#
                + #""date_modified":"2003-12-31T00:00:00Z"}]}"#
        )
        #expect(result(content).warnings.map(\.code) == ["feed.unexpected_namespace"])
        #expect(result(content).upstream.feed?.unreadElements == ["y:id"])
    }

    // MARK: Authors, categories and enclosures

    @Test func `categories of Media RSS are tags, too`() {
        let tags = item(
            "<category>a</category><media:category>b</media:category><media:category label='c'>d</media:category>"
        )
        #expect(tags?.hasPrefix(#"{"tags":["a","b","c"],"_media""#) == true, "\(tags ?? "")")
    }

    @Test(arguments: [
        ("<author>Jane</author>", #"[{"name":"Jane"}]"#),
        ("<author>j@a.example</author>", #"[{"_rss":{"email":"j@a.example"}}]"#),
        ("<author>j@a.example (Jane D.)</author>", #"[{"name":"Jane D.","_rss":{"email":"j@a.example"}}]"#),
        ("<author>Jane (j@a.example)</author>", #"[{"name":"Jane","_rss":{"email":"j@a.example"}}]"#),
        ("<author>Jane &lt;j@a.example&gt;</author>", #"[{"name":"Jane","_rss":{"email":"j@a.example"}}]"#),
        ("<author>Jane @ home</author>", #"[{"name":"Jane @ home"}]"#),
        ("<author>Jane (mailto:j@a.example)</author>", #"[{"name":"Jane","_rss":{"email":"j@a.example"}}]"#),
        ("<author>MAILTO:j@a.example</author>", #"[{"_rss":{"email":"j@a.example"}}]"#),
        ("<author>mailto:@</author>", #"[{"name":"mailto:@"}]"#),
        ("<atom:author><atom:name>J</atom:name><atom:uri>u</atom:uri></atom:author>", #"[{"name":"J","url":"u"}]"#),
        ("<author>by <a href='/x'>Jane <b>D</b>.</a>\n and  <a>Ann</a></author>", #"[{"name":"by Jane D. and Ann"}]"#),
        ("<author>j@a.example (<b>Jane</b> D.)</author>", #"[{"name":"Jane D.","_rss":{"email":"j@a.example"}}]"#),
        ("<atom:author><a>Jane</a></atom:author>", #"[{"name":"Jane"}]"#), ("<author> <b/> </author>", "[]"),
    ])
    func `authors have a name, a URL and an address`(content: String, expected: String) {
        #expect(item(content) == (expected == "[]" ? "{}" : #"{"authors":"# + expected + "}"))
    }

    @Test(arguments: ["dc:creator", "dc:author", "itunes:author", "managingEditor", "webMaster"])
    func `the text in elements is a part of the name of an author`(name: String) {
        let found = value(
            "<rss version='2.0'\(Self.namespaces)><channel><\(name)>by <a href='/x'>Jane</a></\(name)></channel></rss>"
        )
        #expect(found?.contains(#""authors":[{"name":"by Jane"}]"#) == true, "\(found ?? "")")
    }

    @Test func `the web master is an author only of a channel that has no other`() {
        let master = "<webMaster>w@a.example</webMaster>"
        for (other, authors) in [
            ("", #"[{"_rss":{"email":"w@a.example"}}]"#), ("<itunes:author>E</itunes:author>", #"[{"name":"E"}]"#),
            ("<dc:creator>D</dc:creator>", #"[{"name":"D"}]"#),
            ("<managingEditor>M</managingEditor>", #"[{"name":"M"}]"#),
        ] {
            let found = value(
                "<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'"
                    + " xmlns:dc='http://purl.org/dc/elements/1.1/'>"
                    + "<channel><title>T</title>\(master)\(other)</channel></rss>"
            )
            #expect(found?.contains("\"authors\":" + authors) == true, "\(found ?? "")")
        }
    }

    @Test func `the first source of authors that is not empty is used`() {
        #expect(
            item("<author/><dc:creator>A</dc:creator><dc:creator>B</dc:creator><itunes:author>C</itunes:author>")
                == #"{"authors":[{"name":"A"},{"name":"B"}],"_itunes":{"author":"C"},"_dc":{"creator":["A","B"]}}"#
        )
    }

    @Test func `categories are tags, and what else they have is a further fact`() {
        #expect(
            item("<category>A</category><category domain='d'>B</category><itunes:keywords>c, d</itunes:keywords>")
                == #"{"tags":["A","B","c","d"],"_rss":{"categories":[{"term":"B","scheme":"d"}]},"#
                + #""_itunes":{"keywords":"c, d"}}"#
        )
        #expect(
            item("<itunes:keywords>a <b>b</b>, c,<i>,d</i></itunes:keywords>")?.hasPrefix(#"{"tags":["a b","c","d"],"#)
                == true
        )
        let rdf = " xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
        let subject = "<rdf:Description\(rdf)>\n<rdf:value>Black tea</rdf:value>\n</rdf:Description>"
        #expect(item("<dc:subject>\(subject)</dc:subject>")?.hasPrefix(#"{"tags":["Black tea"],"#) == true)
        #expect(
            entry("<category term='t' label='L' scheme='s'/><category term='u'/>")
                == #"{"tags":["L","u"],"_rss":{"categories":[{"term":"t","scheme":"s","label":"L"}]}}"#
        )
    }

    @Test func `enclosures are attachments`() {
        #expect(
            item(
                "<enclosure url='e.mp3' length='12' type='audio/mpeg'/><enclosure url='f' length='1 MB'/>",
                url: "http://a.example/"
            )
                == #"{"attachments":[{"url":"http://a.example/e.mp3","mime_type":"audio/mpeg","size_in_bytes":12},"#
                + #"{"url":"http://a.example/f","_rss":{"length":"1 MB"}}]}"#
        )
    }

    @Test func `an enclosure without a URL is not an attachment, and is listed`() {
        let enclosures = "<enclosure url=' ' length='5' type='a/b'/><atom:link rel='enclosure' type='a/b'/>"
        #expect(item(enclosures) == "{}")
        let content = "<rss version='2.0'\(Self.namespaces)><channel><item>\(enclosures)</item></channel></rss>"
        #expect(result(content).upstream.feed?.unreadElements == ["enclosure", "atom:link"])
    }

    // MARK: Modules

    @Test func `the facts of modules have members of their own`() {
        #expect(
            item(
                "<itunes:duration>1:02:03</itunes:duration><itunes:episode>7</itunes:episode>"
                    + "<itunes:explicit>no</itunes:explicit>"
            )
                == #"{"_itunes":{"duration":"1:02:03","duration_in_seconds":3723,"explicit":"no","episode":7}}"#
        )
        #expect(
            item(
                "<media:group><media:content url='v' width='5' medium='video'><media:title>T</media:title>"
                    + "</media:content></media:group>"
            )
                == #"{"_media":{"group":[{"content":[{"url":"v","medium":"video","width":5,"#
                + #""title":[{"value":"T"}]}]}]}}"#
        )
        #expect(
            item("<media:group><media:thumbnail url='t'/></media:group>")
                == #"{"image":"t","_media":{"group":[{"thumbnail":[{"url":"t"}]}]}}"#
        )
        #expect(item("<media:thumbnail url='t'/>") == #"{"image":"t","_media":{"thumbnail":[{"url":"t"}]}}"#)
        #expect(
            item(
                "<slash:comments>5</slash:comments><georss:point>1 2</georss:point><geo:lat>3</geo:lat>"
                    + "<geo:long>4</geo:long>"
            )
                == #"{"_slash":{"comments":5},"_georss":{"points":["1 2","3 4"]}}"#
        )
        #expect(
            channel(
                "<itunes:category text='A'><itunes:category text='B'/></itunes:category>"
                    + "<itunes:owner><itunes:name>O</itunes:name></itunes:owner>"
            )
                == #"{"_rss":{"tags":["A","B"]},"_itunes":{"owner":{"name":"O"},"#
                + #""categories":[{"text":"A","categories":["B"]}]}}"#
        )
    }

    @Test func `further facts of the channel are under _rss`() {
        #expect(
            channel(
                "<image><url>i</url><title>T</title><width>5</width></image><ttl>60</ttl><generator>G</generator>"
                    + "<skipHours><hour>1</hour><hour>2</hour></skipHours><lastBuildDate>2003-12-31</lastBuildDate>"
            ) == #"{"icon":"i","_rss":{"date_modified":"2003-12-31T00:00:00Z","generator":{"name":"G"},"#
                + #""image":{"title":"T","url":"i","width":5},"ttl":60,"skip_hours":["1","2"]},}"#
                .replacing(",}", with: "}")
        )
    }

    @Test func `the text of an image of a channel is its URL if it is a URL`() {
        #expect(
            channel("<image> http://a.example/i </image>")
                == #"{"icon":"http://a.example/i","_rss":{"image":{"url":"http://a.example/i"}}}"#
        )
        #expect(channel("<image>i.png</image><itunes:image href='u'/>")?.contains("i.png") == false)
    }

    @Test(
        arguments: [
            ("<gml:Point><gml:pos>1 2</gml:pos></gml:Point>", #"{"points":["1 2"]}"#),
            ("<gml:LineString><gml:posList>1 2 3 4</gml:posList></gml:LineString>", #"{"lines":["1 2 3 4"]}"#),
            (
                "<gml:LineString><gml:pos>1 2</gml:pos><gml:pos>3 4</gml:pos></gml:LineString>",
                #"{"lines":["1 2 3 4"]}"#
            ),
            (
                "<gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>1 2 3 4</gml:posList></gml:LinearRing>"
                    + "</gml:exterior></gml:Polygon>", #"{"polygons":["1 2 3 4"]}"#
            ),
            (
                "<gml:Envelope><gml:upperCorner>3 4</gml:upperCorner><gml:lowerCorner>1 2</gml:lowerCorner>"
                    + "</gml:Envelope>", #"{"boxes":["1 2 3 4"]}"#
            ),
            ("<gml:Envelope><gml:lowerCorner>1 2</gml:lowerCorner></gml:Envelope>", nil),
            ("<gml:Point><gml:coordinates>1,2</gml:coordinates></gml:Point>", nil),
        ] as [(String, String?)]
    )
    func `geometries of GML are as in GeoRSS`(content: String, expected: String?) {
        let expected = expected.map { "{\"_georss\":" + $0 + "}" } ?? "{}"
        #expect(item("<georss:where>\(content)</georss:where>") == expected)
        #expect(item(content) == expected)
    }

    @Test func `an entry has the facts of its source`() {
        #expect(
            entry("<source><id>i</id><title>S</title><updated>x</updated></source>")
                == #"{"_rss":{"source":{"title":"S","_rss":{"id":"i","date_modified":"x"}}}}"#
        )
    }

    @Test func `references in markup are resolved against the xml:base around them, and only in HTML`() {
        let xhtml = entry(
            "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><p xml:base='http://c.example/d/'>"
                + "<a href='x'>1</a></p><a href='z'>2</a></div></content>",
            url: "http://a.example/"
        )
        #expect(
            xhtml?.contains(#"<a href=\"http://c.example/d/x\">1</a></p><a href=\"http://a.example/z\">2</a>"#) == true
        )
        let other = entry(
            "<content type='application/xml'><measure xmlns='urn:x' data='5' cite='7'/></content>",
            url: "http://a.example/"
        )
        #expect(other?.contains(#"data=\"5\" cite=\"7\""#) == true, "\(other ?? "")")
    }

    @Test(
        arguments: [
            ("<object data='5'/>", "<object data='U5'></object>"),
            ("<div data='5' cite='6'/>", "<div data='5' cite='6'></div>"),
            ("<q cite='5'>t</q>", "<q cite='U5'>t</q>"), ("<blockquote href='5'>t</blockquote>", nil),
            (
                "<form action='5'><button formaction='6' src='7'>t</button></form>",
                "<form action='U5'><button formaction='U6' src='7'>t</button></form>"
            ),
            ("<video poster='5' src='6' data='7'>t</video>", "<video poster='U5' src='U6' data='7'>t</video>"),
            ("<img src='5' srcset='6 2x' longdesc='7'/>", "<img src='U5' srcset='6 2x' longdesc='U7'/>"),
            ("<table background='5'><tr><td>t</td></tr></table>", "<table background='U5'><tr><td>t</td></tr></table>"),
            ("<s:image xlink:href='5' href='6'/>", "<image xlink:href='5' href='6'/>"),
        ] as [(String, String?)]
    )
    func `attributes of HTML are references only on the elements that have them`(markup: String, expected: String?) {
        let namespaces = "xmlns:s='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
        let wanted = (expected ?? markup).replacing("'", with: #"\""#).replacing("U", with: "http://a.example/")
        let xhtml = entry(
            "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml' \(namespaces)>\(markup)</div></content>",
            url: "http://a.example/"
        )
        #expect(xhtml?.contains(wanted) == true, "\(xhtml ?? "")")
    }

    @Test func `in XML of Atom, only elements in the namespace of XHTML are HTML`() {
        let xml = entry(
            "<content type='application/xml'><a xmlns='' href='1'><object data='2'/></a>"
                + "<h:a xmlns:h='http://www.w3.org/1999/xhtml' href='3'/></content>",
            url: "http://a.example/"
        )
        let expected = #"<object data=\"2\"/></a><a href=\"http://a.example/3\"></a>"#
        #expect(xml?.contains(#"href=\"1\""#) == true, "\(xml ?? "")")
        #expect(xml?.contains(expected) == true, "\(xml ?? "")")
    }

    @Test(
        arguments: [
            ("<m:doc><m:x/></m:doc>", "<m:doc xmlns:m='urn:m'><m:x/></m:doc>"),
            (
                "<doc><m:x n:y='1'><n:z/></m:x><m:x/></doc>",
                "<doc><m:x n:y='1' xmlns:m='urn:m' xmlns:n='urn:n'><n:z/></m:x><m:x xmlns:m='urn:m'/></doc>"
            ),
            ("<m:doc xmlns:m='urn:o'><m:x/><m:y xmlns:m='urn:p'/></m:doc>", nil),
            ("<doc xmlns='' xml:lang='de'><x/></doc>", nil), ("<doc xmlns='urn:d'><x/></doc>", nil),
            ("<s:svg><s:g/></s:svg>", "<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:g/></s:svg>"),
            ("<h:p><m:x/></h:p>", "<p><m:x xmlns:m='urn:m'/></p>"), ("<l:doc/>", nil),
        ] as [(String, String?)]
    )
    func `a prefix in XML of Atom is declared where it is first used`(markup: String, expected: String?) {
        let namespaces =
            " xmlns:m='urn:m' xmlns:n='urn:n' xmlns:s='http://www.w3.org/2000/svg'"
            + " xmlns:h='http://www.w3.org/1999/xhtml' xmlns:l='urn:\(String(repeating: "l", count: 300))'"
        let found = entry("<content type='application/xml'>\(markup)</content>", attributes: namespaces)
        let wanted = (expected ?? markup).replacing("'", with: #"\""#)
        #expect(found?.contains("\"content_html\":\"\(wanted)\"") == true, "\(found ?? "")")
    }

    @Test func `a default namespace other than that of Atom is declared in XML of Atom`() {
        let content = "<a:content type='application/xml'><doc><x/></doc></a:content>"
        let feed = "<a:feed xmlns:a='http://www.w3.org/2005/Atom' xmlns='urn:d'><a:entry>\(content)</a:entry></a:feed>"
        #expect(value(feed)?.contains(#""content_html":"<doc xmlns=\"urn:d\"><x/></doc>""#) == true)
    }

    @Test(
        arguments: [
            ("<style>ul &gt; li{}</style>", "<style>ul > li{}</style>"),
            ("<script>a &lt; b &amp;&amp; c</script>", "<script>a < b && c</script>"),
            ("<xmp>&lt;</xmp><STYLE>&gt;</STYLE>", "<xmp><</xmp><STYLE>></STYLE>"),
            ("<iframe>&amp;</iframe><noembed>&amp;</noembed>", "<iframe>&</iframe><noembed>&</noembed>"),
            ("<noframes>&amp;</noframes><p>&amp;</p>", "<noframes>&</noframes><p>&amp;</p>"),
            ("<style>&lt;/Style >&lt;</style>", "<style>&lt;/Style &gt;&lt;</style>"),
            ("<style>&lt;/script>&lt;</style>", "<style></script><</style>"),
            ("<script>&lt;!-- &lt;</script>", "<script><!-- <</script>"),
            ("<script>&lt;!-- &lt;SCRIPT&gt;</script>", "<script>&lt;!-- &lt;SCRIPT&gt;</script>"),
            ("<style>&lt;<b>&gt;</b></style>", "<style>&lt;<b>&gt;</b></style>"),
            ("<s:style>a &gt; b</s:style>", "<s:style>a &gt; b</s:style>"),
        ]
    )
    func `scripts and style sheets in HTML have no escapes, unless their text contains their end`(
        markup: String,
        expected: String
    ) {
        let xhtml = entry(
            "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml' xmlns:s='urn:s'>\(markup)</div></content>"
        )
        #expect(xhtml == "{\"content_html\":\"\(expected)\"}")
        #expect(item("<description>\(markup)</description>") == "{\"summary\":\"\(expected)\"}")
        let style = "<p xmlns='http://www.w3.org/1999/xhtml'><style>a &lt; b</style></p>"
        #expect(entry("<content type='text/xml'>\(style)</content>")?.contains("<style>a &lt; b</style>") == true)
    }

    // MARK: JSON Feed

    @Test(arguments: [
        (
            #"{"author":{"name":"A","url":"u"},"items":[]}"#,
            #"{"authors":[{"name":"A","url":"http://a.example/u"}],"items":[]}"#
        ),
        (
            #"{"author":{"name":"A"},"authors":[{"name":"B"}],"items":[]}"#,
            #"{"author":{"name":"A"},"authors":[{"name":"B"}],"items":[]}"#
        ),
        (
            #"{"items":[{"author":{"url":"u","avatar":" "},"authors":[{"url":"v"}]}]}"#,
            #"{"items":[{"author":{"url":"http://a.example/u"},"authors":[{"url":"http://a.example/v"}]}]}"#
        ),
        (
            #"{"authors":[],"author":{"name":"A"},"items":[{"author":{"name":"B"},"authors":[]}]}"#,
            #"{"authors":[{"name":"A"}],"items":[{"authors":[{"name":"B"}]}]}"#
        ),
        (#"{"author":"A","authors":[],"items":[]}"#, #"{"author":"A","authors":[],"items":[]}"#),
        (
            #"{"icon":" ","feed_url":"","items":[{"image":"  ","url":" http://b.example/ ","external_url":"\u0020"}]}"#,
            #"{"items":[{"url":"http://b.example/"}]}"#
        ),
        (
            #"{"items":[{"id":true,"\u0075rl":"x","date_published":"2003-12\u002d31"}]}"#,
            #"{"items":[{"id":"true","\u0075rl":"http://a.example/x","date_published":"2003-12-31T00:00:00Z"}]}"#
        ),
        (
            #"{"items":[{"id":12.50,"url":"/x","attachments":[{"url":"y"}],"_z":{"url":"z"},"n":1.0}],"icon":"../i"}"#,
            #"{"items":[{"id":"12.50","url":"http://a.example/x","attachments":[{"url":"http://a.example/y"}],"#
                + #""_z":{"url":"z"},"n":1.0}],"icon":"http://a.example/i"}"#
        ),
        (#"{"items":[1,"a",{"title":"é\n"}],"x":null}"#, #"{"items":[1,"a",{"title":"é\n"}]}"#),
    ])
    func `JSON Feed is copied, with URLs and dates as in other feeds`(content: String, expected: String) {
        #expect(value(Self.jsonFeed(content), type: "application/json", url: "http://a.example/f") == expected)
    }

    @Test func `the options for JSON apply to JSON Feed`() {
        let kept = result(Self.jsonFeed(#"{"items":[],"x":null}"#), type: "application/json") { $0.nulls = .keep }
        #expect(kept.json?.contains(#""x":null"#) == true)
        let authors = Self.jsonFeed(#"{"author":{"name":"A"},"authors":null,"items":[]}"#)
        let replaced = result(authors, type: "application/json") { $0.nulls = .keep }
        #expect(replaced.json?.contains(#""authors":[{"name":"A"}],"items""#) == true, "\(replaced.json ?? "")")
        #expect(replaced.json?.contains("null") == false)
        #expect(result(Self.jsonFeed(#"{"items":[],}"#), type: "application/json").json == nil)
        let lenient = result(Self.jsonFeed(#"{"items":[],}"#), type: "application/json") {
            $0.leniencies = .trailingCommas
        }
        #expect(lenient.json?.contains(#""items":[]"#) == true)
    }

    // MARK: Broken feeds

    @Test(arguments: [
        ("<rss><channel><title>a&nbsp;b</title></channel></rss>", "a\u{A0}b", "xml.leniency"),
        ("<rss><channel><title>a & b</title></channel></rss>", "a & b", "xml.leniency"),
        (" \n<?xml version=\"1.0\"?><rss><channel><title>a</title></channel></rss>", "a", "xml.leniency"),
        ("<rss><channel><title>a\u{1}</title></channel></rss>", "a", "xml.leniency"),
    ])
    func `a broken feed is repaired, with warnings`(content: String, title: String, code: String) {
        let result = result(content)
        #expect(result.json?.contains("\"title\":\"\(title)\"") == true)
        #expect(result.warnings.map(\.code) == [code])
    }

    @Test func `a feed in another charset than it declares is repaired, with warnings`() {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: "application/rss+xml; charset=utf-8")
        var options = SerializationOptions()
        options.serializer = .one(.feed)
        let content = Array("<rss><channel><title>caf".utf8) + [0xE9] + Array("</title></channel></rss>".utf8)
        let result = serialize(response, content: content, options: options)
        #expect(result.json?.contains(#""title":"café""#) == true)
        #expect(result.warnings.map(\.code) == ["response.charset_replaced", "response.transcoded"])
    }

    @Test func `a feed that cannot be repaired has the error of XML`() {
        let error = result("<rss><channel></rss>").chain.first?.contentError as? XMLError
        #expect(error?.reason == .mismatchedTag)
        #expect(error?.location.line == 1)
        let truncated = result("<rss><channel><title>T").chain.first?.contentError as? XMLError
        #expect(truncated?.reason == .unexpectedEnd)
        #expect(truncated?.location.byte == 22)
    }

    @Test func `zero bytes are empty`() {
        #expect(result("").chain.isEmpty)
    }
}
