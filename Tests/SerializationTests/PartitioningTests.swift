import Testing

@testable import Serialization

@Suite struct PartitioningTests {
    @Test(arguments: 0...9)
    func `a partition begins at the first index that belongs to it`(first: Int) {
        let starts = (0...first).map { start in (start..<9).partitioningIndex { $0 >= first } }
        #expect(starts.allSatisfy { $0 == first })
    }
}
