import Fetching
import Flights
import Serialization
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
}
