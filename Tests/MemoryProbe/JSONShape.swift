/// The structure of a JSON text of similar values.
struct JSONShape {
    enum Name: CaseIterable {
        case empty, same, short, long, escaped
    }

    enum Value: CaseIterable {
        case digit, null, emptyObject, emptyArray, emptyString, word, escapes, surrogates, oneMember, number, deep
    }

    var name: Name
    var value: Value
    /// The number of members or elements in each container.
    var members: Int
    var isArray: Bool
    /// Whether a container is the last value of the previous one, instead of its next sibling.
    var isNested: Bool
    var isLenient = false
    /// Whether text consists of byte 1, which ``TextEncoding`` replaces.
    var usesPlaceholders = false
    var spaces: Int

    init(_ choices: inout Choices, isLenient: Bool = false) {
        name = choices.pick(Name.allCases)
        value = choices.pick(Value.allCases)
        members = choices.pick([1, 2, 20, 65, 1_000, 100_000, 1_000_000])
        isArray = choices.pick([false, false, true])
        isNested = choices.pick([false, true])
        spaces = choices.pick([0, 0, 0, 0, 0, 16])
        self.isLenient = isLenient
    }

    /// Returns one array of containers, or nested containers.
    func text(bytes: Int) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes)
        var closing: [UInt8] = []
        text.append(UInt8(ascii: "["))
        closing.append(UInt8(ascii: "]"))
        var isFirst = true
        while text.count + 64 + closing.count < bytes {
            if !isFirst {
                text.append(UInt8(ascii: ","))
                if closing.count > 1, !isArray { text += isLenient ? "z:".utf8 : "\"z\":".utf8 }
            }
            isFirst = false
            let staysOpen = isNested && closing.count < 400
            appendContainer(to: &text, bytes: bytes - closing.count - 64, staysOpen: staysOpen)
            if staysOpen {
                closing.append(isArray ? UInt8(ascii: "]") : UInt8(ascii: "}"))
                isFirst = true
            }
        }
        if isFirst, closing.count > 1 { text.append(UInt8(ascii: "0")) }
        text += closing.reversed()
        return text
    }

    func records(bytes: Int) -> [UInt8] {
        var text: [UInt8] = []
        while text.count + 64 < bytes {
            appendContainer(to: &text, bytes: bytes - 64, staysOpen: false)
            text.append(0x0A)
        }
        return text
    }

    private func appendContainer(to text: inout [UInt8], bytes: Int, staysOpen: Bool) {
        text.append(isArray ? UInt8(ascii: "[") : UInt8(ascii: "{"))
        var index = 0
        repeat {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            if !isArray { appendName(index, to: &text) }
            appendValue(to: &text)
            for _ in 0..<spaces { text.append(0x20) }
            index += 1
        } while index < members && text.count < bytes
        if staysOpen {
            text.append(UInt8(ascii: ","))
            if !isArray { text += isLenient ? "z:".utf8 : "\"z\":".utf8 }
        } else {
            text.append(isArray ? UInt8(ascii: "]") : UInt8(ascii: "}"))
        }
    }

    private func appendName(_ index: Int, to text: inout [UInt8]) {
        text.append(isLenient ? UInt8(ascii: "'") : UInt8(ascii: "\""))
        switch name {
        case .empty: break
        case .same: text.append(usesPlaceholders ? 1 : UInt8(ascii: "a"))
        case .short: ShortNames.append(index, to: &text)
        case .long:
            text += repeatElement(usesPlaceholders ? 1 : UInt8(ascii: "k"), count: 100)
            ShortNames.append(index, to: &text)
        case .escaped:
            text += #"\u0061"#.utf8
            ShortNames.append(index, to: &text)
        }
        text.append(isLenient ? UInt8(ascii: "'") : UInt8(ascii: "\""))
        text.append(UInt8(ascii: ":"))
    }

    private func appendValue(to text: inout [UInt8]) {
        switch value {
        case .digit: text.append(UInt8(ascii: "1"))
        case .null: text += "null".utf8
        case .emptyObject: text += "{}".utf8
        case .emptyArray: text += "[]".utf8
        case .emptyString: text += (isLenient ? "''" : "\"\"").utf8
        case .word:
            text.append(UInt8(ascii: "\""))
            text += repeatElement(usesPlaceholders ? 1 : UInt8(ascii: "w"), count: 12)
            text.append(UInt8(ascii: "\""))
        case .escapes: text += #""\n\n\n\u0001\u0041""#.utf8
        case .surrogates: text += #""\ud83d\ude00""#.utf8
        case .oneMember: text += (isLenient ? "{a:1}" : #"{"a":1}"#).utf8
        case .number: text += "-12.50e+3".utf8
        case .deep: text += "[[[[[[[[]]]]]]]]".utf8
        }
    }
}

