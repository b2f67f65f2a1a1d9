/// A kind of content for which the generator creates documents of many shapes.
enum DocumentFamily: String, CaseIterable {
    case json
    case records
    case lenient
    /// JSON and XML in which almost every byte is repaired.
    case repairedJSON = "repaired-json"
    case repairedXML = "repaired-xml"
    /// UTF-16 and UTF-32.
    case wide
    /// Charsets of one byte per character.
    case singleByte = "single-byte"
    case multiByte = "multi-byte"
    /// Content that is not text.
    case raw
    case binaryPropertyList = "plist-binary"
    case textPropertyList = "plist-text"
    case xmlPropertyList = "plist-xml"
    case xml
    case form
    case csv
    case events
    case feed

    struct Document {
        var type: String
        var content: [UInt8]
    }

    /// Returns the document of this family that `seed` selects, with at most `bytes` bytes and not much less.
    func document(seed: UInt64, bytes: Int) -> Document {
        var choices = Choices(seed: seed)
        switch self {
        case .json:
            return Document(type: "application/json", content: JSONShape(&choices).text(bytes: bytes))
        case .records:
            return Document(type: "application/x-ndjson", content: JSONShape(&choices).records(bytes: bytes))
        case .lenient:
            return Document(type: "application/json", content: JSONShape(&choices, isLenient: true).text(bytes: bytes))
        case .repairedJSON:
            return Document(type: "application/json", content: RepairedShape.json(&choices, bytes: bytes))
        case .repairedXML:
            return Document(type: "application/xml", content: RepairedShape.xml(&choices, bytes: bytes))
        case .wide, .singleByte, .multiByte:
            let encoding = choices.pick(TextEncoding.all(of: self))
            var shape = JSONShape(&choices)
            shape.usesPlaceholders = true
            let text = encoding.fit(bytes) { shape.text(bytes: $0) }
            return Document(type: "application/json; charset=\(encoding.label)", content: text)
        case .raw:
            let content = (0..<bytes).map { _ in UInt8(truncatingIfNeeded: choices.next()) }
            return Document(type: "application/octet-stream", content: content)
        case .binaryPropertyList:
            return Document(
                type: "application/x-plist",
                content: BinaryPropertyListShape(&choices).content(bytes: bytes)
            )
        case .textPropertyList:
            return Document(type: "application/x-plist", content: TextPropertyListShape(&choices).text(bytes: bytes))
        case .xmlPropertyList:
            return Document(type: "application/x-plist", content: XMLPropertyListShape(&choices).text(bytes: bytes))
        case .xml:
            return Document(type: "application/xml", content: XMLShape(&choices).text(bytes: bytes))
        case .form:
            return Document(type: "application/x-www-form-urlencoded", content: Self.pairs(&choices, bytes: bytes))
        case .csv:
            return Document(type: "text/csv", content: Self.records(&choices, bytes: bytes))
        case .events:
            return Document(type: "text/event-stream", content: Self.events(&choices, bytes: bytes))
        case .feed:
            return Document(type: "application/xml", content: Self.feed(&choices, bytes: bytes))
        }
    }

    /// Returns records of CSV, or a header that is as long as the content.
    private static func records(_ choices: inout Choices, bytes: Int) -> [UInt8] {
        let columns = choices.pick([1, 3, 200, bytes / 8])
        let name = choices.pick(["", "n", "name"])
        let value = choices.pick(["", "1", "\"a\"\"b\"", "text of some length"])
        var content = Array(
            (0..<columns).map { name.isEmpty ? "" : "\(name)\($0 % 5_000)" }.joined(separator: ",").utf8
        )
        content.append(0x0A)
        let record = Array(repeatElement(value, count: columns).joined(separator: ",").utf8) + [0x0A]
        while content.count + record.count < bytes { content += record }
        return content
    }

    /// Returns a feed of similar items, or with similar elements in one of them.
    private static func feed(_ choices: inout Choices, bytes: Int) -> [UInt8] {
        let (opening, separator, closing) = choices.pick([
            ("<rss xml:base=\"http://a.example/b/\"><channel>", "", "</channel></rss>"),
            ("<rss><channel><item>", "", "</item></channel></rss>"),
            ("<rss><channel><item>", "</item><item>", "</item></channel></rss>"),
            ("<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry>", "</entry><entry>", "</entry></feed>"),
            ("<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><channel/>", "", "</rdf:RDF>"),
        ])
        let piece = choices.pick([
            "<item/>", "<title/>", "<link>a</link>", "<pubDate>x</pubDate>", "<category>a</category>", "<x/>",
            "<title>a<b/>&amp;</title>", "<content type=\"xhtml\"><div><p/></div></content>",
            "<media:content url=\"a\"><media:title>b</media:title></media:content>", "<dc:creator>a</dc:creator>",
            "<guid>&nbsp;&</guid>", "<author>a@b.example (c)</author>",
            "<content type=\"a/b\">aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa</content>",
        ])
        var content = Array(opening.utf8)
        content += piece.utf8
        while content.count + separator.utf8.count + piece.utf8.count + closing.utf8.count <= bytes {
            content += separator.utf8
            content += piece.utf8
        }
        return content + closing.utf8
    }

    /// Returns events with one or many lines of data.
    private static func events(_ choices: inout Choices, bytes: Int) -> [UInt8] {
        let line = choices.pick([
            "data\n", "data: {\"a\":null}\n", "data: text of some length\n", "id: 1\nretry: 5\n", "x\n",
        ])
        let lines = choices.pick([1, 2, 1_000, .max])
        var content: [UInt8] = []
        var number = 0
        while content.count + line.utf8.count + 2 < bytes {
            content += line.utf8
            number += 1
            if number % lines == 0 { content.append(0x0A) }
        }
        content.append(0x0A)
        return content
    }

    /// Returns pairs whose names repeat after a period.
    private static func pairs(_ choices: inout Choices, bytes: Int) -> [UInt8] {
        let period = choices.pick([1, 40, 5_000, .max])
        let value = choices.pick(["", "1", "%41+%C3%BC", String(repeating: "x", count: 500)])
        let equals = choices.pick(["", "="])
        var content: [UInt8] = []
        var number = 0
        while content.count + value.utf8.count + 30 < bytes {
            content += "\(number % period)\(equals)\(equals.isEmpty ? "" : value)&".utf8
            number += 1
        }
        return content
    }

    /// Returns a short content that is read in the same way.
    static func warmUp(for document: Document) -> [UInt8] {
        document.content.count > 4096 ? Array(document.content.prefix(4096)) : document.content
    }
}

/// Random choices that a seed determines (SplitMix64).
struct Choices: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(next() % UInt64(elements.count))]
    }
}

/// A distinct name for each number, as short as possible.
struct ShortNames {
    private static let digits = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)

    static func append(_ number: Int, to text: inout [UInt8]) {
        var rest = number
        repeat {
            text.append(digits[rest % digits.count])
            rest /= digits.count
        } while rest > 0
    }
}
