import SerializationSupport
import Testing

@testable import Serialization

/// Documents of well-known kinds, written for these tests: each with one element of a kind and with two, in one
/// structure.
@Suite struct XMLVocabularyTests {
    @Test(arguments: [
        (
            "<rss version=\"2.0\"><channel><title>T</title>", "<item><title>a</title><category>c</category></item>",
            "</channel></rss>",
            #"{"rss":{"@version":"2.0","channel":{"title":"T","item":["#, #"{"title":"a","category":["c"]}"#, "]}}}"
        ),
        (
            "<rss><channel>", "<item><enclosure url=\"u\"/></item>", "</channel></rss>",
            #"{"rss":{"channel":{"item":["#, #"{"enclosure":[{"@url":"u"}]}"#, "]}}}"
        ),
        (
            "<r:RDF xmlns:r=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "
                + "xmlns=\"http://purl.org/rss/1.0/\"><channel/>",
            "<item><link>l</link></item>", "</r:RDF>", #"{"r:RDF":{"channel":"","item":["#, #"{"link":"l"}"#, "]}}"
        ),
        (
            "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>T</title>",
            "<entry><link href=\"l\"/><author><name>n</name></author></entry>", "</feed>",
            #"{"feed":{"title":"T","entry":["#, #"{"link":[{"@href":"l"}],"author":[{"name":"n"}]}"#, "]}}"
        ),
        (
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">", "<url><loc>l</loc></url>", "</urlset>",
            #"{"urlset":{"url":["#, #"{"loc":"l"}"#, "]}}"
        ),
        (
            "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">", "<sitemap><loc>l</loc></sitemap>",
            "</sitemapindex>", #"{"sitemapindex":{"sitemap":["#, #"{"loc":"l"}"#, "]}}"
        ),
        (
            "<opml version=\"2.0\"><head/><body>", "<outline text=\"a\"><outline text=\"b\"/></outline>",
            "</body></opml>",
            #"{"opml":{"@version":"2.0","head":"","body":{"outline":["#, #"{"@text":"a","outline":[{"@text":"b"}]}"#,
            "]}}}"
        ),
        (
            "<D:multistatus xmlns:D=\"DAV:\">",
            "<D:response><D:href>/a</D:href><D:propstat><D:status>s</D:status></D:propstat></D:response>",
            "</D:multistatus>", #"{"D:multistatus":{"D:response":["#,
            #"{"D:href":"/a","D:propstat":[{"D:status":"s"}]}"#, "]}}"
        ),
        (
            "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>n</Name>",
            "<Contents><Key>k</Key></Contents>", "</ListBucketResult>",
            #"{"ListBucketResult":{"Name":"n","Contents":["#, #"{"Key":"k"}"#, "]}}"
        ),
        (
            "<ListVersionsResult>", "<Version><Key>k</Key></Version>", "</ListVersionsResult>",
            #"{"ListVersionsResult":{"Version":["#, #"{"Key":"k"}"#, "]}}"
        ),
        (
            "<ListBucketResult xmlns=\"http://doc.s3.amazonaws.com/2006-03-01\"><Name>n</Name>",
            "<Contents><Key>k</Key></Contents>", "</ListBucketResult>",
            #"{"ListBucketResult":{"Name":"n","Contents":["#, #"{"Key":"k"}"#, "]}}"
        ),
        (
            "<urlset xmlns=\"https://www.sitemaps.org/schemas/sitemap/0.9\">", "<url><loc>l</loc></url>", "</urlset>",
            #"{"urlset":{"url":["#, #"{"loc":"l"}"#, "]}}"
        ),
        (
            "<urlset>", "<url><loc>l</loc></url>", "</urlset>", #"{"urlset":{"url":["#, #"{"loc":"l"}"#, "]}}"
        ),
        (
            "<sitemapindex>", "<sitemap><loc>l</loc></sitemap>", "</sitemapindex>",
            #"{"sitemapindex":{"sitemap":["#, #"{"loc":"l"}"#, "]}}"
        ),
        (
            "<rss xmlns=\"http://backend.userland.com/rss2\"><channel>",
            "<item><title>a</title><category>c</category><enclosure url=\"u\"/></item>", "</channel></rss>",
            #"{"rss":{"channel":{"item":["#, #"{"title":"a","category":["c"],"enclosure":[{"@url":"u"}]}"#, "]}}}"
        ),
        (
            "<r:RDF xmlns:r=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "
                + "xmlns=\"http://my.netscape.com/rdf/simple/0.9/\"><channel/>",
            "<item><link>l</link></item>", "</r:RDF>", #"{"r:RDF":{"channel":"","item":["#, #"{"link":"l"}"#, "]}}"
        ),
        (
            "<feed xmlns=\"http://purl.org/atom/ns#\" version=\"0.3\">",
            "<entry><link href=\"l\"/><author><name>n</name></author></entry>", "</feed>",
            #"{"feed":{"@version":"0.3","entry":["#, #"{"link":[{"@href":"l"}],"author":[{"name":"n"}]}"#, "]}}"
        ),
        (
            "<feed>", "<entry><link href=\"l\"/></entry>", "</feed>", #"{"feed":{"entry":["#,
            #"{"link":[{"@href":"l"}]}"#, "]}}"
        ),
        (
            "<opml xmlns=\"urn:o\"><body>", "<outline/>", "</body></opml>", #"{"opml":{"body":{"outline":["#, "\"\"",
            "]}}}"
        ),
        (
            "<s:Reason xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\">", "<s:Text xml:lang=\"en\">t</s:Text>",
            "</s:Reason>", #"{"s:Reason":{"s:Text":["#, ##"{"@xml:lang":"en","#text":"t"}"##, "]}}"
        ),
    ])
    func `one element has the structure of many`(
        head: String,
        element: String,
        tail: String,
        jsonHead: String,
        json: String,
        jsonTail: String
    ) {
        for count in 1...3 {
            let text = head + String(repeating: element, count: count) + tail
            let result = serialize(type: "application/xml", text) { $0.view = .value }
            #expect(result.json == jsonHead + Array(repeating: json, count: count).joined(separator: ",") + jsonTail)
            #expect(result.upstream.xml?.inferredArrays == [])
        }
    }

