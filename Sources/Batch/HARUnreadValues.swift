internal import Primitives
internal import Serialization

/// Removes the values from the text of an entry that are not read, of which only brackets and strings are regarded.
///
/// Each becomes the number 0 and spaces, so that offsets do not change. Names remain. The text need not be JSON: what
/// remains is validated.
struct HARUnreadValues {
    /// A value that is read, or some parts of one.
    private indirect enum Part: Sendable {
        case value
        case members([String: Part])
        case elements(Part)
    }

    private static let entry = Part.members([
        "request": .members(["method": .value, "url": .value]),
        "response": .members([
            "status": .value, "headers": .elements(.members(["name": .value, "value": .value])),
            "content": .members(["text": .value, "encoding": .value, "mimeType": .value, "size": .value]),
        ]),
    ])

    private var cursor = JSONCursor()
    private var bytes: [UInt8] = []

    /// Returns a copy of the text of an entry.
    static func removed(from text: Span<UInt8>) -> [UInt8] {
        var values = HARUnreadValues()
        values.bytes.append(text)
        values.keep(Self.entry, of: text)
        return values.bytes
    }

    /// Moves behind the next value, of which only a part remains. The depth is at most that of the part.
    private mutating func keep(_ part: Part, of text: Span<UInt8>) {
        switch (part, cursor.kind(in: text)) {
        case (.members(let parts), .object):
            cursor.enter(in: text)
            while cursor.next(in: text) {
                if let part = parts[cursor.name(in: text).text(in: text)] {
                    keep(part, of: text)
                } else {
                    remove(cursor.skip(in: text))
                }
            }
        case (.elements(let part), .array):
            cursor.enter(in: text)
            while cursor.next(in: text) { keep(part, of: text) }
        case (.value, _), (.members, _), (.elements, _): _ = cursor.skip(in: text)
        }
    }

    private mutating func remove(_ range: Range<Int>) {
        for index in range { bytes[index] = index == range.lowerBound ? UInt8(ascii: "0") : UInt8(ascii: " ") }
    }
}
