internal import Batch
internal import HTTP
internal import Platform
internal import Serialization
internal import Synchronization
internal import Workers

/// The work of one thread of a batch: it normalizes the items of blocks, and writes their results.
struct BatchJob {
    private let normalizer: BatchNormalizer
    private let window: BatchWindow
    private let format: BatchOutputFormat
    /// The time after which finished results are written although their block is not; `nil` for results that wait for
    /// their turn.
    private let maxDelay: UInt64?

    /// - Parameters:
    ///   - isOrdered: whether the output has the order of the input.
    init(_ normalizer: BatchNormalizer, _ window: BatchWindow, _ format: BatchOutputFormat, isOrdered: Bool) {
        self.normalizer = normalizer
        self.window = window
        self.format = format
        maxDelay = isOrdered ? nil : 1_000_000
    }

    /// The length after which a piece of output ends, in bytes.
    private static let pieceBytes = 256 << 10

    /// Processes blocks until there are no more.
    func run() { while let work = window.next() { process(work) } }

    private func process(_ work: BatchWindow.Work) {
        let items = work.block.items
        var piece = OutputBuffer(capacity: min(work.block.bytes.count, Self.pieceBytes) + 4_096)
        var counts = BatchCounts()
        var start = maxDelay.map { _ in MonotonicTime.now }
        for (offset, item) in items.enumerated() {
            let isFailed = append(item, of: work, index: work.firstIndex + offset, to: &piece)
            counts += BatchCounts(items: 1, failed: isFailed ? 1 : 0)
            guard offset + 1 < items.count else { break }
            var isDue = piece.count >= Self.pieceBytes
            if let maxDelay, let begin = start {
                let now = MonotonicTime.now
                if now.nanoseconds(since: begin) >= maxDelay { (isDue, start) = (true, now) }
            }
            guard isDue else { continue }
            window.put(SharedBytes(piece), counts, of: work, isLast: false)
            piece = OutputBuffer(capacity: Self.pieceBytes)
            counts = BatchCounts()
        }
        window.put(SharedBytes(piece), counts, of: work, isLast: true)
    }

    /// Appends the result or the problem of one item.
    /// - Returns: whether the item was rejected.
    private func append(_ item: BatchItem, of work: BatchWindow.Work, index: Int, to piece: inout OutputBuffer) -> Bool
    {
        let bytes = work.block.bytes.span
        let requestID = work.file.requestID(at: item.byte)
        let result = normalizer.result(of: item, in: bytes, requestID)
        switch format {
        case .lines:
            piece.append("{\"index\":")
            piece.append(decimal: index)
            if let id = result.id {
                piece.append(",\"id\":")
                switch id {
                case .json(let range): piece.append(bytes.extracting(range))
                case .text(let text): piece.append(text.span)
                }
            }
            work.file.member.withBytes { piece.append($0) }
            piece.append(",\"byte\":")
            piece.append(decimal: item.byte)
            piece.append(result.isFailed ? ",\"problem\":" : ",\"result\":")
            result.appendJSON(to: &piece)
            piece.append("}\n")
        case .frames:
            let code = result.code?.rawValue ?? ""
            piece.append(littleEndian: UInt32(8 + 1 + 1 + code.utf8.count + result.jsonBytes))
            piece.append(littleEndian: item.frameID)
            piece.append(result.isFailed ? 1 : 0)
            piece.append(UInt8(code.utf8.count))
            piece.append(code.utf8.span)
            result.appendJSON(to: &piece)
        }
        return result.isFailed
    }
}

enum BatchOutputFormat: Sendable {
    /// NDJSON: a line for each item.
    case lines
    /// A frame for each item. Numbers are little-endian:
    ///
    ///     u32 length of the rest
    ///     u64 id of the item
    ///     u8  kind               0: a result, 1: a problem
    ///     u8  length of the code
    ///     the code               of the problem, in ASCII; empty for a result
    ///     JSON                   the rest of the frame, in UTF-8
    case frames
}

extension BatchItem {
    /// The identifier of a frame; 0 for an item of another form, which does not occur among frames.
    fileprivate var frameID: UInt64 {
        switch form {
        case .frame(let frame): frame.id
        case .rejected(_, id: .number(let id)): id
        case .rejected, .envelope, .entry, .message: 0
        }
    }
}

extension OutputBuffer {
    /// Appends a number, which must not be negative, in decimal digits.
    fileprivate mutating func append(decimal number: Int) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var rest = number
        var start = digits.count
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        append(digits.span.extracting(start...))
    }

    fileprivate mutating func append(littleEndian number: some FixedWidthInteger) {
        for shift in stride(from: 0, to: number.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}
