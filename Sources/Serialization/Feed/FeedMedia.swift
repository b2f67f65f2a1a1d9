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

    /// The attributes of Media RSS 1.5 that are written. No name is that of an element.
    private static let attributes: [StaticString] = [
        "url", "type", "medium", "isDefault", "expression", "fileSize", "bitrate", "framerate", "samplingrate",
        "channels", "duration", "height", "width", "lang", "time", "role", "scheme", "label", "algo", "average",
        "count",
        "min", "max", "views", "favorites", "start", "end",
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
    private static let maxDepth = 4

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
        for name in Self.attributes {
            guard let value = mediaAttributeRange(name, of: element, tape) else { continue }
            writer.name(name)
            switch name.description {
            case "url": writeURL(value, base, tape, &writer)
            case "width", "height", "fileSize", "duration":
                if let number = number(value, tape) { writer.integer(number) } else { tape.write(value, into: &writer) }
            default: tape.write(value, into: &writer)
            }
        }
        if !tape.composition(of: element).hasElements {
            writeRange("value", text(element, tape), tape, &writer)
        } else if depth < Self.maxDepth {
            for (term, name) in Self.mediaTerms {
                let array = writer.beginOptionalArray(name)
                let content = tape.content(of: element)
                var child = tape.firstElement(from: content.lowerBound, to: content.upperBound)
                while child < content.upperBound {
                    if names.term(tape.name(at: child)) == term { writeObject(child, depth + 1, base, tape, &writer) }
                    child = tape.firstElement(from: tape.next(after: child), to: content.upperBound)
                }
                writer.endOptionalArray(array)
            }
        }
        writer.endOptionalObject(object)
    }

    /// Returns the value of an attribute without a namespace; `nil` if there is none or it is empty.
    private func mediaAttributeRange(
        _ wanted: StaticString,
        of element: Int,
        _ tape: borrowing XMLTape
    ) -> Range<Int>? {
        let attributes = tape.attributes(of: element)
        var index = attributes.lowerBound
        while index < attributes.upperBound {
            let (number, value, next) = tape.attribute(at: index)
            if tape.kind(at: index) == .attribute {
                let name = tape.name(number)
                if name.prefix.isEmpty, tape.isEqual(name.local, wanted) {
                    let trimmed = tape.trimmed(value)
                    return trimmed.isEmpty ? nil : trimmed
                }
            }
            index = next
        }
        return nil
    }

    func mediaAttribute(_ wanted: StaticString, of element: Int, _ tape: borrowing XMLTape) -> String? {
        guard let range = mediaAttributeRange(wanted, of: element, tape), range.count <= 64 else { return nil }
        return tape.withText(range) { $0.lowercasedText(0..<$0.count) }
    }
}
