// The names that have a meaning in feeds. Publishers write them in all cases, with the namespaces of old versions, with
// white space around a namespace, and with prefixes that they do not declare. The default namespace of a feed may also
// be wrong, such as that of Atom in RSS, or have another scheme or a final slash. The name of its root then decides.

/// The vocabulary to which the namespace of a name belongs.
enum FeedVocabulary: UInt8 {
    /// RSS: no namespace, or one of those that its versions have used.
    case rss
    case atom, rdf, content, dublinCore, iTunes, media, slash, geo, xml, other

    /// - Parameters:
    ///   - namespace: Without white space around it, in lower case.
    ///   - prefix: In lower case. It is only used if it is not declared.
    fileprivate init(namespace: String, prefix: String) {
        if namespace.isEmpty {
            self = Self.byPrefix[prefix] ?? (prefix.isEmpty ? .rss : .other)
        } else if namespace.hasPrefix("http://backend.userland.com/rss") {
            // Each version of RSS from 0.91 to 2.0 had its own.
            self = .rss
        } else {
            self = Self.byNamespace[namespace] ?? .other
        }
    }

    /// The vocabulary of a namespace whose scheme or final slash may be wrong: `https://purl.org/dc/elements/1.1`.
    fileprivate init(similarTo namespace: String, prefix: String) {
        self.init(namespace: namespace, prefix: prefix)
        guard self == .other, !namespace.isEmpty else { return }
        let base: String = namespace.hasPrefix("https:") ? "http:" + namespace.dropFirst(6) : namespace
        let other = base.hasSuffix("/") ? String(base.dropLast()) : base + "/"
        self = Self.byNamespace[base] ?? Self.byNamespace[other] ?? .other
    }

    private static let byNamespace: [String: FeedVocabulary] = [
        "http://purl.org/rss/1.0/": .rss,
        "http://my.netscape.com/rdf/simple/0.9/": .rss,
        "http://channel.netscape.com/rdf/simple/0.9/": .rss,
        "http://blogs.law.harvard.edu/tech/rss": .rss,
        "http://www.w3.org/2005/atom": .atom,
        "http://purl.org/atom/ns#": .atom,
        // Drafts of Atom.
        "http://example.com/newformat#": .atom,
        "http://example.com/necho": .atom,
        "http://purl.org/echo/": .atom,
        "http://purl.org/pie/": .atom,
        "http://purl.org/rss/1.0/modules/content/": .content,
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#": .rdf,
        "http://purl.org/dc/elements/1.0/": .dublinCore,
        "http://purl.org/dc/elements/1.1/": .dublinCore,
        "http://purl.org/dc/terms/": .dublinCore,
        "http://purl.org/rss/1.0/modules/dc/": .dublinCore,
        "http://purl.org/rss/1.0/modules/dcterms/": .dublinCore,
        "http://www.itunes.com/dtds/podcast-1.0.dtd": .iTunes,
        "http://example.com/dtds/podcast-1.0.dtd": .iTunes,
        "https://www.itunes.com/dtds/podcast-1.0.dtd": .iTunes,
        "http://search.yahoo.com/mrss": .media,
        "http://search.yahoo.com/mrss/": .media,
        "https://search.yahoo.com/mrss/": .media,
        "http://purl.org/rss/1.0/modules/slash/": .slash,
        "http://www.georss.org/georss": .geo,
        "http://www.w3.org/2003/01/geo/wgs84_pos#": .geo,
        "http://www.opengis.net/gml": .geo,
        "http://www.w3.org/xml/1998/namespace": .xml,
    ]

    private static let byPrefix: [String: FeedVocabulary] = [
        "content": .content, "dc": .dublinCore, "dcterms": .dublinCore, "itunes": .iTunes, "media": .media,
        "atom": .atom, "slash": .slash, "georss": .geo, "geo": .geo, "gml": .geo, "rdf": .rdf, "xml": .xml,
    ]
}

/// An element of a feed.
enum FeedTerm: UInt8, CaseIterable {
    /// An element that is not read.
    case other

    // RSS.
    case rss, rdf, channel, item, title, link, description, language, copyright, managingEditor, webMaster, pubDate
    case lastBuildDate, category, generator, docs, cloud, ttl, image, rating, textInput, skipHours, skipDays, author
    case comments, enclosure, guid, source, url, name, width, height, hour, day
    /// The list of items of RSS 1.0, which repeats them, and the sequence in it.
    case items, sequence

