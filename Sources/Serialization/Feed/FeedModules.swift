// The modules of RSS whose facts have members of their own: iTunes, Media RSS, Dublin Core, slash and GeoRSS.

extension FeedXMLWriter {
    /// Writes the members of the modules of a channel or an item.
    func writeModules(
        _ children: FeedChildren,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let modules = children.modules
        if modules.contains(.iTunes) { writeITunes(children, base, tape, &writer) }
        if modules.contains(.media) { writeMedia("_media", children, base, tape, &writer) }
        if modules.contains(.dublinCore) { writeDublinCore(children, tape, &writer) }
        if modules.contains(.slash) { writeSlash(children, tape, &writer) }
        if modules.contains(.geo) { writeGeo(children, tape, &writer) }
    }

    // MARK: iTunes

    private func writeITunes(
        _ children: FeedChildren,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let object = writer.beginOptionalObject("_itunes")
        writeText("title", first(.itunesTitle, of: children, tape), tape, &writer)
        writeText("subtitle", first(.itunesSubtitle, of: children, tape), tape, &writer)
        writeText("summary", first(.itunesSummary, of: children, tape), tape, &writer)
        writeText("author", first(.itunesAuthor, of: children, tape), tape, &writer)
        if let owner = first(.itunesOwner, of: children, tape) { writeOwner(owner, tape, &writer) }
        if let image = children.all(.itunesImage).first(where: { attribute(.href, of: $0, tape) != nil }) {
            writeURL("image", .href, of: image, base, tape, &writer)
        }
        if let duration = first(.itunesDuration, of: children, tape) {
            writeText("duration", duration, tape, &writer)
            let seconds = tape.withText(text(duration, tape)) { $0.durationSeconds }
            writer.member("duration_in_seconds", seconds)
        }
        writeText("explicit", first(.itunesExplicit, of: children, tape), tape, &writer)
        writeText("type", first(.itunesType, of: children, tape), tape, &writer)
        writeText("episode_type", first(.itunesEpisodeType, of: children, tape), tape, &writer)
        if let season = first(.itunesSeason, of: children, tape) {
            writeNumber("season", text(season, tape), tape, &writer)
        }
        if let episode = first(.itunesEpisode, of: children, tape) {
            writeNumber("episode", text(episode, tape), tape, &writer)
        }
        writeText("keywords", first(.itunesKeywords, of: children, tape), tape, &writer)
        writeITunesCategories(children.all(.itunesCategory), tape, &writer)
        writeText("block", first(.itunesBlock, of: children, tape), tape, &writer)
        writeText("complete", first(.itunesComplete, of: children, tape), tape, &writer)
        if let order = first(.itunesOrder, of: children, tape) {
            writeNumber("order", text(order, tape), tape, &writer)
        }
        writeText("is_closed_captioned", first(.itunesClosedCaptioned, of: children, tape), tape, &writer)
        writeURL("new_feed_url", ofText: first(.itunesNewFeedURL, of: children, tape), base, tape, &writer)
        writer.endOptionalObject(object)
    }

    private func writeOwner(_ owner: Int, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        var (name, email) = (nil as Int?, nil as Int?)
        forEachChild(of: owner, tape) { element, term in
            if term == .itunesName { name = name ?? element }
            if term == .itunesEmail { email = email ?? element }
        }
        let object = writer.beginOptionalObject("owner")
        writeText("name", name, tape, &writer)
        writeText("email", email, tape, &writer)
        writer.endOptionalObject(object)
    }

    private func writeITunesCategories(
        _ elements: FeedChildren.Elements,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let categories = writer.beginOptionalArray("categories")
        for element in elements {
            let object = writer.beginOptionalObject()
            writeRange("text", attribute(.text, of: element, tape), tape, &writer)
            let list = writer.beginOptionalArray("categories")
            writeSubcategories(of: element, tape, &writer)
            writer.endOptionalArray(list)
            writer.endOptionalObject(object)
        }
        writer.endOptionalArray(categories)
    }

    // MARK: Dublin Core and slash

