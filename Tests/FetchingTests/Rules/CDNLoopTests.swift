import Primitives
import Testing

@testable import Fetching

/// The field `CDN-Loop`: which identifiers there are, and which are found.
@Suite struct CDNLoopTests {
    private let loop = CDNLoop(random: 0xABC)

    @Test func `the identifier of a process is a token of fixed length`() {
        #expect(loop.identifier == "decant-00000000000000000000000000000abc")
        #expect(CDNLoop(random: .max).identifier == "decant-" + String(repeating: "f", count: 32))
        #expect(loop.identifier.isToken)
    }

    @Test(arguments: [
        "%", "other, %", "%;a=b", " % ;a=\"b,c\"", "other;a=\"\\\"\",%", ",,%", "OTHER,\t%,x", "other\" ,%\",%",
    ])
    func `finds its identifier`(value: String) {
        let own = value.replacing("%", with: loop.identifier)
        #expect(loop.isIn([own]))
        #expect(loop.isIn(["x", own.uppercased()]))
        #expect(!loop.isIn([value.replacing("%", with: "decant-00000000000000000000000000000abd")]))
    }

    @Test(arguments: ["", "x%", "%x", "a;b=%", "a;b=\",%,\"", "a; %", "\"%\""])
    func `finds nothing else`(value: String) {
        #expect(!loop.isIn([value.replacing("%", with: loop.identifier)]))
        #expect(!loop.isIn([]))
    }

    @Test(arguments: ["decant", "a.example", "a.example:8443", "decant_1", String(repeating: "a", count: 255)])
    func `a configured identifier is a token, or a host with a port`(identifier: String) throws {
        let loop = try #require(CDNLoop(identifier: identifier))
        #expect(loop.identifier == identifier && loop.isIn(["x, \(identifier.uppercased())"]))
    }

    @Test(arguments: [
        "", " ", "a b", "a;b", "a,b", "\"a\"", "a:", "a:0", "a:65536", "a:b", ":80", "a:80:80", "\u{E4}",
        String(repeating: "a", count: 256),
    ])
    func `everything else is no identifier`(identifier: String) {
        #expect(CDNLoop(identifier: identifier) == nil)
    }

    @Test(arguments: ["\"x, %", "a;b=\"c, %", "\", %;a=b", "a, \"\\\", %"])
    func `a quotation mark that is not closed hides no identifier`(value: String) {
        #expect(loop.isIn([value.replacing("%", with: loop.identifier)]))
        #expect(!loop.isIn([value.replacing("%", with: "other")]))
    }

    @Test func `values that are ASCII and not longer than the head of a request are passed on`() {
        let longest = String(repeating: "a", count: CDNLoop.maxBytes - CDNLoop.name.utf8.count - 4)
        #expect(CDNLoop.canBePassedOn([]) && CDNLoop.canBePassedOn(["", "\""]))
        #expect(CDNLoop.canBePassedOn([longest]) && !CDNLoop.canBePassedOn([longest + "a"]))
        #expect(!CDNLoop.canBePassedOn([longest, ""]) && !CDNLoop.canBePassedOn(["\u{FFFD}"]))
    }
}
