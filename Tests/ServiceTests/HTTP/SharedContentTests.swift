import Primitives
import Testing

@testable import Fetching
@testable import HTTP
@testable import Service

extension SharedContent {
    /// The bytes, in order.
    var bytes: [UInt8] {
        var all: [UInt8] = []
        forEachPart { part in all += part.indices.map { part[$0] } }
        return all
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

@Suite struct SharedContentTests {
    @Test func `parts, replacements and joined contents have the bytes of a model`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var model = (0..<Int.random(in: 0...40, using: &random)).map { UInt8($0) }
            var content = SharedContent(model)
            for step in 0..<6 {
                let lower = Int.random(in: 0...model.count, using: &random)
                let range = lower..<Int.random(in: lower...model.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0:
                    let new = [UInt8](repeating: UInt8(100 + step), count: Int.random(in: 0...5, using: &random))
                    content = content.replacing(range, with: SharedBytes(new))
                    model.replaceSubrange(range, with: new)
                    #expect(content.ownBytes == new.count)
                case 1:
                    content = content.extracting(range)
                    model = Array(model[range])
                    #expect(content.ownBytes == model.count)
                default:
                    content = .joining([content, SharedContent([UInt8(200)])])
                    model.append(200)
                }
                #expect(content.bytes == model && content.count == model.count)
            }
            #expect(content.digest == SHA256.digest(of: model.span))
        }
    }

    @Test func `what a replacement shares is not copied`() {
        let large = SharedContent([UInt8](repeating: 1, count: 1 << 20))
        let replaced = large.replacing(10..<20, with: SharedBytes([2]))
        var addresses: [[UInt]] = []
        for content in [large, replaced] {
            var parts: [UInt] = []
            content.forEachPart { part in
                part.withUnsafeBufferPointer { parts.append(UInt(bitPattern: $0.baseAddress)) }
            }
            addresses.append(parts)
        }
        #expect(addresses[1].count == 3 && addresses[1][0] == addresses[0][0])
        #expect(addresses[1][2] == addresses[0][0] + 20)
        #expect(replaced.ownBytes == 1)
    }

    @Test func `the charge of a content remains until its replacements are released, or have a charge of their own`() {
        let account = CacheAccount()
        func charge(_ bytes: Int) -> CacheCharge {
            let charge = CacheCharge(bytes, to: account)
            charge.count()
            return charge
        }
        var original: SharedContent? = SharedContent([UInt8](repeating: 1, count: 1_000))
        original?.attach(charge(1_000))
        var first = original?.replacing(0..<10, with: SharedBytes([2]))
        let second = first?.replacing(0..<1, with: SharedBytes([3]))
        #expect(first?.count == 991)
        original = nil
        first = nil
        #expect(account.usedBytes == 1_000)
        second?.attach(charge(300))
        #expect(account.usedBytes == 300 && second?.bytes.prefix(2) == [3, 1])
    }

    @Test func `content of several parts is compressed once, and paid for`() throws {
        let account = CacheAccount()
        let whole = SharedContent([UInt8](repeating: 1, count: 100_000))
        let parts = whole.replacing(50_000..<50_001, with: SharedBytes([1]))
        let charge = CacheCharge(0, to: account)
        parts.attach(charge)
        #expect(!parts.has(compressed: true, digest: false))
        #expect(parts.compressed(unreservedUpTo: 99_999) == nil)
        let compressed = try #require(parts.compressed(unreservedUpTo: 100_000))
        #expect(parts.compressed(unreservedUpTo: 100_000) === compressed)
        #expect(parts.has(compressed: true, digest: false))
        let expected = try #require(whole.compressed(unreservedUpTo: 100_000))
        #expect(compressed.bytes == expected.bytes && charge.bytes == compressed.heapBytes)
        #expect(!parts.has(compressed: true, digest: true))
        _ = compressed.digest
        #expect(parts.has(compressed: true, digest: true))
    }

    @Test func `a compressed form is paid for by the requests until a cache does, and while it is used`() throws {
        let account = MemoryAccount(maxBytes: 1 << 20)
        let cache = CacheAccount()
        var content: SharedContent? = SharedContent([UInt8](repeating: 1, count: 100_000))
        var compressed = content?.compressed(account)
        let count = try #require(compressed?.count)
        #expect(account.usedBytes == count)
        #expect(content?.compressed(account) === compressed && account.usedBytes == count)
        let charge = CacheCharge(100_000, to: cache)
        charge.count()
        content?.attach(charge)
        #expect(account.usedBytes == 0)
        content = nil
        #expect(cache.usedBytes == charge.bytes && charge.bytes > 100_000)
        var released: CacheCharge? = CacheCharge(10, to: cache)
        released?.count()
        content = SharedContent([UInt8](repeating: 2, count: 100_000))
        content?.attach(try #require(released))
        compressed = content?.compressed(account)
        content = nil
        let charged = cache.usedBytes
        released = nil
        #expect(account.usedBytes == 0 && cache.usedBytes == charged)
        compressed = nil
        #expect(cache.usedBytes == charge.bytes)
    }

    @Test func `without memory, nothing is compressed`() {
        let account = MemoryAccount(maxBytes: 300_000)
        let content = SharedContent([UInt8](repeating: 1, count: 100_000))
        #expect(content.replacing(1..<2, with: SharedBytes([1])).compressed(account) == nil)
        #expect(account.usedBytes == 0 && content.compressed(MemoryAccount(maxBytes: 400_000)) != nil)
    }
}
