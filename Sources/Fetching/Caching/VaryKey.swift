package import Primitives

// The request fields by which an origin selects a response (RFC 9111 §4.1).
//
//     Vary: Accept-Language, Foo        names   accept-language, foo
//     Accept-Language: EN ,de           key     "accept-language" "en,de" "foo" –
//
// Values are normalised: the lines of a field are joined, and spaces and tabs at their ends and around the commas of a
// list are removed, but not inside quoted strings. `Accept-Language`, `Accept-Charset` and `Accept-Encoding` ignore
// case. The order of a list is kept, because some origins use it as a preference. A field that is absent differs from
// an empty one.

/// The names in the `Vary` fields of a response: in lower case, sorted and unique.
package struct VaryNames: Hashable, Sendable {
    package let names: [String]

    /// The maximum number of names. A response with more is not stored.
    static let maxNames = 32

    /// The names of a response without `Vary`.
    package static let none = VaryNames(names: [])

    private init(names: [String]) { self.names = names }

    /// - Parameter names: The names of other instances.
    package init(known names: [String]) { self.names = names }

    /// Reads the names from the fields of a response.
    /// - Returns: `nil` if no request matches: for `*`, for text that is not a list of tokens, and for too many names.
    package init?(ofResponse fields: [HeaderFields.Field]) {
        var names: Set<String> = []
        for field in fields where field.name.equalsIgnoringASCIICase("Vary") {
            let text = field.value.utf8.span
            for entry in ListSyntax.entries(of: text) where !entry.isEmpty {
                guard entry.allSatisfy({ text[$0].isTokenCharacter }), entry.count > 1 || !text.isStar(entry) else {
                    return nil
                }
                names.insert(text.lowercasedText(entry))
                guard names.count <= Self.maxNames else { return nil }
            }
        }
        self.names = names.sorted()
    }
}

/// The values of the fields that `Vary` names, in a request. Equal keys match (RFC 9111 §4.1).
package struct VaryKey: Hashable, Sendable {
    package let bytes: [UInt8]

    /// The bytes as a whole: the default would compare them one by one.
    package static func == (one: VaryKey, other: VaryKey) -> Bool { one.bytes.span.equals(other.bytes.span) }

    /// The bytes as a whole: the default would pass them to the hasher one by one.
    package func hash(into hasher: inout Hasher) {
        // The bytes are read within the call.
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    /// - Parameter fields: The fields that are sent to the origin.
    package init(_ names: VaryNames, request fields: [HeaderFields.Field]) {
        var parts = KeyParts()
        for name in names.names {
            parts.add(name)
            let values = fields.values(of: name)
            parts.add(count: values.count == 0 ? 0 : 1)
            if !values.isEmpty {
                parts.add(Self.normalized(values, ignoresCase: Self.ignoringCase.contains(name)).span)
            }
        }
        bytes = parts.bytes
    }

    private static let ignoringCase = ["accept-language", "accept-charset", "accept-encoding"]

    private static func normalized(_ values: [String], ignoresCase: Bool) -> [UInt8] {
        var result: [UInt8] = []
        for (index, value) in values.enumerated() {
            if index > 0 { result.append(UInt8(ascii: ",")) }
            let text = value.utf8.span
            var isQuoted = false
            // Blanks are kept only between two other bytes of an element.
            var blanks = 0
            var isAtStart = true
            let range = text.trimmingBlanks(0..<text.count)
            var offset = range.lowerBound
            while offset < range.upperBound {
                let byte = text[offset]
                if !isQuoted {
                    if byte.isBlank {
                        blanks += 1
                        offset += 1
                        continue
                    }
                    if !isAtStart, byte != UInt8(ascii: ",") {
                        for index in (offset - blanks)..<offset { result.append(text[index]) }
                    }
                    blanks = 0
                    isAtStart = byte == UInt8(ascii: ",")
                }
                offset += 1
                result.append(ignoresCase ? byte.asciiLowercased : byte)
                if byte == UInt8(ascii: "\"") {
                    isQuoted.toggle()
                } else if isQuoted, byte == UInt8(ascii: "\\"), offset < range.upperBound {
                    result.append(text[offset])
                    offset += 1
                }
            }
        }
        return result
    }
}

extension Span<UInt8> {
    fileprivate func isStar(_ range: Range<Int>) -> Bool { self[range.lowerBound] == UInt8(ascii: "*") }
}
