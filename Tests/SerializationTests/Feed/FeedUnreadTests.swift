import SerializationSupport
import Testing

@testable import Serialization

/// The list of elements of a feed that are not read.
@Suite struct FeedUnreadTests {
    private func result(_ content: String) -> Serialized {
        var options = SerializationOptions()
        options.serializer = .one(.feed)
        options.view = .value
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: "application/xml")
        return serialize(response, content: Array(content.utf8), options: options)
    }

    private static let namespaces =
        #" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:media="http://search.yahoo.com/mrss/""#
        + #" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/""#
        + #" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:slash="http://purl.org/rss/1.0/modules/slash/""#
        + #" xmlns:georss="http://www.georss.org/georss" xmlns:gml="http://www.opengis.net/gml" xmlns:x="urn:x""#

    private static func rss(channel: String = "", item: String = "") -> String {
        "<rss version='2.0'\(namespaces)><channel>\(channel)<item>\(item)</item></channel></rss>"
    }

    private static func atom(feed: String = "", entry: String = "") -> String {
        "<feed xmlns='http://www.w3.org/2005/Atom'\(namespaces)>\(feed)<entry>\(entry)</entry></feed>"
    }

    private func unread(_ content: String) -> [String]? { result(content).upstream.feed?.unreadElements }

    /// All elements that have a meaning anywhere in a feed, and some that have none.
    private static let names =
        """
        title link description author category comments enclosure guid pubDate source language copyright \
        managingEditor webMaster lastBuildDate generator docs cloud ttl image rating textInput skipHours skipDays \
        expirationDate url name width height hour day items item entry channel rss feed id updated published content \
        contributor rights summary subtitle icon logo issued modified created tagline info uri email
        """.split(separator: " ").map(String.init)

    private static let modules: [String] = [
        ("atom", "title id updated published author category content contributor link rights source summary subtitle"),
        ("atom", "generator icon logo name uri email entry feed"), ("content", "encoded items"),
        ("dc", "title creator author subject description publisher contributor date type format identifier source"),
        ("dc", "language relation coverage rights created issued modified"),
        ("itunes", "author block category image duration explicit isClosedCaptioned order subtitle summary keywords"),
        ("itunes", "new-feed-url owner complete title type season episode episodeType name email applepodcastsverify"),
        ("media", "group content thumbnail title description keywords credit copyright category player rating text"),
        ("media", "hash community starRating statistics tags license restriction rights price comments embed peerLink"),
        ("media", "scenes status subTitle location backLinks responses"),
        ("slash", "comments section department hit_parade"),
        ("georss", "point line polygon box circle elev floor radius featureName featuretypetag relationshiptag where"),
        ("gml", "Point LineString Polygon Envelope CircleByCenterPoint pos posList exterior interior LinearRing"),
        ("gml", "lowerCorner upperCorner lat long"),
    ].flatMap { prefix, names in names.split(separator: " ").map { "\(prefix):\($0)" } }

    /// Elements that have elements of their own, or only a text or attributes.
    private static let parents = [
        "image", "textInput", "cloud", "skipHours", "skipDays", "items", "author", "source", "link", "category", "guid",
        "enclosure", "pubDate", "title", "atom:author", "atom:contributor", "atom:source", "atom:link", "atom:category",
        "dc:creator", "itunes:owner", "itunes:category", "itunes:image", "media:group", "media:content",
        "media:community", "georss:where", "georss:point", "gml:LineString", "gml:Polygon", "gml:Envelope",
    ]

    /// The text of each element is in the value, or the element or the one around it is listed.
    @Test(arguments: [""] + parents)
    func `each element is read or listed wherever it is`(parent: String) {
        for name in Self.names + Self.modules {
            let element = "<\(name)>LOST</\(name)>"
            let part = parent.isEmpty ? element : "<\(parent)>\(element)</\(parent)>"
            var contents = [Self.rss(channel: part), Self.rss(item: part)]
            if parent.isEmpty { contents += [Self.atom(feed: part), Self.atom(entry: part)] }
            for content in contents {
                let result = result(content)
                let unread = result.upstream.feed?.unreadElements ?? []
                let isRead = result.json?.contains("LOST") == true
                #expect(isRead || unread.contains(name) || unread.contains(parent), "\(content): \(result.json ?? "")")
            }
        }
    }

    @Test(
        arguments: [
            (rss(item: "<ttl>5</ttl>"), ["ttl"]), (rss(item: "<generator>g</generator>"), ["generator"]),
            (rss(item: "<image><url>u</url></image>"), ["image"]), (rss(channel: "<guid>1</guid>"), ["guid"]),
            (rss(channel: "<enclosure url='u'/><comments>c</comments>"), ["enclosure", "comments"]),
            (atom(entry: "<icon>i</icon><subtitle>s</subtitle>"), ["icon", "subtitle"]),
            (rss(channel: "<ttl>5</ttl>", item: "<item/>"), ["item"]),
            (atom(entry: "<x:a/><source><title>T</title><x:b/><entry/></source>"), ["x:a", "x:b", "entry"]),
        ] as [(String, [String])]
    )
    func `known elements are listed where they have no meaning`(content: String, expected: [String]) {
        #expect(unread(content) == expected)
    }

    @Test(
        arguments: [
            (rss(channel: "<image><url>u</url><x:a/></image>"), ["x:a"]),
            (rss(channel: "<textInput><x:a/></textInput><cloud><x:b/></cloud>"), ["x:a", "x:b"]),
            (rss(channel: "<skipHours><x:a/></skipHours><itunes:owner><x:b/></itunes:owner>"), ["x:a", "x:b"]),
            (rss(channel: "<items><item><title>T</title></item></items>"), ["item"]),
            (
                rss(item: "<media:group><media:content><x:a/><media:tags>t</media:tags></media:content></media:group>"),
                ["x:a", "media:tags"]
            ),
            (
                rss(item: "<georss:where><x:a/><gml:Point><gml:pos>1 2</gml:pos><x:b/></gml:Point></georss:where>"),
                ["x:a", "x:b"]
            ),
            (rss(item: "<gml:Polygon><gml:interior/></gml:Polygon>"), ["gml:Polygon", "gml:interior"]),
            (atom(entry: "<author><name>A</name><x:a/></author><link href='u'><x:b/></link>"), ["x:a", "x:b"]),
            (rss(item: "<pubDate>2003-12-31<x:a/></pubDate>"), ["pubDate", "x:a"]),
            (
                rss(
                    channel: "<itunes:category text='A'><itunes:category text='B'><x:a/></itunes:category>"
                        + "</itunes:category>"
                ), ["x:a"]
            ),
        ] as [(String, [String])]
    )
    func `elements in elements that are read are listed`(content: String, expected: [String]) {
        #expect(unread(content) == expected)
    }

    @Test(
        arguments: [
            (rss(channel: "<cloud domain='d'>t</cloud>"), ["cloud"]), (rss(item: "t<title>T</title>"), ["item"]),
            (rss(item: "<itunes:image>t</itunes:image>"), ["itunes:image"]),
            (rss(item: "<enclosure url='u'>t</enclosure>"), ["enclosure"]),
            (rss(item: "<atom:category term='a'>t</atom:category>"), ["atom:category"]),
            (rss(item: "<media:group>t<media:title>T</media:title></media:group>"), ["media:group"]),
            (rss(channel: "<image>t</image>"), ["image"]), (rss(item: "<gml:lat>5</gml:lat>"), ["gml:lat"]),
            (atom(entry: "<author>t<name>N</name></author>"), ["author"]),
            (rss(item: "<itunes:image url='u'/>"), ["itunes:image"]),
        ] as [(String, [String])]
    )
    func `an element with a text that is not read is listed`(content: String, expected: [String]) {
        #expect(unread(content) == expected)
    }

    @Test func `elements are listed once, at most 64 of them, in the order of the document`() {
        let elements = (0..<80).map { "<x:a\($0)/><x:a\($0)/>" }.joined()
        #expect(unread(Self.rss(item: elements)) == (0..<64).map { "x:a\($0)" })
        let content = "<rss\(Self.namespaces)><channel><item><x:a/></item><x:b/></channel></rss>"
        #expect(unread(content) == ["x:a", "x:b"])
        let channels = String(repeating: "<channel/>", count: 16)
        #expect(unread("<rss>\(channels)</rss>") == [])
        #expect(unread("<rss>\(channels)<channel/></rss>") == ["channel"])
    }

    @Test func `the list of items of RSS 1.0 is not listed`() {
        let content = """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel>\
            <image rdf:resource="i"/><items><rdf:Seq><rdf:li resource="1"/></rdf:Seq></items>\
            <textinput rdf:resource="t"/></channel><image><url>u</url></image><item rdf:about="1"/></rdf:RDF>
            """
        #expect(unread(content) == [])
    }
}
