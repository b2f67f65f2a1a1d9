// Facts about the keys that are known before any of them is created.

extension XMLKeys {
    /// Returns the minimum length of a value, in bytes: it contains each name of the document. In Clark notation that
    /// may be far more than the length of the document.
    static func minBytes(_ tape: borrowing XMLTape, _ style: XMLNameStyle) -> Int {
        guard style == .clark else { return 0 }
        var bytes = 0
        for number in 0..<tape.nameCount {
            let name = tape.name(number)
            // Each is at most as long as the content, and there are fewer than 2³¹: the sum is at most 2⁶².
            bytes += name.namespace.count + name.local.count
        }
        return bytes
    }

    /// Returns the first element whose key, or that of one of its attributes, is longer than `maxBytes`, or `nil` if
    /// there is none.
    static func firstElement(withKeyOver maxBytes: Int, _ tape: borrowing XMLTape, _ style: XMLNameStyle) -> Int? {
        // The key of an attribute has one more byte.
        let lengths = (0..<tape.nameCount).map { tape.keyBytes(ofName: $0, style) }
        guard lengths.contains(where: { $0 >= maxBytes }) else { return nil }
        var element = 0
        var index = tape.startIndex
        while index < tape.count {
            switch tape.kind(at: index) {
            case .element:
                element = index
                if lengths[tape.name(at: index)] > maxBytes { return element }
            case .attribute:
                if lengths[tape.name(at: index)] >= maxBytes { return element }
            case .namespace, .text, .cdata, .comment, .instruction, .doctype: break
            }
            index = tape.index(after: index)
        }
        return nil
    }
}

extension XMLTape {
    /// Returns the length of an element's key, in bytes.
    func keyBytes(ofName number: Int, _ style: XMLNameStyle) -> Int {
        let name = name(number)
        let qualified = name.prefix.isEmpty ? name.local.count : name.prefix.count + 1 + name.local.count
        return switch style {
        case .prefixed: qualified
        case .local: name.local.count
        case .clark: name.namespace.isEmpty ? qualified : name.namespace.count + 2 + name.local.count
        }
    }
}
