internal import Glibc
internal import Serialization

/// Reads images before the sandbox is entered, so that everything that is loaded, queried or initialized lazily is
/// available.
enum WarmUp {
    static func run(_ reader: some ImageReader) {
        sortMuch()
        var options = SerializationOptions()
        options.decode = .full
        options.fingerprints = [.phash, .sha256]
        options.placeholders = Placeholders(rawValue: 0b1_1111)
        options.thumbnails = ThumbnailFormat.allCases.map { format in
            var thumbnail = ThumbnailRequest(width: 2, height: 2)
            thumbnail.format = format
            return thumbnail
        }
        let order = ImageOrder(.value, options, Limits())
        // The results do not matter: an image that cannot be read now will be rejected later, too.
        for content in WarmUpImages.all { _ = reader.read(content.span, [order]) }
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
