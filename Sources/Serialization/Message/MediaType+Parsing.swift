/// The errors of parsing a media type. Offsets are in bytes, from 0.
public enum MediaTypeError: Error, Equatable, Sendable {
    /// The text is not `type/subtype`: the offset is that of an unexpected character, or of the end of an empty part.
    case malformed(at: Int)
    /// Type and subtype are well formed, but the rest is not a list of at most ``MediaType/maxParameters`` parameters.
    case malformedParameter(at: Int)
}

extension MediaType {
    /// The maximum number of parameters. Each entry of an ``MediaTypeSet`` may be compared with all of them.
    static let maxParameters = 32

    /// Parses a media type as defined in RFC 9110 §8.3.1. White space around it is ignored.
    ///
    /// The grammar is `type "/" subtype *( OWS ";" OWS [ name "=" ( token / quoted-string ) ] )`, without white space
    /// around `/` and `=`.
    public init(parsing text: String) throws(MediaTypeError) {
        let bytes = text.utf8.span
        var offset = 0
        let essence = try Self.essence(in: bytes, at: &offset)
        self.init(essence: essence, parameters: try Self.parameters(in: bytes, from: offset))
    }

    private static func essence(in bytes: Span<UInt8>, at offset: inout Int) throws(MediaTypeError) -> String {
        bytes.skipBlanks(&offset)
        let start = offset
        bytes.skipToken(&offset)
        guard offset > start, offset < bytes.count, bytes[offset] == UInt8(ascii: "/") else {
            throw .malformed(at: offset)
        }
        offset += 1
        let subtype = offset
        bytes.skipToken(&offset)
        let end = offset
        bytes.skipBlanks(&offset)
        let isWhole = offset == bytes.count || bytes[offset] == UInt8(ascii: ";")
        guard end > subtype, isWhole else { throw .malformed(at: end) }
        return bytes.lowercasedText(start..<end)
    }

    private static func parameters(in bytes: Span<UInt8>, from start: Int) throws(MediaTypeError) -> [Parameter] {
        var parameters: [Parameter] = []
        var offset = start
        while true {
            bytes.skipBlanks(&offset)
            if offset == bytes.count { return parameters }
            guard bytes[offset] == UInt8(ascii: ";") else { throw .malformedParameter(at: offset) }
            offset += 1
            bytes.skipBlanks(&offset)
            // RFC 9110 §5.6.6: a parameter may be empty between two semicolons and after the last one.
            if offset == bytes.count || bytes[offset] == UInt8(ascii: ";") { continue }

            let name = offset
            guard parameters.count < maxParameters else { throw .malformedParameter(at: offset) }
            bytes.skipToken(&offset)
            guard offset > name, offset < bytes.count, bytes[offset] == UInt8(ascii: "=") else {
                throw .malformedParameter(at: offset)
            }
            let nameEnd = offset
            offset += 1
            let value = try value(in: bytes, at: &offset)
            parameters.append(Parameter(name: bytes.lowercasedText(name..<nameEnd), value: value))
        }
    }

    private static func value(in bytes: Span<UInt8>, at offset: inout Int) throws(MediaTypeError) -> String {
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") {
            guard let value = bytes.quotedString(&offset) else { throw .malformedParameter(at: offset) }
            return value
        }
        let start = offset
        bytes.skipToken(&offset)
        guard offset > start else { throw .malformedParameter(at: offset) }
        return bytes.text(start..<offset)
    }
}