    private func writeDublinCore(_ children: FeedChildren, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        let object = writer.beginOptionalObject("_dc")
        writeTexts("title", children.all(.dcTitle), tape, &writer)
        writeTexts("creator", children.all(.dcCreator), tape, &writer)
        writeTexts("author", children.all(.dcAuthor), tape, &writer)
        writeTexts("subject", children.all(.dcSubject), tape, &writer)
        writeTexts("description", children.all(.dcDescription), tape, &writer)
        writeTexts("publisher", children.all(.dcPublisher), tape, &writer)
        writeTexts("contributor", children.all(.dcContributor), tape, &writer)
        writeTexts("date", children.all(.dcDate), tape, &writer)
        writeTexts("created", children.all(.dcCreated), tape, &writer)
        writeTexts("issued", children.all(.dcIssued), tape, &writer)
        writeTexts("modified", children.all(.dcModified), tape, &writer)
        writeTexts("type", children.all(.dcType), tape, &writer)
        writeTexts("format", children.all(.dcFormat), tape, &writer)
        writeTexts("identifier", children.all(.dcIdentifier), tape, &writer)
        writeTexts("source", children.all(.dcSource), tape, &writer)
        writeTexts("language", children.all(.dcLanguage), tape, &writer)
        writeTexts("relation", children.all(.dcRelation), tape, &writer)
        writeTexts("coverage", children.all(.dcCoverage), tape, &writer)
        writeTexts("rights", children.all(.dcRights), tape, &writer)
        writer.endOptionalObject(object)
    }

    private func writeTexts(
        _ name: StaticString,
        _ elements: FeedChildren.Elements,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let texts = writer.beginOptionalArray(name)
        for element in elements where hasContent(element, tape) { writeText(element, tape, &writer) }
        writer.endOptionalArray(texts)
    }

    private func writeSlash(_ children: FeedChildren, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        let object = writer.beginOptionalObject("_slash")
        if let comments = first(.slashComments, of: children, tape) {
            writeNumber("comments", text(comments, tape), tape, &writer)
        }
        writeText("section", first(.slashSection, of: children, tape), tape, &writer)
        writeText("department", first(.slashDepartment, of: children, tape), tape, &writer)
        writeText("hit_parade", first(.slashHitParade, of: children, tape), tape, &writer)
        writer.endOptionalObject(object)
    }

    // MARK: GeoRSS

    private func writeGeo(_ children: FeedChildren, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        let object = writer.beginOptionalObject("_georss")
        let points = writer.beginOptionalArray("points")
        for element in children.all(.geoPoint) { writePoint(element, tape, &writer) }
        for element in children.all(.geoWhere) {
            guard let point = child(.geoPoint, of: element, tape) else { continue }
            writePoint(point, tape, &writer)
        }
        if let latitude = first(.geoLatitude, of: children, tape),
            let longitude = first(.geoLongitude, of: children, tape)
        {
            writePoint(latitude, longitude, tape, &writer)
        }
        writer.endOptionalArray(points)
        writeTexts("lines", children.all(.geoLine), tape, &writer)
        writeTexts("polygons", children.all(.geoPolygon), tape, &writer)
        writeTexts("boxes", children.all(.geoBox), tape, &writer)
        writeText("elevation", first(.geoElevation, of: children, tape), tape, &writer)
        writeText("floor", first(.geoFloor, of: children, tape), tape, &writer)
        writeText("radius", first(.geoRadius, of: children, tape), tape, &writer)
        writeText("feature_name", first(.geoFeatureName, of: children, tape), tape, &writer)
        writeText("feature_type", first(.geoFeatureType, of: children, tape), tape, &writer)
        writeText("relationship", first(.geoRelationship, of: children, tape), tape, &writer)
        writer.endOptionalObject(object)
    }

    /// Writes a point of GeoRSS, GML or W3C Basic Geo as GeoRSS writes it: latitude, a space and longitude.
    private func writePoint(_ point: Int, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        if let position = child(.geoPosition, of: point, tape) {
            writeText(position, tape, &writer)
        } else if let latitude = child(.geoLatitude, of: point, tape),
            let longitude = child(.geoLongitude, of: point, tape)
        {
            writePoint(latitude, longitude, tape, &writer)
        } else if hasContent(point, tape) {
            writeText(point, tape, &writer)
        }
    }

    private func writePoint(
        _ latitude: Int,
        _ longitude: Int,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        writer.beginString()
        tape.withText(text(latitude, tape)) { writer.append(utf8: $0) }
        writer.append(utf8: " ".utf8.span)
        tape.withText(text(longitude, tape)) { writer.append(utf8: $0) }
        writer.endString()
    }

    private func child(_ wanted: FeedTerm, of parent: Int, _ tape: borrowing XMLTape) -> Int? {
        var found: Int?
        forEachChild(of: parent, tape) { element, term in
            if term == wanted, found == nil, hasContent(element, tape) { found = element }
        }
        return found
    }
}

extension Span<UInt8> {
    /// The number of seconds of `hours:minutes:seconds`, `minutes:seconds` or `seconds`; `nil` for other text.
    fileprivate var durationSeconds: Int? {
        guard 1...16 ~= count else { return nil }
        let parts = text.parts(separatedBy: ":", omittingEmpty: false)
        guard parts.count <= 3 else { return nil }
        var seconds = 0
        for part in parts {
            guard let number = part.decimal(max: 1_000_000_000) else { return nil }
            seconds = seconds * 60 + number
        }
        return seconds
    }
}
