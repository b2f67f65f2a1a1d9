// The modules of RSS whose facts have members of their own: iTunes, Media RSS, Dublin Core, slash and GeoRSS.

extension FeedXMLWriter {
    /// Writes the members of the modules of a channel or an item.
    mutating func writeModules(
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
        writeNumber("season", ofText: first(.itunesSeason, of: children, tape), tape, &writer)
        writeNumber("episode", ofText: first(.itunesEpisode, of: children, tape), tape, &writer)
        writeText("keywords", first(.itunesKeywords, of: children, tape), tape, &writer)
        writeITunesCategories(children.all(.itunesCategory), tape, &writer)
        writeText("block", first(.itunesBlock, of: children, tape), tape, &writer)
        writeText("complete", first(.itunesComplete, of: children, tape), tape, &writer)
        writeNumber("order", ofText: first(.itunesOrder, of: children, tape), tape, &writer)
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
        for (name, term) in FeedTerm.dublinCore {
            let texts = writer.beginOptionalArray(name)
            for element in children.all(term) where hasContent(element, tape) { writeText(element, tape, &writer) }
            writer.endOptionalArray(texts)
        }
        writer.endOptionalObject(object)
    }

    private func writeSlash(_ children: FeedChildren, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        let object = writer.beginOptionalObject("_slash")
        writeNumber("comments", ofText: first(.slashComments, of: children, tape), tape, &writer)
        writeText("section", first(.slashSection, of: children, tape), tape, &writer)
        writeText("department", first(.slashDepartment, of: children, tape), tape, &writer)
        writeText("hit_parade", first(.slashHitParade, of: children, tape), tape, &writer)
        writer.endOptionalObject(object)
    }

    // MARK: GeoRSS

    private mutating func writeGeo(_ children: FeedChildren, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) {
        let object = writer.beginOptionalObject("_georss")
        let points = writer.beginOptionalArray("points")
        writeGeometries([.geoPoint], children, tape, &writer)
        let (latitude, longitude) = (first(.geoLatitude, of: children, tape), first(.geoLongitude, of: children, tape))
        if !writePair(latitude, longitude, tape, &writer), let unread = latitude ?? longitude {
            noteUnread(unread, tape)
        }
        writer.endOptionalArray(points)
        let lines = writer.beginOptionalArray("lines")
        writeGeometries([.geoLine, .geoLineString], children, tape, &writer)
        writer.endOptionalArray(lines)
        let polygons = writer.beginOptionalArray("polygons")
        writeGeometries([.geoPolygon], children, tape, &writer)
        writer.endOptionalArray(polygons)
        let boxes = writer.beginOptionalArray("boxes")
        writeGeometries([.geoBox, .geoEnvelope], children, tape, &writer)
        writer.endOptionalArray(boxes)
        writeText("elevation", first(.geoElevation, of: children, tape), tape, &writer)
        writeText("floor", first(.geoFloor, of: children, tape), tape, &writer)
        writeText("radius", first(.geoRadius, of: children, tape), tape, &writer)
        writeText("feature_name", first(.geoFeatureName, of: children, tape), tape, &writer)
        writeText("feature_type", first(.geoFeatureType, of: children, tape), tape, &writer)
        writeText("relationship", first(.geoRelationship, of: children, tape), tape, &writer)
        writer.endOptionalObject(object)
    }

    /// Writes the geometries with these meanings, which are children of the item or of its elements `where`.
    private mutating func writeGeometries(
        _ terms: [FeedTerm],
        _ children: FeedChildren,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        for term in terms {
            for element in children.all(term) {
                if !writeGeometry(element, tape, &writer) { noteUnread(element, tape) }
            }
        }
        for place in children.all(.geoWhere) {
            var unread: Int?
            forEachChild(of: place, tape) { element, term in
                if terms.contains(term), !writeGeometry(element, tape, &writer) { unread = unread ?? element }
            }
            if let unread { noteUnread(unread, tape) }
        }
    }

    /// Writes a geometry of GeoRSS, GML or W3C Basic Geo as GeoRSS writes it: latitudes and longitudes with spaces
    /// between them.
    /// - Returns: `false` if it has content, but in another form. Nothing is written then.
    private func writeGeometry(_ geometry: Int, _ tape: borrowing XMLTape, _ writer: inout JSONWriter) -> Bool {
        guard tape.composition(of: geometry).hasElements else {
            if hasContent(geometry, tape) { writeText(geometry, tape, &writer) }
            return true
        }
        // The positions of a polygon are in a ring in its exterior.
        let exterior = child(.geoExterior, of: geometry, tape) ?? geometry
        let ring = child(.geoRing, of: exterior, tape) ?? exterior
        var isFirst = true
        forEachChild(of: ring, tape) { element, term in
            guard term == .geoPosition || term == .geoPositions, hasContent(element, tape) else { return }
            if isFirst { writer.beginString() } else { writer.append(utf8: " ".utf8.span) }
            isFirst = false
            tape.withText(text(element, tape)) { writer.append(utf8: $0) }
        }
        if !isFirst { writer.endString() }
        return !isFirst
            || writePair(
                child(.geoLatitude, of: geometry, tape),
                child(.geoLongitude, of: geometry, tape),
                tape,
                &writer
            )
            || writePair(
                child(.geoLowerCorner, of: geometry, tape),
                child(.geoUpperCorner, of: geometry, tape),
                tape,
                &writer
            )
    }

    /// Writes two texts with a space between them.
    /// - Returns: `false` if one of them is missing. Nothing is written then.
    private func writePair(
        _ first: Int?,
        _ second: Int?,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) -> Bool {
        guard let first, let second else { return false }
        writer.beginString()
        tape.withText(text(first, tape)) { writer.append(utf8: $0) }
        writer.append(utf8: " ".utf8.span)
        tape.withText(text(second, tape)) { writer.append(utf8: $0) }
        writer.endString()
        return true
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
