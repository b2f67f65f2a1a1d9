import CMalloc
import Fetching
import Glibc

/// Measures a cache whose entries resemble those of the service.
///
///     CacheProbe heap SEED ENTRIES MIN-BYTES MAX-BYTES RENDITIONS [mapped]
///     CacheProbe hits ENTRIES COUNT
///     CacheProbe slices ENTRIES
///
/// `heap` prints the number of entries and renditions, the bytes that are charged, the bytes that the heap holds, and
/// those of them that are neither contents nor fields. Each entry has up to `RENDITIONS` renditions. Contents have
/// random sizes; with `mapped`, those of 64 KiB or more are mappings of their own, otherwise those of 4 MiB or more, as
/// in the service.
///
/// `hits` prints the processor time of a hit in nanoseconds. With 0 hits it only fills the cache, for measurements from
/// outside: `valgrind --tool=cachegrind`.
///
/// `slices` prints the greatest processor time of one part of an eviction, including the release of memory, and those
/// of complete evictions and purges, in microseconds.
@main enum CacheProbe {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        switch (arguments.first, numbers.count) {
        case ("heap", 5): heap(numbers, isMapped: arguments.last == "mapped")
        case ("hits", 2): hits(entries: numbers[0], count: numbers[1])
        case ("slices", 1): slices(entries: numbers[0])
        default:
            print(
                "usage: CacheProbe heap SEED ENTRIES MIN MAX RENDITIONS [mapped] | hits ENTRIES COUNT | slices ENTRIES"
            )
        }
    }

    // MARK: Measurements

    private static func heap(_ numbers: [Int], isMapped: Bool) {
        _ = mallopt(M_MXFAST, 0)
        _ = mallopt(M_MMAP_THRESHOLD, isMapped ? 64 << 10 : 4 << 20)
        var random = Choices(state: UInt64(numbers[0]))
        // Tables that exist once are not part of an entry.
        fill(ProbeCache(capacityBytes: .max), entries: 10, sizes: 1...1, &random)
        let before = heapBytes()
        let cache = ProbeCache(capacityBytes: .max)
        let sizes = fill(
            cache,
            entries: numbers[1],
            sizes: numbers[2]...numbers[3],
            renditions: 0...numbers[4],
            &random
        )
        let heldBytes = heapBytes() - before
        print(cache.count, cache.renditionCount, cache.usedBytes, heldBytes, heldBytes - sizes)
        withExtendedLifetime(cache) {}
    }

    private static func hits(entries: Int, count: Int) {
        var random = Choices(state: 1)
        let cache = ProbeCache(capacityBytes: .max)
        fill(cache, entries: entries, sizes: 64...64, &random)
        let keys = (0..<entries).map { ProbeKey(number: $0) }
        let options = ProbeOptions(name: "json", limit: 0)
        let start = processorNanoseconds()
        var found = 0
        for number in 0..<count where cache.hit(keys[number &* 7919 % entries], rendition: options) != nil {
            found += 1
        }
        let end = processorNanoseconds()
        print(found, count == 0 ? 0 : (end - start) / count)
    }

    private static func slices(entries: Int) {
        for name in ["evict", "partition", "soft", "index"] {
            var random = Choices(state: 1)
            let cache = ProbeCache(capacityBytes: .max)
            fill(cache, entries: entries, sizes: 64...2048, &random)
            var longest = 0
            let start = processorNanoseconds()
            switch name {
            case "evict":
                cache.limits.capacityBytes = 0
                while true {
                    let start = processorNanoseconds()
                    let isUnfinished = cache.evictSlice()
                    longest = max(longest, processorNanoseconds() - start)
                    if !isUnfinished { break }
                }
            case "partition": cache.purge(.partition("tenant-7"))
            case "soft": cache.purge(.partition("tenant-7"), isSoft: true)
            default: cache.purge(.index(ProbeKey(number: 1).index))
            }
            print(name, longest / 1000, (processorNanoseconds() - start) / 1000)
        }
    }

    /// Inserts entries and renditions.
    /// - Returns: the usable sizes of the contents, and the bytes of fields and keys.
    @discardableResult
    private static func fill(
        _ cache: ProbeCache,
        entries: Int,
        sizes: ClosedRange<Int>,
        renditions: ClosedRange<Int> = 0...1,
        _ random: inout Choices
    ) -> Int {
        var total = 0
        for number in 0..<entries {
            let key = ProbeKey(number: number)
            let fields = [UInt8](repeating: 0x61, count: Int.random(in: 100...400, using: &random))
            let content = Buffer(size(in: sizes, &random))
            let fieldBytes = fields.count + key.byteCount
            let charge = CacheCharge(
                CacheCost.responseBytes(contentBytes: [content.usableBytes], fieldBytes: fieldBytes),
                to: cache.account
            )
            cache.insert(
                StoredResponse(fields: fields, content: content),
                for: key,
                charge: charge,
                varyNames: ["accept"]
            )
            total += content.usableBytes + fieldBytes
            for number in 0..<Int.random(in: renditions, using: &random) {
                let rendition = Buffer(size(in: sizes, &random))
                let options = ProbeOptions(name: "json", limit: number)
                let charge = CacheCharge(
                    CacheCost.renditionBytes(contentBytes: [rendition.usableBytes]),
                    to: cache.account
                )
                cache.insert(ProbeRendition(rendition), options: options, below: key, charge: charge) { _ in true }
                total += rendition.usableBytes
            }
        }
        return total
    }

    /// Returns a size of which small ones are as frequent as large ones, on a logarithmic scale.
    private static func size(in sizes: ClosedRange<Int>, _ random: inout Choices) -> Int {
        let exponent = Double.random(
            in: log2(Double(sizes.lowerBound))...log2(Double(sizes.upperBound) + 1),
            using: &random
        )
        return min(max(Int(exp2(exponent)), sizes.lowerBound), sizes.upperBound)
    }

    private static func heapBytes() -> Int {
        let info = mallinfo2()
        return info.uordblks + info.hblkhd
    }

    private static func processorNanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

