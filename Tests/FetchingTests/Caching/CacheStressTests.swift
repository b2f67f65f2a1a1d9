import Dispatch
import Fetching
import FuzzOracles
import Synchronization
import Testing

/// Many threads use one cache.
@Suite struct CacheStressTests {
    /// A value that is counted while it exists, as a buffer that keeps its charge.
    private final class Counted: Sendable {
        static let count = Atomic<Int>(0)
        let key: SampleKey
        let charge: CacheCharge

        init(_ key: SampleKey, _ charge: CacheCharge) {
            self.key = key
            self.charge = charge
            Self.count.wrappingAdd(1, ordering: .relaxed)
        }

        deinit {
            Self.count.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    private typealias Cache = LRUCache<SampleKey, Counted, Counted>

    @Test func `many threads lose no byte and mix up no entries`() {
        let limits = CacheLimits(capacityBytes: 60_000, bytesAfterPurge: 40_000, maxEntryBytes: 20_000)
        let cache = Cache(limits: limits, evictsInInsertions: false)
        let faults = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            var random = RandomSource(seed: UInt64(thread))
            for _ in 0..<4000 {
                if !Self.step(cache, &random) { faults.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        #expect(faults.load(ordering: .relaxed) == 0)
        let statistics = cache.statistics(largest: 5) { _ in 0 }
        #expect(statistics.storedBytes == cache.usedBytes)
        #expect(statistics.entries == cache.count)
        #expect(statistics.renditions == cache.renditionCount)
        #expect(Counted.count.load(ordering: .relaxed) == cache.count + cache.renditionCount)
        cache.evict()
        #expect(cache.usedBytes <= limits.capacityBytes)
        cache.removeAll()
        #expect(cache.usedBytes == 0)
        #expect(Counted.count.load(ordering: .relaxed) == 0)
    }

    /// - Returns: whether all values have the key by which they were found.
    private static func step(_ cache: Cache, _ random: inout RandomSource) -> Bool {
        let key = SampleKey(
            "u\(random.below(60))",
            partition: random.pick(["", "p", "q"]),
            variant: "\(random.below(10))"
        )
        let charge = CacheCharge(random.below(1000), to: cache.account)
        let began = cache.now
        switch random.below(100) {
        case 0..<30:
            cache.insert(
                Counted(key, charge),
                for: key,
                charge: charge,
                varyNames: ["x"],
                began: began
            )
            if random.oneIn(2) { cache.evict() }
        case 30..<70:
            guard let found = cache.hit(key, rendition: "1") else { return true }
            return found.hit.value.key == key && (found.rendition?.key ?? key) == key
        case 70..<85:
            let options = "\(random.below(40))"
            cache.insert(Counted(key, charge), options: options, below: key, charge: charge) { $0.key == key }
            cache.evict()
        case 85..<90:
            cache.update(Counted(key, charge), for: key, charge: charge, began: began) { $0.key == key }
            cache.evict()
        case 90..<93: cache.remove(key)
        case 93..<95: cache.purge(.index(key.index), isSoft: random.oneIn(2))
        case 95: cache.purge(.partition(key.partition), isSoft: random.oneIn(2))
        case 96: cache.evictToSizeAfterPurge()
        case 97: return cache.peek(key).map { $0.value.key == key } ?? true
        case 98: _ = cache.statistics(largest: 3) { _ in 0 }
        default:
            _ = cache.evictSlice()
            charge.resize(to: 5)
            return cache.varyNames(of: key.index).map { $0 == ["x"] } ?? true
        }
        return true
    }

    @Test func `after a purge, nothing is left whose request began earlier`() {
        let cache = SampleCache(10_000_000, after: 0)
        let began = cache.now
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for index in 0..<3000 {
                if thread == 0, index == 1500 { cache.purge(.partition("p")) }
                if thread > 0 { cache.add(SampleKey("\(thread) \(index)", partition: "p"), 1, began: began) }
            }
        }
        #expect(cache.count == 0)
    }
}
