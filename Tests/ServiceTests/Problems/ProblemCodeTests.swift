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
}
