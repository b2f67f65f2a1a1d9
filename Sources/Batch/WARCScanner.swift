internal import Primitives

/// Finds the records in the bytes of a web archive, which arrive in pieces.
struct WARCScanner: Sendable {
    enum Event {
        /// Further bytes are needed.
        case more
        /// A block, which is in the bytes.
        case response(WARCRecord, block: Range<Int>)
        /// The block of a record that is not an item begins.
        case skipped(String)
        /// The block of a record begins that is rejected for the reason in the sentence.
        case rejected(String, id: String?)
        /// The block of a response begins that is longer than the maximum.
        case tooLong(id: String?)
        /// The bytes are not a record. The record before them may have the wrong length.
        case malformed(String)
        /// The head of a record does not show where the record ends.
        case malformedHead(String)
    }

    private enum Phase {
        /// Line ends before a record.
        case separator
        /// A head, in whose first `searched` bytes there is no empty line.
        case head(searched: Int)
        case block(WARCRecord, bytes: Int)
        /// The block of a record that is not needed.
        case unneeded(bytes: Int)
    }

    private let maxBlockBytes: Int
    private var phase = Phase.separator

    /// The offset of the head or of the block; that of the next byte between records.
    private(set) var index = 0

    /// The offset of the head of the last record; less than 0 if it has been removed.
    private(set) var recordStart = 0

    init(maxBlockBytes: Int) {
        self.maxBlockBytes = maxBlockBytes
    }

    /// Whether the bytes end with a whole record.
    var isBetweenRecords: Bool { if case .separator = phase { true } else { false } }

    /// The number of bytes up to the end of the block that is being read; 0 if it is not known.
    var neededBytes: Int {
        guard case .block(_, let bytes) = phase else { return 0 }
        let (end, overflow) = index.addingReportingOverflow(bytes)
        return overflow ? .max : end
    }

    /// The identifier of the response whose block is being read.
    var pendingID: String? { if case .block(let record, _) = phase { record.id } else { nil } }

    /// Notes that the first `count` bytes have been removed.
    mutating func remove(_ count: Int) {
        index -= count
        recordStart -= count
    }

    /// Continues at `index` with a record.
    mutating func restart(at index: Int) {
        phase = .separator
        self.index = index
    }

    /// Reads up to the next event.
    mutating func next(in input: InputBuffer) -> Event {
        let bytes = input.bytes.span
        while true {
            switch phase {
            case .separator:
                while index < bytes.count, bytes[index] == 0x0A || bytes[index] == 0x0D { index += 1 }
                guard index < bytes.count else { return .more }
                recordStart = index
                phase = .head(searched: 0)
            case .head(let searched):
                if let event = readHead(in: bytes, searched) { return event }
            case .block(let record, let count):
                guard bytes.count - index >= count else { return .more }
                defer { index += count }
                phase = .separator
                return .response(record, block: index..<index + count)
            case .unneeded(let count):
                let available = min(count, bytes.count - index)
                index += available
                guard available == count else {
                    phase = .unneeded(bytes: count - available)
                    return .more
                }
                phase = .separator
            }
        }
    }

    /// Reads the head at ``index``.
    /// - Returns: `nil` if a block follows that is an item.
    private mutating func readHead(in bytes: Span<UInt8>, _ searched: Int) -> Event? {
        for offset in 0..<min(WARCHead.beginning.count, bytes.count - index)
        where bytes[index + offset] != WARCHead.beginning[offset] {
            return .malformed("there is something other than a record of a web archive (WARC)")
        }
        var searched = searched
        guard let end = Self.endOfHead(in: bytes.extracting(droppingFirst: index), &searched) else {
            guard bytes.count - index <= WARCHead.maxBytes else { return Self.longHead }
            phase = .head(searched: searched)
            return .more
        }
        guard end <= WARCHead.maxBytes else { return Self.longHead }
        let head: WARCHead
        do throws(WARCHead.Fault) {
            head = try WARCHead(parsing: bytes.extracting(index..<index + end))
        } catch {
            return .malformedHead(error.sentence)
        }
        index += end
        phase = .unneeded(bytes: head.blockBytes)
        switch head.role {
        case .response(let record):
            guard head.blockBytes <= maxBlockBytes else { return .tooLong(id: head.id) }
            phase = .block(record, bytes: head.blockBytes)
            return nil
        case .skipped(let type): return .skipped(type)
        case .rejected(let sentence): return .rejected(sentence, id: head.id)
        }
    }

    private static var longHead: Event {
        .malformedHead("the head of a record is longer than \(WARCHead.maxBytes) bytes")
    }

    /// Returns the offset after the empty line that ends a head.
    /// - Parameter searched: the number of bytes that contain no empty line.
    private static func endOfHead(in bytes: Span<UInt8>, _ searched: inout Int) -> Int? {
        while let end = bytes.firstOffset(of: 0x0A, in: searched..<bytes.count) {
            if bytes.byte(end + 1) == 0x0A { return end + 2 }
            if bytes.byte(end + 1) == 0x0D, bytes.byte(end + 2) == 0x0A { return end + 3 }
            guard end + 2 < bytes.count else {
                searched = end
                return nil
            }
            searched = end + 1
        }
        searched = bytes.count
        return nil
    }
}
