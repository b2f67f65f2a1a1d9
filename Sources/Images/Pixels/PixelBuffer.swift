internal import Serialization

/// Memory for rows of pixels and weights, which the pixel kernels access without bounds checks.
@safe struct PixelBuffer<Element: BitwiseCopyable>: ~Copyable {
    let count: Int
    // Allocated for `count` elements here, freed in `deinit`, and borrowed from the owner of the buffer.
    let base: UnsafeMutablePointer<Element>

    init(count: Int, repeating element: Element) {
        self.count = count
        unsafe base = UnsafeMutablePointer.allocate(capacity: max(count, 1))
        unsafe base.initialize(repeating: element, count: max(count, 1))
    }

    deinit { unsafe base.deallocate() }
}
