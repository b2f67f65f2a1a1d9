// The facts of a channel or feed, and of the feed from which an entry was copied.

extension FeedXMLWriter {
    /// Writes the members that describe a feed.
    /// - Parameter language: The attribute `xml:lang`.
    mutating func writeChannel(
        _ channel: FeedChildren,
        language: Range<Int>?,
        _ base: FeedBase,
        in part: String = "",
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        writeConstruct(
            "title",
            first(.title, .atomTitle, .dcTitle, .itunesTitle, of: channel, tape),
            base,
            tape,
            &writer
        )
        let links = FeedLinks(channel, isOfFeed: true, self, tape)
        writeLink("home_page_url", links.page, base, tape, &writer)
        writeLink("feed_url", links.own, base, tape, &writer)
        writeLink("next_url", links.next, base, tape, &writer)
        let description = first(.description, .subtitle, .dcDescription, .itunesSummary, of: channel, tape)
        writeConstruct("description", description, base, tape, &writer)
        writeImage(channel, base, tape, &writer)
        if let element = first(.language, .dcLanguage, of: channel, tape) {
            writeText("language", element, tape, &writer)
        } else {
            writeRange("language", language, tape, &writer)
        }
        writeAuthors(channel, isChannel: true, base, tape, &writer)
        writeHubs(channel, base, tape, &writer)
        writeFurtherFacts(channel, links, base, in: part + "/_rss", tape, &writer)
        writeModules(channel, base, tape, &writer)
    }

    /// Writes what JSON Feed cannot express about a feed.
    private mutating func writeFurtherFacts(
        _ channel: FeedChildren,
        _ links: FeedLinks,
        _ base: FeedBase,
        in part: String,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let rss = writer.beginOptionalObject("_rss")
        writeIdentifier("id", first(.id, of: channel, tape), base, tape, &writer)
        writeDate(
            "date_published",
            first(.pubDate, .published, .dcIssued, .dcCreated, of: channel, tape),
            in: part,
            tape,
            &writer
        )
        let modified = first(.lastBuildDate, .updated, .dcModified, .dcDate, of: channel, tape)
        writeDate("date_modified", modified, in: part, tape, &writer)
        writeConstruct("copyright", first(.copyright, .rights, .dcRights, of: channel, tape), base, tape, &writer)
        writeGenerator(channel, base, tape, &writer)
        writeTags("tags", channel, tape, &writer)
        writeCategories(channel, tape, &writer)
        writeContributors(channel, base, tape, &writer)
        writeLinks(channel, links, base, tape, &writer)
        if let image = first(.image, of: channel, tape) { writeImageFacts(image, base, tape, &writer) }
        writeText("managing_editor", first(.managingEditor, of: channel, tape), tape, &writer)
        writeText("web_master", first(.webMaster, of: channel, tape), tape, &writer)
        writeURL("docs", ofText: first(.docs, of: channel, tape), base, tape, &writer)
        writeNumber("ttl", ofText: first(.ttl, of: channel, tape), tape, &writer)
        writeText("rating", first(.rating, of: channel, tape), tape, &writer)
        writeCloud(channel, tape, &writer)
        writeTextInput(channel, base, tape, &writer)
        writeTexts("skip_hours", of: channel.all(.skipHours), .hour, tape, &writer)
        writeTexts("skip_days", of: channel.all(.skipDays), .day, tape, &writer)
        writer.endOptionalObject(rss)
    }

    // MARK: Images

    private mutating func writeImage(
        _ channel: FeedChildren,
        _ inherited: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        if let image = first(.image, of: channel, tape), let url = self.url(ofImage: image, tape) {
            let imageBase = base(of: image, inherited, tape)
            writeURL("icon", url.range, base(of: url.element, imageBase, tape), tape, &writer)
        } else if let logo = first(.logo, .icon, of: channel, tape) {
            writeURL("icon", ofText: logo, inherited, tape, &writer)
        } else if let image = imageOfModules(channel, tape) {
            writeURL("icon", image.url, of: image.element, inherited, tape, &writer)
        }
        writeURL("favicon", ofText: first(.icon, of: channel, tape), inherited, tape, &writer)
    }

