// Media RSS describes each object with an element that has attributes and further elements. They keep their names, so
// that all of them can be read without a table: attributes are members, and elements are arrays of objects.

extension FeedXMLWriter {
    private static let mediaTerms: [(term: FeedTerm, name: StaticString)] = [
        (.mediaGroup, "group"), (.mediaContent, "content"), (.mediaThumbnail, "thumbnail"), (.mediaTitle, "title"),
        (.mediaDescription, "description"), (.mediaKeywords, "keywords"), (.mediaCredit, "credit"),
        (.mediaCopyright, "copyright"), (.mediaCategory, "category"), (.mediaPlayer, "player"),
        (.mediaRating, "rating"), (.mediaText, "text"), (.mediaHash, "hash"), (.mediaCommunity, "community"),
        (.mediaStarRating, "starRating"), (.mediaStatistics, "statistics"),
    ]

    /// Writes a member with the elements of Media RSS among the children of a channel or an item.
    func writeMedia(
        _ name: StaticString,
        _ children: FeedChildren,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let object = writer.beginOptionalObject(name)
        for (term, name) in Self.mediaTerms where children.contains(term) {
            let array = writer.beginOptionalArray(name)
            for element in children.all(term) { writeObject(element, 0, base, tape, &writer) }
            writer.endOptionalArray(array)
        }
        writer.endOptionalObject(object)
    }

    /// The maximum depth of elements: a group, its content and their descriptions need three.
    static let maxMediaDepth = 4

    private func writeObject(
        _ element: Int,
        _ depth: Int,
        _ inherited: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        if writer.isOverLimit { return }
        let base = base(of: element, inherited, tape)
        let object = writer.beginOptionalObject()
        let values = mediaAttributes(of: element, tape)
        for (index, attribute) in FeedMediaAttribute.allCases.enumerated() {
            guard let value = values[index] else { continue }
            writer.name(attribute.name)
            switch attribute {
            case .url: writeURL(value, base, tape, &writer)
            case .width, .height, .fileSize, .duration:
                if let number = number(value, tape) { writer.integer(number) } else { tape.write(value, into: &writer) }
            case .type, .medium, .isDefault, .expression, .bitrate, .framerate, .samplingrate, .channels, .lang, .time,
                .role, .scheme, .label, .algo, .average, .count, .min, .max, .views, .favorites, .start, .end:
                tape.write(value, into: &writer)
            }
        }
        if !tape.composition(of: element).hasElements {
            writeRange("value", text(element, tape), tape, &writer)
        } else if depth < Self.maxMediaDepth {
            for (term, name) in Self.mediaTerms {
                let array = writer.beginOptionalArray(name)
                forEachChild(of: element, tape) { child, meaning in
                    if meaning == term { writeObject(child, depth + 1, base, tape, &writer) }
                }
                writer.endOptionalArray(array)
            }
        }
        writer.endOptionalObject(object)
    }

    /// Returns the values of all attributes, without the white space around them; `nil` for each that is missing or
    /// empty.
    private func mediaAttributes(
        of element: Int,
        _ tape: borrowing XMLTape
    ) -> InlineArray<27, Range<Int>?> {
        var values = InlineArray<27, Range<Int>?>(repeating: nil)
        var cursor = XMLTape.AttributeCursor(tape.attributes(of: element))
        while let attribute = cursor.next(in: tape) {
            guard !attribute.isDeclaration, let meaning = names.mediaAttribute(attribute.name) else { continue }
            let trimmed = tape.trimmed(attribute.value)
            if !trimmed.isEmpty { values[Int(meaning.rawValue)] = trimmed }
        }
        return values
    }

    /// Returns the value of `medium` in lower case; `nil` if it is missing, or longer than any that has a meaning.
    func medium(of element: Int, _ tape: borrowing XMLTape) -> String? {
        let range = mediaAttributes(of: element, tape)[Int(FeedMediaAttribute.medium.rawValue)]
        guard let range, range.count <= 64 else { return nil }
        return tape.withText(range) { $0.lowercasedText(0..<$0.count) }
    }
}

/// The attributes of Media RSS 1.5 that are written, in this order. No name is that of an element.
enum FeedMediaAttribute: UInt8, CaseIterable {
    case url, type, medium, isDefault, expression, fileSize, bitrate, framerate, samplingrate, channels, duration
    case height, width, lang, time, role, scheme, label, algo, average, count, min, max, views, favorites, start, end

    var name: StaticString {
        switch self {
        case .url: "url"
        case .type: "type"
        case .medium: "medium"
        case .isDefault: "isDefault"
        case .expression: "expression"
        case .fileSize: "fileSize"
        case .bitrate: "bitrate"
        case .framerate: "framerate"
        case .samplingrate: "samplingrate"
        case .channels: "channels"
        case .duration: "duration"
        case .height: "height"
        case .width: "width"
        case .lang: "lang"
        case .time: "time"
        case .role: "role"
        case .scheme: "scheme"
        case .label: "label"
        case .algo: "algo"
        case .average: "average"
        case .count: "count"
        case .min: "min"
        case .max: "max"
        case .views: "views"
        case .favorites: "favorites"
        case .start: "start"
        case .end: "end"
        }
    }
}
