/// Changes the white space in JSON text. Strings and numbers are copied, so that equal text means equal numbers,
/// escapes and order.
enum JSONLayout {
    /// Returns `text`, which must be JSON, without white space between tokens.
    static func minified(_ text: String) -> String {
        tokens(of: text).joined()
    }

    /// Returns `text`, which must be JSON, with line breaks in every array and object that does not fit on one line.
    static func pretty(_ text: String) -> String {
        let tokens = tokens(of: text)
        var index = 0
        return lines(node(tokens, &index), indentation: 0, column: 0) + "\n"
    }

    /// Returns the value of a member of an object, without white space between tokens; `nil` if it is missing.
    /// - Parameters:
    ///   - path: the names of the members, from the outermost object on.
    ///   - omitted: the names of members that are left out.
    static func member(_ path: [String], of text: String, omitting omitted: Set<String> = []) -> String? {
        let tokens = tokens(of: text)
        var index = 0
        var value = node(tokens, &index)
        for name in path {
            guard case .object(let members) = value, let member = members.first(where: { $0.name == "\"\(name)\"" })
            else { return nil }
            value = member.value
        }
        return minified(value, omitting: Set(omitted.map { "\"\($0)\"" }))
    }

    private static func minified(_ node: Node, omitting omitted: Set<String>) -> String {
        switch node {
        case .scalar(let text): text
        case .array(let elements): "[\(elements.map { minified($0, omitting: omitted) }.joined(separator: ","))]"
        case .object(let members):
            "{"
                + members.filter { !omitted.contains($0.name) }
                .map { "\($0.name):\(minified($0.value, omitting: omitted))" }.joined(separator: ",") + "}"
        }
    }

    /// The maximum length of a line that contains an array or an object.
    private static let maxColumns = 110

    private indirect enum Node {
        case scalar(String)
        case array([Node])
        case object([(name: String, value: Node)])
    }

    private static func tokens(of text: String) -> [String] {
        var tokens: [String] = []
        var token: [UInt8] = []
        var isString = false
        var isEscaped = false
        func end() {
            if !token.isEmpty { tokens.append(String(decoding: token, as: UTF8.self)) }
            token = []
        }
        for byte in text.utf8 {
            if isString {
                token.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isString = false
                    end()
                }
                continue
            }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                end()
            case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","),
                UInt8(ascii: ":"):
                end()
                token = [byte]
                end()
            case UInt8(ascii: "\""):
                isString = true
                token.append(byte)
            default:
                token.append(byte)
            }
        }
        end()
        return tokens
    }

    /// Reads the value that begins at `index`.
    private static func node(_ tokens: [String], _ index: inout Int) -> Node {
        let first = tokens[index]
        index += 1
        switch first {
        case "[":
            var elements: [Node] = []
            while tokens[index] != "]" {
                if tokens[index] == "," { index += 1 }
                elements.append(node(tokens, &index))
            }
            index += 1
            return .array(elements)
        case "{":
            var members: [(name: String, value: Node)] = []
            while tokens[index] != "}" {
                if tokens[index] == "," { index += 1 }
                let name = tokens[index]
                index += 2
                members.append((name, node(tokens, &index)))
            }
            index += 1
            return .object(members)
        default:
            return .scalar(first)
        }
    }

    private static func line(_ node: Node) -> String {
        switch node {
        case .scalar(let text): text
        case .array(let elements): "[" + elements.map(line).joined(separator: ", ") + "]"
        case .object(let members): "{" + members.map { "\($0.name): \(line($0.value))" }.joined(separator: ", ") + "}"
        }
    }

    private static func lines(_ node: Node, indentation: Int, column: Int) -> String {
        let line = line(node)
        if column + line.utf8.count <= maxColumns { return line }
        let outer = String(repeating: " ", count: indentation)
        let inner = outer + "  "
        switch node {
        case .scalar:
            return line
        case .array(let elements):
            let parts = elements.map { inner + lines($0, indentation: indentation + 2, column: inner.utf8.count) }
            return "[\n\(parts.joined(separator: ",\n"))\n\(outer)]"
        case .object(let members):
            let parts = members.map { name, value in
                let start = "\(inner)\(name): "
                return start + lines(value, indentation: indentation + 2, column: start.utf8.count)
            }
            return "{\n\(parts.joined(separator: ",\n"))\n\(outer)}"
        }
    }
}
