internal import Glibc
internal import Platform

/// How the memory that a worker shares with the service is divided: request, content, answer, each at a page's start.
struct RegionLayout: Equatable, Sendable {
    /// A request of eight thumbnails takes a quarter of a KiB.
    static let requestBytes = 64 << 10

    let request: Range<Int>
    let content: Range<Int>
    let answer: Range<Int>

    /// Nil where the sum is too large to be a size.
    init?(contentBytes: Int, answerBytes: Int) {
        guard contentBytes >= 0, answerBytes >= 0, contentBytes < 1 << 40, answerBytes < 1 << 40 else { return nil }
        func rounded(_ count: Int) -> Int { (count + 4095) & ~4095 }
        request = 0..<Self.requestBytes
        content = request.upperBound..<request.upperBound + rounded(contentBytes)
        answer = content.upperBound..<content.upperBound + rounded(answerBytes)
    }

    var count: Int { answer.upperBound }
}

/// Memory that is mapped here and in another process, unmapped when it goes.
///
/// Whoever made it has sealed its size, so no access can miss. The other side may change it at any time: what was read once
/// must not be read again and expected to be the same.
@safe struct SharedRegion: ~Copyable {
    let layout: RegionLayout
    private let start: UnsafeMutableRawPointer

    init(mapping descriptor: Int32, layout: RegionLayout) throws(SystemError) {
        var status = stat()
        // The call writes one `stat`, which outlives it.
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError("read the size of shared memory") }
        guard Int(status.st_size) == layout.count else { throw SystemError("map shared memory", code: EINVAL) }
        let start = unsafe mmap(nil, layout.count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else { throw SystemError("map shared memory") }
        unsafe self.start = start
        self.layout = layout
    }

    deinit {
        unsafe munmap(start, layout.count)
    }

    /// Writes `bytes` to the start of `part`, which must be long enough.
    func write(_ bytes: Span<UInt8>, to part: Range<Int>) {
        precondition(bytes.count <= part.count && part.upperBound <= layout.count, "the part has room")
        unsafe bytes.withUnsafeBytes { source in
            guard let address = source.baseAddress else { return }
            // Both are that long by the line above.
            unsafe memcpy(start + part.lowerBound, address, source.count)
        }
    }

    /// A copy of the first `count` bytes of `part`, which must be that long.
    func copy(_ count: Int, of part: Range<Int>) -> [UInt8] {
        precondition(0...part.count ~= count && part.upperBound <= layout.count, "the part is that long")
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start + part.lowerBound, count: count))
    }

    /// Lends the first `count` bytes of `part`, which must be that long, where the other side does not touch them.
    func withBytes<Result>(_ count: Int, of part: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
        precondition(0...part.count ~= count && part.upperBound <= layout.count, "the part is that long")
        // In bounds by the line above, and mapped as long as `self` lives.
        let bytes = unsafe UnsafeRawBufferPointer(start: start + part.lowerBound, count: count)
        return unsafe body(bytes.bindMemory(to: UInt8.self).span)
    }
}
