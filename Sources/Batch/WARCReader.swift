internal import Primitives

/// Reads the responses in a web archive (WARC 1.0 and 1.1, and the drafts 0.17 and 0.18), plain or as members of gzip.
///
/// A `response` record with an `http:` or `https:` target is an item. Every other record is skipped, and counted by its
/// type: a later segment as `continuation`, and a response with another target as `response` and the scheme of the
/// target. A response whose block has another type than `application/http` is rejected.
///
/// A fault costs the record in which it is, which is rejected, if another one can be found. Otherwise it ends the
/// input. So do members of gzip before the first record that contain something else, together, if the input is known
/// to be a web archive. Another record is searched for:
///
/// - in members of gzip, at the next member. The offset of an item is that of its member. An item is passed on when its
///   member has been verified, or when another record follows in it.
/// - in plain records, at the next complete head, in the last MiB of the damaged record and after it; in all of it if
///   it is longer than the rest of an input of known length. Therefore the search may find a record of an archive that
///   is the content of the damaged one. An item is passed on when two line ends, another record or the end of the input
///   follow it, and is not searched.
package struct WARCReader: BatchReader {
    private var records: InputBuffer
    private let limits: BatchLimits
    private var scanner: WARCScanner
    private var types = WARCTypes()

    /// The members of gzip from which the records come; `nil` for plain records.
    private var members: GzipMembers?
    private var isOpen = false
    /// Whether a record has been read or rejected, so that the input is a web archive.
    private var hasRecord = false

    private let evidence: WARCEvidence

    /// The item of the members before the first record that contain something else.
    private var otherContent: BatchItem?

    /// The last record, if its end has not been verified. During a search, the one that was rejected.
    private var held: Held?

    private enum Held {
        case item(BatchItem)
        /// A record that is not an item, by its type.
        case skipped(String, byte: Int)

        /// The offset of the record in the file.
        var byte: Int {
            switch self {
            case .item(let item): item.byte
            case .skipped(_, let byte): byte
            }
        }

        /// The block of a response.
        var block: Range<Int>? { if case .item(let item) = self, case .message = item.form { item.range } else { nil } }

        /// The identifier of the record.
        var id: String? {
            guard case .item(let item) = self else { return nil }
            return switch item.form {
            case .message(let record): record.id
            case .rejected(_, id: .text(let id)): id
            case .rejected, .envelope, .entry, .frame: nil
            }
        }
    }

    /// The last fault of plain records. It ends the input if the search does not find another record.
    private var fault: BatchFault?

    /// The error that ended the input.
    private var error: BatchInputError?

    package init(limits: BatchLimits) { self.init(InputBuffer(), .content, limits: limits) }

    init(_ input: InputBuffer, _ evidence: WARCEvidence, limits: BatchLimits) {
        records = input
        self.evidence = evidence
        self.limits = limits
        scanner = WARCScanner(maxBlockBytes: limits.maxItemBytes)
    }

    package mutating func next<Source: ByteSource & ~Copyable>(
        from source: inout Source
    ) throws(BatchInputError) -> BatchBlock? {
        if !isOpen { try open(from: &source) }
        var items: [BatchItem] = []
        while error == nil {
            do throws(BatchInputError) {
                if try readRecord(into: &items) { continue }
                if items.isEmpty { dropUnneededBytes() }
                guard try readBytes(from: &source, into: &items) else { break }
            } catch {
                // The items before it are valid.
                self.error = error
            }
        }
        guard items.isEmpty, types.counts.isEmpty else {
            return BatchBlock(bytes: takeUnneededBytes(), items: items, skipped: types.takeCounts())
        }
        if let error { throw error }
        return nil
    }

    /// Reads the first bytes, which show whether the records are compressed.
    private mutating func open<Source: ByteSource & ~Copyable>(from source: inout Source) throws(BatchInputError) {
        while records.count < GzipMembers.beginning.count, try records.read(from: &source) {}
        isOpen = true
        guard evidence.isGzip(records.bytes) else {
            let inputEnd = source.inputBytes.map { $0 - records.start }
            scanner = WARCScanner(maxBlockBytes: limits.maxItemBytes, inputEnd: inputEnd)
            return
        }
        members = GzipMembers(records)
        records = InputBuffer()
    }

    // MARK: Records

    /// The offset of the record in the file, or that of its member.
    private var byte: Int { members?.start ?? records.start + scanner.recordStart }

    /// Reads the next record.
    /// - Returns: whether there was one in the buffer.
    private mutating func readRecord(into items: inout [BatchItem]) throws(BatchInputError) -> Bool {
        let event = scanner.next(in: records)
        switch event {
        case .more:
            if members == nil, scanner.isRecordEnded { passOn(&items) }
            return false
        case .malformed(let sentence):
            guard hasRecord || members == nil else {
                try skipOtherContent(sentence)
                return true
            }
            if members == nil, scanner.isRecordEnded { passOn(&items) }
            // The record before it may have the wrong length.
            try rejectRest(sentence, into: &items)
            return true
        case .response, .skipped, .rejected, .tooLong, .malformedHead: passOn(&items)
        }
        noteRecord(&items)
        switch event {
        case .more, .malformed: break
        case .response(let record, let block):
            held = .item(BatchItem(byte: byte, range: block, form: .message(record)))
            if items.isEmpty { dropUnneededBytes() }
        case .skipped(let type): held = .skipped(type, byte: byte)
        case .rejected(let sentence, let id): held = .item(rejected(.malformed(BatchFault(sentence, at: byte)), id: id))
        case .tooLong(let id): held = .item(rejected(.tooLong(maxBytes: limits.maxItemBytes), id: id))
        case .malformedHead(let sentence): try rejectRest(sentence, into: &items)
        }
        return true
    }

    private static let notWebArchive = BatchInputError.unsupported(
        "gzip is supported only for web archives (WARC): decompress other content first, for example with `gzip -dc`"
    )

    /// Skips a member before the first record that contains something else.
    private mutating func skipOtherContent(_ sentence: String) throws(BatchInputError) {
        guard evidence != .content else { throw Self.notWebArchive }
        otherContent = otherContent ?? rejected(.malformed(BatchFault(sentence, at: byte)), id: nil)
        members?.isSkipped = true
        scanner.restart(at: records.count)
    }

    /// Notes that the input is a web archive, and passes on what precedes its first record.
    private mutating func noteRecord(_ items: inout [BatchItem]) {
        hasRecord = true
        guard let item = otherContent else { return }
        items.append(item)
        otherContent = nil
    }

    /// Passes the last record on.
    private mutating func passOn(_ items: inout [BatchItem]) {
        switch held {
        case .item(let item): items.append(item)
        case .skipped(let type, _): types.count(type)
        case nil: break
        }
        held = nil
    }

    /// - Parameter start: the offset of the item in the file.
    private func rejected(_ error: BatchItemError, id: String?, at start: Int? = nil) -> BatchItem {
        BatchItem(byte: start ?? byte, range: 0..<0, form: .rejected(error, id: id.map { .text($0) }))
    }

    /// Rejects the last record, or the one that is being read, and all bytes up to the next one.
    private mutating func rejectRest(_ sentence: String, into items: inout [BatchItem]) throws(BatchInputError) {
        let fault = BatchFault(sentence, at: byte)
        let item = rejected(.malformed(fault), id: held?.id ?? scanner.pendingID, at: held?.byte)
        noteRecord(&items)
        guard let members else {
            scanner.search(isLastHeld: held != nil)
            self.fault = fault
            held = .item(item)
            return
        }
        members.isSkipped = true
        items.append(item)
        held = nil
        scanner.restart(at: records.count)
    }

    // MARK: Bytes

    /// Adds further bytes to the buffer.
    /// - Returns: whether the reading continues. It waits only if there are no items.
    private mutating func readBytes<Source: ByteSource & ~Copyable>(
        from source: inout Source,
        into items: inout [BatchItem]
    ) throws(BatchInputError) -> Bool {
        guard let members else {
            guard records.isComplete else {
                guard items.isEmpty else { return false }
                // The scanner takes note of the end of the input.
                _ = try records.read(from: &source, expected: scanner.neededBytes)
                return true
            }
            if let fault, scanner.isSearching { throw .malformed(fault) }
            passOn(&items)
            guard scanner.isBetweenRecords else { throw .malformed(BatchFault("the input ends in a record", at: byte)) }
            return false
        }
        guard items.isEmpty || records.count < limits.blockBytes else { return false }
        switch try members.next(into: &records, from: &source, mayWait: items.isEmpty) {
        case .bytes: return true
        case .wait: return false
        case .end:
            guard otherContent == nil else { throw Self.notWebArchive }
            return false
        case .memberEnd:
            if !scanner.isSkipping { passOn(&items) }
            if !scanner.isBetweenRecords { try rejectRest("a member of gzip ends in a record", into: &items) }
        case .damaged(let sentence):
            if !members.isSkipped { try rejectRest(sentence, into: &items) }
        }
        return true
    }

    /// The number of bytes that belong to no item that is not passed on, and are not searched after a fault.
    private var unneededBytes: Int {
        guard members == nil else { return held?.block?.lowerBound ?? scanner.index }
        return min(scanner.searchedStart(isLastHeld: held != nil), held?.block?.lowerBound ?? .max)
    }

    private mutating func dropUnneededBytes() {
        let count = unneededBytes
        // Each removal moves the bytes that remain, at most as many as it removes.
        guard count >= max(InputBuffer.readBytes, records.count / 2) || count == records.count else { return }
        records.drop(count)
        noteRemoval(of: count)
    }

    private mutating func takeUnneededBytes() -> [UInt8] {
        let count = unneededBytes
        defer { noteRemoval(of: count) }
        return records.take(count)
    }

    private mutating func noteRemoval(of count: Int) {
        scanner.remove(count)
        guard case .item(var item) = held, let block = held?.block else { return }
        item.range = block.lowerBound - count..<block.upperBound - count
        held = .item(item)
    }
}
