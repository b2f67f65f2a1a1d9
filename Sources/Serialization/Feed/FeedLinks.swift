/// The links of a channel or an item that have members of their own.
struct FeedLinks {
    /// The page: the last `link` of RSS with a URL, as in other readers, or else the first alternate of Atom.
    private(set) var page: Int?
    /// The feed itself.
    private(set) var own: Int?
    /// The next page of the feed (RFC 5005 §3).
    private(set) var next: Int?
    /// The page that an entry is about.
    private(set) var related: Int?

    /// Whether they are those of a feed, and not of an item.
    let isOfFeed: Bool

    private static let registry = "http://www.iana.org/assignments/relation/"

    init(_ children: FeedChildren, isOfFeed: Bool, _ writer: borrowing FeedXMLWriter, _ tape: borrowing XMLTape) {
        self.isOfFeed = isOfFeed
        for link in children.all(.atomLink) where writer.hasURL(link, tape) {
            // RFC 4287 §4.2.7.2: the registered names are also IRIs.
            let relation = writer.keyword(.rel, of: link, tape).map {
                $0.hasPrefix(Self.registry) ? String($0.dropFirst(Self.registry.count)) : $0
            }
            switch relation {
            case nil where writer.attribute(.rel, of: link, tape) == nil, "alternate": page = page ?? link
            case "self" where isOfFeed: own = own ?? link
            case "next" where isOfFeed: next = next ?? link
            case "related" where !isOfFeed: related = related ?? link
            default: break
            }
        }
        for link in children.all(.link) where writer.hasURL(link, tape) { page = link }
    }

    func contains(_ link: Int) -> Bool { link == page || link == own || link == next || link == related }
}

extension FeedXMLWriter {
    /// Whether a link has a URL, in its attribute as in Atom, or in its text as in RSS.
    func hasURL(_ link: Int, _ tape: borrowing XMLTape) -> Bool {
        attribute(.href, of: link, tape) != nil || hasContent(link, tape)
    }

    /// Writes a member with the URL of a link: its text in RSS, its attribute in Atom.
    func writeLink(
        _ name: StaticString,
        _ link: Int?,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        guard let link else { return }
        if attribute(.href, of: link, tape) != nil {
            writeURL(name, .href, of: link, base, tape, &writer)
        } else {
            writeURL(name, ofText: link, base, tape, &writer)
        }
    }

    /// Writes the links that have no members of their own.
    func writeLinks(
        _ children: FeedChildren,
        _ links: FeedLinks,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let array = writer.beginOptionalArray("links")
        for link in children.all(.link) where !links.contains(link) {
            let object = writer.beginOptionalObject()
            writeLink("url", link, base, tape, &writer)
            writer.endOptionalObject(object)
        }
        for link in children.all(.atomLink) where !links.contains(link) {
            // Hubs and attachments.
            guard keyword(.rel, of: link, tape) != (links.isOfFeed ? "hub" : "enclosure") else { continue }
            let object = writer.beginOptionalObject()
            writeRange("rel", attribute(.rel, of: link, tape), tape, &writer)
            writeLink("url", link, base, tape, &writer)
            writeRange("type", attribute(.type, of: link, tape), tape, &writer)
            writeRange("language", attribute(.hreflang, of: link, tape), tape, &writer)
            writeRange("title", attribute(.title, of: link, tape), tape, &writer)
            writeNumber("size_in_bytes", attribute(.length, of: link, tape), tape, &writer)
            writer.endOptionalObject(object)
        }
        writer.endOptionalArray(array)
    }
}
