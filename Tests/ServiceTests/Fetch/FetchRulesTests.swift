import Fetching
import Flights
import Foundation
import Serialization
import TestSupport
import Testing

@testable import HTTP
@testable import Service

@Suite struct FetchRulesTests {
    /// Returns the request of a caller for a POST, or its rejection.
    private func callerRequest(contentBytes: Int) throws -> CallerRequest {
        var settings = FlightSettings()
        settings.policy = FetchPolicy.testing(
            allow: try HostRules(parsing: "*"),
            methods: try FetchMethods(parsing: "POST")
        )
        var call = FetchCall()
        call.url = "http://a.example/"
        call.method = "POST"
        call.content = [UInt8](repeating: 0x20, count: contentBytes)
        return try FetchRules(settings, settings.policy, .none).callerRequest(
            call,
            [],
            ConfiguredSerializer(limits: Limits()),
            .unrestricted,
            isMember: true,
            requestID: .given("")
        )
    }

    /// Returns the field `Accept` of a request without one.
    private func accept(_ pairs: [QueryString.Pair], options: [String] = []) throws -> [String] {
        var settings = FlightSettings()
        settings.policy = FetchPolicy.testing(allow: try HostRules(parsing: "*"))
        var call = FetchCall()
        call.url = "http://a.example/"
        call.options = options.map { FetchCall.Option(name: $0, value: "") }
        let request = try FetchRules(settings, settings.policy, .none).callerRequest(
            call,
            pairs,
            ConfiguredSerializer(limits: Limits()),
            .unrestricted,
            isMember: false,
            requestID: .given("")
        )
        let value = try #require(request.request.fields.first { $0.name == "Accept" }?.value)
        return value.components(separatedBy: ", ")
    }

    @Test func `the default Accept lists one name of each type that a serializer accepts`() throws {
        #expect(
            try accept([("serializer", "xml")]) == [
                "application/octet-stream", "application/xml", "text/plain", "text/x-opml", "*/*;q=0.1",
            ]
        )
        #expect(try accept([("serializer", "http")]) == ["*/*"])
        #expect(try accept([("serializer", "csv")]).filter { $0.hasSuffix("csv") } == ["text/csv"])
        let feed = try accept([("serializer", "feed")])
        for type in ["rss+xml", "atom+xml", "feed+json"] { #expect(feed.contains("application/" + type)) }
        let automatic = try accept([])
        #expect(automatic.last == "*/*;q=0.1" && automatic.dropLast() == automatic.dropLast().sorted()[...])
        for type in ["application/json", "application/xml", "image/*", "text/csv", "text/event-stream"] {
            #expect(automatic.contains(type), "\(automatic)")
        }
        #expect(!automatic.contains("text/json") && !automatic.contains("text/xml"))
        #expect(automatic.joined(separator: ", ").utf8.count <= 700)
        let compound = try accept([("serializer", "json,xml")])
        #expect(compound.contains("application/json") && compound.contains("application/xml"))
        // A type that is accepted is listed, or less preferred.
        for kind in SerializerKind.allCases {
            let listed = try accept([("serializer", kind.rawValue)])
            let types = kind.acceptableMediaTypes(under: .decant).descriptions
            #expect(listed.last?.hasPrefix("*/*") == true || types.allSatisfy(listed.contains), "\(kind) \(listed)")
        }
        // What the caller lists is sent as it is.
        #expect(try accept([("accept-types", "text/json,application/json")]) == ["application/json", "text/json"])
    }

    @Test func `the cost of many names in the query and in options is not their product`() throws {
        func cost(_ count: Int) -> Duration {
            let pairs = [QueryString.Pair](repeating: ("z", ""), count: count)
            let options = (0..<count).map { "\($0)" }
            return (0..<5).map { _ in
                processorTime { #expect(throws: (any Error).self) { try accept(pairs, options: options) } }
            }.min() ?? .zero
        }
        #expect(cost(3_200) < cost(200) * 32)
    }

    /// Content of 120 MiB ended the fetcher.
    @Test func `the content of a request to an origin has at most 16 MiB`() throws {
        let max = FetchStart.maxContentBytes
        #expect(max == 16 << 20)
        #expect(try callerRequest(contentBytes: max).request.content?.count == max)
        #expect(throws: FetchCallError.contentTooLong(bytes: max + 1, max: max)) {
            _ = try callerRequest(contentBytes: max + 1)
        }
    }

    @Test func `a generated receipt has 128 random bits`() throws {
        var request = try callerRequest(contentBytes: 0)
        request.hasGeneratedReceipt = true
        var (ones, zeros) = (UInt128(0), UInt128(0))
        for _ in 0..<200 {
            request.generateReceipt()
            #expect(CallerRequest.looksGenerated(request.receipt))
            let bits = try #require(UInt128(request.receipt, radix: 16))
            (ones, zeros) = (ones | bits, zeros | ~bits)
        }
        #expect(ones == .max && zeros == .max)
    }

    @Test(
        arguments: [
            (["respond-async"], 0), (["respond-async, wait=10"], 10), (["wait=10", "Respond-Async"], 10),
            (["wait=10"], nil),
            (["respond-async;x=1 ; y, WAIT = \"7\" ;z"], 7), (["respond-async, wait=1, wait=2"], 1),
            (["respond-async, wait=99999999"], 86_400), (["respond-async, wait=x"], 0), (["respond-async, wait"], 0),
            (["respond-asynch, waiting=1"], nil), (["respond, async"], nil), ([""], nil),
            ([",, ;,=", "respond-async"], 0),
            ([String(repeating: "a,", count: 7_000) + "respond-async,wait=3"], 3),
        ] as [([String], Int?)]
    )
    func `the preference to wait is found among others`(values: [String], seconds: Int?) {
        #expect(WaitPreference(values)?.seconds == seconds)
    }
}
