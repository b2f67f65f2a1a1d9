import Foundation
import Serialization
import Testing

@testable import HTTP
@testable import Service

/// `select` and `omit` in requests and profiles.
@Suite struct PartsEndpointTests {
    private let application = DecantApplication(readiness: Readiness(.ready))

    private func post(_ query: String, _ content: String) throws -> LocalExchange {
        let fields = [("Content-Type", "application/json")]
        return try LocalExchange("POST", "/v1/normalize?" + query, fields: fields, content: content, to: application)
    }

    @Test func `a value alone has a field with the number of parts that were left out`() throws {
        let response = try post("view=value&omit=/*/a&select=/x", #"{"x":{"a":1,"b":2},"y":{"a":1}}"#)
        #expect(response.content == #"{"b":2}"#)
        #expect(response.fields.combined("Decant-Omitted") == "1")
        #expect(try post("view=value&omit=/c", "{}").fields.combined("Decant-Omitted") == nil)
    }

    @Test func `a missing part is a problem with the longest pointer that exists`() throws {
        let response = try post("select=/user/nmae", #"{"user":{"id":7}}"#)
        #expect(response.status == 422)
        let object = try JSONSerialization.jsonObject(with: Data(response.content.utf8)) as? [String: Any]
        let problem = try #require(object)
        #expect(problem["code"] as? String == "value.not_found")
        #expect(
            problem["detail"] as? String
                == "there is no part '/user/nmae' (select): the value at '/user' is an object without the member 'nmae'"
        )
        #expect((problem["accepts"] as? [String: String]) == ["select-missing": "empty"])
        let link = try #require((problem["chain"] as? [[String: Any]])?.first)
        let location = try #require(link["at"] as? [String: Any])
        #expect(location["pointer"] as? String == "/user")
        #expect(location["in"] as? String == "value")
        #expect(location["byte"] as? Int == 8)
        #expect(link["found"] as? String == "/user")
    }

    @Test func `the report of the command line has no position in the file`() throws {
        let problem = Array(try post("select=/a", "{}").content.utf8)
        let facts = ProblemFacts(problem.span)
        #expect(facts.links.map(\.code) == ["value.not_found"])
        #expect(facts.located == nil)
    }

    @Test func `a value alone without the part is 204`() throws {
        let response = try post("select=/b&select-missing=empty&view=value", "{}")
        #expect(response.status == 204)
        #expect(response.fields.combined("Decant-Outcome") == "empty")
    }

    @Test(arguments: [
        ("select=a", #""hint":"Did you mean '/a'?","accepts":{"select":"/a"}"#),
        ("select=a/b", #""accepts":{"select":"/a/b"}"#), ("select=a,b", #""accepts":{"select":"/a,b"}"#),
        ("omit=a,/b,c", #""accepts":{"omit":"/a,/b,/c"}"#),
    ])
    func `a pointer without a slash gets the pointer with one`(query: String, accepts: String) throws {
        let response = try post(query, "{}")
        #expect(response.status == 400)
        #expect(response.content.contains(accepts), "\(response.content)")
    }

    /// These are not pointers that lack a slash, or would be wrong with one.
    @Test(arguments: ["select=$.a", "select=.a", "select=a[0]", "select=%23/a", "select=a~2", "omit=a,,b", "omit="])
    func `nothing is proposed for what may mean something else`(query: String) throws {
        let response = try post(query, "{}")
        #expect(response.status == 400 && !response.content.contains(#""accepts""#))
    }

    @Test(arguments: [
        ("select=a", "the option 'select' cannot be 'a': a pointer begins with '/' at byte 0"),
        ("select=/a~2", "the option 'select' cannot be '/a~2': '~' is followed by '0' or '1' at byte 2"),
        ("omit=/a,b", "the option 'omit' cannot be '/a,b': a pointer begins with '/' at byte 3"),
        (
            "omit=",
            "the option 'omit' cannot be '': the pattern at byte 0 is empty, and the whole value cannot be omitted"
        ),
        ("select-missing=null", "the option 'select-missing' cannot be 'null'"),
        (
            "omit=" + Array(repeating: "/a", count: 65).joined(separator: ","),
            "it may have at most 64 patterns"
        ),
        ("select=/" + String(repeating: "a", count: 2048), "the option 'select' cannot be"),
        ("omit=/a&omit=/b", "the option 'omit' is given more than once"),
    ])
    func `a wrong pointer is 400 with its position`(query: String, message: String) throws {
        let response = try post(query, "{}")
        #expect(response.status == 400)
        #expect(response.content.contains(#""code":"request.invalid_option""#))
        let object = try JSONSerialization.jsonObject(with: Data(response.content.utf8)) as? [String: Any]
        #expect((object?["detail"] as? String)?.contains(message) == true)
    }

    @Test func `a profile has parts, which a request overrides`() throws {
        let text = """
            {"profiles":[{"name":"p","options":{"select":"/data","omit":["/data/secret","/data/*/x"],
              "select-missing":"empty"}}]}
            """
        let set = try ProfilesReader.read(Array(text.utf8).span, path: "profiles.json", limits: .init())
        let own = try set.profile(named: "p").options(limits: .init()).serialization.parts
        #expect(own.selected.text == "/data")
        #expect(own.omittedText == "/data/secret,/data/*/x")
        #expect(own.missing == .empty)
        #expect(try OptionParser.parse(query: "select=&omit=none", limits: .init()).serialization.parts == .init())
    }
}
