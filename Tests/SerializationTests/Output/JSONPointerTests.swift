import Testing

@testable import Serialization

@Suite struct JSONPointerTests {
    @Test func `has escaped tokens`() {
        var pointer = JSONPointer(maxBytes: 100)
        pointer.append("a/b~c")
        pointer.append(7)
        pointer.append("")
        #expect(pointer.text == "/a~1b~0c/7/")
        #expect(!pointer.isCut)
    }

    /// A token of eight bytes including its slash, two of which are caused by escaping.
    @Test(arguments: [(12, "/abc/a~1b~1"), (11, "/abc/a~1b~1"), (10, "/abc/…"), (4, "/abc/…"), (3, "/…")])
    func `has whole tokens up to the limit`(maxBytes: Int, expected: String) {
        var pointer = JSONPointer(maxBytes: maxBytes)
        pointer.append("abc")
        pointer.append("a/b/")
        #expect(pointer.text == expected)
        #expect(pointer.isCut == expected.hasSuffix("…"))
    }

    @Test func `appends nothing after truncation`() {
        var pointer = JSONPointer(maxBytes: 5)
        pointer.append("abcde")
        pointer.append(1)
        pointer.cut()
        #expect(pointer.text == "/…")
    }
}
