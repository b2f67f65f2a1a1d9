import Fetching
import Testing

@Suite struct CacheRenditionTests {
    @Test func `a rendition needs its response, and the value from which it was made`() {
        let cache = SampleCache(1000, after: 600)
        #expect(!cache.add(rendition: "json", 10, below: "a"))
        cache.add("a", 20, value: "1")
        #expect(
            !cache.insert("", options: "json", below: SampleKey("a"), charge: CacheCharge(1, to: cache.account)) {
                $0 == "2"
            }
        )
        #expect(cache.hit(SampleKey("a"), rendition: "json")?.rendition == nil)
        #expect(cache.add(rendition: "json", 10, below: "a"))
        let found = cache.hit(SampleKey("a"), rendition: "json")
        #expect(found?.hit.value == "1")
        #expect(found?.rendition == "a as json")
        #expect(cache.usedBytes == 30)
        #expect(cache.counters.hits == 2)
        #expect(cache.counters.renditionHits == 1)
        #expect(cache.counters.renditionMisses == 1)
    }

    @Test func `renditions are evicted before their entry and apart from it`() {
        let cache = SampleCache(100, after: 61)
        cache.add("a", 20)
        cache.add(rendition: "1", 20, below: "a")
        cache.add(rendition: "2", 20, below: "a")
        cache.add("b", 20)
        // Refreshes the entry and one rendition.
        #expect(cache.renditions(["1"], below: "a") == ["1"])
        cache.add("c", 21)
        #expect(cache.kept(["a", "b", "c"]) == ["a", "c"])
        #expect(cache.renditions(["1", "2"], below: "a") == ["1"])
        #expect(cache.counters.evictedEntries == 1)
        #expect(cache.counters.evictedRenditions == 1)
        #expect(cache.counters.evictedBytes == 40)
    }

    @Test func `an entry whose renditions are all used recently is evicted after them`() {
        let cache = SampleCache(100, after: 0)
        cache.add("a", 40)
        for options in ["1", "2", "3"] { cache.add(rendition: options, 20, below: "a") }
        #expect(cache.renditions(["1", "2", "3"], below: "a") == ["1", "2", "3"])
        cache.limits = CacheLimits(capacityBytes: 90, bytesAfterPurge: 50, maxEntryBytes: .max)
        cache.evict()
        #expect(cache.kept(["a"]) == ["a"])
        #expect(cache.renditionCount == 0)
    }

    @Test func `an entry has at most 32 renditions, and the one with the oldest access is evicted`() {
        let cache = SampleCache(10_000, after: 0)
        cache.add("a", 10)
        let options = (0..<32).map(String.init)
        for one in options { cache.add(rendition: one, 10, below: "a") }
        #expect(cache.renditions(["0"], below: "a") == ["0"])
        cache.add(rendition: "32", 10, below: "a")
        #expect(cache.renditionCount == 32)
        #expect(cache.usedBytes == 330)
        let added = options + ["32"]
        #expect(cache.renditions(added, below: "a") == added.filter { $0 != "1" })
    }

    @Test func `an entry with its renditions is not larger than the maximum size of an entry`() {
        let cache = SampleCache(1000, after: 600, maxEntryBytes: 100)
        cache.add("a", 40)
        for options in ["1", "2", "3"] { #expect(cache.add(rendition: options, 20, below: "a")) }
        #expect(cache.add(rendition: "4", 21, below: "a"))
        #expect(cache.renditions(["1", "2", "3", "4"], below: "a") == ["3", "4"])
        #expect(!cache.add(rendition: "5", 61, below: "a"))
        #expect(cache.renditions(["3", "4"], below: "a") == ["3", "4"])
        #expect(cache.add(rendition: "6", 60, below: "a"))
        #expect(cache.usedBytes == 100)
        #expect(cache.renditions(["3", "4", "6"], below: "a") == ["6"])
    }

    @Test func `the renditions of one variant are not those of another, and leave with it`() {
        let cache = SampleCache(100_000, after: 0)
        let keys = (0..<8).map { SampleKey("a", variant: "\($0)") }
        for key in keys {
            cache.add(key, 1)
            for options in 0..<32 {
                let charge = CacheCharge(1, to: cache.account)
                cache.insert("\(key) \(options)", options: "\(options)", below: key, charge: charge) { _ in true }
            }
        }
        #expect(cache.count == 8 && cache.renditionCount == 256)
        for key in keys { #expect(cache.hit(key, rendition: "31")?.rendition == "\(key) 31") }
        // The ninth variant takes the place of the one with the oldest access.
        cache.add(SampleKey("a", variant: "8"), 1)
        #expect(cache.count == 8 && cache.renditionCount == 224 && cache.peek(keys[0]) == nil)
        #expect(cache.counters.evictedEntries == 1 && cache.counters.evictedRenditions == 32)
        let statistics = cache.statistics(largest: 8) { _ in 0 }
        #expect(statistics.entries == 8 && statistics.renditions == 224 && statistics.storedBytes == 232)
        #expect(statistics.largest.map(\.renditions).sorted() == [0] + [Int](repeating: 32, count: 7))
        #expect(cache.purge(.partition("")) == 8 && cache.usedBytes == 0 && cache.renditionCount == 0)
    }

    @Test func `a rendition replaces the one with the same options`() {
        let cache = SampleCache(1000, after: 600)
        cache.add("a", 40)
        cache.add(rendition: "1", 20, below: "a")
        cache.add(rendition: "1", 30, below: "a")
        #expect(cache.renditionCount == 1)
        #expect(cache.usedBytes == 70)
        #expect(cache.counters.evictedRenditions == 0)
    }

    @Test func `an update keeps renditions, and a replacement and a removal do not`() {
        let cache = SampleCache(1000, after: 600)
        cache.add("a", 40)
        cache.add(rendition: "1", 20, below: "a")
        #expect(
            cache.update("b", for: SampleKey("a"), charge: CacheCharge(50, to: cache.account), varyNames: ["x"]) {
                $0 == "a"
            }
        )
        #expect(!cache.update("c", for: SampleKey("a"), charge: CacheCharge(50, to: cache.account)) { $0 == "a" })
        #expect(cache.hit(SampleKey("a"))?.value == "b")
        #expect(cache.varyNames(of: SampleKey("a").index) == ["x"])
        #expect(cache.renditions(["1"], below: "a") == ["1"])
        #expect(cache.usedBytes == 70)
        cache.add("a", 40)
        #expect(cache.renditionCount == 0)
        #expect(cache.usedBytes == 40)
        cache.add(rendition: "1", 20, below: "a")
        #expect(cache.remove(SampleKey("a")))
        #expect(cache.renditionCount == 0)
        #expect(cache.usedBytes == 0)
    }
}
