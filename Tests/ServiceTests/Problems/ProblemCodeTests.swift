import Serialization
import Testing

@testable import Service

@Suite struct ProblemCodeTests {
    @Test(arguments: ProblemCode.allCases)
    func `a code consists of an area and a reason, in lower case`(code: ProblemCode) {
        #expect(code == .internal || code.rawValue.wholeMatch(of: /[a-z]+\.[a-z_]+/) != nil)
        #expect((400...599).contains(code.definition.type.status))
    }

    @Test func `the service's own numbers are unique`() {
        let own = ProblemCode.allCases.map(\.definition.type).filter { $0.domain.rawValue.hasPrefix("decant.") }
        #expect(Set(own.map { "\($0.domain) \($0.domainCode)" }).count == own.count)
    }

    @Test(arguments: ProblemCode.allCases)
    func `the status of a problem agrees with its cause`(code: ProblemCode) {
        let type = code.definition.type
        switch type.cause {
        case .status, .content, .type: #expect(type.status == 422)
        case .request: #expect(400...499 ~= type.status || [501, 505].contains(type.status))
        case .access: #expect([401, 403].contains(type.status))
        case .limit: #expect([413, 422].contains(type.status))
        case .fetch: #expect([409, 502, 503, 504].contains(type.status))
        case .service: #expect([500, 503].contains(type.status))
        }
    }

    @Test func `exactly these problems can pass, besides those of the upstream status`() {
        let retryable = ProblemCode.allCases.filter(\.definition.type.isRetryable)
        #expect(
            retryable == [
                .fetchResolveFailed, .fetchConnectFailed, .fetchConnectionLost, .fetchTLSFailed, .fetchProxyFailed,
                .fetchFetcherDied, .fetchSaturated, .fetchCircuitOpen, .fetchUnavailable, .fetchTimedOut, .saturated,
                .queueTimeout, .draining,
            ]
        )
    }
}
