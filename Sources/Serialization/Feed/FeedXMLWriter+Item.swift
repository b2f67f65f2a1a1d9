// The items of a feed.

extension FeedXMLWriter {
    /// Writes one item.
    mutating func writeItem(
        _ item: Int,
        _ children: FeedChildren,
        _ inherited: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let base = base(of: item, inherited, tape)
        writer.beginObject()
        if let identifier = first(.guid, .id, of: children, tape) {
            writeIdentifier("id", identifier, base, tape, &writer)
        } else {
            // RSS 1.0 identifies items by attributes.
            writeRange("id", attribute(.about, of: item, tape), tape, &writer)
        }
        let links = FeedLinks(children, isOfFeed: false, self, tape)
        if links.page == nil, let guid = first(.guid, of: children, tape), isPermanentLink(guid, tape) {
            writeURL("url", ofText: guid, base, tape, &writer)
        } else {
            writeLink("url", links.page, base, tape, &writer)
        }
        writeLink("external_url", links.related, base, tape, &writer)
        let title = first(.title, .atomTitle, .dcTitle, .itunesTitle, .mediaTitle, of: children, tape)
        writeConstruct("title", title, base, tape, &writer)
        let content = writeContent(children, base, tape, &writer)
        let summary = first(
            .description,
            .summary,
            .dcDescription,
            .itunesSummary,
            .mediaDescription,
            of: children,
            tape
        )
        writeConstruct("summary", summary, base, tape, &writer)
        writeImage(children, base, tape, &writer)
        let published = first(.pubDate, .published, .created, .dcIssued, .dcCreated, .dcDate, of: children, tape)
        writeDate("date_published", published, tape, &writer)
        writeDate("date_modified", first(.updated, .dcModified, of: children, tape), tape, &writer)
        writeAuthors(children, isChannel: false, base, tape, &writer)
        writeTags("tags", children, tape, &writer)
        if let language = first(.language, .dcLanguage, of: children, tape) {
            writeText("language", language, tape, &writer)
        } else {
            writeRange("language", attribute(.language, of: item, tape), tape, &writer)
        }
        writeAttachments(children, base, tape, &writer)

        let rss = writer.beginOptionalObject("_rss")
        writeURL("comments", ofText: first(.comments, of: children, tape), base, tape, &writer)
        writeConstruct("copyright", first(.rights, .copyright, .dcRights, of: children, tape), base, tape, &writer)
        writeCategories(children, tape, &writer)
        writeContributors(children, base, tape, &writer)
        writeLinks(children, links, base, tape, &writer)
        writeSource(children, base, tape, &writer)
        writeContentFacts(content, base, tape, &writer)
        writer.endOptionalObject(rss)
        writeModules(children, base, tape, &writer)
        writer.endObject()
    }

    /// Whether the identifier of an item of RSS is the URL of its page.
    private func isPermanentLink(_ guid: Int, _ tape: borrowing XMLTape) -> Bool {
        keyword(.isPermaLink, of: guid, tape) != "false" && tape.withText(text(guid, tape)) { $0.isWebURL }
    }

    /// Writes a member with an identifier. It is only resolved against an `xml:base`: most identifiers are not
    /// references, and must not depend on the URL of the response.
    func writeIdentifier(
        _ name: StaticString,
        _ element: Int?,
        _ inherited: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        guard let element else { return }
        let base = base(of: element, inherited, tape)
        if names.term(tape.name(at: element)) == .id, base.isDeclared {
            writeURL(name, text(element, tape), base, tape, &writer)
        } else {
            writeRange(name, text(element, tape), tape, &writer)
        }
    }

    // MARK: Content

    /// An element of content, as far as its further facts need it.
    private struct DescribedContent {
        var element: Int
        var isFurther: Bool
        var isBinary: Bool
    }

    /// Writes the content of an item.
    /// - Returns: The element whose further facts are written.
    private mutating func writeContent(
        _ children: FeedChildren,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) -> DescribedContent? {
        var (hasHTML, hasText) = (false, false)
        var described: DescribedContent?
        if let encoded = first(.encoded, of: children, tape) {
            writeConstruct("content_html", encoded, base, tape, &writer)
            hasHTML = true
        }
        for element in children.all(.atomContent) {
            let type = contentType(of: element, tape)
            let content = DescribedContent(element: element, isFurther: type.isFurther, isBinary: type == .binary)
            described = described ?? content
            guard hasContent(element, tape) else { continue }
            switch type {
            case .html, .xhtml, .markup:
                guard !hasHTML else { continue }
                hasHTML = true
                writer.name("content_html")
            case .text, .encoded:
                guard !hasText else { continue }
                hasText = true
                writer.name("content_text")
            case .binary:
                described = content
                continue
            }
            writeText(element, type, base, tape, &writer)
        }
        return described
    }

