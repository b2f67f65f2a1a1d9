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
        /// The search for a record after one that has a fault. No record begins before ``index``.
        case search
    }

    /// The number of bytes at the end of a damaged record that are searched for the next one: its length may be too
    /// large.
    static let retainedBytes = 1 << 20

    private let maxBlockBytes: Int

    /// The offset of the end of the input; `nil` if it is not known.
    private var inputEnd: Int?
    private var phase = Phase.separator

    /// The offset of the head or of the block; that of the next byte between records.
    private(set) var index = 0

    /// The offset of the head of the last record; less than 0 if it has been removed.
    private(set) var recordStart = 0

    /// The offset of the line feed before the last block.
    private var headEnd = 0

    /// The number of line feeds after the last block.
    private var lineFeeds = 0

    init(maxBlockBytes: Int, inputEnd: Int? = nil) {
        self.maxBlockBytes = maxBlockBytes
        self.inputEnd = inputEnd
    }

    /// Whether the bytes end with a whole record.
    var isBetweenRecords: Bool { if case .separator = phase { true } else { false } }

    /// Whether the block of the last record that was reported has not ended.
    var isSkipping: Bool { if case .unneeded = phase { true } else { false } }

    var isSearching: Bool { if case .search = phase { true } else { false } }

    /// Whether the last record that was reported is followed by the two line ends of WARC 1.1 §4, or by a head.
    var isRecordEnded: Bool {
        switch phase {
        case .separator, .head: lineFeeds >= 2
        case .block: true
        case .unneeded, .search: false
        }
    }

    /// Returns the offset before which no byte is searched after a fault.
    /// - Parameter isLastHeld: whether the block before the bytes at ``index`` may be damaged.
    func searchedStart(isLastHeld: Bool) -> Int {
        switch phase {
        case .search: index
        case .separator, .head: isLastHeld ? max(headEnd, index - Self.retainedBytes) : index
        case .block, .unneeded: max(headEnd, index - Self.retainedBytes)
        }
    }

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
        headEnd -= count
        inputEnd = inputEnd.map { $0 - count }
    }

    /// Continues at `index` with a record.
    mutating func restart(at index: Int) {
        phase = .separator
        self.index = index
    }

    /// Searches for a record after a fault.
    /// - Parameter isLastHeld: whether the block before the bytes at ``index`` may be damaged.
    mutating func search(isLastHeld: Bool) {
        // No record begins at the byte that has the fault.
        if case .head = phase, !isLastHeld { index += 1 }
        index = searchedStart(isLastHeld: isLastHeld)
        phase = .search
    }

    /// Reads up to the next event.
    mutating func next(in input: InputBuffer) -> Event {
        let bytes = input.bytes.span
        while true {
            switch phase {
            case .separator:
                while index < bytes.count, bytes[index] == 0x0A || bytes[index] == 0x0D {
                    if bytes[index] == 0x0A { lineFeeds += 1 }
                    index += 1
                }
                guard index < bytes.count else { return .more }
                recordStart = index
                phase = .head(searched: 0)
            case .head(let searched):
                if let event = readHead(in: bytes, searched) { return event }
            case .block(let record, let count):
                if let event = cutOff(count, in: input) { return event }
                guard bytes.count - index >= count else { return .more }
                defer { index += count }
                phase = .separator
                return .response(record, block: index..<index + count)
            case .unneeded(let count):
                if let event = cutOff(count, in: input) { return event }
                let available = min(count, bytes.count - index)
                index += available
                guard available == count else {
                    phase = .unneeded(bytes: count - available)
                    return .more
                }
                phase = .separator
            case .search:
                guard findRecord(in: input) else { return .more }
                (recordStart, headEnd, lineFeeds) = (index, index, 0)
                phase = .head(searched: 0)
            }
        }
    }

    /// Returns the fault of a block of which `count` bytes are missing, and which does not end in the input.
    private mutating func cutOff(_ count: Int, in input: InputBuffer) -> Event? {
        // An input may have grown since its length was determined.
        let isKnown = inputEnd.map { index <= $0 && count > $0 - index } ?? false
        guard isKnown || input.isComplete && count > input.count - index else { return nil }
        // The bytes up to the end of the input may have been removed, except the last ones.
        if !isKnown { index = input.count }
        return .malformed("the input ends in a record")
    }

    /// Moves ``index`` to the next head without a fault.
    /// - Returns: `false` if further bytes are needed.
    private mutating func findRecord(in input: InputBuffer) -> Bool {
        let bytes = input.bytes.span
        while let candidate = bytes.firstOffset(of: WARCHead.beginning[0], in: index..<bytes.count) {
            index = candidate
            let rest = bytes.extracting(droppingFirst: candidate)
            var readBytes = 1
            if rest.extracting(first: WARCHead.beginning.count).isPrefix(of: WARCHead.beginning) {
                // Each candidate is read once.
                guard rest.count >= WARCHead.maxBytes || input.isComplete else { return false }
                if WARCHead.isHead(rest.extracting(first: WARCHead.maxBytes), &readBytes) { return true }
            }
            index += readBytes
        }
        index = bytes.count
        return false
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
        } catch { return .malformedHead(error.sentence) }
        index += end
        (headEnd, lineFeeds) = (index - 1, 0)
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

extension Span<UInt8> {
    /// Returns whether `text` begins with the bytes.
    fileprivate func isPrefix(of text: [UInt8]) -> Bool {
        for index in indices where index >= text.count || self[index] != text[index] { return false }
        return true
    }
}