    /// Returns the URL of an image of RSS, which RSS 1.0 may refer to with an attribute, and which may be its text.
    private func url(ofImage image: Int, _ tape: borrowing XMLTape) -> (range: Range<Int>, element: Int)? {
        guard tape.composition(of: image).hasElements else {
            let text = text(image, tape)
            return tape.withText(text) { $0.isWebURL } ? (text, image) : nil
        }
        var found: (range: Range<Int>, element: Int)?
        forEachChild(of: image, tape) { element, term in
            guard found == nil, term == .url else { return }
            let range = text(element, tape)
            if !range.isEmpty { found = (range, element) }
        }
        return found
    }

    private mutating func writeImageFacts(
        _ image: Int,
        _ inherited: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let object = writer.beginOptionalObject("image")
        defer { writer.endOptionalObject(object) }
        if let url = url(ofImage: image, tape), url.element == image {
            return writeRange("url", url.range, tape, &writer)
        }
        let children = self.children(of: image, as: .image, tape)
        let base = base(of: image, inherited, tape)
        writeText("title", first(.title, .dcTitle, of: children, tape), tape, &writer)
        writeURL("url", ofText: first(.url, of: children, tape), base, tape, &writer)
        writeURL("link", ofText: first(.link, of: children, tape), base, tape, &writer)
        writeText("description", first(.description, of: children, tape), tape, &writer)
        writeNumber("width", ofText: first(.width, of: children, tape), tape, &writer)
        writeNumber("height", ofText: first(.height, of: children, tape), tape, &writer)
        release(consume children)
    }

    // MARK: Further facts

    /// WebSub is the successor of PubSubHubbub. JSON Feed has the same member.
    private func writeHubs(
        _ channel: FeedChildren,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let hubs = writer.beginOptionalArray("hubs")
        for link in channel.all(.atomLink) where keyword(.rel, of: link, tape) == "hub" {
            guard hasURL(link, tape) else { continue }
            writer.beginObject()
            writer.member("type", "WebSub")
            writeLink("url", link, base, tape, &writer)
            writer.endObject()
        }
        writer.endOptionalArray(hubs)
    }

    private func writeGenerator(
        _ channel: FeedChildren,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        var generator: Int?
        for term in [FeedTerm.generator, .atomGenerator] {
            for element in channel.all(term) where generator == nil { generator = element }
        }
        guard let generator else { return }
        let object = writer.beginOptionalObject("generator")
        if hasContent(generator, tape) { writeText("name", generator, tape, &writer) }
        let attribute: FeedAttribute = attribute(.uri, of: generator, tape) == nil ? .url : .uri
        writeURL("url", attribute, of: generator, base, tape, &writer)
        writeRange("version", self.attribute(.version, of: generator, tape), tape, &writer)
        writer.endOptionalObject(object)
    }

    private func writeCloud(_ channel: FeedChildren, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        guard let cloud = channel.all(.cloud).first(where: { _ in true }) else { return }
        let object = writer.beginOptionalObject("cloud")
        writeRange("domain", attribute(.domain, of: cloud, tape), tape, &writer)
        writeRange("port", attribute(.port, of: cloud, tape), tape, &writer)
        writeRange("path", attribute(.path, of: cloud, tape), tape, &writer)
        writeRange("register_procedure", attribute(.registerProcedure, of: cloud, tape), tape, &writer)
        writeRange("protocol", attribute(.protocol, of: cloud, tape), tape, &writer)
        writer.endOptionalObject(object)
    }

    private mutating func writeTextInput(
        _ channel: FeedChildren,
        _ inherited: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        guard let input = first(.textInput, of: channel, tape) else { return }
        let children = self.children(of: input, as: .textInput, tape)
        let object = writer.beginOptionalObject("text_input")
        writeText("title", first(.title, of: children, tape), tape, &writer)
        writeText("description", first(.description, of: children, tape), tape, &writer)
        writeText("name", first(.name, of: children, tape), tape, &writer)
        let base = base(of: input, inherited, tape)
        writeURL("url", ofText: first(.link, of: children, tape), base, tape, &writer)
        writer.endOptionalObject(object)
        release(consume children)
    }

    /// Writes the texts of the children with one meaning.
    private func writeTexts(
        _ name: StaticString,
        of parents: FeedChildren.Elements,
        _ wanted: FeedTerm,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let array = writer.beginOptionalArray(name)
        for parent in parents {
            forEachChild(of: parent, tape) { child, term in
                if term == wanted, hasContent(child, tape) { writeText(child, tape, &writer) }
            }
        }
        writer.endOptionalArray(array)
    }
}