    /// Writes what JSON Feed cannot express about the content of an entry.
    private func writeContentFacts(
        _ content: DescribedContent?,
        _ inherited: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        guard let content else { return }
        let element = content.element
        let object = writer.beginOptionalObject("content")
        let source = attribute(.src, of: element, tape)
        if source != nil || content.isFurther {
            writeRange("type", attribute(.type, of: element, tape), tape, &writer)
        }
        let base = base(of: element, inherited, tape)
        writeURL("url", source, base, tape, &writer)
        if content.isBinary { writeText("base64", element, tape, &writer) }
        if base.isDeclared, hasContent(element, tape) {
            writer.name("base")
            writer.string(utf8: base.url.span)
        }
        writer.endOptionalObject(object)
    }

    // MARK: Media

    private func writeImage(
        _ children: FeedChildren,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        if let image = imageOfModules(children, tape) {
            writeURL("image", image.url, of: image.element, base, tape, &writer)
        } else if let image = imageOfGroup(children, tape) {
            writeURL("image", .url, of: image, base, tape, &writer)
        } else if let image = children.all(.enclosure).first(where: { isImage($0, tape) }) {
            writeURL("image", .url, of: image, base, tape, &writer)
        }
    }

    /// Returns the image of a channel or an item in iTunes or Media RSS, and the attribute with its URL.
    func imageOfModules(
        _ children: FeedChildren,
        _ tape: borrowing XMLTape
    ) -> (element: Int, url: FeedAttribute)? {
        if let image = children.all(.itunesImage).first(where: { attribute(.href, of: $0, tape) != nil }) {
            return (image, .href)
        }
        let image =
            children.all(.mediaContent).first { isImage($0, tape) }
            ?? children.all(.mediaThumbnail).first { attribute(.url, of: $0, tape) != nil }
        return image.map { ($0, .url) }
    }

    /// Returns the first image in a group of Media RSS.
    private func imageOfGroup(_ children: FeedChildren, _ tape: borrowing XMLTape) -> Int? {
        var found: Int?
        for group in children.all(.mediaGroup) where found == nil {
            forEachChild(of: group, tape) { element, term in
                guard found == nil, attribute(.url, of: element, tape) != nil else { return }
                if term == .mediaThumbnail || term == .mediaContent && isImage(element, tape) { found = element }
            }
        }
        return found
    }

    /// Whether an element with a URL and a type refers to an image.
    func isImage(_ element: Int, _ tape: borrowing XMLTape) -> Bool {
        guard attribute(.url, of: element, tape) != nil else { return false }
        if keyword(.type, of: element, tape)?.hasPrefix("image/") == true { return true }
        guard names.term(tape.name(at: element)) == .mediaContent else { return false }
        return medium(of: element, tape) == "image"
    }

    private mutating func writeAttachments(
        _ children: FeedChildren,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let attachments = writer.beginOptionalArray("attachments")
        for element in children.all(.enclosure) { writeAttachment(element, .url, base, tape, &writer) }
        for element in children.all(.atomLink) where keyword(.rel, of: element, tape) == "enclosure" {
            writeAttachment(element, .href, base, tape, &writer)
        }
        writer.endOptionalArray(attachments)
    }

    /// Writes an attachment. Without a URL, it is not one.
    private mutating func writeAttachment(
        _ element: Int,
        _ url: FeedAttribute,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let hasAttribute = attribute(url, of: element, tape) != nil
        guard hasAttribute || !text(element, tape).isEmpty else { return noteUnread(element, tape) }
        let object = writer.beginOptionalObject()
        if hasAttribute {
            writeURL("url", url, of: element, base, tape, &writer)
        } else {
            writeURL("url", ofText: element, base, tape, &writer)
        }
        writeRange("mime_type", attribute(.type, of: element, tape), tape, &writer)
        writeRange("title", attribute(.title, of: element, tape), tape, &writer)
        if let length = attribute(.length, of: element, tape) {
            if let number = number(length, tape) {
                writer.member("size_in_bytes", number)
            } else {
                let rss = writer.beginOptionalObject("_rss")
                writeRange("length", length, tape, &writer)
                writer.endOptionalObject(rss)
            }
        }
        writer.endOptionalObject(object)
    }

    /// Writes the feed from which an item was copied.
    private mutating func writeSource(
        _ children: FeedChildren,
        _ inherited: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        if let source = children.all(.source).first(where: { _ in true }) {
            let object = writer.beginOptionalObject("source")
            if hasContent(source, tape) { writeText("title", source, tape, &writer) }
            writeURL("feed_url", .url, of: source, inherited, tape, &writer)
            writer.endOptionalObject(object)
        } else if let source = first(.atomSource, of: children, tape) {
            let facts = self.children(of: source, as: .source, tape)
            let object = writer.beginOptionalObject("source")
            let language = attribute(.language, of: source, tape)
            let base = base(of: source, inherited, tape)
            writeChannel(facts, language: language, base, in: "/_rss/source", tape, &writer)
            writer.endOptionalObject(object)
            release(consume facts)
        }
    }
}
