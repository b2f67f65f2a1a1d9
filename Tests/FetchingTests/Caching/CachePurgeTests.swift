import Testing

@testable import Fetching

@Suite struct CachePurgeTests {
    private let cache = SampleCache(1_000_000, after: 0)
    private var keys: [SampleKey] = []

    init() {
        for partition in ["", "p"] {
            for url in ["img1", "img10"] {
                for fields in ["", "f"] {
                    for variant in ["1", "2"] {
                        keys.append(SampleKey(url, partition: partition, fields: fields, variant: variant))
                    }
                }
            }
        }
        for key in keys { cache.add(key, 10) }
    }

    private func kept(_ isSelected: (SampleKey) -> Bool) -> Int {
        keys.count { isSelected($0) && cache.peek($0) != nil }
    }

    @Test func `an index key purges all variants of a URL in its partition, and no other URL`() {
        #expect(cache.purge(.index(SampleKey("img1", partition: "p").index)) == 4)
        #expect(cache.count == 12)
        #expect(kept { $0.partition == "p" && $0.index.url == "img1" } == 0)
        #expect(cache.purge(.index(SampleKey("img1", partition: "p").index)) == 0)
        #expect(cache.counters.purgedEntries == 4)
        #expect(cache.usedBytes == 120)
    }

    @Test func `a partition is purged alone`() {
        #expect(cache.purge(.partition("q")) == 0)
        #expect(cache.purge(.partition("p")) == 8)
        #expect(kept { $0.partition == "" } == 8)
        #expect(cache.purge(.partition("")) == 8)
        #expect(cache.usedBytes == 0)
    }

    @Test func `a soft purge marks entries until they are validated or replaced`() {
        let keys = [
            SampleKey("img1", variant: "1"), SampleKey("img1", variant: "2"), SampleKey("img10", variant: "1"),
            SampleKey("img1", partition: "p", variant: "1"),
        ]
        func marked() -> [SampleKey] { keys.filter { cache.hit($0)?.isMarkedStale == true } }
        #expect(marked() == [])
        #expect(cache.purge(.index(SampleKey("img1").index), isSoft: true) == 4)
        #expect(marked() == [keys[0], keys[1]])
        #expect(cache.peek(keys[0])?.isMarkedStale == true)
        #expect(cache.update("", for: keys[0], charge: CacheCharge(1, to: cache.account)) { _ in true })
        cache.add(keys[1], 10)
        #expect(marked() == [])
        #expect(cache.purge(.partition("p"), isSoft: true) == 8)
        #expect(marked() == [keys[3]])
        #expect(cache.purge(.partition(""), isSoft: true) == 8)
        #expect(marked() == keys)
        #expect(cache.count == 16)
        #expect(cache.counters.staleEntries == 20)
    }

    @Test func `a response whose request began before a purge is not stored`() {
        let (one, other, elsewhere) = (SampleKey("u"), SampleKey("v"), SampleKey("u", partition: "p"))
        let began = cache.now
        cache.purge(.index(one.index))
        #expect(cache.add(one, 10, began: began) == .purged)
        #expect(cache.add(other, 10, began: began) == .stored)
        #expect(cache.add(elsewhere, 10, began: began) == .stored)
        #expect(cache.add(one, 10, began: cache.now) == .stored)
        let second = cache.now
        cache.purge(.partition("p"), isSoft: true)
        #expect(cache.add(elsewhere, 10, began: second) == .purged)
        #expect(
            !cache.update("", for: elsewhere, charge: CacheCharge(1, to: cache.account), began: second) { _ in true }
        )
        #expect(cache.add(one, 10, began: second) == .stored)
        cache.purge(.partition(""))
        #expect(cache.add(one, 10, began: second) == .purged)
        #expect(cache.add(one, 10, began: cache.now) == .stored)
    }

    @Test func `many purges are remembered as one`() {
        let began = cache.now
        for index in 0..<1024 { cache.purge(.index(SampleKey("x\(index)").index)) }
        #expect(cache.add("x5", 10, began: began) == .purged)
        #expect(cache.add("y", 10, began: began) == .stored)
        cache.purge(.index(SampleKey("x1024").index))
        #expect(cache.add("x5", 10, began: began) == .purged)
        #expect(cache.add("y", 10, began: began) == .purged)
        #expect(cache.add("y", 10, began: cache.now) == .stored)
    }

    @Test func `statistics count everything, and list the largest entries`() {
        cache.add("a", 500, value: "7")
        cache.add("b", 300, value: "5")
        cache.add(rendition: "json", 250, below: "b")
        let statistics = cache.statistics(largest: 3) { UInt64($0) ?? 9 }
        #expect(
            statistics
                == CacheStatistics(
                    entries: 18,
                    renditions: 1,
                    storedBytes: 1210,
                    usedBytes: 1210,
                    oldest: 5,
                    largest: [
                        .init(bytes: 550, renditions: 1, time: 5), .init(bytes: 500, renditions: 0, time: 7),
                        .init(bytes: 10, renditions: 0, time: 9),
                    ]
                )
        )
    }
}
