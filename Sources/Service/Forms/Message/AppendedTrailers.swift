internal import Serialization

/// The trailer section as curl(1) prints it: immediately after the content of HTTP/2 and HTTP/3, or of chunks that it has
/// undone.
///
///     {"id":1}X-Checksum: abc␍␊X-Other: 1␍␊
///
/// The section is recognized only if it begins with a field that `Trailer` announces (RFC 9110 §6.6.2), and only complete field
/// lines follow, up to the end of the message, at most ``Message/maxFields``.
enum AppendedTrailers {
    /// The maximum number of announced names that are searched for.
    private static let maxNames = 16

    /// Returns the offset of the trailer section in `content`, or `nil` if there is none.
    /// - Parameter names: the names that the head announces.
    static func start(in message: Span<UInt8>, _ content: Range<Int>, names: [String]) -> Int? {
        let names = names.filter { FieldSyntax.isToken($0.utf8.span) }.prefix(maxNames)
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
    private static func fieldStart(in message: Span<UInt8>, _ line: Range<Int>, _ names: ArraySlice<String>) -> Int? {
        // A value has no control characters.
        var lowest = line.upperBound
        while lowest > line.lowerBound,
            FieldSyntax.forbiddenByte(in: message.extracting((lowest - 1)..<lowest)) == nil
        {
            lowest -= 1
        }
        var start: Int?
        for name in names {
            let name = name.utf8.span
            var position = line.upperBound - name.count - 1
            while position >= start ?? lowest {
                if message[position + name.count] == UInt8(ascii: ":"),
                    message.extracting(position..<(position + name.count)).equalsIgnoringASCIICase(name)
                {
                    start = position
                    break
                }
                position -= 1
            }
        }
        return start
    }
}

extension HeaderFields {
    /// The names of the fields that the trailer section will have (RFC 9110 §6.6.2).
    var announcedTrailers: [String] {
        values(of: "trailer").flatMap { $0.split(separator: ",") }.map { UpstreamFieldValue.trimmed(String($0)) }
    }
}
