/// A media type (RFC 9110 §8.3.1), for example `application/vnd.api+json; charset=utf-8`.
///
/// Type, subtype and parameter names compare case-insensitively and are stored in lower case. Parameter values are
/// stored as written, without the quotes and escapes of a quoted string.
public struct MediaType: Equatable, Sendable {
    public struct Parameter: Equatable, Sendable {
        /// The name, in lower case.
        public let name: String
        public let value: String
    }

    /// The type and subtype: `type/subtype`, in lower case.
    public let essence: String

    /// The parameters in the order of the text. If a name occurs twice, the first one counts.
    public let parameters: [Parameter]

    /// Creates a type that is known to be well formed: `essence` has one slash between two tokens in lower case.
    init(essence: String, parameters: [Parameter] = []) {
        self.essence = essence
        self.parameters = parameters
    }

    /// The part before the slash: `application` of `application/json`.
    public var type: Substring { Substring(essence.utf8.prefix { $0 != UInt8(ascii: "/") }) }

    /// The part after the slash: `vnd.api+json` of `application/vnd.api+json`.
    public var subtype: Substring { Substring(essence.utf8.dropFirst(type.utf8.count + 1)) }

    /// The structured syntax suffix (RFC 6838 §4.2.8): `json` of `application/vnd.api+json`. `nil` if there is none.
    public var suffix: Substring? {
        guard let plus = essence.utf8.lastIndex(of: UInt8(ascii: "+")) else { return nil }
        return essence[essence.utf8.index(after: plus)...]
    }

    /// Returns the first value of the parameter `name`, which must be in lower case.
    public func parameter(_ name: String) -> String? {
        // A span, because an iterator would retain and release each element.
        let parameters = parameters.span
        for index in parameters.indices where parameters[index].name == name { return parameters[index].value }
        return nil
    }

    /// The `charset` parameter in lower case (charsets compare case-insensitively, RFC 9110 §8.3.2). `nil` if it is
    /// missing or empty.
    public var charset: String? {
        guard let charset = parameter("charset"), !charset.isEmpty else { return nil }
        return charset.asciiLowercased
    }
}

extension MediaType: CustomStringConvertible {
    /// The type as it can be written in a field. Values that are not tokens are quoted.
    public var description: String {
        parameters.reduce(essence) { text, parameter in
            "\(text); \(parameter.name)=\(parameter.value.isToken ? parameter.value : parameter.value.quoted)"
        }
    }
}

extension String {
    /// The text as a quoted string (RFC 9110 §5.6.4).
    fileprivate var quoted: String {
        // Scalars instead of characters: a quote with a combining accent is still a quote.
        unicodeScalars.reduce(into: "\"") { text, scalar in
            if scalar == "\"" || scalar == "\\" { text += "\\" }
            text.unicodeScalars.append(scalar)
        } + "\""
    }
}