    // Atom. The names of 0.3 are those of 1.0.
    case feed, entry, atomTitle, atomLink, subtitle, id, updated, published, created, atomAuthor, contributor
    case atomCategory, atomGenerator, icon, logo, rights, summary, atomContent, atomSource, atomName, uri, email

    // content.
    case encoded

    // Dublin Core.
    case dcTitle, dcCreator, dcAuthor, dcSubject, dcDescription, dcPublisher, dcContributor, dcDate, dcType, dcFormat
    case dcIdentifier, dcSource, dcLanguage, dcRelation, dcCoverage, dcRights, dcCreated, dcIssued, dcModified

    // iTunes.
    case itunesAuthor, itunesTitle, itunesSubtitle, itunesSummary, itunesDuration, itunesExplicit, itunesEpisode
    case itunesSeason, itunesEpisodeType, itunesType, itunesImage, itunesKeywords, itunesCategory, itunesOwner
    case itunesName, itunesEmail, itunesBlock, itunesComplete, itunesNewFeedURL, itunesOrder, itunesClosedCaptioned

    // Media RSS.
    case mediaGroup, mediaContent, mediaThumbnail, mediaTitle, mediaDescription, mediaKeywords, mediaCredit
    case mediaCopyright, mediaCategory, mediaPlayer, mediaRating, mediaText, mediaHash, mediaCommunity
    case mediaStarRating, mediaStatistics

    // slash.
    case slashComments, slashSection, slashDepartment, slashHitParade

    // GeoRSS, W3C Basic Geo and GML.
    case geoPoint, geoLine, geoPolygon, geoBox, geoElevation, geoFloor, geoRadius, geoFeatureName, geoFeatureType
    case geoRelationship, geoWhere, geoLatitude, geoLongitude, geoLineString, geoEnvelope, geoExterior, geoRing
    case geoLowerCorner, geoUpperCorner, geoPositions, geoPosition

    /// The terms by the name in lower case.
    fileprivate static func term(_ vocabulary: FeedVocabulary, _ local: String) -> FeedTerm {
        switch vocabulary {
        case .rss: rssTerms[local] ?? .other
        case .atom: atomTerms[local] ?? .other
        case .rdf: local == "rdf" ? .rdf : local == "seq" ? .sequence : .other
        case .content: local == "encoded" ? .encoded : .other
        case .dublinCore: dublinCoreTerms[local] ?? .other
        case .iTunes: iTunesTerms[local] ?? .other
        case .media: mediaTerms[local] ?? .other
        case .slash: slashTerms[local] ?? .other
        case .geo: geoTerms[local] ?? .other
        case .xml, .other: .other
        }
    }

    private static let rssTerms: [String: FeedTerm] = [
        "rss": .rss, "channel": .channel, "item": .item, "title": .title, "link": .link, "description": .description,
        "language": .language, "copyright": .copyright, "managingeditor": .managingEditor, "webmaster": .webMaster,
        "pubdate": .pubDate, "lastbuilddate": .lastBuildDate, "category": .category, "generator": .generator,
        "docs": .docs, "cloud": .cloud, "ttl": .ttl, "image": .image, "rating": .rating, "textinput": .textInput,
        "skiphours": .skipHours, "skipdays": .skipDays, "author": .author, "comments": .comments,
        "enclosure": .enclosure, "guid": .guid, "source": .source, "url": .url, "name": .name, "width": .width,
        "height": .height, "hour": .hour, "day": .day, "items": .items, "rdf": .rdf,
    ]

    private static let atomTerms: [String: FeedTerm] = [
        "feed": .feed, "entry": .entry, "item": .entry, "title": .atomTitle, "link": .atomLink, "subtitle": .subtitle,
        "tagline": .subtitle, "id": .id, "updated": .updated, "modified": .updated, "published": .published,
        "issued": .published, "created": .created, "author": .atomAuthor, "contributor": .contributor,
        "category": .atomCategory, "generator": .atomGenerator, "icon": .icon, "logo": .logo, "rights": .rights,
        "copyright": .rights, "summary": .summary, "content": .atomContent, "source": .atomSource, "name": .atomName,
        "uri": .uri, "url": .uri, "homepage": .uri, "email": .email,
    ]

