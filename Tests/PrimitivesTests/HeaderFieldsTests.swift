import Primitives
import Testing

struct HeaderFieldsTests {
    @Test func `names compare case-insensitively for A to Z`() {
        let fields = HeaderFields([HeaderFields.Field(name: "Content-Type", value: "a")])
        for name in ["Content-Type", "content-type", "CONTENT-TYPE"] { #expect(fields.first(name) == "a") }
        for name in ["Content-Typ", "Content-Types", "Content_Type", "Contént-Type", ""] {
            #expect(fields.first(name) == nil, "\(name)")
        }
    }

    @Test func `bytes are compared, without Unicode equivalence`() {
        // One letter with two marks in both orders: the same length, and canonically equivalent.
        let (one, other) = ("q\u{0307}\u{0323}", "q\u{0323}\u{0307}")
        #expect(one == other && one.utf8.count == other.utf8.count)
        #expect(HeaderFields([HeaderFields.Field(name: one, value: "a")]).first(other) == nil)
        #expect(!one.equalsIgnoringASCIICase(other))
        #expect(one.equalsIgnoringASCIICase("Q\u{0307}\u{0323}"))
    }
}
