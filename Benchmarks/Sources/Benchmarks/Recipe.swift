/// A recipe that generates one benchmark file of about a megabyte. Each file stresses another aspect of the parser.
struct Recipe {
    let name: String
    var unit = BenchmarkFile.Unit.whole
    var dropsNulls = false
    let write: (inout JSONText, inout SplitMix64) -> Void
}

extension Recipe {
    static var all: [Recipe] {
        strings + numbers + structures + documents
    }

    // MARK: Strings

    private static var strings: [Recipe] {
        [
            Recipe(name: "short-strings") { text, random in
                text.addElements { text, _ in text.add("\"\(random.letters(1...14))\"") }
            },
            Recipe(name: "uuids") { text, random in
                text.addElements { text, _ in text.add("\"\(random.uuid())\"") }
            },
            Recipe(name: "long-text") { text, random in
                text.addElements { text, index in
                    text.add("{\"id\":\(index),\"text\":\"\(random.prose(Words.english, 300...1200))\"}")
                }
            },
            Recipe(name: "text-european") { text, random in
                text.addElements { text, index in
                    text.add("{\"id\":\(index),\"text\":\"\(random.prose(Words.european, 20...200))\"}")
                }
            },
            Recipe(name: "text-cyrillic") { text, random in
                text.addElements { text, index in
                    text.add("{\"id\":\(index),\"text\":\"\(random.prose(Words.cyrillic, 20...200))\"}")
                }
            },
            Recipe(name: "text-cjk") { text, random in
                text.addElements { text, index in
                    text.add("{\"id\":\(index),\"text\":\"\(random.prose(Words.cjk, 20...200, space: ""))\"}")
                }
            },
            Recipe(name: "text-mixed") { text, random in
                let words = Words.english + Words.european + Words.cyrillic + Words.cjk + Words.emoji
                text.addElements { text, index in
                    text.add("{\"id\":\(index),\"text\":\"\(random.prose(words, 5...60))\"}")
                }
            },
            Recipe(name: "escapes") { text, random in
                text.addElements { text, index in
                    text.add("{\"id\":\(index),\"html\":\"\(random.prose(Words.markup, 10...80))\"}")
                }
            },
            Recipe(name: "unicode-escapes") { text, random in
                text.addElements { text, index in
                    text.add("{\"id\":\(index),\"text\":\"\(random.prose(Words.escaped, 10...80))\"}")
                }
            },
        ]
    }

    // MARK: Numbers

