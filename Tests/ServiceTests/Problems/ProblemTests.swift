import Serialization
import Testing

@testable import HTTP
@testable import Service

@Suite struct ProblemTests {
    /// Returns the response as text. The request identifier makes the instance predictable.
    private func text(_ problem: Problem) -> String {
        let response = problem.response(requestID: "0190163d-8694-739b-aea5-966c26f8ad91")
        return String(decoding: response.content.bytes, as: UTF8.self)
    }

    @Test func `members are in the order of the contract, and the chain is from the outermost error to the root`() {
        let location = SourceLocation(byte: 41, line: 3, column: 7, pointer: "/user/name")
        let json = JSONError(
            .unexpectedCharacter(expected: ["','", "'}'"]),
            at: location,
            found: "'\"'",
            excerpt: #"a" "b"#
        )
        let status = SerializationError.unacceptableStatus(404, acceptable: .successful, url: "http://example.org/")
        var failure = SerializationFailure([SerializationError(json), status], upstream: UpstreamFacts(status: 404))
        failure.value = Array(#"{"a":1}"#.utf8)
        failure.warnings = [Warning(.byteOrderMark(encoding: "utf-8"))]
        failure.attempts = [(.http, [status])]
        #expect(
            text(Problem(failure))
                == [
                    #"{"type":"/problems/json.unexpected_character","title":"Malformed JSON","status":422,"#,
                    #""detail":"expected ',' or '}', found '\"' at byte 41 (line 3, column 7)","#,
                    #""instance":"urn:uuid:0190163d-8694-739b-aea5-966c26f8ad91","code":"json.unexpected_character","#,
                    #""chain":[{"domain":"NSCocoaErrorDomain","domainCode":3840,"code":"json.unexpected_character","#,
                    #""stage":"decoding","message":"expected ',' or '}', found '\"' at byte 41 (line 3, column 7)","#,
                    #""at":{"byte":41,"line":3,"column":7,"pointer":"/user/name"},"expected":["','","'}'"],"found":"'\"'","#,
                    #""excerpt":"a\" \"b"},"#,
                    #"{"domain":"com.alamofire.error.serialization.response","domainCode":-1011,"#,
                    #""code":"response.unacceptable_status","stage":"validation","message":"Request failed: Not Found (404)","#,
                    #""expected":["200-299"],"found":"404","failingURL":"http://example.org/"}],"#,
                    #""attempts":[{"serializer":"http","chain":[{"domain":"com.alamofire.error.serialization.response","#,
                    #""domainCode":-1011,"code":"response.unacceptable_status","stage":"validation","#,
                    #""message":"Request failed: Not Found (404)","expected":["200-299"],"found":"404","#,
                    #""failingURL":"http://example.org/"}]}],"#,
                    #""upstream":{"status":404},"value":{"a":1},"#,
                    #""warnings":[{"code":"json.byte_order_mark","message":"a byte order mark (utf-8) before the value "#,
                    #"was removed"}]}"#,
                ].joined()
        )
    }

    @Test(arguments: [
        ("text/html", "Request failed: unacceptable content-type: text/html"),
        (nil, "Request failed: unacceptable content-type: (null)"),
    ])
    func `an unacceptable type has the message of AFNetworking`(got: String?, message: String) {
        let link = Problem.Link(.unacceptableMediaType(got: got, acceptable: ["a/b"], looksLike: "html", url: "u"))
        var expected = Problem.Link(Diagnostic(.unacceptableType, message, expected: ["a/b"], found: got))
        expected.looksLike = "html"
        expected.failingURL = "u"
        #expect(link == expected)
    }

    @Test(arguments: [
        (
            CodingError.Reason.truncated, "encoding.truncated",
            "the gzip data ends early at byte 7 of the encoded content"
        ),
        (.corrupt(part: .data), "encoding.corrupt", "the gzip data is malformed at byte 7 of the encoded content"),
        (
            .corrupt(part: .checksum), "encoding.corrupt",
            "the gzip data has an invalid checksum at byte 7 of the encoded content"
        ),
        (.dictionary, "encoding.dictionary_required", "the gzip data requires a dictionary, which it does not contain"),
        (.tooManyCodings(max: 4), "limit.content_codings", "there are more than 4 content codings"),
        (.tooLong(max: 9), "limit.decoded_bytes", "the decoded content is longer than the allowed 9 bytes"),
    ])
    func `an error of a coding has its code and its position`(reason: CodingError.Reason, code: String, message: String)
    {
        let link = Problem.Link(.coding(CodingError(reason, in: .gzip, at: 7)))
        #expect(link.code.rawValue == code)
        #expect(link.message == message)
        #expect(link.at?.byte == 7)
        #expect(link.at?.isEncoded == true)
    }

    @Test(
        arguments: [
            ([], "the encoded content", #""at":{"byte":7,"in":"encoded"}"#),
            ([.br], "the content after br was undone", #""at":{"byte":7,"in":"encoded","undoneCodings":1}"#),
            (
                [.br, .zstd], "the content after br and zstd were undone",
                #""at":{"byte":7,"in":"encoded","undoneCodings":2}"#
            ),
        ] as [([ContentCoding], String, String)]
    )
    func `an error of an inner coding says in which content its position is`(
        decoded: [ContentCoding],
        content: String,
        at: String
    ) {
        let link = Problem.Link(.coding(CodingError(.truncated, in: .gzip, at: 7, after: decoded)))
        #expect(link.message == "the gzip data ends early at byte 7 of " + content)
        #expect(text(Problem(link)).contains(at))
    }

    @Test func `a chain is truncated after sixteen errors`() {
        let link = Problem.Link(Diagnostic(.internal, "x"))
        let links = text(Problem(link, rest: Array(repeating: link, count: 30)))
        #expect(links.split(separator: #""stage""#).count - 1 == 16)
    }

    @Test(arguments: [
        (RejectionReason.contentTooLarge(maxBytes: 5), 413, []), (.saturated, 503, ["Retry-After"]),
        (.computeLaneFull, 503, ["Retry-After"]), (.queueTimeout(.compute), 503, ["Retry-After"]),
        (.draining, 503, ["Retry-After"]),
    ])
    func `a rejection before the application is also a problem`(reason: RejectionReason, status: Int, names: [String]) {
        let response = Problem(reason).response(requestID: "")
        #expect(response.status == status)
        #expect(response.fields.map(\.name) == names)
    }

    /// An operator who reads the detail changes this setting. The message about a full queue of threads once referred
    /// to memory.
    @Test(
        arguments: [
            (RejectionReason.saturated, .saturated, "(max-buffered-bytes)"),
            (.computeLaneFull, .saturated, "(threads)"),
            (.queueTimeout(.compute), .queueTimeout, "(threads)"),
            (.queueTimeout(.compute), .queueTimeout, "(queue-timeout-seconds)"),
            (.queueTimeout(.isolated), .queueTimeout, "(workers)"),
        ] as [(RejectionReason, ProblemCode, String)]
    )
    func `the detail names the setting of the exhausted resource`(
        reason: RejectionReason,
        code: ProblemCode,
        setting: String
    ) {
        let problem = Problem(reason)
        #expect(problem.first.code == code)
        #expect(problem.detail.contains(setting))
    }
}
