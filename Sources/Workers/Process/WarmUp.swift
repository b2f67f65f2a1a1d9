internal import Glibc
internal import Serialization

/// Has a renderer do everything once before it may do nothing but compute, so that what it loads, asks or sets up lazily is there.
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
            // What comes of it does not matter: an image that cannot be decoded now is refused later too.
            _ = try? renderer.render(content.span, request)
        }
    }
    /// glibc's qsort(3), which libwebp uses, asks how much memory the machine has the first time that it sorts over 1 KiB
    /// (stdlib/msort.c of 2.36): a system call that the filter kills for. Images that small do not lead there.
    private static func sortMuch() {
        var numbers = [Int32](repeating: 0, count: 1_024)
        // As many elements as the array has, of their size.
        unsafe qsort(&numbers, numbers.count, MemoryLayout<Int32>.size) { left, right in
            guard let left = unsafe left, let right = unsafe right else { return 0 }
            return unsafe left.load(as: Int32.self) < right.load(as: Int32.self) ? -1 : 1
        }
    }
}
