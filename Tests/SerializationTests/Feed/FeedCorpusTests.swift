import Foundation
import SerializationSupport
import TestSupport
import Testing

@testable import Serialization

/// The feeds of gofeed, with its expected results.
@Suite(.needs("xml/gofeed")) struct FeedCorpusTests {
    private static func files(in folder: String) -> [URL] {
        Suites.files(in: "xml/gofeed/testdata/\(folder)").filter { $0.pathExtension == "xml" }
    }

    private static func value(of file: URL) throws -> [String: Any]? {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: "application/xml")
        var options = SerializationOptions()
        options.serializer = .one(.feed)
        options.view = .value
        let result = serialize(response, content: [UInt8](try Data(contentsOf: file)), options: options)
        return try result.json.flatMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    }

    /// Feeds with end tags that do not match. The parser of gofeed does not check them.
    private static let broken: Set<String> = [
        "rss_channel_language.xml", "atom10_feed_entry_source_logo.xml",
        "atom10_feed_entry_source_title_html_escaped_markup.xml", "atom10_feed_entry_source_title_text.xml",
        "atom10_feed_title_xhtml_escaped_markup.xml", "atom10_feed_title_xhtml_inline_markup.xml",
    ]

    @Test func `every feed has a value`() throws {
        var count = 0
        for folder in [
            "parser/rss", "parser/atom", "translator/rss", "translator/atom", "extensions/itunes", "extensions/media",
            "extensions/dublincore",
        ] {
            for file in Self.files(in: folder) {
                let isBroken = Self.broken.contains(file.lastPathComponent)
                #expect(try (Self.value(of: file) == nil) == isBroken, "\(file.lastPathComponent)")
                count += 1
            }
        }
        #expect(count > 500)
    }

    /// The differences are explained in docs/feed.md.
    @Test func `titles, links, identifiers, dates, authors, enclosures and categories are those of gofeed`() throws {
        var differences: Set<String> = []
        for folder in ["translator/rss", "translator/atom", "extensions/dublincore"] {
            for file in Self.files(in: folder) {
                let expectation = file.deletingPathExtension().appendingPathExtension("json")
                let expected = try JSONSerialization.jsonObject(with: Data(contentsOf: expectation)) as? [String: Any]
                guard let expected, let value = try Self.value(of: file) else { continue }
                let items = value["items"] as? [[String: Any]] ?? []
                let others = expected["items"] as? [[String: Any]] ?? []
                #expect(items.count == others.count, "\(file.lastPathComponent)")
                var isEqual = GofeedFacts(feed: value) == GofeedFacts(expectedFeed: expected)
                for (item, other) in zip(items, others) {
                    isEqual = isEqual && GofeedFacts(item: item) == GofeedFacts(expectedItem: other)
                }
                if !isEqual { differences.insert(file.deletingPathExtension().lastPathComponent) }
            }
        }
        #expect(differences == Self.explained)
    }

    private static let explained: Set<String> = [
        "feed_item_description_-_rdf_item_description", "feed_item_link_-_rdf_item_link",
        "feed_item_title_-_rdf_item_title", "feed_item_fallbacks_-_rss_channel_item_extensions",
        "feed_item_updated_-_atom03_feed_entry_modified", "dublincore_item_fields", "dublincore_item_multiple_values",
    ]
}

/// The facts of a feed or an item that are compared.
private struct GofeedFacts: Equatable {
    var title: String?
    var link: String?
    var identifier: String?
    var published: String?
    var modified: String?
    var authors: [String] = []
    var enclosures: [String] = []
    var categories: [String] = []

    init(feed: [String: Any]) {
        let rss = feed["_rss"] as? [String: Any] ?? [:]
        self.init(feed, rss, link: "home_page_url")
        published = rss["date_published"] as? String
        modified = rss["date_modified"] as? String
        categories = rss["tags"] as? [String] ?? []
    }

    init(item: [String: Any]) {
        self.init(item, item["_rss"] as? [String: Any] ?? [:], link: "url")
        identifier = item["id"] as? String
        published = item["date_published"] as? String
        modified = item["date_modified"] as? String
        categories = item["tags"] as? [String] ?? []
        enclosures = (item["attachments"] as? [[String: Any]] ?? []).map { attachment in
            let size = (attachment["size_in_bytes"] as? Int).map { String($0) }
            return [attachment["url"] as? String, attachment["mime_type"] as? String, size].map { $0 ?? "" }
                .joined(separator: " ")
        }
    }

    private init(_ object: [String: Any], _ rss: [String: Any], link: String) {
        title = object["title"] as? String
        self.link = object[link] as? String
        authors = (object["authors"] as? [[String: Any]] ?? []).map { author in
            let email = (author["_rss"] as? [String: Any])?["email"] as? String
            return [author["name"] as? String, email].map { $0 ?? "" }.joined(separator: " ")
        }
    }

    init(expectedFeed object: [String: Any]) { self.init(expected: object) }

    init(expectedItem object: [String: Any]) {
        self.init(expected: object)
        identifier = object["guid"] as? String
        enclosures = (object["enclosures"] as? [[String: Any]] ?? []).map { enclosure in
            ["url", "type", "length"].map { enclosure[$0] as? String ?? "" }.joined(separator: " ")
        }
    }

    private init(expected object: [String: Any]) {
        title = object["title"] as? String
        link = object["link"] as? String
        published = object["publishedParsed"] as? String ?? object["published"] as? String
        modified = object["updatedParsed"] as? String ?? object["updated"] as? String
        categories = object["categories"] as? [String] ?? []
        authors = (object["authors"] as? [[String: Any]] ?? []).map { author in
            ["name", "email"].map { author[$0] as? String ?? "" }.joined(separator: " ")
        }
    }
}
