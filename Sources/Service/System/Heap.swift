internal import CMalloc

/// The C library's heap, which holds contents and answers.
///
/// Left alone it keeps what a burst of large requests took: the first free of a large block raises the size from which
/// blocks are mapped, up to 32 MiB, and every thread's heap then keeps up to twice that (mallopt(3)). Twelve requests of
/// 31 MB left a process of 100 to 130 MB behind; with both steps below it is back at about 20 MB, and requests of 1 MB cost a
/// tenth less, since their memory stays mapped while they come one after another.
///
/// Its fast bins go too. What is freed into them stays in pieces until a block of a kilobyte or more is asked for, which
/// every answer does; then all pieces are put together again. Without them a request takes 800 instructions less.
enum Heap {
    /// Blocks from 4 MiB on are mapped, and go back to the system when they are freed; the end of a heap does from 8 MiB on.
    static func configure() {
        _ = mallopt(M_MXFAST, 0)
        _ = mallopt(M_MMAP_THRESHOLD, 4 << 20)
        _ = mallopt(M_TRIM_THRESHOLD, 8 << 20)
    }

    /// For a process that decodes one image after another, and must be small in between.
    static func configureForWorker() {
        _ = mallopt(M_MMAP_THRESHOLD, 256 << 10)
        _ = mallopt(M_TRIM_THRESHOLD, 1 << 20)
    }

    /// Gives every free page back to the system.
    static func trim() {
        _ = malloc_trim(0)
    }
}
