import FuzzOracles
import Testing

@testable import Fetching

/// Compares the parser with its model on random URLs.
@Suite struct FetchURLModelTests {
    @Test func `agrees with the model on random URLs`() {
        var random = RandomSource(seed: 2_026)
        var accepted = 0
        for _ in 0..<10_000 {
            let text = Array(Self.text(using: &random).utf8)
            if ModelFetchURL(text) != nil { accepted += 1 }
            if let violation = FetchURLOracle.violation(ofURL: text) { Issue.record("\(violation)") }
        }
        // Otherwise nothing but rejections was compared.
        #expect(accepted > 2_500, "\(accepted)")
    }

    @Test func `agrees with the model on random references`() {
        var random = RandomSource(seed: 2_027)
        for _ in 0..<5_000 {
            let reference = String(Self.text(using: &random).dropFirst(random.below(25)))
            if let violation = FetchURLOracle.violation(for: [1] + Array(reference.utf8)) {
                Issue.record("\(violation)")
            }
        }
    }

    @Test func `what an entry permits, it denies`() {
        var random = RandomSource(seed: 2_028)
        for _ in 0..<5_000 {
            let url = Self.text(using: &random)
            let list = String(url.prefix { $0 != "?" && $0 != "#" })
            let host = String(list.drop { $0 != ":" }.drop { $0 == ":" || $0 == "/" })
            let rules = random.pick([list, host, "*", "*.a.example/v1/"]) + "\n" + url
            if let violation = FetchURLOracle.violation(for: [2] + Array(rules.utf8)) { Issue.record("\(violation)") }
        }
    }

    private static let hosts = [
        "a.example", "A.Example", "b.a.example", "8.8.8.8", "127.1", "0x7f.1", "[::1]", "[2606:4700:0:0:0:0:0:1]",
        "[1::2:0:0:3]",
        "localhost", "a_b", "xn--a", "a.", "", "1.2.3.04", "[::ffff:1.2.3.4]", "[fe80::1%25e]", "a..b",
    ]
    private static let ports = ["", "", "", ":", ":80", ":443", ":8443", ":0", ":65535", ":65536", ":080", ":a"]
    private static let segments = [
        "", ".", "..", "%2e", "%2E.", "v1", "a%2fb", "%5c", "...", ";x", "..;", "%", "a b", "é", "[1]", "%252e", "@",
        ":", "~!$&'()*+,;=",
    ]
    private static let ends = ["", "", "?", "?q=/../x", "#f", "?a#b", "?%41", "#a#b", "?[x]", "\\", "?|"]

    private static func text(using random: inout RandomSource) -> String {
        let schemes = ["http://", "http://", "https://", "HTTPS://", "hTTp://", "http:/", "ftp://", "//", ""]
        var text = random.oneIn(4) ? random.pick(schemes) : "http://"
        if random.oneIn(30) { text += "user@" }
        // The first of a list are valid.
        text += random.oneIn(3) ? random.pick(hosts) : hosts[random.below(4)]
        text += random.oneIn(3) ? random.pick(ports) : ports[random.below(7)]
        for _ in 0..<random.below(7) {
            text += "/" + (random.oneIn(6) ? random.pick(segments) : segments[random.below(11)])
        }
        text += random.pick(ends)
        guard random.oneIn(6), !text.isEmpty else { return text }
        var bytes = Array(text.utf8)
        bytes[random.below(bytes.count)] = UInt8(random.below(128))
        return String(decoding: bytes, as: UTF8.self)
    }
}
