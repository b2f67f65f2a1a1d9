/// A JSON Pointer (RFC 6901) that is built token by token.
///
/// It contains only whole tokens. If more would exceed the limit (``Limits/maxPointerBytes``), `…` follows the last
/// token.
package struct JSONPointer {
    package private(set) var text = ""
    /// Whether tokens are missing. Nothing is appended after that.
    private(set) var isCut = false
    private let maxBytes: Int

    package init(maxBytes: Int) { self.maxBytes = maxBytes }

    /// Appends the index of an array element.
    package mutating func append(_ index: Int) { append(token: String(index)) }

    /// Appends the name of an object member.
    package mutating func append(_ name: String) {
        // Escaping never shortens the text.
        guard fits(name.utf8.count) else { return cut() }
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return append(token: name)
        }
        var token: [UInt8] = []
        token.append(pointerToken: name.utf8.span)
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

    private func fits(_ bytes: Int) -> Bool { text.utf8.count + 1 + bytes <= maxBytes }
}

extension [UInt8] {
    /// Appends a name with the escapes of a token (RFC 6901 §3).
    mutating func append(pointerToken name: Span<UInt8>) {
        for index in name.indices {
            switch name[index] {
            case UInt8(ascii: "~"): append(contentsOf: "~0".utf8)
            case UInt8(ascii: "/"): append(contentsOf: "~1".utf8)
            case let byte: append(byte)
            }
        }
    }
}

extension JSONPointer {
    /// An object or array that encloses an offset in JSON text.
    struct Level {
        /// The index of the current element; `nil` in an object, and negative before the first element.
        var index: Int?
        /// The name of the current member; `nil` in an array, and before the first member.
        var name: JSONStringToken?
    }

    /// The pointer to the current member or element of the last of `levels`.
    /// - Parameter record: The index of the record, in a text with many records.
    init(to levels: ArraySlice<Level>, record: Int? = nil, maxBytes: Int, in text: Span<UInt8>) {
        self.init(maxBytes: maxBytes)
        if let record { append(record) }
        for level in levels where !isCut {
            if let index = level.index {
                if index >= 0 { append(index) }
            } else if let name = level.name {
                // An escape of six bytes represents at least one byte. A longer name is not read.
                if name.range.count / 6 > maxBytes { cut() } else { append(name.text(in: text)) }
            }
        }
    }
}
