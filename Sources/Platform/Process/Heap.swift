internal import CMalloc

/// The heap of the C library, which contains request and response contents.
///
/// With its defaults, the heap keeps the memory of a burst of large requests: freeing the first large block raises the
/// threshold from which blocks are mapped, up to 32 MiB, and the heap of each thread then keeps up to twice that
/// (mallopt(3)). Twelve requests of 31 MB left a process of 100 to 130 MB. With both steps below it returns to about
/// 20 MB, and requests of 1 MB cost a tenth less, because their memory stays mapped between consecutive requests.
///
/// The fast bins are disabled too. Blocks that are freed into them are not merged until a block of at least one kilobyte is
/// allocated, which every response does; then all of them are merged. Without the fast bins a request takes 800
/// instructions less.
package enum Heap {
    /// Configures the heap of the service: blocks of at least 4 MiB are mapped, and return to the system when they are freed; the
    /// top of a heap returns to the system if at least 8 MiB of it are free.
    package static func configure() {
        _ = mallopt(M_MXFAST, 0)
        _ = mallopt(M_MMAP_THRESHOLD, 4 << 20)
        _ = mallopt(M_TRIM_THRESHOLD, 8 << 20)
    }

    /// Configures the heap of a process that decodes one image at a time and must be small between images.
    package static func configureForWorker() {
        _ = mallopt(M_MMAP_THRESHOLD, 256 << 10)
        _ = mallopt(M_TRIM_THRESHOLD, 1 << 20)
    }

    /// Returns all free pages to the system.
    package static func trim() {
        _ = malloc_trim(0)
    }
}
