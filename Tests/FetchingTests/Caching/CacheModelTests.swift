import Fetching
import FuzzOracles
import Testing

/// Compares `LRUCache` with a simple model after each of many random operations.
@Suite struct CacheModelTests {
    @Test(arguments: 0..<UInt64(40))
    func `behaves as the model`(seed: UInt64) {
        var run = CacheModelRun(seed: seed)
        for _ in 0..<600 {
            run.step()
            if !run.isEqual() { return }
        }
        run.finish()
    }
}

private struct CacheModelRun {
    private var random: RandomSource
    private var model: CacheModel
    private let cache: SampleCache
    private var log: [String] = []
    /// All keys that were inserted.
    private var keys: Set<SampleKey> = []
    /// The number of all options.
    private let optionCount: Int

    init(seed: UInt64) {
        random = RandomSource(seed: seed)
        let capacityBytes = random.pick([50, 300, 2000, 20_000])
        let limits = CacheLimits(
            capacityBytes: capacityBytes,
            bytesAfterPurge: random.pick([0, capacityBytes / 2, capacityBytes]),
            maxEntryBytes: random.pick([capacityBytes / 4, capacityBytes, .max])
        )
        model = CacheModel(limits: limits)
        cache = SampleCache(limits: limits)
        optionCount = random.pick([3, 40])
    }

    private mutating func key() -> SampleKey {
        SampleKey(
            "u\(random.below(4))",
            partition: random.pick(["", "p"]),
            fields: random.pick(["", "f"]),
            variant: "\(random.below(10))"
        )
    }

    mutating func step() {
        let key = key()
        let options = "\(random.below(optionCount))"
        let bytes = random.below(random.pick([20, 100, model.limits.capacityBytes * 2]) + 1)
        let value = "\(random.below(1000))"
        log.append("\(key) \(options) \(bytes)")
        switch random.below(30) {
        case 0..<9:
            keys.insert(key)
            let isStored = cache.add(key, bytes, value: value) == .stored
            #expect(isStored == model.insert(value, for: key, bytes: bytes))
        case 9..<12:
            let charge = CacheCharge(bytes, to: cache.account)
            let isUpdated = cache.update(value, for: key, charge: charge) { _ in true }
            #expect(isUpdated == model.update(value, for: key, bytes: bytes))
        case 12..<19:
            let bytes = bytes / 4
            let charge = CacheCharge(bytes, to: cache.account)
            let isStored = cache.insert(options, options: options, below: key, charge: charge) { _ in true }
            #expect(isStored == model.insert(rendition: options, below: key, bytes: bytes))
        case 19..<25:
            let found = cache.hit(key, rendition: options)
            let expected = model.hit(key, rendition: options)
            #expect(found?.hit.value == expected.entry?.value)
            #expect(found?.hit.isMarkedStale == expected.entry?.isStale)
            #expect((found?.rendition == options) == expected.hasRendition)
        case 25:
            let count = model.purge(isSoft: false) { $0 == key }
            #expect(cache.remove(key) == (count == 1))
        case 26:
            let isSoft = random.oneIn(2)
            #expect(
                cache.purge(.index(key.index), isSoft: isSoft) == model.purge(isSoft: isSoft) { $0.index == key.index }
            )
        case 27 where random.oneIn(5):
            let isSoft = random.oneIn(2)
            #expect(
                cache.purge(.partition(key.partition), isSoft: isSoft)
                    == model.purge(isSoft: isSoft) { $0.partition == key.partition }
            )
        case 28 where random.oneIn(5):
            cache.evictToSizeAfterPurge()
            model.evictToSizeAfterPurge()
        case 29 where random.oneIn(10):
            let capacityBytes = random.below(3000)
            let limits = CacheLimits(
                capacityBytes: capacityBytes,
                bytesAfterPurge: random.below(capacityBytes + 1),
                maxEntryBytes: random.below(capacityBytes + 1)
            )
            (cache.limits, model.limits) = (limits, limits)
        default: break
        }
    }

    /// Compares everything that can be seen without an access.
    func isEqual() -> Bool {
        let found = Dictionary(
            uniqueKeysWithValues: keys.compactMap { key in
                cache.peek(key).map {
                    (key, CacheModel.Entry(key: key, value: $0.value, bytes: 0, isStale: $0.isMarkedStale))
                }
            }
        )
        let expected = Dictionary(
            uniqueKeysWithValues: model.entries.map { entry in
                (entry.key, CacheModel.Entry(key: entry.key, value: entry.value, bytes: 0, isStale: entry.isStale))
            }
        )
        let isEqual =
            found == expected && cache.count == expected.count && cache.renditionCount == model.renditionCount
            && cache.usedBytes == model.usedBytes && cache.counters == model.counters
        #expect(isEqual, "\(log.suffix(5)): \(found), \(cache.counters); expected \(model.nodes), \(model.counters)")
        return isEqual
    }

    /// Evicts one node after another, which shows the order of their last access.
    mutating func finish() {
        while !model.nodes.isEmpty {
            let limits = CacheLimits(
                capacityBytes: 0,
                bytesAfterPurge: max(0, model.usedBytes - 1),
                maxEntryBytes: .max
            )
            (cache.limits, model.limits) = (limits, limits)
            if model.usedBytes == 0 { break }
            cache.evict()
            model.evict()
            if !isEqual() { return }
        }
        cache.removeAll()
        #expect(cache.usedBytes == 0)
        #expect(cache.renditionCount == 0)
    }
}
