/// A media type (RFC 9110 §8.3.1): `application/vnd.api+json; charset=utf-8`.
///
/// Type, subtype and parameter names compare without case, so they are kept in lower case; parameter values are kept
/// as written, without the quotes and escapes of a quoted string.
public struct MediaType: Equatable, Sendable {
    public struct Parameter: Equatable, Sendable {
        /// In lower case.
        public let name: String
        public let value: String
    }

    /// `type/subtype`, in lower case.
    public let essence: String

    /// In the order they came. A name may come twice; the first counts.
    public let parameters: [Parameter]

    /// For types known to be well formed: `essence` has one slash between two tokens in lower case.
    init(essence: String, parameters: [Parameter] = []) {
        self.essence = essence
        self.parameters = parameters
    }

    /// `application` of `application/json`.
    public var type: Substring {
        essence.prefix { $0 != "/" }
    }

    /// `vnd.api+json` of `application/vnd.api+json`.
    public var subtype: Substring {
        essence.dropFirst(type.utf8.count + 1)
    }

    /// The structured syntax suffix (RFC 6838 §4.2.8), `json` of `application/vnd.api+json`. Nil where there is none.
    public var suffix: Substring? {
        guard let plus = essence.utf8.lastIndex(of: UInt8(ascii: "+")) else { return nil }
        return essence[essence.utf8.index(after: plus)...]
    }

    /// The first value of the parameter `name`, which is given in lower case.
    public func parameter(_ name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// The `charset` parameter in lower case (charsets compare without case, RFC 9110 §8.3.2). Nil where it is empty.
    public var charset: String? {
        guard let charset = parameter("charset"), !charset.isEmpty else { return nil }
        return charset.lowercasedASCII
    }
}

extension MediaType: CustomStringConvertible {
    /// The type as it may stand in a field: values that are no token are quoted.
    public var description: String {
        parameters.reduce(essence) { text, parameter in
            let isToken = !parameter.value.isEmpty && parameter.value.utf8.allSatisfy(\.isTokenCharacter)
            return "\(text); \(parameter.name)=\(isToken ? parameter.value : parameter.value.quoted)"
        }
    }
}

extension String {
    /// RFC 9110 §5.6.4: a quoted string.
    fileprivate var quoted: String {
        // Scalars, not characters: a quote with an accent on it is still a quote.
        unicodeScalars.reduce(into: "\"") { text, scalar in
            if scalar == "\"" || scalar == "\\" { text += "\\" }
            text.unicodeScalars.append(scalar)
        } + "\""
    }

    /// A to Z lowered; every other character as it is.
    var lowercasedASCII: String {
        utf8.contains { $0.asciiLowercased != $0 } ? String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self) : self
    }
}
