import Glibc
import Platform
import Testing

@Suite struct HeapTests {
    /// A mapped block is returned to the system as soon as it is freed, and consists of whole pages. Other blocks stay
    /// in the heap of their thread, where no account contains them.
    @Test(arguments: [(1 << 19, false), ((1 << 20) - 256, false), (1 << 20, true), (3 << 20, true)])
    func `blocks of at least 1 MiB are mapped`(bytes: Int, isMapped: Bool) {
        Heap.configure()
        // The first ones may be parts of blocks that were freed before. No page of them is used.
        let blocks = (0..<64).map { _ in malloc(bytes) }
        defer { for block in blocks { free(block) } }
        // The C library stores two words before a block.
        let blockBytes = Heap.usableBytes(of: blocks[63]) + 2 * MemoryLayout<Int>.size
        #expect((blockBytes % Int(getpagesize()) == 0) == isMapped)
    }
}