    @Test(arguments: [
        ("<channel><item/></channel>", #"{"channel":{"item":""}}"#),
        ("<x:feeds xmlns:x='u'><feed><entry/></feed></x:feeds>", #"{"x:feeds":{"feed":{"entry":""}}}"#),
        ("<urlset><x:url xmlns:x='u'/></urlset>", #"{"urlset":{"x:url":""}}"#),
        ("<rss><other><item/></other></rss>", #"{"rss":{"other":{"item":""}}}"#),
        ("<rss><channel><x:item xmlns:x='u'/></channel></rss>", #"{"rss":{"channel":{"x:item":""}}}"#),
    ])
    func `the same names in other places have no meaning`(text: String, json: String) {
        #expect(serialize(type: "application/xml", text) { $0.view = .value }.json == json)
    }

    @Test func `SVG drawings and XHTML pages are ordinary documents`() {
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><g fill="red"><path d="M0 0h8"/>\
            <path d="M0 1h8"/></g><text>a<tspan>b</tspan></text></svg>
            """
        #expect(
            serialize(type: "image/svg+xml", svg) {
                $0.view = .value
                $0.serializer = .one(.xml)
            }.json
                == ##"{"svg":{"@viewBox":"0 0 8 8","g":{"@fill":"red","path":[{"@d":"M0 0h8"},{"@d":"M0 1h8"}]},"##
                + ##""text":{"#content":["a",{"tspan":"b"}]}}}"##
        )
        let xhtml = """
            <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" \
            "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
            <html xmlns="http://www.w3.org/1999/xhtml"><body><p>caf&eacute;&nbsp;<em>au</em> lait</p></body></html>
            """
        let page = serialize(type: "application/xhtml+xml", xhtml) { $0.view = .value }
        #expect(
            page.json == ##"{"html":{"body":{"p":{"#content":["caf\##u{E9}\##u{A0}",{"em":"au"}," lait"]}}}}"##
        )
        #expect(page.warnings.map(\.code) == ["xml.named_entity", "xml.named_entity"])
    }
}
