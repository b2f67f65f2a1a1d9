import FuzzOracles

/// Generates valid JSON texts of every kind that may be difficult for a reader.
struct DocumentGenerator {
    private var random: RandomSource
    private var text: [UInt8] = []
    /// The number of values that may still be written.
    private var budget = 0
    private var spacing = Spacing.none
    private var names: [String] = []

    private enum Spacing {
        case none
        case afterSigns
        /// The white space before each member and element, repeated for each level.
        case indented(String)
        case anywhere
    }

    private static let printable = (UInt8(0x20)..<0x7F).map { Character(Unicode.Scalar($0)) }
    private static let shortEscapes: [Unicode.Scalar: String] = [
        "\"": #"\""#, "\\": #"\\"#, "/": #"\/"#, "\u{8}": #"\b"#, "\u{C}": #"\f"#, "\n": #"\n"#, "\r": #"\r"#,
        "\t": #"\t"#,
    ]

    init(seed: UInt64) {
        random = RandomSource(seed: seed)
    }

    mutating func document() -> [UInt8] {
        text = []
        budget = random.pick([1, 5, 10, 30])
        spacing = random.pick([.none, .none, .afterSigns, .indented("  "), .indented("\t"), .anywhere])
        if random.oneIn(8) { spacing = .indented(String(repeating: " ", count: random.below(40))) }
        names = (0..<1 + random.below(6)).map { _ in nameText() }
        spaceAnywhere()
        switch random.below(20) {
        case 0: chain(of: 1 + random.below(random.oneIn(4) ? 200 : 30))
        case 1: crowd(of: 40 + random.below(100))
        default: value(depth: 0)
        }
        spaceAnywhere()
        return text
    }

    // MARK: Containers

    private mutating func value(depth: Int) {
        budget -= 1
        let mayNest = budget > 0 && depth < 24
        switch random.below(mayNest ? 12 : 6) {
        case 0, 1: put("null")
        case 2: put(random.pick(["true", "false"]))
        case 3: put(number())
        case 4, 5: string(piece(upTo: 4))
        case 6, 7, 8: array(depth: depth)
        default: object(of: random.below(9), depth: depth, nameOf: nil)
        }
    }

    private mutating func array(depth: Int) {
        container("[", "]", count: random.below(7), depth: depth) { generator, _ in
            generator.value(depth: depth + 1)
        }
    }

    private mutating func object(of count: Int, depth: Int, nameOf: ((Int) -> String)?) {
        container("{", "}", count: count, depth: depth) { generator, index in
            let isKnown = nameOf == nil && !generator.random.oneIn(4)
            let name = nameOf?(index) ?? (isKnown ? generator.random.pick(generator.names) : generator.nameText())
            generator.string(name)
            generator.spaceAnywhere()
            generator.put(":")
            generator.spaceAfterSign()
            generator.value(depth: depth + 1)
        }
    }

    private mutating func container(
        _ open: String,
        _ close: String,
        count: Int,
        depth: Int,
        _ body: (inout DocumentGenerator, Int) -> Void
    ) {
        put(open)
        for index in 0..<count {
            if index > 0 { put(",") }
            newLine(depth: depth + 1)
            body(&self, index)
            spaceAnywhere()
        }
        newLine(depth: depth)
        put(close)
    }

    /// Writes many members in one object, some of them duplicates, some that differ only in the middle of a long name.
    private mutating func crowd(of count: Int) {
        let isColliding = random.oneIn(3)
        let distinct = 1 + random.below(2 * count)
        let order = (0..<count).map { _ in random.below(distinct) }
        budget = 0
        object(of: count, depth: 0) { isColliding ? "same head \(order[$0] + 1000) same tail" : "n\(order[$0])" }
    }

    /// Writes nested containers.
    private mutating func chain(of depth: Int) {
        let isObject = (0..<depth).map { _ in random.oneIn(2) }
        for isObject in isObject {
            put(isObject ? "{" : "[")
            if random.oneIn(8) { isObject ? put(#""a":null,"#) : put("null,") }
            if isObject {
                string(random.pick(names))
                put(":")
            }
        }
        budget = 3
        value(depth: 0)
        for isObject in isObject.reversed() {
            if random.oneIn(8) { put(isObject ? #","a":null,"a":0"# : ",null") }
            put(isObject ? "}" : "]")
        }
    }

    // MARK: Scalars

    private mutating func number() -> String {
        func digits(_ count: Int) -> String {
            (0..<count).map { _ in String(random.below(10)) }.joined()
        }
        var text = random.oneIn(3) ? "-" : ""
        let length = random.pick([1, 1, 2, 5, 15, 16, 17, 18, 40, 300])
        text += random.oneIn(4) ? "0" : String(1 + random.below(9)) + digits(random.below(length))
        if random.oneIn(3) { text += "." + digits(1 + random.below(length)) }
        if random.oneIn(4) {
            text += random.pick(["e", "E"]) + random.pick(["", "+", "-"]) + digits(1 + random.below(4))
        }
        return text
    }

    private mutating func nameText() -> String {
        switch random.below(6) {
        case 0: ""
        case 1: random.pick(["a", "b", "~", "/", "a/b~c", "é", "😀", "\u{FFFF}", "\"", "\\", "\n", "\u{0}"])
        case 2: "long name that begins and ends like others \(random.below(4)) and no other name at all"
        default: piece(upTo: 2)
        }
    }

    private mutating func piece(upTo count: Int) -> String {
        var text = ""
        for _ in 0..<random.below(count + 1) {
            switch random.below(7) {
            case 0: text += String(repeating: "plain ", count: random.below(8))
            case 1: text += random.pick(["\"", "\\", "/", "\u{8}", "\u{C}", "\n", "\r", "\t", "\u{0}", "\u{1F}"])
            case 2: text += random.pick(["\u{80}", "é", "\u{7FF}"])
            case 3: text += random.pick(["\u{800}", "漢字", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{FFFD}"])
            case 4: text += random.pick(["\u{10000}", "😀", "\u{10FFFF}"])
            case 5: text += "\u{7F}"
            default: text += String((0..<random.below(20)).map { _ in random.pick(Self.printable) })
            }
        }
        return text
    }

    /// Writes a string whose unescaped text is `reading`, with a random spelling of each character.
    private mutating func string(_ reading: String) {
        let escapesAll = random.oneIn(6)
        put("\"")
        for scalar in reading.unicodeScalars {
            let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
            if let escape = Self.shortEscapes[scalar], mustEscape ? !random.oneIn(4) : random.oneIn(4) {
                put(escape)
            } else if mustEscape || escapesAll || random.oneIn(40) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16, uppercase: random.oneIn(2))
                    put(#"\u"# + String(repeating: "0", count: 4 - digits.count) + digits)
                }
            } else {
                put(String(scalar))
            }
        }
        put("\"")
    }

    // MARK: White space

    private mutating func newLine(depth: Int) {
        switch spacing {
        case .none: break
        case .afterSigns: spaceAfterSign()
        case .indented(let step): put("\n" + String(repeating: step, count: depth))
        case .anywhere: spaceAnywhere()
        }
    }

    private mutating func spaceAfterSign() {
        switch spacing {
        case .none: break
        case .afterSigns, .indented: put(" ")
        case .anywhere: spaceAnywhere()
        }
    }

    private mutating func spaceAnywhere() {
        guard case .anywhere = spacing else { return }
        for _ in 0..<random.pick([0, 0, 1, 1, 2, 20]) { put(random.pick([" ", "\n", "\t", "\r", "\r\n"])) }
    }

    private mutating func put(_ piece: String) {
        text += piece.utf8
    }
}
