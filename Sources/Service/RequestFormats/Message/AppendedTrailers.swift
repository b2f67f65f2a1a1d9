internal import HTTP
internal import Serialization

/// The trailer section as curl(1) prints it: immediately after the content of HTTP/2 and HTTP/3, or of chunks that it
/// has decoded.
///
///     {"id":1}X-Checksum: abc␍␊X-Other: 1␍␊
///
/// The section is recognized only if it begins with a field that `Trailer` announces (RFC 9110 §6.6.2), and only
/// complete field lines follow, up to the end of the message, at most ``Message/maxFields``.
enum AppendedTrailers {
    /// Returns the offset of the trailer section in `content`, or `nil` if there is none.
    static func start(in message: Span<UInt8>, _ content: Range<Int>, _ names: AnnouncedTrailers) -> Int? {
        var start: Int?
        var end = content.upperBound
        var count = 0
        let lowest = max(content.lowerBound, content.upperBound - Message.maxHeadBytes)
        while !names.isEmpty, end - 2 > lowest, message[end - 1] == UInt8(ascii: "\n"),
            message[end - 2] == UInt8(ascii: "\r")
        {
            var lineStart = end - 2
            while lineStart > lowest, message[lineStart - 1] != UInt8(ascii: "\n") { lineStart -= 1 }
            guard lineStart < end - 2 else { break }
            count += 1
            guard count <= Message.maxFields else { return nil }
            if let first = fieldStart(in: message, lineStart..<(end - 2), names) {
                start = first
                guard first == lineStart else { break }
            } else if (try? FieldLine(parsing: message, lineStart..<(end - 2))) == nil {
                break
            }
            end = lineStart
        }
        return start
    }

    /// Returns the offset of the last announced field in `line` that extends to the end of the line.
    private static func fieldStart(in message: Span<UInt8>, _ line: Range<Int>, _ names: AnnouncedTrailers) -> Int? {
        var offset = line.upperBound
        while offset > line.lowerBound {
            offset -= 1
            let byte = message[offset]
            // A value has no control characters.
            if byte.isForbiddenInField { return nil }
            guard byte == UInt8(ascii: ":") else { continue }
            // Names have no colon. Therefore the field of the last colon is the last field, and no byte is read twice.
            let nameEnd = offset
            while offset > line.lowerBound, message[offset - 1].isTokenCharacter { offset -= 1 }
            if let name = names.end(of: offset..<nameEnd, in: message) { return name.lowerBound }
        }
        return nil
    }
}

/// The names of the fields that the trailer section will have (RFC 9110 §6.6.2).
struct AnnouncedTrailers {
    /// The maximum number of names that are searched for.
    private static let maxNames = 16

    /// The names in lower case, the shortest first.
    private var names: [[UInt8]] = []

    var isEmpty: Bool { names.isEmpty }

    init(_ fields: HeaderFields) {
        for field in fields.fields where field.name.equalsIgnoringASCIICase("trailer") { add(field.value.utf8.span) }
        names.sort { $0.count < $1.count }
    }

    /// Adds the names of a list, up to the maximum number. Empty elements and elements that are not names are skipped.
    private mutating func add(_ list: Span<UInt8>) {
        var start = 0
        while start < list.count, names.count < Self.maxNames {
            let end = list.firstOffset(of: UInt8(ascii: ","), in: start..<list.count) ?? list.count
            let name = list.trimmingBlanks(start..<end)
            if list.isToken(name) { names.append(name.map { list[$0].asciiLowercased }) }
            start = end + 1
        }
    }

    /// Returns the range of the shortest name with which the token in `range` of `message` ends.
    fileprivate func end(of range: Range<Int>, in message: Span<UInt8>) -> Range<Int>? {
        for name in names {
            guard name.count <= range.count else { return nil }
            var count = 0
            while count < name.count,
                message[range.upperBound - 1 - count].asciiLowercased == name[name.count - 1 - count]
            {
                count += 1
            }
            if count == name.count { return range.upperBound - count..<range.upperBound }
        }
        return nil
    }
}
