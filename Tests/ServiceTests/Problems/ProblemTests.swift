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

    private static let location = SourceLocation(byte: 41, line: 3, column: 7, pointer: "/user/name")
    private static let json = SerializationError(
        JSONError(
            .unexpectedCharacter(expected: ["','", "'}'"]),
            at: location,
            found: "'\"'",
            excerpt: #"a" "b"#
        )
    )
    private static let status = SerializationError.unacceptableStatus(
        404,
        acceptable: .successful,
        url: "http://example.org/"
    )
    private static let type = SerializationError.unacceptableMediaType(
        got: "text/html",
        acceptable: ["a/b"],
        looksLike: nil,
        url: nil
    )

    @Test func `members are in the order of the contract, and the status explains the other errors`() {
        var failure = SerializationFailure([Self.json, Self.status], upstream: UpstreamFacts(status: 404))
        failure.value = Array(#"{"a":1}"#.utf8)
        failure.warnings = [Warning(.byteOrderMark(encoding: "utf-8"))]
        failure.attempts = [(.http, [Self.status])]
        #expect(
            text(Problem(failure, nil, under: .decant))
                == [
                    #"{"type":"/problems/response.unacceptable_status","title":"Unacceptable status","status":422,"#,
                    #""detail":"the upstream responded 404 Not Found; expected ',' or '}', found '\"' at byte "#,
                    #"41 (line 3, "#,
                    #"column 7)","instance":"urn:uuid:0190163d-8694-739b-aea5-966c26f8ad91","#,
                    #""code":"response.unacceptable_status","cause":"upstream-status","retryable":false,"#,
                    #""chain":[{"domain":"com.alamofire.error.serialization.response","domainCode":-1011,"#,
                    #""code":"response.unacceptable_status","stage":"validation","#,
                    #""message":"the upstream responded 404 Not Found","#,
                    #""expected":["200-299"],"found":"404","failingURL":"http://example.org/"},"#,
                    #"{"domain":"NSCocoaErrorDomain","domainCode":3840,"code":"json.unexpected_character","#,
                    #""stage":"decoding","message":"expected ',' or '}', found '\"' at byte 41 (line 3, column 7)","#,
                    #""at":{"byte":41,"line":3,"column":7,"pointer":"/user/name"},"expected":["','","'}'"],"#,
                    #""found":"'\"'","#,
                    #""excerpt":"a\" \"b"}],"#,
                    #""attempts":[{"serializer":"http","#,
                    #""chain":[{"domain":"com.alamofire.error.serialization.response","#,
                    #""domainCode":-1011,"code":"response.unacceptable_status","stage":"validation","#,
                    #""message":"the upstream responded 404 Not Found","expected":["200-299"],"found":"404","#,
                    #""failingURL":"http://example.org/"}]}],"#,
                    #""upstream":{"status":404},"value":{"a":1},"#,
                    #""warnings":[{"code":"response.byte_order_mark","message":"a byte order mark (utf-8) "#,
                    #"before the value "#,
                    #"was removed"}]}"#,
                ].joined()
        )
    }

    @Test(
        arguments: [
            // The order of the serialization is that of AFNetworking.
            ([json, status], .decant, [.unacceptableStatus, .jsonUnexpectedCharacter]),
            ([json, status], .afnetworking, [.jsonUnexpectedCharacter, .unacceptableStatus]),
            ([json, status, type], .decant, [.unacceptableStatus, .jsonUnexpectedCharacter, .unacceptableType]),
            ([status, type], .decant, [.unacceptableStatus, .unacceptableType]),
            ([.outOfMemory, status], .decant, [.saturated, .unacceptableStatus]),
            ([.contentTooLong(max: 1), status], .decant, [.contentTooLarge, .unacceptableStatus]),
            (
                [.outputTooLong(max: 1), status, type], .decant,
                [.outputTooLong, .unacceptableStatus, .unacceptableType]
            ),
            (
                [SerializationError(ImageError(.decoderCrashed)), status], .decant,
                [.decoderCrashed, .unacceptableStatus]
            ),
            (
                [SerializationError(JSONError(.nestingTooDeep(max: 1), at: location)), status], .decant,
                [.jsonNestingTooDeep, .unacceptableStatus]
            ),
        ] as [([SerializationError], RuleSet, [ProblemCode])]
    )
    func `errors of the service and of limits are first, then the status, then the errors that it explains`(
        chain: [SerializationError],
        rules: RuleSet,
        codes: [ProblemCode]
    ) {
        let problem = Problem(SerializationFailure(chain, upstream: UpstreamFacts(status: 404)), nil, under: rules)
        #expect(([problem.first] + problem.rest).map(\.code) == codes)
        #expect(problem.code == codes.first)
    }

    @Test func `content of another type does not hide the status`() {
        var failure = SerializationFailure([Self.json, Self.status], upstream: UpstreamFacts(status: 503))
        failure.mismatch = TypeMismatch(declared: "application/json", looksLike: "text/html")
        let page = Array("<!doctype html><title>\n Service  Unavailable</title>".utf8)
        let problem = Problem(failure, page.span, under: .decant)
        #expect(problem.code == .unacceptableStatus)
        #expect(problem.isRetryable)
        #expect(
            problem.detail == """
                the upstream responded 404 Not Found; the response is declared as application/json, and its content \
                looks like text/html: expected ',' or '}', found '"' at byte 41 (line 3, column 7); the title of the \
                page is 'Service Unavailable'
                """
        )
        #expect(Problem(failure, page.span, under: .afnetworking).code == .typeMismatch)
    }

    @Test func `a limit is not explained by another type of the content`() {
        let limit = SerializationError(JSONError(.nestingTooDeep(max: 1), at: Self.location))
        var failure = SerializationFailure([limit], upstream: UpstreamFacts(status: 200))
        failure.mismatch = TypeMismatch(declared: "application/json", looksLike: "text/html")
        let problem = Problem(failure, nil, under: .decant)
        #expect(problem.mismatch == nil && problem.code == .jsonNestingTooDeep)
        #expect(problem.detail == problem.first.message)
    }

    @Test(arguments: [(ImageError.Reason.noDecoder, false), (.pixelsUnavailable, false), (.saturated, true)])
    func `only what passes has a time after which it is repeated`(reason: ImageError.Reason, isRetryable: Bool) {
        let failure = SerializationFailure(
            [SerializationError(ImageError(reason))],
            upstream: UpstreamFacts(status: 200)
        )
        let problem = Problem(failure, nil, under: .decant)
        #expect(problem.status == 503 && problem.isRetryable == isRetryable)
        #expect(problem.fields.contains { $0.name == "Retry-After" } == isRetryable)
    }

    @Test(arguments: [
        (200, false), (304, false), (400, false), (404, false), (408, true), (425, true), (429, true), (500, true),
        (501, false), (502, true), (503, true), (504, true), (505, false),
    ])
    func `an upstream status that passes is retryable`(status: Int, isRetryable: Bool) {
        let error = SerializationError.unacceptableStatus(status, acceptable: .successful, url: nil)
        let failure = SerializationFailure([error], upstream: UpstreamFacts(status: status))
        #expect(Problem(failure, nil, under: .decant).isRetryable == isRetryable)
    }

    @Test(arguments: [
        ("text/html", "Request failed: unacceptable content-type: text/html"),
        (nil, "Request failed: unacceptable content-type: (null)"),
    ])
    func `an unacceptable type has the message of AFNetworking in its profile`(got: String?, message: String) {
        let error = SerializationError.unacceptableMediaType(got: got, acceptable: ["a/b"], looksLike: "html", url: "u")
        let link = Problem.Link(error, under: .afnetworking)
        var expected = Problem.Link(Diagnostic(.unacceptableType, message, expected: ["a/b"], found: got))
        expected.looksLike = "html"
        expected.isOfAcceptableType = got == nil
        expected.failingURL = "u"
        #expect(link == expected)
    }

    /// The option is also the setting that raises the limit.
    @Test(arguments: [
        (SerializationError.outputTooLong(max: 9), "max-output-bytes"), (.contentTooLong(max: 9), "max-content-bytes"),
    ])
    func `a limit on a size is named`(error: SerializationError, option: String) {
        #expect(Problem.Link(error, under: .decant).message.hasSuffix("the allowed 9 bytes (\(option))"))
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
        (
            .tooManyCodings(max: 4), "limit.content_codings",
            "there are more than 4 content codings (max-content-codings)"
        ),
        (
            .tooLong(max: 9), "limit.decoded_bytes",
            "the decoded content is longer than the allowed 9 bytes (max-decoded-bytes)"
        ),
    ])
    func `an error of a coding has its code and its location`(reason: CodingError.Reason, code: String, message: String)
    {
        let link = Problem.Link(.coding(CodingError(reason, in: .gzip, at: 7)), under: .decant)
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
    func `an error of an inner coding says in which content its location is`(
        decoded: [ContentCoding],
        content: String,
        at: String
    ) {
        let link = Problem.Link(.coding(CodingError(.truncated, in: .gzip, at: 7, after: decoded)), under: .decant)
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
            (.queueTimeout(.pixels), .queueTimeout, "(workers)"),
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
