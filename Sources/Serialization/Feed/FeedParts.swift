// What is read of each element, by the part of the feed in which it is. Only these elements are in `FeedChildren`, and
// all others are listed as unread: `generator` in a channel is read, and in an item it is listed.

/// Parts of a feed whose child elements have a meaning.
struct FeedParts: OptionSet {
    /// The root of RSS, with the channel.
    static let root = FeedParts(rawValue: 1)
    /// A channel of RSS, or a feed of Atom.
    static let channel = FeedParts(rawValue: 2)
    /// The feed from which an entry was copied.
    static let source = FeedParts(rawValue: 4)
    static let item = FeedParts(rawValue: 8)
    static let image = FeedParts(rawValue: 16)
    static let textInput = FeedParts(rawValue: 32)
    static let hours = FeedParts(rawValue: 64)
    static let days = FeedParts(rawValue: 128)
    static let person = FeedParts(rawValue: 256)
    static let owner = FeedParts(rawValue: 512)
    static let category = FeedParts(rawValue: 1_024)
    static let media = FeedParts(rawValue: 2_048)
    /// The element `where` of GeoRSS.
    static let place = FeedParts(rawValue: 4_096)
    static let geometry = FeedParts(rawValue: 8_192)
    /// The list of items of RSS 1.0, which repeats them.
    static let list = FeedParts(rawValue: 16_384)

    /// The parts with the facts of a feed.
    static let feed: FeedParts = [.root, .channel, .source]
    static let all: FeedParts = [.feed, .item]

    let rawValue: UInt16

    /// The number of levels of elements that are read in an element with this part.
    var maxDepth: Int { self == .category ? 1 : FeedXMLWriter.maxMediaDepth }
}

/// What is read of the content of an element.
enum FeedContent {
    /// All of it, as text or markup.
    case all
    /// Its first text, such as a URL, a date or a number.
    case word
    /// Nothing: the element has attributes.
    case attributes
    /// Nothing: the element has this attribute.
    case attribute(FeedAttribute)
    /// Its first text, if it does not have this attribute.
    case link(FeedAttribute)
    /// All of it, if it has none of these attributes.
    case label(FeedAttribute, FeedAttribute)
    /// The elements of this part.
    case elements(FeedParts)
    /// The elements of this part, or its first text if it has no elements.
    case elementsOrText(FeedParts)
    /// What ``FeedXMLWriter/collect(_:as:into:_:)`` reads, or the items of the feed and references to them.
    case collected
}

