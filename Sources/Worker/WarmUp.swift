internal import Glibc
internal import Images
internal import Serialization

/// Renders images before the sandbox is entered, so that everything that is loaded, queried or initialized lazily is
/// available.
enum WarmUp {
    static func run(_ renderer: some ImageRenderer) {
        sortMuch()
        for (format, content) in WarmUpImages.all {
            var request = RenderingRequest(format)
            request.decode = .full
            request.phash = true
            request.placeholders = Placeholders(rawValue: 0b1_1111)
            request.thumbnails = ThumbnailFormat.allCases.map { format in
                var thumbnail = ThumbnailRequest(width: 2, height: 2)
                thumbnail.format = format
                return thumbnail
            }
            // The result does not matter: an image that cannot be decoded now will be rejected later, too.
            _ = try? renderer.render(content.span, request)
        }
    }
    /// Sorts more than 1 KiB. At the first such call, glibc's qsort(3), which libwebp uses, queries the size of the
    /// machine's memory (stdlib/msort.c of 2.36) with a system call that the filter does not allow. The small images do
    /// not cause this.
    private static func sortMuch() {
        var numbers = [Int32](repeating: 0, count: 1_024)
        // The array has `numbers.count` elements of this size.
        unsafe qsort(&numbers, numbers.count, MemoryLayout<Int32>.size) { left, right in
            guard let left = unsafe left, let right = unsafe right else { return 0 }
            return unsafe left.load(as: Int32.self) < right.load(as: Int32.self) ? -1 : 1
        }
    }
}
