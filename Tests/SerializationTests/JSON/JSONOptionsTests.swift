import Serialization
import SerializationSupport
import Testing

/// The handling of JSON options and media types in the response serializer.
@Suite struct JSONOptionsTests {
    private func value(
        _ content: String,
        type: String?,
        _ configure: (inout SerializationOptions) -> Void = { _ in }
    ) throws -> String {
        var options = SerializationOptions()
        options.view = .value
        configure(&options)
        var fields = HeaderFields()
        if let type { fields.append(name: "Content-Type", value: type) }
        let content = Array(content.utf8)
        let answer = try ResponseSerializer(options: options)
            .serialize(UpstreamResponse(fields: fields), content: content.span)
        return String(decoding: [UInt8](answer.json), as: UTF8.self)
    }

    @Test(arguments: [
        ("application/x-ndjson", "{\"a\":1}\n2\n"), ("application/jsonl", "{\"a\":1}\n2\n"),
        ("application/json-seq", "\u{1E}{\"a\":1}\n\u{1E}2\n"),
        ("application/geo+json-seq", "\u{1E}{\"a\":1}\n\u{1E}2\n"),
    ])
    func `record types become arrays by themselves`(type: String, content: String) throws {
        #expect(try value(content, type: type) == #"[{"a":1},2]"#)
        #expect(throws: SerializationFailure.self) { try value(content, type: type) { $0.records = .one } }
    }

    @Test func `any type contains many values if the caller specifies it`() throws {
        #expect(try value("{}[] 1", type: "application/json") { $0.records = .many } == "[{},[],1]")
        #expect(throws: SerializationFailure.self) { try value("{}[] 1", type: "application/json") }
    }

    @Test(arguments: ["text/javascript", "application/javascript", nil] as [String?])
    func `JSONP is read under script types`(type: String?) throws {
        #expect(try value(#"cb({"a":1});"#, type: type) == #"{"a":1}"#)
    }

    @Test func `JSONP is not JSON`() {
        #expect(throws: SerializationFailure.self) { try value(#"cb({"a":1});"#, type: "application/json") }
    }

    @Test func `prefixes are removed, but not under AFNetworking's rules`() throws {
        #expect(try value(")]}'\n[]", type: "application/json") == "[]")
        #expect(throws: SerializationFailure.self) {
            try value(")]}'\n[]", type: "application/json") { $0.rules = .afnetworking }
        }
        #expect(
            try value(")]}'\n[]", type: "application/json") { options in
                options.rules = .afnetworking
                options.prefixes = .strip
            } == "[]"
        )
    }

    @Test func `the other options reach the reader`() throws {
        #expect(try value(#"{"b":1,"a":2}"#, type: "text/json") { $0.keys = .sorted } == #"{"a":2,"b":1}"#)
        #expect(try value(#"{"b":1.0}"#, type: "text/json") { $0.canonical = true } == #"{"b":1}"#)
        #expect(try value("[1,]", type: "text/json") { $0.leniencies = .trailingCommas } == "[1]")
        #expect(try value(#"["\ud800"]"#, type: "text/json") { $0.surrogates = .replace } == #"["\ufffd"]"#)
    }
}
