import FuzzOracles

/// Changes texts slightly: most results are almost JSON.
struct DocumentMutator {
    private var random: RandomSource

    private static let tokens: [[UInt8]] =
        [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "true", "false", "nul", "-", "0", "00", "1e", ".", "e+",
            #"\u"#, #"\ud800"#, #"\udc00"#, #"\ud83d\ude00"#, #"\x"#, " ", "\n", "\u{0}", "\u{1F}", "/", "'", "NaN",
            "é", "漢", "😀", #""a":1,"#, #","a":null"#, "[[[[", "]]]]", "                ", "1234567890123456",
        ].map { Array($0.utf8) } + [
            [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xEF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF8], [0xFF], [0xF0, 0x9F, 0x98],
        ]

    init(seed: UInt64) {
        random = RandomSource(seed: seed)
    }

    mutating func mutated(_ text: [UInt8]) -> [UInt8] {
        var text = text
        for _ in 0..<random.pick([1, 1, 1, 2, 3]) {
            guard !text.isEmpty else { break }
            let place = random.below(text.count)
            let end = min(text.count, place + 1 + random.below(random.pick([1, 4, 20])))
            switch random.below(9) {
            case 0: text[place] ^= 1 << UInt8(random.below(8))
            case 1: text[place] = UInt8(random.below(256))
            case 2: text.removeSubrange(place..<end)
            case 3: text.removeSubrange(end...)
            case 4: text.insert(contentsOf: text[place..<end], at: random.below(text.count + 1))
            case 5: text.swapAt(place, random.below(text.count))
            case 6: text.replaceSubrange(place..<end, with: random.pick(Self.tokens))
            default: text.insert(contentsOf: random.pick(Self.tokens), at: place)
            }
        }
        return text
    }
}
