internal import Glibc
internal import Platform

/// The layout of the memory that a worker shares with the service: request, content and answer, each at the start of a
/// page.
struct RegionLayout: Equatable, Sendable {
    /// The capacity for a request. A request of eight thumbnails takes a quarter of a KiB.
    static let requestBytes = 64 << 10

    let request: Range<Int>
    let content: Range<Int>
    let answer: Range<Int>

    /// Returns `nil` if the sum overflows.
    init?(contentBytes: Int, answerBytes: Int) {
        guard contentBytes >= 0, answerBytes >= 0, contentBytes < 1 << 40, answerBytes < 1 << 40 else { return nil }
        func rounded(_ count: Int) -> Int { (count + 4095) & ~4095 }
        request = 0..<Self.requestBytes
        content = request.upperBound..<request.upperBound + rounded(contentBytes)
        answer = content.upperBound..<content.upperBound + rounded(answerBytes)
    }

    var count: Int { answer.upperBound }
}

/// Memory that is mapped in this process and in another one. It is unmapped at the end of this value's lifetime.
///
/// The creator has sealed its size, so that no access can fault. The other process may change it at any time: a value
/// that is read twice may differ.
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

    deinit { unsafe munmap(start, layout.count) }

    /// Writes `bytes` to the start of `part`, which must be long enough.
    func write(_ bytes: Span<UInt8>, to part: Range<Int>) {
        precondition(bytes.count <= part.count && part.upperBound <= layout.count, "the bytes fit into the part")
        unsafe bytes.withUnsafeBytes { source in
            guard let address = source.baseAddress else { return }
            // Both are at least this long: see the precondition.
            unsafe memcpy(start + part.lowerBound, address, source.count)
        }
    }

    /// Returns a copy of the first `count` bytes of `part`, which must be at least that long.
    func copy(_ count: Int, of part: Range<Int>) -> [UInt8] {
        precondition(0...part.count ~= count && part.upperBound <= layout.count, "the part is that long")
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start + part.lowerBound, count: count))
    }

    /// Calls `body` with the first `count` bytes of `part`, which must be at least that long, while the other process
    /// does not change them.
    func withBytes<Result>(_ count: Int, of part: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
        precondition(0...part.count ~= count && part.upperBound <= layout.count, "the part is that long")
        // In bounds because of the precondition, and mapped as long as `self` exists.
        let bytes = unsafe UnsafeRawBufferPointer(start: start + part.lowerBound, count: count)
        return unsafe body(bytes.bindMemory(to: UInt8.self).span)
    }
}