typealias ProbeCache = LRUCache<ProbeKey, StoredResponse, ProbeRendition>

extension LRUCache where Key == ProbeKey, Value == StoredResponse, Rendition == ProbeRendition {
    convenience init(capacityBytes: Int) {
        self.init(limits: CacheLimits(capacityBytes: capacityBytes, bytesAfterPurge: 0, maxEntryBytes: .max))
    }
}

struct ProbeOptions: Hashable {
    var name: String
    var limit: Int
}

/// A key with texts of the usual lengths.
struct ProbeKey: CacheEntryKey {
    struct Index: Hashable {
        var partition: String
        var url: String
    }

    struct Primary: Hashable {
        var index: Index
        var fields: String
    }

    typealias Options = ProbeOptions

    var primary: Primary
    var variant: String

    init(number: Int) {
        let index = Index(
            partition: "tenant-7",
            url: "https://images.example/2026/11/22/photographs/\(number).jpeg?v=3"
        )
        primary = Primary(index: index, fields: "x-client: web")
        variant = "image/webp"
    }

    var index: Index { primary.index }
    var partition: String { primary.index.partition }
    var byteCount: Int { index.url.utf8.count + primary.fields.utf8.count + variant.utf8.count }
}

/// Bytes that the C library allocated.
///
/// @unchecked Sendable: the bytes are not accessed.
final class Buffer: @unchecked Sendable {
    private let bytes: UnsafeMutableRawPointer?
    let count: Int

    init(_ count: Int) {
        bytes = malloc(count)
        self.count = count
    }

    deinit {
        free(bytes)
    }

    var usableBytes: Int { malloc_usable_size(bytes) }
}

final class StoredResponse: Sendable {
    let fields: [UInt8]
    let content: Buffer
    let status = 200
    let generation = (UInt64(1), UInt64(2))
    let times = (UInt64(1), UInt64(2), UInt64(3))
    /// What a response of the service has in addition.
    private let rest = InlineArray<39, UInt64>(repeating: 0)

    init(fields: [UInt8], content: Buffer) {
        self.fields = fields
        self.content = content
    }
}

/// A rendition of the size of the service's, with the serializer, but without the object `upstream`.
final class ProbeRendition: Sendable {
    let content: Buffer
    private let rest = InlineArray<74, UInt64>(repeating: 0)

    init(_ content: Buffer) {
        self.content = content
    }
}

/// Random numbers that a seed determines (SplitMix64).
struct Choices: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