    private static var numbers: [Recipe] {
        [
            Recipe(name: "integers") { text, random in
                text.addElements { text, _ in
                    let digits = random.int(1...12)
                    let number = (0..<digits).reduce(0) { sum, _ in sum * 10 + random.int(1...9) }
                    text.add(random.isOne(in: 5) ? "-\(number)" : "\(number)")
                }
            },
            Recipe(name: "floats") { text, random in
                text.addElements { text, _ in
                    let unit = Double(random.next() >> 11) / 9_007_199_254_740_992
                    switch random.int(0...3) {
                    case 0: text.add("\(unit)")
                    case 1: text.add("\(Double(Int(unit * 1_000_000)) / 100)")
                    case 2: text.add("\(unit * 1e-9)")
                    default: text.add("\(-unit * 1000)")
                    }
                }
            },
            Recipe(name: "geojson") { text, random in
                text.addElements("{\"type\":\"FeatureCollection\",\"features\":[", "]}") { text, index in
                    text.add(#"{"type":"Feature","id":"\#(index)","properties":{"name":""#)
                    text.add(random.prose(Words.european, 1...3))
                    text.add(#"","height":\#(random.int(3...120))},"geometry":{"type":"Polygon","coordinates":[["#)
                    for point in 0..<random.int(4...40) {
                        let (x, y) = (random.int(-1_800_000_000...1_800_000_000), random.int(0...900_000_000))
                        text.add(point == 0 ? "[" : ",[")
                        text.add("\(Double(x) / 1e7),\(Double(y) / 1e7)]")
                    }
                    text.add("]]}}")
                }
            },
        ]
    }

    // MARK: Structures

    private static var structures: [Recipe] {
        [
            Recipe(name: "deep-nesting") { text, random in
                text.addElements { text, _ in
                    let depth = random.int(100...498)
                    let isObject = (0..<depth).map { _ in random.isOne(in: 2) }
                    for object in isObject { text.add(object ? "{\"a\":" : "[") }
                    text.add("1")
                    for object in isObject.reversed() { text.add(object ? "}" : "]") }
                }
            },
            Recipe(name: "indented") { text, random in
                text.addElements("[\n", "\n]\n", separator: ",\n") { text, index in
                    text.add(
                        """
                                {
                                    "id": \(index),
                                    "order": {
                                        "lines": [
                                            {
                                                "product": {
                                                    "name": "\(random.prose(Words.english, 1...3))",
                                                    "price": \(random.int(1...99999)),
                                                    "isAvailable": \(random.isOne(in: 2)),
                                                    "sizes": [
                                                        \(random.int(1...9)),
                                                        \(random.int(10...99))
                                                    ]
                                                }
                                            }
                                        ]
                                    }
                                }
                        """
                    )
                }
            },
            Recipe(name: "same-keys") { text, random in
                text.addElements { text, index in
                    let isOn = random.isOne(in: 2)
                    text.add(#"{"id":\#(index),"x":\#(random.int(0...999)),"y":\#(random.int(0...999)),"on":\#(isOn)}"#)
                }
            },
            Recipe(name: "unique-keys") { text, random in
                text.add("{")
                for index in 0..<50_000 {
                    if index > 0 { text.add(",") }
                    text.add("\"\(random.letters(1...10))_\(index)\":\(random.int(0...9999))")
                }
                text.add("}")
            },
            Recipe(name: "dictionaries") { text, random in
                text.addElements { text, _ in
                    text.add("{")
                    for entry in 0..<random.int(5...40) {
                        text.add(entry == 0 ? "\"" : ",\"")
                        text.add("\(random.uuid())\":{\"count\":\(random.int(1...99))}")
                    }
                    text.add("}")
                }
            },
            Recipe(name: "nulls-dropped", dropsNulls: true) { text, random in
                text.addElements { text, index in
                    text.add("{\"id\":\(index)")
                    for name in ["name", "email", "phone", "address", "company", "deletedAt", "parent", "notes"] {
                        text.add(",\"\(name)\":")
                        text.add(random.isOne(in: 4) ? "\"\(random.letters(4...20))\"" : "null")
                    }
                    text.add("}")
                }
            },
        ]
    }

    // MARK: Documents

    private static var documents: [Recipe] {
        [
            Recipe(name: "log-lines") { text, random in
                text.addElements { text, index in
                    text.add(
                        #"{"ts":"2026-03-0\#(index % 9 + 1)T10:\#(random.int(10...59)):\#(random.int(10...59)).123Z","#
                    )
                    text.add(#""level":"\#(random.element(of: ["debug", "info", "warn"]))","logger":"http.access","#)
                    text.add(#""message":"GET /v1/items/\#(random.int(1...9_999_999)) \"\#(random.letters(3...9))\"","#)
                    text.add(#""status":\#(random.element(of: [200, 201, 304, 404])),"ms":\#(random.int(1...900)).25,"#)
                    text.add(#""trace":"\#(random.uuid())","user":\#(random.int(1...99999))}"#)
                }
            },
            Recipe(name: "400-byte-documents", unit: .each) { text, random in
                text.addElements("", "\n", separator: "\n") { text, index in
                    text.add(
                        #"{"id":\#(index),"uuid":"\#(random.uuid())","name":"\#(random.prose(Words.european, 2...3))","#
                    )
                    text.add(#""email":"\#(random.letters(5...10))@example.org","isActive":\#(random.isOne(in: 2)),"#)
                    text.add(#""balance":\#(random.int(-99999...99999)).\#(random.int(10...99)),"manager":null,"#)
                    text.add(
                        #""address":{"street":"\#(random.prose(Words.english, 2...3))","zip":"\#(random.int(10000...99999))","#
                    )
                    text.add(#""geo":{"lat":46.\#(random.int(1000...9999)),"lon":6.\#(random.int(1000...9999))}},"#)
                    text.add(
                        #""tags":["\#(random.letters(3...8))","\#(random.letters(3...8))"],"createdAt":"2026-01-15T08:30:00Z"}"#
                    )
                }
            },
        ]
    }
}

extension SplitMix64 {
    mutating func letters(_ count: ClosedRange<Int>) -> String {
        String(decoding: (0..<int(count)).map { _ in UInt8(int(97...122)) }, as: UTF8.self)
    }

    mutating func prose(_ words: [String], _ count: ClosedRange<Int>, space: String = " ") -> String {
        (0..<int(count)).map { _ in element(of: words) }.joined(separator: space)
    }

    mutating func uuid() -> String {
        let digits = String(next() | 1 << 63, radix: 16) + String(next() | 1 << 63, radix: 16)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { result.append("-") }
            result.append(digit)
        }
        return result
    }
}

/// Vocabularies of strings that are already escaped for JSON.
private enum Words {
    static let english = [
        "the", "upstream", "response", "was", "decoded", "in", "one", "pass", "and", "written", "as", "it", "was",
        "read",
        "without", "a", "tree", "of", "values", "between", "them;", "which", "nobody", "would", "notice.", "Still,",
    ]
    static let european = [
        "Zürich", "déjà", "vu", "São", "Paulo", "naïve", "Straße", "the", "garçon", "mañana", "Kraków", "and",
        "smörgås",
        "Ærø", "plain", "über", "côté", "façade", "in", "année", "jalapeño",
    ]
    static let cyrillic = [
        "ответ", "сервера", "был", "прочитан", "за", "один", "проход", "и", "сразу", "записан,", "без", "дерева.",
    ]
    static let cjk = ["上流", "応答", "を", "一度", "で", "読み", "書き出す", "中文", "字符", "測試", "データ", "、", "。", "木構造", "なし"]
    static let emoji = ["😀", "🚀", "👍🏽", "🇨🇭", "❤️"]
    static let markup = [
        #"<p class=\"note\">"#, #"<\/p>\n"#, #"<a href=\"https:\/\/example.org\/a\">"#, #"\t"#, "text", "more",
        #"C:\\temp\\"#,
        #"\"quoted\""#, "plain words", #"\r\n"#,
    ]
    static let escaped = [
        #"\u043e\u0442\u0432\u0435\u0442"#, #"\u0441\u0435\u0440\u0432\u0435\u0440"#, #"\ud83d\ude00"#, "ascii",
        #"\u00e9t\u00e9"#, #"\u4e0a\u6d41"#,
    ]
}
