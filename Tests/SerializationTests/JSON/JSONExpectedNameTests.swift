import Serialization
import Testing

/// Expecting a name that occurred at the same position of an earlier object must have no visible effect.
@Suite struct JSONExpectedNameTests {
    /// Names around every length that is handled separately, in texts with varying white space around colons.
    @Test(arguments: [":", ": ", " :", ":  ", ":\t", " :\n "])
    func `white space around a colon is removed as usual`(colon: String) throws {
        let names = (0...40).map { String(repeating: "n", count: $0) }
        func object(_ colon: String, _ comma: String) -> String {
            "{" + names.map { "\"\($0)\"\(colon)\($0.count)" }.joined(separator: comma) + "}"
        }
        let plain = object(":", ",")
        let other = object(colon, ", ")
        for objects in [[plain, other, plain], [other, other, plain, other], [other, plain, other]] {
            let content = "[" + objects.joined(separator: ",") + "]"
            let expected = "[" + objects.map { _ in plain }.joined(separator: ",") + "]"
            #expect(try read(content) == JSONReading(text: expected))
        }
    }

    /// The members of a dictionary have distinct names, and the objects in them are alike.
    @Test(arguments: [3, 40, 700])
    func `a duplicate is found in one of many similar objects`(count: Int) throws {
        for odd in Set([0, 1, count / 2, count - 1]) {
            let members = (0..<count).map { index in
                #""k\#(index)":{"name":{"id":1,"of":2},"id":3\#(index == odd ? #","id":4"# : "")}"#
            }
            let reading = try read("{" + members.joined(separator: ",") + "}")
            let kept = (0..<count).map { #""k\#($0)":{"name":{"id":1,"of":2},"id":\#($0 == odd ? 4 : 3)}"# }
            #expect(reading.text == "{" + kept.joined(separator: ",") + "}")
            #expect(reading.warnings.map(\.kind) == [.duplicateName("id", kept: .last)])
            #expect(reading.warnings.first?.location?.pointer == "/k\(odd)/id")
        }
    }

    @Test(arguments: [
        (#"{"first":1,"second" 2}"#, JSONError.Reason.unexpectedCharacter(expected: ["':'"]), 20),
        (#"{"first":1,"second":}"#, .unexpectedCharacter(expected: ["a value"]), 20),
        (#"{"first":1,"second": }"#, .unexpectedCharacter(expected: ["a value"]), 21),
        (#"{"first":1,second":2}"#, .unexpectedCharacter(expected: ["a name"]), 11),
        (#"{"first":1,"secon":2,"second":3,}"#, .unexpectedCharacter(expected: ["a name"]), 32),
    ])
    func `an error after expected names is located correctly`(object: String, reason: JSONError.Reason, offset: Int) {
        let content = "[" + String(repeating: #"{"first":1,"second":2},"#, count: 40)
        let error = refusal(of: content + object + ",1234567890123456789012345678901234567890]")
        #expect(error?.reason == reason)
        #expect(error?.location.byte == content.utf8.count + offset)
    }

    @Test func `the rest of a text that is too short for a comparison is read correctly`() throws {
        for padding in 0...40 {
            let tail = String(repeating: "x", count: padding)
            let content = "[" + String(repeating: #"{"name":true,"tail":null},"#, count: 20) + #"{"name":"\#(tail)"}]"#
            let expected = "[" + String(repeating: #"{"name":true},"#, count: 20) + #"{"name":"\#(tail)"}]"#
            #expect(try read(content) == JSONReading(text: expected, nullsDropped: 20))
        }
    }
}
