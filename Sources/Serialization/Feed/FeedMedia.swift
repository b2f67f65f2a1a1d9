// Media RSS describes each object with an element that has attributes and further elements. They keep their names, so
// that all of them can be read without a table: attributes are members, and elements are arrays of objects.

extension FeedXMLWriter {
    /// Writes a member with the elements of Media RSS among the children of a channel or an item.
    func writeMedia(
        _ name: StaticString,
        _ children: FeedChildren,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let object = writer.beginOptionalObject(name)
        for (name, term) in FeedTerm.media where children.contains(term) {
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
            writer.name(attribute.rawValue)
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
            for (name, term) in FeedTerm.media {
                let array = writer.beginOptionalArray(name)
                forEachChild(of: element, tape) { child, meaning in
                    if meaning == term { writeObject(child, depth + 1, base, tape, &writer) }
                }
                writer.endOptionalArray(array)
            }
        }
        writer.endOptionalObject(object)
    }

    /// Returns the values of ``FeedMediaAttribute/allCases``, without the white space around them; `nil` for each that
    /// is missing or empty.
    private func mediaAttributes(
        of element: Int,
        _ tape: borrowing XMLTape
    ) -> InlineArray<27, Range<Int>?> {
        var values = InlineArray<27, Range<Int>?>(repeating: nil)
        var cursor = XMLTape.AttributeCursor(tape.attributes(of: element))
        while let attribute = cursor.next(in: tape) {
            guard !attribute.isDeclaration, let position = names.mediaAttribute(attribute.name) else { continue }
            let trimmed = tape.trimmed(attribute.value)
            if !trimmed.isEmpty { values[position] = trimmed }
        }
        return values
    }

    /// Returns the value of `medium` in lower case; `nil` if it is missing, or longer than any that has a meaning.
    func medium(of element: Int, _ tape: borrowing XMLTape) -> String? {
        let values = mediaAttributes(of: element, tape)
        guard let range = FeedMediaAttribute.position("medium").flatMap({ values[$0] }), range.count <= 64 else {
            return nil
        }
        return tape.withText(range) { $0.lowercasedText(0..<$0.count) }
    }
}

/// The attributes of Media RSS 1.5 that are written, in this order. No name is that of an element.
enum FeedMediaAttribute: String, CaseIterable {
    case url, type, medium, isDefault, expression, fileSize, bitrate, framerate, samplingrate, channels, duration
    case height, width, lang, time, role, scheme, label, algo, average, count, min, max, views, favorites, start, end

    /// Returns the position of the attribute with this name; `nil` if there is none.
    static func position(_ name: String) -> Int? { allCases.firstIndex { $0.rawValue == name } }
}
