/// The memory that one owner of tables or text may use: what was reserved for it, and what was granted since.
///
/// Whatever grows with the content is taken before it is allocated. The owner of a budget fails if it may not take what
/// it needs; no owner uses memory of another one.
struct MemoryBudget: ~Copyable {
    private let grant: any MemoryGrant
    /// The bytes that were reserved and granted.
    private(set) var bytes: Int
    private var takenBytes = 0

    /// The memory of one owner of tables that the constant part of each reservation contains, in bytes.
    static let tableBytes = 64 << 10

    /// The minimum number of bytes that are requested at a time: a part of what is granted to an HTTP thread.
    private static let minBlockBytes = 8 << 10

    /// - Parameter bytes: The memory that was reserved for the owner, in bytes.
    init(_ grant: any MemoryGrant, reserved bytes: Int = Self.tableBytes) {
        self.grant = grant
        self.bytes = bytes
    }

    /// Takes `count` more bytes.
    /// - Returns: `false` if there is no memory. Nothing is taken then.
    @inline(never) mutating func take(_ count: Int) -> Bool {
        let (sum, overflow) = takenBytes.addingReportingOverflow(count)
        guard !overflow, sum <= bytes || grow(to: sum) else { return false }
        takenBytes = sum
        return true
    }

    /// Returns bytes that were taken and are no longer used.
    @inline(__always) mutating func release(_ count: Int) { takenBytes -= count }

    /// Requests memory so that there are at least `total` bytes, for an owner that knows what it uses altogether.
    /// - Returns: `false` if there is no memory.
    @inline(never) mutating func grow(to total: Int) -> Bool {
        guard total > bytes else { return true }
        // In blocks, so that not every step causes a request.
        let block = max(total - bytes, Self.minBlockBytes, bytes / 8)
        let (sum, overflow) = bytes.addingReportingOverflow(block)
        guard !overflow, grant.grow(by: block) else { return false }
        bytes = sum
        return true
    }

    /// Reserves capacity for `count` more elements. While an array grows, its former elements need memory too.
    /// - Returns: `false` if there is no memory.
    @inline(__always) mutating func reserve<Element>(_ array: inout [Element], _ count: Int) -> Bool {
        array.count + count <= array.capacity || grow(&array, array.count + count)
    }

    @inline(never) private mutating func grow<Element>(_ array: inout [Element], _ count: Int) -> Bool {
        let former = array.capacity * MemoryLayout<Element>.stride
        let capacity = max(count, 2 * array.capacity, 64)
        guard take(capacity * MemoryLayout<Element>.stride) else { return false }
        array.reserveCapacity(capacity)
        release(former)
        return true
    }
}

/// The memory that is reserved before content is decoded, in addition to the content: for its value, for what libraries
/// allocate, which cannot take memory from a budget, and for the tables of typical content.
///
/// The numbers were found by a search over generated documents, and the tests check them (`docs/memory.md`).
struct Reservation: Equatable {
    /// The bytes per byte of content. If this is not 0, one of them is for the value.
    var perByte: Double

    /// The bytes for each content, for small tables, partly used pages and, in XML, the tables of distinct names, whose
    /// number is limited.
    var constantBytes: Int

    /// Returns the reservation for content of `contentBytes` bytes, in bytes.
    func bytes(forContentBytes contentBytes: Int) -> Int {
        // Short contents do not fill the tables.
        let tableBytes = min(constantBytes, max(min(contentBytes, constantBytes), 32 << 10) * 32)
        let bytes = perByte * Double(contentBytes) + Double(tableBytes)
        return Int(exactly: bytes.rounded(.up)) ?? .max
    }

    /// Returns what is reserved in addition to the value for a text that is `bytes` bytes longer than the content.
    func bytes(forLongerTextBy bytes: Int) -> Int { Int(Double(max(0, bytes)) * (perByte - 1)) }

    /// Returns the usual length of the response to content of `contentBytes` bytes, which needs no grant, in bytes.
    func responseBytes(forContentBytes contentBytes: Int) -> Int {
        perByte == 0 ? constantBytes : contentBytes + Self.frameBytes
    }

    /// The usual length of the envelope of an answer without warnings, in bytes.
    private static let frameBytes = 512
}

extension MemoryGrant {
    /// Requests memory for a UTF-8 copy of the content, and for what is reserved in addition to the value, because the
    /// copy is longer than the content.
    /// - Parameters:
    ///   - maxTextBytes: The maximum length of the copy, in bytes.
    ///   - row: The serializer that reads the copy.
    func grants(text maxTextBytes: Int, of content: Span<UInt8>, _ row: any ContentSerializer.Type) -> Bool {
        grow(by: maxTextBytes + row.reservation.bytes(forLongerTextBy: maxTextBytes - content.count))
    }
}
