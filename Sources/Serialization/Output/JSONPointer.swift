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
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return append(token: name)
        }
        var token: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "~"): token += [byte, UInt8(ascii: "0")]
            case UInt8(ascii: "/"): token += [UInt8(ascii: "~"), UInt8(ascii: "1")]
            default: token.append(byte)
            }
        }
        append(token: String(decoding: token, as: UTF8.self))
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
