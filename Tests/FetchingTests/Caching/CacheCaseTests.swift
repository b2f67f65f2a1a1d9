import Foundation
import TestSupport
import Testing

/// The behaviour of the caches of AFNetworking and AlamofireImage, case by case.
///
/// These cases are public test data next to the checkout. Without them, the tests are skipped.
@Suite(.needs(CacheCase.path))
struct CacheCaseTests {
    private static let cases = (try? CacheCase.load()) ?? []

    private static let runs = cases.filter {
        switch $0.treatment {
        case .run, .better: true
        case .skip: false
        }
    }

    @Test func `two cases are skipped, and three are deliberately better`() throws {
        #expect(try CacheCase.load().count == 30)
        let others = Self.cases.filter { $0.treatment != .run }.map(\.id).sorted()
        #expect(
            others == [
                "afi-cache-edge-precondition", "cache-3.0-accounting-bug", "cache-edge-key-collision",
                "cache-edge-oversized-image", "cache-edge-preferred-greater-than-capacity",
            ]
        )
    }

    @Test(arguments: runs)
    func `has the results of AFNetworking`(_ one: CacheCase) throws {
        var run = try CacheCaseRun(one)
        try run.run()
        try run.check()
    }
}