/// An encoding of text other than UTF-8, and one of its characters.
struct TextEncoding {
    var label: String
    /// The number of bytes before and after each ASCII byte.
    var before = 0
    var after = 0
    /// The replacement of byte 1.
    var character: [UInt8]

    static func all(of family: DocumentFamily) -> [TextEncoding] {
        switch family {
        case .wide:
            [
                TextEncoding(label: "utf-16le", after: 1, character: [0xAC, 0x20]),
                TextEncoding(label: "utf-16be", before: 1, character: [0x20, 0xAC]),
                TextEncoding(label: "utf-16le", after: 1, character: [0xE9, 0x00]),
                TextEncoding(label: "utf-16le", after: 1, character: [0x3D, 0xD8, 0x00, 0xDE]),
                TextEncoding(label: "utf-32le", after: 3, character: [0x00, 0xF6, 0x01, 0x00]),
                TextEncoding(label: "utf-32be", before: 3, character: [0x00, 0x00, 0x20, 0xAC]),
            ]
        case .singleByte:
            [
                TextEncoding(label: "windows-1252", character: [0x80]),
                TextEncoding(label: "iso-8859-1", character: [0xE9]),
                TextEncoding(label: "windows-874", character: [0xA1]),
                TextEncoding(label: "koi8-r", character: [0xC1]),
            ]
        case .multiByte:
            [
                TextEncoding(label: "shift_jis", character: [0xB1]),
                TextEncoding(label: "shift_jis", character: [0x93, 0xFA]),
                TextEncoding(label: "gb18030", character: [0xC4, 0xE3]),
                TextEncoding(label: "gb18030", character: [0x81, 0x30, 0x81, 0x30]),
                TextEncoding(label: "big5", character: [0x88, 0x62]),
                TextEncoding(label: "euc-kr", character: [0xB0, 0xA1]),
                TextEncoding(label: "euc-jp", character: [0xC6, 0xFC]),
            ]
        default: preconditionFailure("the other families are UTF-8, or not text")
        }
    }

    /// Returns the text from `make` for the length that results in about `bytes` bytes in this encoding.
    func fit(_ bytes: Int, _ make: (Int) -> [UInt8]) -> [UInt8] {
        let sample = make(4096)
        let text = make(bytes * sample.count / encode(sample).count)
        return encode(text)
    }

    private func encode(_ text: [UInt8]) -> [UInt8] {
        var content: [UInt8] = []
        content.reserveCapacity(text.count * (1 + before + after))
        // Otherwise a text without such a character would be valid UTF-8.
        let hasCharacter = before + after > 0 || text.contains(1)
        for (index, byte) in text.enumerated() {
            if byte == 1 {
                content += character
            } else {
                content += repeatElement(0, count: before)
                content.append(byte)
                content += repeatElement(0, count: after)
            }
            if index == 0, !hasCharacter { content += [UInt8(ascii: "\"")] + character + Array("\",".utf8) }
        }
        return content
    }
}