    /// The elements of Dublin Core and the names of their members, in the order of the value.
    static let dublinCore: [(name: StaticString, term: FeedTerm)] = [
        ("title", .dcTitle), ("creator", .dcCreator), ("author", .dcAuthor), ("subject", .dcSubject),
        ("description", .dcDescription), ("publisher", .dcPublisher), ("contributor", .dcContributor),
        ("date", .dcDate), ("created", .dcCreated), ("issued", .dcIssued), ("modified", .dcModified),
        ("type", .dcType), ("format", .dcFormat), ("identifier", .dcIdentifier), ("source", .dcSource),
        ("language", .dcLanguage), ("relation", .dcRelation), ("coverage", .dcCoverage), ("rights", .dcRights),
    ]

    private static let dublinCoreTerms = terms(dublinCore)

    private static let iTunesTerms: [String: FeedTerm] = [
        "author": .itunesAuthor, "title": .itunesTitle, "subtitle": .itunesSubtitle, "summary": .itunesSummary,
        "duration": .itunesDuration, "explicit": .itunesExplicit, "episode": .itunesEpisode, "season": .itunesSeason,
        "episodetype": .itunesEpisodeType, "type": .itunesType, "image": .itunesImage, "keywords": .itunesKeywords,
        "category": .itunesCategory, "owner": .itunesOwner, "name": .itunesName, "email": .itunesEmail,
        "block": .itunesBlock, "complete": .itunesComplete, "new-feed-url": .itunesNewFeedURL, "order": .itunesOrder,
        "isclosedcaptioned": .itunesClosedCaptioned,
    ]

    /// The elements of Media RSS and the names of their members, in the order of the value.
    static let media: [(name: StaticString, term: FeedTerm)] = [
        ("group", .mediaGroup), ("content", .mediaContent), ("thumbnail", .mediaThumbnail), ("title", .mediaTitle),
        ("description", .mediaDescription), ("keywords", .mediaKeywords), ("credit", .mediaCredit),
        ("copyright", .mediaCopyright), ("category", .mediaCategory), ("player", .mediaPlayer),
        ("rating", .mediaRating), ("text", .mediaText), ("hash", .mediaHash), ("community", .mediaCommunity),
        ("starRating", .mediaStarRating), ("statistics", .mediaStatistics),
    ]

    private static let mediaTerms = terms(media)

    /// Returns the terms of a module whose members have the names of its elements.
    private static func terms(_ members: [(name: StaticString, term: FeedTerm)]) -> [String: FeedTerm] {
        Dictionary(uniqueKeysWithValues: members.map { ($0.name.description.asciiLowercased, $0.term) })
    }

    private static let slashTerms: [String: FeedTerm] = [
        "comments": .slashComments, "section": .slashSection, "department": .slashDepartment,
        "hit_parade": .slashHitParade,
    ]

    private static let geoTerms: [String: FeedTerm] = [
        "point": .geoPoint, "line": .geoLine, "polygon": .geoPolygon, "box": .geoBox, "elev": .geoElevation,
        "floor": .geoFloor, "radius": .geoRadius, "featurename": .geoFeatureName, "featuretypetag": .geoFeatureType,
        "relationshiptag": .geoRelationship, "where": .geoWhere, "lat": .geoLatitude, "long": .geoLongitude,
        "linestring": .geoLineString, "envelope": .geoEnvelope, "exterior": .geoExterior, "linearring": .geoRing,
        "lowercorner": .geoLowerCorner, "uppercorner": .geoUpperCorner, "poslist": .geoPositions, "pos": .geoPosition,
    ]
}

/// The modules of RSS whose facts have members of their own.
struct FeedModules: OptionSet {
    static let iTunes = FeedModules(rawValue: 1)
    static let media = FeedModules(rawValue: 2)
    static let dublinCore = FeedModules(rawValue: 4)
    static let slash = FeedModules(rawValue: 8)
    static let geo = FeedModules(rawValue: 16)

    let rawValue: UInt8
}

