/// A JSON Pointer (RFC 6901), built token by token.
///
/// Only whole tokens, and `…` after the last where more would pass a bound (``Limits/maxPointerBytes``).
struct JSONPointer {
    private(set) var text = ""
    /// Whether tokens are missing. Nothing is added any more.
    private(set) var isCut = false
    private let maxBytes: Int

    init(maxBytes: Int) {
        self.maxBytes = maxBytes
    }

    /// To the element of an array.
    mutating func append(_ index: Int) {
        append(token: String(index))
    }

    /// To the member of an object.
    mutating func append(_ name: String) {
        // Escaping only lengthens.
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

    /// Says that there is a token that is left out. For one that is known to be too long before it is read.
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
