internal import Primitives
internal import Serialization

/// Reads lines of NDJSON: one item per line, which ends with LF, CR LF or the end of the input.
///
/// Lines of white space are skipped, and so is a byte order mark at the beginning. The search for the end of a line
/// continues where the last one ended, so that its cost does not depend on the sizes of the reads.
package struct LineReader: BatchReader {
    private var input: InputBuffer
    private let limits: BatchLimits

    /// The number of bytes at the beginning of the buffer that contain no LF.
    private var searched = 0

    /// Whether the bytes up to the next LF belong to an item that has been rejected.
    private var isSkipping = false

    package init(limits: BatchLimits) { self.init(InputBuffer(), limits: limits) }

    init(_ input: InputBuffer, limits: BatchLimits) {
        self.input = input
        self.limits = limits
    }

    package mutating func next<Source: ByteSource & ~Copyable>(
        from source: inout Source
    ) throws(BatchInputError) -> BatchBlock? {
        while true {
            if isSkipping { skipLine() }
            if !isSkipping, let block = nextBlock() { return block }
            guard try input.read(from: &source) || input.count > 0 else { return nil }
        }
    }

    /// Returns the lines in the buffer; `nil` if there is none.
    private mutating func nextBlock() -> BatchBlock? {
        var items: [BatchItem] = []
        var itemBytes = 0
        var start = 0
        while itemBytes < limits.blockBytes, let end = endOfLine(from: start) {
            if let item = item(start, end) {
                items.append(item)
                itemBytes += item.range.count
            }
            start = min(end + 1, input.count)
            searched = start
        }
        searched -= start
        guard items.isEmpty else { return BatchBlock(bytes: input.take(start), items: items) }
        input.drop(start)
        return rejectedBlock()
    }

    /// Returns the offset of the LF that ends the line at `start`, or the end of the input.
    private mutating func endOfLine(from start: Int) -> Int? {
        if let end = input.bytes.span.firstOffset(of: 0x0A, in: searched..<input.count) { return end }
        searched = input.count
        return input.isComplete && start < input.count ? input.count : nil
    }

    /// Returns the item of a line; `nil` if the line is empty.
    private func item(_ start: Int, _ end: Int) -> BatchItem? {
        let bytes = input.bytes.span
        let start = contentStart(start)
        var end = end
        if end > start, bytes[end - 1] == 0x0D { end -= 1 }
        guard end - start <= limits.maxItemBytes else { return rejectedItem(at: start) }
        guard (start..<end).contains(where: { !bytes[$0].isJSONWhiteSpace }) else { return nil }
        return BatchItem(byte: input.start + start, range: start..<end, form: .envelope)
    }

    /// Rejects the line in the buffer, and skips it, if it is too long although its end has not been read.
    private mutating func rejectedBlock() -> BatchBlock? {
        let start = contentStart(0)
        guard input.count > start else { return nil }
        let end = input.bytes[input.count - 1] == 0x0D ? input.count - 1 : input.count
        guard end - start > limits.maxItemBytes else { return nil }
        isSkipping = true
        return BatchBlock(bytes: [], items: [rejectedItem(at: start)])
    }

    private func rejectedItem(at start: Int) -> BatchItem {
        let error = BatchItemError.tooLong(maxBytes: limits.maxItemBytes)
        return BatchItem(byte: input.start + start, range: 0..<0, form: .rejected(error, id: nil))
    }

    /// Returns the start of a line without the byte order mark.
    private func contentStart(_ start: Int) -> Int {
        input.start + start == 0 && input.bytes.span.hasByteOrderMark ? 3 : start
    }

    /// Removes the rest of a line that has been rejected.
    private mutating func skipLine() {
        if let end = input.bytes.span.firstOffset(of: 0x0A, in: 0..<input.count) {
            input.drop(end + 1)
            isSkipping = false
        } else {
            input.drop(input.count)
        }
        searched = 0
    }
}