extension FeedTerm {
    /// The parts in which the element is read, and what is read of it.
    var reading: (parts: FeedParts, content: FeedContent) {
        switch self {
        case .other, .rss, .rdf, .feed: ([], .all)
        case .channel: (.root, .collected)
        case .item, .entry: ([.root, .channel], .collected)
        case .items: ([.root, .channel], .elements(.list))
        case .sequence: (.list, .collected)

        case .title: ([.all, .image, .textInput, .person], .all)
        case .description: ([.all, .image, .textInput], .all)
        case .name: ([.textInput, .person], .all)
        case .language, .copyright, .category, .atomTitle, .rights: (.all, .all)
        case .managingEditor, .webMaster, .generator, .atomGenerator, .rating, .subtitle: (.feed, .all)
        case .source, .summary, .atomContent, .encoded: (.item, .all)
        case .hour: (.hours, .all)
        case .day: (.days, .all)
        case .atomName: (.person, .all)

        case .link: ([.all, .image, .textInput, .person], .link(.href))
        case .atomLink: (.all, .link(.href))
        case .enclosure: (.item, .link(.url))
        case .atomCategory: (.all, .label(.label, .term))
        case .cloud: (.feed, .attributes)
        case .skipHours: (.feed, .elements(.hours))
        case .skipDays: (.feed, .elements(.days))
        case .author, .atomAuthor, .contributor: (.all, .elementsOrText(.person))
        case .image, .textInput: (.feed, .collected)
        case .atomSource: (.item, .collected)

        case .pubDate, .id, .updated, .published: (.all, .word)
        case .lastBuildDate, .docs, .ttl, .icon, .logo: (.feed, .word)
        case .comments, .guid, .created: (.item, .word)
        case .url: ([.image, .person], .word)
        case .width, .height: (.image, .word)
        case .uri, .email: (.person, .word)

        case .dcTitle: ([.all, .image], .all)
        case .dcCreator, .dcAuthor, .dcSubject, .dcDescription, .dcPublisher, .dcContributor, .dcDate, .dcType,
            .dcFormat, .dcIdentifier, .dcSource, .dcLanguage, .dcRelation, .dcCoverage, .dcRights, .dcCreated,
            .dcIssued, .dcModified:
            (.all, .all)

        case .itunesAuthor, .itunesTitle, .itunesSubtitle, .itunesSummary, .itunesDuration, .itunesExplicit,
            .itunesEpisodeType, .itunesType, .itunesKeywords, .itunesBlock, .itunesComplete, .itunesClosedCaptioned:
            (.all, .all)
        case .itunesEpisode, .itunesSeason, .itunesOrder, .itunesNewFeedURL: (.all, .word)
        case .itunesImage: (.all, .attribute(.href))
        case .itunesCategory: ([.all, .category], .elements(.category))
        case .itunesOwner: (.all, .elements(.owner))
        case .itunesName: ([.person, .owner], .all)
        case .itunesEmail: ([.person, .owner], .all)

        case .mediaGroup, .mediaContent, .mediaThumbnail, .mediaTitle, .mediaDescription, .mediaKeywords, .mediaCredit,
            .mediaCopyright, .mediaCategory, .mediaPlayer, .mediaRating, .mediaText, .mediaHash, .mediaCommunity,
            .mediaStarRating, .mediaStatistics:
            ([.all, .media], .elementsOrText(.media))

        case .slashComments: (.all, .word)
        case .slashSection, .slashDepartment, .slashHitParade: (.all, .all)

        case .geoElevation, .geoFloor, .geoRadius, .geoFeatureName, .geoFeatureType, .geoRelationship: (.all, .all)
        case .geoWhere: (.all, .elements(.place))
        case .geoPoint, .geoLine, .geoPolygon, .geoBox, .geoLineString, .geoEnvelope:
            ([.all, .place], .elementsOrText(.geometry))
        case .geoExterior, .geoRing: (.geometry, .elements(.geometry))
        case .geoLatitude, .geoLongitude: ([.all, .geometry], .word)
        case .geoPosition, .geoPositions, .geoLowerCorner, .geoUpperCorner: (.geometry, .word)
        }
    }
}

extension FeedTerm {
    /// Whether the element is a channel or contains items, which are not children like others.
    var isOutside: Bool { self == .channel || self == .item || self == .entry || self == .items }
}

extension FeedXMLWriter {
    /// Notes the elements in an element that are not read, and the element if a text in it is not read.
    /// - Parameters:
    ///   - content: What is read of it.
    ///   - depth: The number of elements around it that are read in the same way.
    mutating func noteUnread(
        in element: Int,
        _ content: FeedContent,
        depth: Int = 0,
        _ tape: borrowing XMLTape
    ) {
        var part: FeedParts = []
        var readsText = true
        switch content {
        case .all, .collected: return
        case .word: break
        case .attributes: readsText = false
        case .attribute(let wanted):
            readsText = false
            if attribute(wanted, of: element, tape) == nil, !tape.attributes(of: element).isEmpty {
                noteUnread(element, tape)
            }
        case .link(let wanted): readsText = attribute(wanted, of: element, tape) == nil
        case .label(let first, let second):
            readsText = false
            guard attribute(first, of: element, tape) ?? attribute(second, of: element, tape) != nil else { return }
        case .elements(let elements): (part, readsText) = (elements, false)
        case .elementsOrText(let elements):
            part = elements
            // All texts in it are the name of the person.
            if elements == .person, !hasChild(of: element, in: .person, tape) { return }
        }
        if hasUnreadText(element, readsText: readsText, tape) { noteUnread(element, tape) }
        var children = tape.childElements(of: element)
        while let child = children.next(in: tape) {
            let reading = names.term(tape.name(at: child)).reading
            if depth < part.maxDepth, !reading.parts.isDisjoint(with: part) {
                noteUnread(in: child, reading.content, depth: depth + 1, tape)
            } else {
                noteUnread(child, tape)
            }
        }
    }

    /// Whether an element has a text that is not read.
    /// - Parameter readsText: Whether the text is read if there are no elements.
    func hasUnreadText(_ element: Int, readsText: Bool, _ tape: borrowing XMLTape) -> Bool {
        let composition = tape.composition(of: element)
        if composition.hasElements { return composition.hasWords }
        return !readsText && !tape.trimmed(tape.text(at: element)).isEmpty
    }
}
