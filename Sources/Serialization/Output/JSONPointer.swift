/// A JSON Pointer (RFC 6901) that is built token by token.
///
/// It contains only whole tokens. If more would exceed the limit (``Limits/maxPointerBytes``), `…` follows the last
/// token.
package struct JSONPointer {
    package private(set) var text = ""
    /// Whether tokens are missing. Nothing is appended after that.
    private(set) var isCut = false
    private let maxBytes: Int

    package init(maxBytes: Int) {
        self.maxBytes = maxBytes
    }

    /// Appends the index of an array element.
    package mutating func append(_ index: Int) {
        append(token: String(index))
    }

    /// Appends the name of an object member.
    package mutating func append(_ name: String) {
        // Escaping never shortens the text.
        guard fits(name.utf8.count) else { return cut() }
        var token = ""
        for character in name.unicodeScalars {
            switch character {
            case "~": token += "~0"
            case "/": token += "~1"
            default: token.unicodeScalars.append(character)
            }
        }
        append(token: token)
    }

    /// Marks the pointer as truncated. Used for a token that is known to be too long before it is read.
    mutating func cut() {
        guard !isCut else { return }
        text += "/…"
        isCut = true
    }

    private mutating func append(token: String) {
        guard !isCut else { return }
        guard fits(token.utf8.count) else { return cut() }
        text += "/"
        text += token
    }

    private func fits(_ bytes: Int) -> Bool {
        text.utf8.count + 1 + bytes <= maxBytes
    }
}
