import Serialization
import Testing

/// The last bytes of a text are read from a copy, which is used from an offset between two tokens or inside a long
/// one.
@Suite struct JSONWindowTests {
    @Test(arguments: [
        "1", "-0.25", "12345678901234567", "0.1234567890123456789012345678901234567890", "true", "false", #""""#,
        #""a""#,
        #""0123456789abc""#, #""0123456789abcd""#, #""0123456789abcde""#, #""0123456789abcdef0123456789abcdef""#,
        #""0123456789abcdef é 0123456789abcdef""#, #""a \" b""#, "[]", "{}", "[1,[2,[3]]]", #"{"c":{"d":[{}]}}"#,
        #"[{"name":1},{"name":2},{"name":3}]"#, #"[{"a_name_of_two_vectors":1},{"a_name_of_two_vectors":2}]"#,
    ])
    func `a value is read correctly at any distance from the end of the text`(value: String) throws {
        for distance in 0..<200 {
            let text = #"{"a":\#(value),"b":"\#(String(repeating: "x", count: distance))"}"#
            #expect(try read(text).text == text)
            let list = "[\(value),\(value),\(String(repeating: "7", count: distance + 1))]"
            #expect(try read(list).text == list)
        }
    }

    @Test func `a truncated text is rejected at its end`() {
        let item = #"{"id":12345,"name":"a name that is long","tags":["one",{"x":"two"}],"price":19.99}"#
        let text = "[" + [item, item, item, item].joined(separator: ",") + "]"
        for length in 1..<text.utf8.count {
            let error = refusal(of: String(decoding: text.utf8.prefix(length), as: UTF8.self))
            #expect(error?.location.byte == length)
        }
    }

    @Test func `zeros are neither white space nor an end`() {
        for distance in 0..<100 {
            let start = #"{"a":"\#(String(repeating: "x", count: distance))","b":1"#
            #expect(refusal(of: start + "\0}")?.location.byte == start.utf8.count)
            #expect(refusal(of: start + "}\0")?.location.byte == start.utf8.count + 1)
            #expect(refusal(of: start + #","c":"# + "\0 1}")?.location.byte == start.utf8.count + 5)
        }
    }
}
