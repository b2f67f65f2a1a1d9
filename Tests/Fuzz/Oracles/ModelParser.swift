/// Reads a strict RFC 8259 text into a tree, by recursive descent.
///
/// The location of an error is the first unexpected byte. A misspelled literal, an escape, a lone surrogate and an
/// invalid UTF-8 sequence are located at their start, and a text that ends too early, also within one of these, at its
/// end.
package struct ModelParser {
    package struct Failure: Error, Equatable {
        package var offset: Int
    }

    private let text: [UInt8]
    private let maxDepth: Int
    private let rejectsDuplicates: Bool
    private var offset = 0
    private var path: [String] = []
    private var duplicates: [ModelDocument.Duplicate] = []

    package static func parse(
        _ text: [UInt8],
        maxDepth: Int = 512,
        rejectsDuplicates: Bool = false
    ) throws(Failure) -> ModelDocument {
        var parser = ModelParser(text: text, maxDepth: maxDepth, rejectsDuplicates: rejectsDuplicates)
        let value = try parser.value()
        parser.space()
        guard parser.offset == text.count else { throw parser.failure }
        return ModelDocument(value: value, duplicates: parser.duplicates)
    }

    private init(text: [UInt8], maxDepth: Int, rejectsDuplicates: Bool) {
        self.text = text
        self.maxDepth = maxDepth
        self.rejectsDuplicates = rejectsDuplicates
    }

    // MARK: Values

    private mutating func value() throws(Failure) -> ModelDocument.Value {
        space()
        let start = offset
        switch peek {
        case "{", "[":
            guard path.count < maxDepth else { throw failure }
            return peek == "{" ? try object() : try array()
        case "\"":
            _ = try string()
            return .scalar(Array(text[start..<offset]))
        case "-", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9":
            try number()
            return .scalar(Array(text[start..<offset]))
        default:
            for literal in ["true", "false", "null"] where literal.unicodeScalars.first == peek {
                let rest = text[offset...]
                guard rest.starts(with: literal.utf8) else {
                    throw literal.utf8.starts(with: rest) ? Failure(offset: text.count) : failure
                }
                offset += literal.utf8.count
                return literal == "null" ? .null : .scalar(Array(literal.utf8))
            }
            throw failure
        }
    }

    private mutating func array() throws(Failure) -> ModelDocument.Value {
        offset += 1
        space()
        if take("]") { return .array([]) }
        var elements: [ModelDocument.Value] = []
        while true {
            path.append(String(elements.count))
            elements.append(try value())
            path.removeLast()
            space()
            if take("]") { return .array(elements) }
            guard take(",") else { throw failure }
        }
    }

    private mutating func object() throws(Failure) -> ModelDocument.Value {
        offset += 1
        space()
        if take("}") { return .object([]) }
        var members: [ModelDocument.Member] = []
        var names: Set<[UInt8]> = []
        while true {
            space()
            let start = offset
            guard peek == "\"" else { throw failure }
            let name = try string()
            let spelling = Array(text[start..<offset])
            path.append(String(decoding: name, as: UTF8.self))
            if !names.insert(name).inserted {
                if rejectsDuplicates { throw Failure(offset: start) }
                duplicates.append(ModelDocument.Duplicate(offset: start, pointer: pointer))
            }
            space()
            guard take(":") else { throw failure }
            members.append(ModelDocument.Member(spelling: spelling, name: name, value: try value()))
            path.removeLast()
            space()
            if take("}") { return .object(members) }
            guard take(",") else { throw failure }
        }
    }

    private mutating func number() throws(Failure) {
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            try digits()
        }
        // After a leading zero, a digit is unexpected.
        if let peek, ("0"..."9").contains(peek) { throw failure }
    }

    private mutating func digits() throws(Failure) {
        guard let first = peek, ("0"..."9").contains(first) else { throw failure }
        while let digit = peek, ("0"..."9").contains(digit) { offset += 1 }
    }

    // MARK: Strings

    /// - Returns: The unescaped string, in UTF-8.
    private mutating func string() throws(Failure) -> [UInt8] {
        offset += 1
        var units: [UInt8] = []
        while true {
            guard offset < text.count else { throw failure }
            let start = offset
            switch text[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return units
            case UInt8(ascii: "\\"):
                units += String(try escape(at: start)).utf8
            case 0..<0x20:
                throw failure
            default:
                let length = Self.lengthOfCharacter(text[offset...])
                guard length > 0 else {
                    throw Self.beginsCharacter(text[offset...]) ? Failure(offset: text.count) : failure
                }
                units += text[offset..<offset + length]
                offset += length
            }
        }
    }

    private mutating func escape(at start: Int) throws(Failure) -> Character {
        offset += 1
        guard offset < text.count else { throw failure }
        let letter = text[offset]
        if let character = Self.plainEscapes[letter] {
            offset += 1
            return character
        }
        guard letter == UInt8(ascii: "u") else { throw Failure(offset: start) }
        let high = try codeUnit(escapedAt: start)
        if let scalar = Unicode.Scalar(high) { return Character(scalar) }
        let second = offset
        guard high < 0xDC00, text[second...].starts(with: #"\u"#.utf8) else {
            let ends = high < 0xDC00 && #"\u"#.utf8.starts(with: text[second...])
            throw Failure(offset: ends ? text.count : start)
        }
        offset += 1
        let low = try codeUnit(escapedAt: second)
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) * 0x400 + (low - 0xDC00))
        else { throw Failure(offset: start) }
        return Character(scalar)
    }

    private mutating func codeUnit(escapedAt start: Int) throws(Failure) -> UInt32 {
        offset += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard offset < text.count else { throw failure }
            let digit = Character(Unicode.Scalar(text[offset]))
            guard digit.isASCII, let value = digit.hexDigitValue else { throw Failure(offset: start) }
            unit = unit * 16 + UInt32(value)
            offset += 1
        }
        return unit
    }

    private static let plainEscapes: [UInt8: Character] = [
        0x22: "\"", 0x5C: "\\", 0x2F: "/", 0x62: "\u{8}", 0x66: "\u{C}", 0x6E: "\n", 0x72: "\r", 0x74: "\t",
    ]

    /// The Unicode Standard, table 3-7: well-formed UTF-8 byte sequences.
    private static let characters: [[ClosedRange<UInt8>]] = [
        [0x00...0x7F], [0xC2...0xDF, 0x80...0xBF],
        [0xE0...0xE0, 0xA0...0xBF, 0x80...0xBF], [0xE1...0xEC, 0x80...0xBF, 0x80...0xBF],
        [0xED...0xED, 0x80...0x9F, 0x80...0xBF], [0xEE...0xEF, 0x80...0xBF, 0x80...0xBF],
        [0xF0...0xF0, 0x90...0xBF, 0x80...0xBF, 0x80...0xBF],
        [0xF1...0xF3, 0x80...0xBF, 0x80...0xBF, 0x80...0xBF],
        [0xF4...0xF4, 0x80...0x8F, 0x80...0xBF, 0x80...0xBF],
    ]

    /// Returns the length of the character, or 0 if no character begins here.
    private static func lengthOfCharacter(_ bytes: ArraySlice<UInt8>) -> Int {
        if let first = bytes.first, first < 0x80 { return 1 }
        let row = characters.first { $0.count <= bytes.count && zip($0, bytes).allSatisfy { $0.contains($1) } }
        return row?.count ?? 0
    }

    /// Whether all of the bytes are the beginning of a character.
    private static func beginsCharacter(_ bytes: ArraySlice<UInt8>) -> Bool {
        characters.contains { $0.count > bytes.count && zip($0, bytes).allSatisfy { $0.contains($1) } }
    }

    // MARK: Steps

    private var failure: Failure { Failure(offset: offset) }

    private var pointer: String {
        path.map { token in
            "/" + token.unicodeScalars.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }.joined()
        }.joined()
    }

    private var peek: Unicode.Scalar? {
        offset < text.count ? Unicode.Scalar(text[offset]) : nil
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == character else { return false }
        offset += 1
        return true
    }

    private mutating func space() {
        while take(" ") || take("\t") || take("\n") || take("\r") {}
    }
}
