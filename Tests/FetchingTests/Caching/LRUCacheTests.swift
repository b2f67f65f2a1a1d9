import Fetching
import Testing

@Suite struct LRUCacheTests {
    @Test func `a stored value is found by its whole key only`() {
        let cache = SampleCache(1000, after: 600)
        let keys = [
            SampleKey("u"), SampleKey("u", partition: "p"), SampleKey("u", fields: "f"), SampleKey("u", variant: "v"),
            SampleKey("uf"), SampleKey("u", fields: "v"),
        ]
        for (index, key) in keys.enumerated() { cache.add(key, 10, value: "\(index)") }
        #expect(keys.map { cache.hit($0)?.value } == ["0", "1", "2", "3", "4", "5"])
        #expect(cache.hit(SampleKey("u", partition: "p", fields: "f")) == nil)
        #expect(cache.count == 6)
        #expect(cache.usedBytes == 60)
    }

    @Test func `a full cache evicts nothing, and one byte more evicts the oldest entries`() {
        let cache = SampleCache(100, after: 60)
        for url in ["a", "b", "c", "d", "e"] { cache.add(url, 20) }
        #expect(cache.usedBytes == 100)
        #expect(cache.counters.evictedEntries == 0)
        cache.add("f", 1)
        // 41 bytes must be freed, and only whole entries are.
        #expect(cache.kept(["a", "b", "c", "d", "e", "f"]) == ["d", "e", "f"])
        #expect(cache.usedBytes == 41)
        #expect(cache.counters.evictedEntries == 3)
        #expect(cache.counters.evictedBytes == 60)
    }

    @Test func `nothing is stored while what was evicted and is still used has the size of the cache`() {
        let cache = SampleCache(100, after: 0)
        func addRendition() -> Bool {
            let charge = CacheCharge(1, to: cache.account)
            return cache.insert("r", options: "r", below: SampleKey("kept"), charge: charge) { _ in true }
        }
        cache.add("kept", 1)
        let used = CacheCharge(99, to: cache.account)
        #expect(cache.insert("a", for: SampleKey("a"), charge: used) == .stored)
        #expect(cache.remove(SampleKey("a")))
        used.resize(to: 100)
        #expect(!addRendition() && cache.peek(SampleKey("kept")) != nil)
        #expect(cache.add("b", 1) == .tooLarge)
        used.resize(to: 98)
        #expect(cache.add("kept", 1) == .stored && addRendition())
        #expect(cache.renditionCount == 1)
        withExtendedLifetime(used) {}
    }

    @Test func `a hit, a replacement and an update are accesses, and a peek is not`() {
        let cache = SampleCache(100, after: 60)
        for url in ["a", "b", "c", "d", "e"] { cache.add(url, 20) }
        _ = cache.hit(SampleKey("a"))
        cache.add("b", 20)
        #expect(cache.update("c2", for: SampleKey("c"), charge: CacheCharge(20, to: cache.account)) { $0 == "c" })
        _ = cache.peek(SampleKey("d"))
        cache.add("f", 20)
        #expect(cache.kept(["a", "b", "c", "d", "e", "f"]) == ["b", "c", "f"])
    }

    @Test func `an entry that is too large is not kept, and removes the older one of its key only`() {
        let cache = SampleCache(100, after: 60, maxEntryBytes: 50)
        cache.add("a", 20)
        cache.add("b", 20)
        #expect(cache.add("b", 51) == .tooLarge)
        #expect(cache.kept(["a", "b"]) == ["a"])
        #expect(cache.add("b", 50) == .stored)
        #expect(cache.usedBytes == 70)
        #expect(cache.add("c", 1000) == .tooLarge)
        #expect(cache.kept(["a", "b"]) == ["a", "b"])
    }

    @Test func `a newer entry is not replaced, whatever the size of the older one`() {
        let cache = SampleCache(100, after: 60, maxEntryBytes: 50)
        cache.add("a", 20, value: "new")
        for bytes in [10, 51] {
            let charge = CacheCharge(bytes, to: cache.account)
            #expect(cache.insert("old", for: SampleKey("a"), charge: charge) { $0 == "new" } == .outdated)
        }
        #expect(cache.peek(SampleKey("a"))?.value == "new" && cache.usedBytes == 20)
        let charge = CacheCharge(30, to: cache.account)
        #expect(cache.insert("newer", for: SampleKey("a"), charge: charge) { $0 == "other" } == .stored)
        #expect(cache.peek(SampleKey("a"))?.value == "newer" && cache.usedBytes == 30)
    }

    @Test func `without a capacity, nothing is kept`() {
        let cache = SampleCache(0, after: 0)
        #expect(cache.add("a", 0) == .tooLarge)
        #expect(cache.add("a", 1) == .tooLarge)
        #expect(cache.count == 0)
        #expect(cache.usedBytes == 0)
    }

