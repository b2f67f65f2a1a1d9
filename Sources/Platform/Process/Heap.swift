internal import CMalloc

/// The configuration of the heap of the C library, which contains the contents of requests and responses.
///
/// By default, the heap keeps the memory of a burst of large requests. When the first large block is freed, the
/// threshold for mapped blocks rises to up to 32 MiB, and the heap of each thread then keeps up to twice that
/// (mallopt(3)). The two thresholds below prevent this (decision 8).
///
/// The fast bins are disabled as well. Blocks that are freed into them are merged only when a block of at least one
/// kilobyte is allocated, which every response does; then all of them are merged.
package enum Heap {
    /// Configures the heap of the service. Blocks of at least 1 MiB are mapped, and returned to the system when they
    /// are freed. The top of a heap is returned to the system if at least 8 MiB of it are free.
    ///
    /// What is freed below this size stays in the heaps of the threads until the next ``trim()``, and nothing accounts
    /// for it.
    package static func configure() {
        _ = mallopt(M_MXFAST, 0)
        _ = mallopt(M_MMAP_THRESHOLD, 1 << 20)
        _ = mallopt(M_TRIM_THRESHOLD, 8 << 20)
    }

    /// Configures the heap of a worker process, which decodes one image at a time and must use little memory between
    /// images.
    package static func configureForWorker() {
        _ = mallopt(M_MMAP_THRESHOLD, 256 << 10)
        _ = mallopt(M_TRIM_THRESHOLD, 1 << 20)
    }

    /// Configures the heap of the process that fetches, which has one thread and a limited address space.
    package static func configureForFetcher() {
        _ = mallopt(M_ARENA_MAX, 1)
        configureForWorker()
    }

    /// Returns the size of a block of the heap, which is at least the size that was requested, in bytes.
    package static func usableBytes(of block: UnsafeMutableRawPointer?) -> Int { unsafe malloc_usable_size(block) }

    /// Returns all free pages to the system.
    package static func trim() { _ = malloc_trim(0) }
}
