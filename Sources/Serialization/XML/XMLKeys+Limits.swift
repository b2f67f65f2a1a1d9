// What can be known of the keys before any of them is made.

extension XMLKeys {
    /// How long a value is at least, in bytes: each name of the document is in it. In Clark's notation that may be far more than
    /// what the document takes.
    static func minBytes(_ tape: borrowing XMLTape, _ form: XMLNameForm) -> Int {
        guard form == .clark else { return 0 }
        var bytes = 0
        for number in 0..<tape.nameCount {
            let name = tape.name(number)
            // Each is as long as the content at the most, and there are fewer than 2³¹: the sum is no more than 2⁶².
            bytes += name.namespace.count + name.local.count
        }
        return bytes
    }

    /// The first element whose key, or that of an attribute of it, is longer than `maxBytes`; nil where none is.
    static func firstElement(withKeyOver maxBytes: Int, _ tape: borrowing XMLTape, _ form: XMLNameForm) -> Int? {
        // An attribute's has one byte more.
        let lengths = (0..<tape.nameCount).map { tape.keyBytes(ofName: $0, form) }
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
    /// Of an element's key.
    func keyBytes(ofName number: Int, _ form: XMLNameForm) -> Int {
        let name = name(number)
        let qualified = name.prefix.isEmpty ? name.local.count : name.prefix.count + 1 + name.local.count
        return switch form {
        case .prefixed: qualified
        case .local: name.local.count
        case .clark: name.namespace.isEmpty ? qualified : name.namespace.count + 2 + name.local.count
        }
    }
}