    @Test func `a primary key has at most eight variants, and the one with the oldest access is evicted`() {
        let cache = SampleCache(10_000, after: 0)
        let keys = (0..<8).map { SampleKey("u", fields: "f", variant: "\($0)") }
        for key in keys { cache.add(key, 10) }
        for other in 0..<20 { cache.add(SampleKey("u", fields: "g\(other)"), 10) }
        _ = cache.hit(keys[0])
        cache.add(SampleKey("u", fields: "f", variant: "8"), 10)
        #expect(keys.filter { cache.peek($0) == nil } == [keys[1]])
        #expect(cache.count == 28)
        #expect(cache.counters.evictedEntries == 1)
    }

    @Test func `an index key has the names of the newest response`() {
        let cache = SampleCache(1000, after: 600)
        let index = SampleKey("u").index
        #expect(cache.varyNames(of: index) == nil)
        cache.add(SampleKey("u", variant: "1"), 10, varyNames: ["accept"])
        #expect(cache.varyNames(of: index) == ["accept"])
        cache.add(SampleKey("u", variant: "2"), 10, varyNames: ["accept", "x"])
        #expect(cache.varyNames(of: index) == ["accept", "x"])
        cache.remove(SampleKey("u", variant: "2"))
        #expect(cache.varyNames(of: index) == ["accept", "x"])
        cache.remove(SampleKey("u", variant: "1"))
        #expect(cache.varyNames(of: index) == nil)
    }

    @Test func `the size includes an evicted buffer until its last reader is done`() {
        let cache = SampleCache(100, after: 50)
        var charge: CacheCharge? = CacheCharge(40, to: cache.account)
        if let charge { cache.insert("a", for: SampleKey("a"), charge: charge) }
        cache.remove(SampleKey("a"))
        #expect(cache.count == 0)
        #expect(cache.usedBytes == 40)
        charge?.resize(to: 30)
        #expect(cache.usedBytes == 30)
        charge = nil
        #expect(cache.usedBytes == 0)
    }

    @Test func `an eviction ends although readers still refer to what was evicted`() {
        let cache = SampleCache(100, after: 60)
        let charges = (0..<5).map { _ in CacheCharge(20, to: cache.account) }
        for (index, charge) in charges.enumerated() { cache.insert("", for: SampleKey("\(index)"), charge: charge) }
        cache.add("f", 20)
        // 60 bytes are evicted, as if they were free.
        #expect(cache.kept(["0", "1", "2", "3", "4", "f"]) == ["3", "4", "f"])
        #expect(cache.usedBytes == 120)
        withExtendedLifetime(charges) {}
    }

    @Test func `slow readers of what was removed do not cause everything else to be evicted`() {
        let cache = SampleCache(100, after: 60)
        let charges = (0..<2).map { _ in CacheCharge(25, to: cache.account) }
        for (index, charge) in charges.enumerated() { cache.insert("", for: SampleKey("\(index)"), charge: charge) }
        for index in 0..<2 { cache.remove(SampleKey("\(index)")) }
        // Half of the capacity is available: 50 bytes, and 30 after an eviction.
        for (index, name) in ["a", "b", "c", "d", "e"].enumerated() {
            cache.add(name, 10)
            #expect(cache.usedBytes == 60 + 10 * index)
        }
        cache.add("f", 10)
        #expect(cache.kept(["a", "b", "c", "d", "e", "f"]) == ["d", "e", "f"] && cache.usedBytes == 80)
        cache.evictToSizeAfterPurge()
        #expect(cache.usedBytes == 80)
        withExtendedLifetime(charges) {}
        #expect(cache.kept(["d", "e", "f"]) == ["d", "e", "f"])
    }

    @Test func `the size of an entry can change`() {
        let cache = SampleCache(100, after: 60)
        let charge = CacheCharge(20, to: cache.account)
        cache.insert("a", for: SampleKey("a"), charge: charge)
        cache.add("b", 20)
        charge.resize(to: 81)
        #expect(cache.usedBytes == 101)
        #expect(cache.kept(["a", "b"]) == ["a", "b"])
        cache.evict()
        #expect(cache.kept(["a", "b"]) == ["b"])
    }

    @Test func `the caller can evict later, in parts`() {
        let limits = CacheLimits(capacityBytes: 1000, bytesAfterPurge: 100, maxEntryBytes: .max)
        let cache = SampleCache(limits: limits, evictsInInsertions: false)
        for index in 0..<1000 {
            cache.insert("", for: SampleKey("\(index)"), charge: CacheCharge(10, to: cache.account))
        }
        #expect(cache.usedBytes == 10_000)
        var slices = 1
        while cache.evictSlice() { slices += 1 }
        #expect(slices >= 990 / 64)
        let urls = (0..<1000).map { "\($0)" }
        #expect(cache.kept(urls) == Array(urls.suffix(10)))
        #expect(!cache.evictSlice())
    }

    @Test func `memory pressure evicts to the size after an eviction, or everything`() {
        let cache = SampleCache(100, after: 60)
        for url in ["a", "b", "c", "d"] { cache.add(url, 20) }
        cache.evictToSizeAfterPurge()
        #expect(cache.kept(["a", "b", "c", "d"]) == ["b", "c", "d"])
        cache.evictToSizeAfterPurge()
        #expect(cache.count == 3)
        #expect(cache.removeAll() == 3)
        #expect(cache.usedBytes == 0)
    }
}
