/// The errors of parsing a media type. Offsets are in bytes, from 0.
public enum MediaTypeError: Error, Equatable, Sendable {
    /// The text is not `type/subtype`: the offset is that of an unexpected character, or of the end of an empty part.
    case malformed(at: Int)
    /// Type and subtype are well formed, but the rest is not a list of parameters.
    case malformedParameter(at: Int)
}

extension MediaType {
    /// Parses a media type as defined in RFC 9110 §8.3.1. White space around it is ignored.
    ///
    /// The grammar is `type "/" subtype *( OWS ";" OWS [ name "=" ( token / quoted-string ) ] )`, without white space
    /// around `/` and `=`.
    public init(parsing text: String) throws(MediaTypeError) {
        let bytes = text.utf8.span
        var position = 0
        let essence = try Self.essence(in: bytes, at: &position)
        self.init(essence: essence, parameters: try Self.parameters(in: bytes, from: position))
    }

    private static func essence(in bytes: Span<UInt8>, at position: inout Int) throws(MediaTypeError) -> String {
        bytes.skipBlanks(&position)
        let start = position
        bytes.skipToken(&position)
        guard position > start, position < bytes.count, bytes[position] == UInt8(ascii: "/") else {
            throw .malformed(at: position)
        }
        position += 1
        let subtype = position
        bytes.skipToken(&position)
        let end = position
        bytes.skipBlanks(&position)
        let isWhole = position == bytes.count || bytes[position] == UInt8(ascii: ";")
        guard end > subtype, isWhole else { throw .malformed(at: end) }
        return bytes.lowercasedText(start..<end)
    }

    private static func parameters(in bytes: Span<UInt8>, from start: Int) throws(MediaTypeError) -> [Parameter] {
        var parameters: [Parameter] = []
        var position = start
        while true {
            bytes.skipBlanks(&position)
            if position == bytes.count { return parameters }
            guard bytes[position] == UInt8(ascii: ";") else { throw .malformedParameter(at: position) }
            position += 1
            bytes.skipBlanks(&position)
            // RFC 9110 §5.6.6: a parameter may be empty between two semicolons and after the last one.
            if position == bytes.count || bytes[position] == UInt8(ascii: ";") { continue }

            let name = position
            bytes.skipToken(&position)
            guard position > name, position < bytes.count, bytes[position] == UInt8(ascii: "=") else {
                throw .malformedParameter(at: position)
            }
            let nameEnd = position
            position += 1
            let value = try value(in: bytes, at: &position)
            parameters.append(Parameter(name: bytes.lowercasedText(name..<nameEnd), value: value))
        }
    }

    private static func value(in bytes: Span<UInt8>, at position: inout Int) throws(MediaTypeError) -> String {
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
            return try quotedString(in: bytes, at: &position)
        }
        let start = position
        bytes.skipToken(&position)
        guard position > start else { throw .malformedParameter(at: position) }
        return bytes.text(start..<position)
    }

    /// Parses a quoted string (RFC 9110 §5.6.4). `position` is at the opening quote, and afterwards behind the closing
    /// one.
    private static func quotedString(in bytes: Span<UInt8>, at position: inout Int) throws(MediaTypeError) -> String {
        var value: [UInt8] = []
        position += 1
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"):
                position += 1
                guard position < bytes.count, !bytes[position].isForbiddenInField else {
                    throw .malformedParameter(at: position)
                }
                value.append(bytes[position])
            case let byte:
                guard !byte.isForbiddenInField else { throw .malformedParameter(at: position) }
                value.append(byte)
            }
            position += 1
        }
        throw .malformedParameter(at: position)
    }
}
