import Serialization
import TestSupport
import Testing

@testable import Service

@Suite struct NearestNameTests {
    @Test(
        arguments: [
            ("null", "nulls"), ("serialiser", "serializer"), ("acept-types", "accept-types"),
            ("acceptTypes", "accept-types"),
            ("VIEW", "view"), ("veiw", "view"), ("xml-array", "xml-arrays"), ("max-nesting", "max-nesting-depth"),
            ("foo", nil), ("", nil), (String(repeating: "x", count: 1000), nil),
        ] as [(String, String?)]
    )
    func `finds the intended name`(text: String, name: String?) {
        #expect(NearestName.nearest(to: text, in: OptionName.allCases.map(\.rawValue)) == name)
    }

    /// The parts of a list of 15 KB took twenty million instructions on an HTTP thread.
    @Test func `a value in a list above 1 KiB has no suggestion`() {
        func suggestion(_ count: Int) -> String? {
            let list = String(repeating: "comments,", count: count) + "comment"
            return OptionError.invalidValue(.lenient, got: list, expected: ["comments"]).diagnostic.hint
        }
        #expect(suggestion(113) == "Did you mean 'comments'?")
        #expect(suggestion(114) == nil)
    }

    /// The table of a comparison was allocated row by row: a name of 40 letters cost fifteen million instructions.
    @Test func `finds the names that a comparison with a complete table finds`() {
        let names = OptionName.allCases.map(\.rawValue)
        var texts = names + ["", "q", "VIEW", String(repeating: "x", count: 40), String(repeating: "x", count: 41)]
        for (index, name) in names.enumerated() {
            texts.append(String(name.dropFirst(index % 4)))
            texts.append(String(name.reversed()))
            texts.append(name.replacing("e", with: "ee").replacing("-", with: ""))
            texts.append(String(name.prefix(3)))
            texts.append(name + names[(index + 7) % names.count].prefix(index % 9))
        }
        for text in texts { #expect(NearestName.nearest(to: text, in: names) == Self.nearest(to: text, in: names)) }
    }

    @Test func `a name that resembles no other costs a fraction of a comparison with complete tables`() {
        let names = OptionName.allCases.map(\.rawValue)
        let text = String(repeating: "x", count: 40)
        var (found, expected): (String?, String?) = ("", "")
        let time = processorTime { for _ in 0..<10 { found = NearestName.nearest(to: text, in: names) } }
        let complete = processorTime { for _ in 0..<10 { expected = Self.nearest(to: text, in: names) } }
        #expect(found == expected)
        #expect(time * 4 < complete, "\(time), \(complete)")
    }

    private static func nearest(to text: String, in names: [String]) -> String? {
        let wanted = Array(text.lowercased().utf8)
        guard 1...40 ~= wanted.count else { return nil }
        var best: (name: String, distance: Int)?
        for name in names where name != text {
            var distance = distance(wanted, Array(name.utf8))
            if wanted.count >= 3, name.utf8.starts(with: wanted) { distance = min(distance, 1) }
            let isNear = distance <= max(1, name.utf8.count / 3) && distance < name.utf8.count
            if isNear, distance < best?.distance ?? .max { best = (name, distance) }
        }
        return best?.name
    }

    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var rows = [Array(0...right.count)]
        for i in 1...left.count {
            var row = [i]
            for j in 0..<right.count {
                let isSame = left[i - 1] == right[j]
                var least = min(row[j] + 1, rows[i - 1][j + 1] + 1, rows[i - 1][j] + (isSame ? 0 : 1))
                if i > 1, j > 0, left[i - 1] == right[j - 1], left[i - 2] == right[j] {
                    least = min(least, rows[i - 2][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }

    @Test(
        arguments: [
            ("null=keep", "there is no option 'null'. Did you mean 'nulls'?", nil),
            (
                "nulls=keeep",
                "the option 'nulls' cannot be 'keeep'; allowed: drop, drop-all, keep. Did you mean 'keep'?",
                "nulls=keep"
            ),
            ("serializer=json,htp", "the option 'serializer' cannot be 'json,htp'", "serializer=json,http"),
            (
                "thumbnail=9x9,fit=covr",
                "the option 'thumbnail' cannot be '9x9,fit=covr': 'fit=covr' is wrong",
                "thumbnail=9x9,fit=cover"
            ),
            (
                "thumbnail=9x9,frmat=png",
                "the option 'thumbnail' cannot be '9x9,frmat=png': 'frmat=png' is wrong",
                "thumbnail=9x9,format=png"
            ),
            (
                "thumbnail=9",
                "the option 'thumbnail' cannot be '9': '9' is wrong; allowed: WxH with sides of 1 to 16384 "
                    + "pixels, none",
                nil
            ),
            ("thumbnail=9x9,quality=0", "the option 'thumbnail' cannot be '9x9,quality=0': 'quality=0' is wrong", nil),
        ] as [(String, String, String?)]
    )
    func `a problem suggests the nearest name`(query: String, message: String, accepts: String?) {
        do {
            _ = try OptionParser.parse(query: query, limits: .init())
            Issue.record("accepted")
        } catch {
            let diagnostic = error.diagnostic
            #expect(error.message.hasPrefix(message), "\(error.message)")
            // The hint is not repeated in the detail.
            #expect(!diagnostic.sentence.contains("Did you mean"))
            let change = accepts.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
            #expect(diagnostic.accepts == change.map { .option(name: $0[0], value: $0[1]) })
            #expect(diagnostic.sentence.contains(diagnostic.expected.last ?? "") || diagnostic.expected.count > 20)
        }
    }
}

@Suite struct PublicURLTests {
    @Test func `references are absolute if the URL is known`() {
        #expect(PublicURL.reference("/problems/a", base: "") == "/problems/a")
        #expect(
            PublicURL.reference("/problems/a", base: "https://example.com/decant")
                == "https://example.com/decant/problems/a"
        )
    }

    @Test(
        arguments: [
            ("https://example.com", true), ("http://[::1]:8080/a/", true), ("example.com", false), ("https://", false),
            ("https:///a", false), ("https://a?b", false), ("https://a#b", false), ("ftp://a", false),
            ("https://a b", false),
            ("https://u:p@a", false), ("https://a/\"", false),
        ]
    )
    func `only a URL is allowed`(text: String, isValid: Bool) {
        #expect(PublicURL.isValid(text) == isValid)
    }
}
