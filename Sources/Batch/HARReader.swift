/// Reads the entries of an HTTP archive (HAR 1.2) one after the other: the elements of `log.entries`.
///
/// The members before and after them may have any order, and are skipped. Each element is an item, whose JSON text
/// ``HAREntry`` reads; an element that is not an object is rejected. A fault outside the entries, or a bracket that
/// does not match, ends the input.
package struct HARReader: BatchReader {
    private var input: InputBuffer
    private let limits: BatchLimits
    private var scanner: HARScanner

    /// The error that ended the input.
    private var error: BatchInputError?

    package init(limits: BatchLimits) { self.init(InputBuffer(), limits: limits) }

    init(_ input: InputBuffer, limits: BatchLimits) {
        self.input = input
        self.limits = limits
        scanner = HARScanner(maxEntryBytes: limits.maxItemBytes)
    }

    package mutating func next<Source: ByteSource & ~Copyable>(
        from source: inout Source
    ) throws(BatchInputError) -> BatchBlock? {
        while true {
            if let block = nextBlock() { return block }
            if let error { throw error }
            if try !input.read(from: &source) {
                error = scanner.errorAtEnd(of: input)
                if let error { throw error }
                return nil
            }
        }
    }

    /// Returns the entries in the buffer; `nil` if there is none.
    private mutating func nextBlock() -> BatchBlock? {
        var items: [BatchItem] = []
        var itemBytes = 0
        while itemBytes < limits.blockBytes, error == nil {
            do throws(BatchInputError) {
                guard let item = try nextItem() else { break }
                items.append(item)
                itemBytes += item.range.count
            } catch {
                // The entries before it are valid.
                self.error = error
            }
        }
        let count = scanner.unneededBytes
        scanner.remove(count)
        guard items.isEmpty else { return BatchBlock(bytes: input.take(count), items: items) }
        input.drop(count)
        return nil
    }

    /// Returns the next entry; `nil` if it is not in the buffer.
    private mutating func nextItem() throws(BatchInputError) -> BatchItem? {
        switch try scanner.next(in: input) {
        case .more, .end: return nil
        case .entry(let range): return BatchItem(byte: input.start + range.lowerBound, range: range, form: .entry)
        case .rejected(let offset, let isTooLong):
            let byte = input.start + offset
            let error: BatchItemError =
                isTooLong
                ? .tooLong(maxBytes: limits.maxItemBytes)
                : .malformed(BatchFault("the entry is not an object", at: byte))
            return BatchItem(byte: byte, range: 0..<0, form: .rejected(error, id: nil))
        }
    }
}