extension FeedTerm {
    /// The module to which the element belongs; empty if it is an element of RSS or Atom.
    var module: FeedModules {
        // The cases of a module are adjacent.
        switch rawValue {
        case FeedTerm.dcTitle.rawValue...FeedTerm.dcModified.rawValue: .dublinCore
        case FeedTerm.itunesAuthor.rawValue...FeedTerm.itunesClosedCaptioned.rawValue: .iTunes
        case FeedTerm.mediaGroup.rawValue...FeedTerm.mediaStatistics.rawValue: .media
        case FeedTerm.slashComments.rawValue...FeedTerm.slashHitParade.rawValue: .slash
        case FeedTerm.geoPoint.rawValue...FeedTerm.geoPosition.rawValue: .geo
        default: []
        }
    }
}

/// An attribute of a feed, by its name in lower case. One that has a namespace is only read if it is `xml:base`,
/// `xml:lang` or one of RDF.
enum FeedAttribute: String {
    case other = ""
    case base = "xml:base"
    case language = "xml:lang"
    case about, resource, href, rel, type, hreflang, title, length, url, domain, scheme, term, label, mode, src, version
    case uri, text, port, path, `protocol`
    case isPermaLink = "ispermalink"
    case registerProcedure = "registerprocedure"

    fileprivate static func attribute(_ name: XMLTape.Name, _ vocabulary: FeedVocabulary, _ local: String) -> Self {
        switch vocabulary {
        case .xml: local == "base" ? .base : local == "lang" ? .language : .other
        case .rdf: local == "about" ? .about : local == "resource" ? .resource : .other
        case .rss where name.prefix.isEmpty: Self(rawValue: local) ?? .other
        case .rss, .atom, .content, .dublinCore, .iTunes, .media, .slash, .geo, .other: .other
        }
    }
}

/// The meaning of each name on a tape.
struct FeedNames {
    private var terms: [FeedTerm]
    private var attributes: [FeedAttribute]
    /// The position of each among the attributes of Media RSS.
    private var mediaAttributes: [Int?]
    /// Whether the root declares a namespace of RSS, and whether it is that of RSS 1.0.
    private(set) var declaresRSS = false
    private(set) var declaresRSS1 = false
    /// The namespace of the root, if it is none of its format.
    private(set) var unexpectedNamespace: Range<Int>?
    private var origins: [Origin]
    /// Whether any attribute is `xml:base`.
    private(set) var hasBases = false

    /// What the namespace of a name is in markup.
    private struct Origin {
        var isXHTML = false
        /// Whether it is SVG or MathML.
        var isForeign = false
        /// Whether it is none, or counts as none.
        var isUnqualified = false
        /// Whether it is that of RSS or Atom.
        var isOfFeed = false
    }

    /// The length of the longest name that has a meaning, in bytes, and of the longest namespace with the white space
    /// around it.
    private static let maxNameBytes = 20
    private static let maxNamespaceBytes = 256

    private static let foreignNamespaces: [StaticString] = [
        "http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML",
    ]

    init(_ tape: borrowing XMLTape) {
        let count = tape.nameCount
        terms = Array(repeating: .other, count: count)
        attributes = Array(repeating: .other, count: count)
        mediaAttributes = Array(repeating: nil, count: count)
        origins = Array(repeating: Origin(), count: count)
        // Without a namespace, `feed` is a feed of Atom whose author forgot the declaration.
        let root = tape.name(tape.name(at: tape.root))
        let isFeed = tape.isEqual(root.local, ignoringCaseOf: "feed")
        let isAtom = isFeed && root.namespace.isEmpty && root.prefix.isEmpty
        let rootVocabulary = Self.vocabulary(of: root, isExact: true, tape)
        let isRSS = tape.isEqual(root.local, ignoringCaseOf: "rss")
        if !root.namespace.isEmpty, isRSS && rootVocabulary != .rss || isFeed && rootVocabulary == .other {
            unexpectedNamespace = Self.namespace(of: root, tape)
        }
        readDeclarations(tape)
        for number in 0..<count {
            let name = tape.name(number)
            guard let namespace = Self.namespace(of: name, tape) else { continue }
            var origin = Origin()
            origin.isXHTML = tape.isEqual(namespace, "http://www.w3.org/1999/xhtml")
            origin.isForeign = tape.isEqual(namespace, anyOf: Self.foreignNamespaces)
            // A prefix may be declared for the same namespace, and then its names have their own meaning: `atom:link`.
            let isOfRoot =
                unexpectedNamespace.map { tape.isEqual(namespace, $0) } == true
                && (rootVocabulary == .other || tape.isEqual(name.prefix, root.prefix))
            origin.isUnqualified = namespace.isEmpty || isOfRoot && isRSS
            var vocabulary = isOfRoot ? isRSS ? .rss : .atom : Self.vocabulary(of: name, isExact: false, tape)
            origin.isOfFeed = vocabulary == .rss || vocabulary == .atom
            origins[number] = origin
            guard name.local.count <= Self.maxNameBytes, isOfRoot || !origin.isXHTML else { continue }
            if name.prefix.isEmpty { mediaAttributes[number] = FeedMediaAttribute.position(tape.string(name.local)) }
            let local = tape.lowercasedString(name.local)
            attributes[number] = .attribute(name, vocabulary, local)
            if attributes[number] == .base { hasBases = true }
            if isAtom, vocabulary == .rss { vocabulary = .atom }
            terms[number] = .term(vocabulary, local)
        }
    }

