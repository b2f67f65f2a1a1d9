import Serialization
import Testing

@Suite struct MediaTypeTests {
    @Test(arguments: [
        ("application/json", "application/json", nil, nil),
        ("Application/JSON; Charset=UTF-8", "application/json", nil, "utf-8"),
        ("application/json ;\tcharset=\"utf-8\" ; ", "application/json", nil, "utf-8"),
        ("text/html;charset=a;charset=b", "text/html", nil, "a"),
        ("text/html;;charset=\"\"", "text/html", nil, nil),
        ("text/plain; x=\"a\\\"; charset=b\"; charset=c", "text/plain", nil, "c"),
        (" application/vnd.api+json", "application/vnd.api+json", "json", nil),
        ("image/svg+xml", "image/svg+xml", "xml", nil),
        ("application/a+b+geo", "application/a+b+geo", "geo", nil),
    ])
    func `reads type, subtype, suffix and charset`(
        text: String,
        essence: String,
        suffix: Substring?,
        charset: String?
    ) throws {
        let type = try MediaType(parsing: text)
        #expect(type.essence == essence)
        #expect(type.suffix == suffix)
        #expect(type.charset == charset)
        #expect("\(type.type)/\(type.subtype)" == essence)
    }

    @Test(arguments: [
        ("", 0), ("text", 4), ("/plain", 0), ("text/", 5), ("a b/c", 1), ("text/plain/x", 10), ("text/pläin", 7),
        ("text /plain", 4), ("text/ plain", 5), ("text/html, application/json", 9), ("text/html charset=x", 9),
    ])
    func `rejects text that is not type slash subtype`(text: String, offset: Int) {
        #expect(throws: MediaTypeError.malformed(at: offset)) { try MediaType(parsing: text) }
    }

    @Test(arguments: [
        ("a/b;c", 5), ("a/b;=d", 4), ("a/b;c =d", 5), ("a/b;c= d", 6), ("a/b;c=", 6), ("a/b;c=\"d", 8),
        ("a/b;c=\"d\\", 9),
        ("a/b;c=\"d\u{1}\"", 8), ("a/b;c=d e", 8), ("a/b;c=\"d\"e", 9),
    ])
    func `rejects text that is not a list of parameters`(text: String, offset: Int) {
        #expect(throws: MediaTypeError.malformedParameter(at: offset)) { try MediaType(parsing: text) }
    }

    @Test func `a type has at most 32 parameters`() throws {
        let parameters = String(repeating: ";a=b", count: 32)
        #expect(try MediaType(parsing: "a/b" + parameters + ";").parameters.count == 32)
        #expect(throws: MediaTypeError.malformedParameter(at: 132)) { try MediaType(parsing: "a/b\(parameters);c=d") }
    }

    /// FuzzField found the last one: a quote with a combining accent is one character, but still a quote.
    @Test(arguments: [
        "text/html", "text/html; charset=utf-8", #"a/b; c="d e"; f="\"\\"; g="""#, "a/b; c=\"\\\"\u{301}\"",
    ])
    func `the description can be parsed again`(text: String) throws {
        #expect(try MediaType(parsing: text).description == text)
    }
}
