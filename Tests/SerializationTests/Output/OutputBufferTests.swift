import CMalloc
import Glibc
import Serialization
import Testing

@Suite struct OutputBufferTests {
    /// A value of which 31 of 32 MiB were rolled back, as a member that a later one replaced, occupied all of them
    /// until its client had read the rest.
    @Test(arguments: [(capacity: 32 << 20, count: 1 << 20), (1 << 20, 10), (1 << 20, 0)])
    func `returns unused memory before the buffer is handed over`(capacity: Int, count: Int) {
        var buffer = OutputBuffer(capacity: capacity)
        for index in 0..<capacity { buffer.append(UInt8(truncatingIfNeeded: index)) }
        buffer.truncate(to: count)
        let storage = buffer.take()
        #expect(malloc_usable_size(storage.baseAddress) <= count + (64 << 10))
        #expect(storage.count == count)
        #expect(storage.indices.allSatisfy { storage[$0] == UInt8(truncatingIfNeeded: $0) })
        free(storage.baseAddress)
    }

    @Test(arguments: [(4096, 0), (4096, 3000), (1 << 20, 600_000), (4096, 3700), (100, 40), (100, 36), (100, 35)])
    func `gives back what it does not need on request`(capacity: Int, count: Int) {
        var buffer = OutputBuffer(capacity: capacity)
        for index in 0..<count { buffer.append(UInt8(truncatingIfNeeded: index)) }
        buffer.shrink()
        #expect(buffer.capacity <= max(count + 64, 1))
        buffer.append(contentsOf: repeatElement(9, count: 5000))
        let storage = buffer.take()
        #expect(storage.count == count + 5000)
        #expect(storage.indices.allSatisfy { storage[$0] == ($0 < count ? UInt8(truncatingIfNeeded: $0) : 9) })
        free(storage.baseAddress)
    }

    @Test(arguments: [(capacity: 64 << 10, count: 1), (1 << 20, 600_000)])
    func `hands over short or mostly used storage unchanged`(capacity: Int, count: Int) {
        var buffer = OutputBuffer(capacity: capacity)
        buffer.append(contentsOf: repeatElement(7, count: count))
        let base = buffer.withBytes { bytes in bytes.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) } }
        let storage = buffer.take()
        #expect(UnsafeRawPointer(storage.baseAddress) == base)
        #expect(storage.count == count && storage.allSatisfy { $0 == 7 })
        free(storage.baseAddress)
    }
}
