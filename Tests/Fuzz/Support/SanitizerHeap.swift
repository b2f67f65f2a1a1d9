/// Counts the bytes of the heap with the hooks of AddressSanitizer, for the bounds of ``CostOracle``.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_: UnsafeMutablePointer<CInt>?, _: UnsafeMutableRawPointer?) -> CInt {
    _ = installHooks(
        { _, bytes in
            heapBytes += bytes
            heapPeakBytes = max(heapPeakBytes, heapBytes)
        },
        { memory in heapBytes -= allocatedSize(memory) }
    )
    CostOracle.heapPeak = { body in
        let before = heapBytes
        heapPeakBytes = before
        body()
        return heapPeakBytes - before
    }
    return 0
}

// Inputs are read by one thread.
nonisolated(unsafe) private var heapBytes = 0
nonisolated(unsafe) private var heapPeakBytes = 0

@_silgen_name("__sanitizer_install_malloc_and_free_hooks")
private func installHooks(
    _ allocate: @convention(c) (UnsafeRawPointer?, Int) -> Void,
    _ free: @convention(c) (UnsafeRawPointer?) -> Void
) -> CInt

@_silgen_name("__sanitizer_get_allocated_size")
private func allocatedSize(_ memory: UnsafeRawPointer?) -> Int