    /// Returns the vocabulary of the namespace or the prefix of a name.
    /// - Parameter isExact: Whether a similar namespace is another one.
    private static func vocabulary(
        of name: XMLTape.Name,
        isExact: Bool,
        _ tape: borrowing XMLTape
    ) -> FeedVocabulary {
        guard let range = namespace(of: name, tape), name.prefix.count <= maxNameBytes else { return .other }
        let (namespace, prefix) = (tape.lowercasedString(range), tape.lowercasedString(name.prefix))
        return isExact
            ? FeedVocabulary(namespace: namespace, prefix: prefix)
            : FeedVocabulary(similarTo: namespace, prefix: prefix)
    }

    /// Returns the namespace of a name without the white space around it; `nil` if it is longer than any that has a
    /// meaning. It may be that of each name, so that its length must not count again for each.
    private static func namespace(of name: XMLTape.Name, _ tape: borrowing XMLTape) -> Range<Int>? {
        name.namespace.count <= maxNamespaceBytes ? tape.trimmed(name.namespace) : nil
    }

    private mutating func readDeclarations(_ tape: borrowing XMLTape) {
        var attributes = XMLTape.AttributeCursor(tape.attributes(of: tape.root))
        while let declaration = attributes.next(in: tape), declaration.isDeclaration {
            let namespace = tape.trimmed(declaration.value)
            guard namespace.count <= Self.maxNamespaceBytes else { continue }
            let text = tape.lowercasedString(namespace)
            guard FeedVocabulary(similarTo: text, prefix: "") == .rss else { continue }
            declaresRSS = declaresRSS || !namespace.isEmpty
            declaresRSS1 = declaresRSS1 || ["http", "https"].contains { text.hasPrefix($0 + "://purl.org/rss/1.0") }
        }
    }

    func term(_ name: Int) -> FeedTerm { terms[name] }
    func mediaAttribute(_ name: Int) -> Int? { mediaAttributes[name] }
    func isXHTML(_ name: Int) -> Bool { origins[name].isXHTML }
    func isForeign(_ name: Int) -> Bool { origins[name].isForeign }
    func isUnqualified(_ name: Int) -> Bool { origins[name].isUnqualified }
    func isOfFeed(_ name: Int) -> Bool { origins[name].isOfFeed }

    /// Returns the value of an attribute without the white space around it; `nil` if there is none or it is empty.
    func attribute(_ wanted: FeedAttribute, of element: Int, _ tape: borrowing XMLTape) -> Range<Int>? {
        var cursor = XMLTape.AttributeCursor(tape.attributes(of: element))
        while let attribute = cursor.next(in: tape) {
            guard attributes[attribute.name] == wanted, !attribute.isDeclaration else { continue }
            let trimmed = tape.trimmed(attribute.value)
            return trimmed.isEmpty ? nil : trimmed
        }
        return nil
    }

    /// Returns the base for the references in an element.
    func base(of element: Int, _ base: FeedBase, _ tape: borrowing XMLTape) -> FeedBase {
        guard hasBases, let value = attribute(.base, of: element, tape) else { return base }
        return tape.withText(value) { base.declaring($0) }
    }
}

extension XMLTape {
    fileprivate func lowercasedString(_ range: Range<Int>) -> String {
        withText(range) { $0.lowercasedText(0..<$0.count) }
    }
}
