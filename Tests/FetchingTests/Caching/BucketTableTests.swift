import Testing

@testable import Fetching

@Suite struct BucketTableTests {
    @Test(arguments: [64, 65, 1000])
    func `a large table gives its buckets away with its last node`(count: Int) {
        var table = BucketTable()
        let nodes = (0..<count).map { CacheNode(hash: $0 &* 0x9E37_79B9) }
        for node in nodes { table.insert(node) }
        #expect(table.bucketCount == max(64, count))
        for node in nodes.dropLast() { #expect(table.remove(node) == nil) }
        #expect((table.remove(nodes[count - 1]) != nil) == (count > 64))
        #expect(table.bucketCount == 64 && table.count == 0)
        // It can be used again.
        table.insert(nodes[0])
        #expect(table.chain(of: nodes[0].hash) === nodes[0])
        #expect(table.remove(nodes[0]) == nil)
    }
}
