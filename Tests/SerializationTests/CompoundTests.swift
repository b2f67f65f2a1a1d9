import Serialization
import SerializationSupport
import Testing

@Suite struct CompoundTests {
    private func compound(
        _ kinds: [SerializerKind?],
        _ rules: RuleSet = .decant
    ) -> (inout SerializationOptions) -> Void {
        { options in
            options.serializer = .compound(kinds)
            options.rules = rules
            options.view = .value
        }
    }

    @Test(arguments: RuleSet.allCases)
    func `the first component that returns a value is used`(rules: RuleSet) {
        #expect(serialize(type: "text/json", "[1]", compound([.json, .http], rules)).json == "[1]")
        // AFNetworking's value is the data.
        let raw = rules == .decant ? #"{"text":"[1]"}"# : #"{"base64":"WzFd","text":"[1]"}"#
        #expect(serialize(type: "text/json", "[1]", compound([.http, .json], rules)).json == raw)
        #expect(serialize(type: "text/html", "[1]", compound([.json, .http], rules)).json == raw)
    }

    @Test func `the type chooses the serializer of an automatic component`() {
        #expect(serialize(type: nil, "<a/>", compound([nil, .http])).json == #"{"a":""}"#)
        let raw = #"{"text":"hello"}"#
        #expect(serialize(type: "text/plain", "hello", compound([nil, .http])).json == raw)
        #expect(serialize(type: nil, "", compound([nil, .http])).json == "")
        let failed = serialize(type: nil, "hello", compound([nil, .xml]))
        #expect(failed.attempts.map(\.serializer.name) == ["auto", "xml"])
    }

    @Test func `a value with a rejected status is used too, and earlier failures are kept`() {
        let refused = serialize(status: 404, type: "text/json", "{oops", compound([.json, .http]))
        let json = serialize(status: 404, type: "text/json", "{oops") { $0.serializer = .one(.json) }
        #expect(refused.chain == [.status(404)])
        #expect(refused.value == #"{"text":"{oops"}"#)
        #expect(
            refused.attempts == [
                .init(serializer: .json, chain: json.chain), .init(serializer: .http, chain: [.status(404)]),
            ]
        )
        #expect(json.chain.count == 2)
    }

    @Test func `if all fail, the errors are those of the component that got furthest`() throws {
        let failed = serialize(status: 404, type: "text/html", "<p>", compound([.json, .json]))
        let single = serialize(status: 404, type: "text/html", "<p>") { $0.serializer = .one(.json) }
        #expect(failed.chain == single.chain)
        #expect(failed.value == nil)
        #expect(failed.attempts == Array(repeating: .init(serializer: .json, chain: single.chain), count: 2))
    }

    @Test func `content that is empty for all components is empty; raw white space is a value`() {
        #expect(serialize(type: "text/json", "", compound([.json, .http])).json == "")
        #expect(serialize(type: "text/json", " ", compound([.json, .http])).json == #"{"text":" "}"#)
        #expect(serialize(type: "text/json", nil, compound([.json, .http])).json == "")
    }

    @Test func `under AFNetworking's rules the raw content is the value, with a warning`() {
        let value = serialize(type: "text/html", "<p>", compound([.json], .afnetworking))
        #expect(value.json == #"{"base64":"PHA+","text":"<p>"}"#)
        #expect(value.warnings == [Warning(.rawFallback)])

        let refused = serialize(status: 404, type: "text/html", "<p>", compound([.json], .afnetworking))
        #expect(refused.chain == [.status(404)])
        #expect(refused.value == #"{"base64":"PHA+","text":"<p>"}"#)
        #expect(refused.attempts.map(\.serializer) == [.json])

        #expect(serialize(type: "text/json", nil, compound([.json], .afnetworking)).warnings == [])
    }
}
