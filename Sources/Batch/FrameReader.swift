internal import Primitives

/// Reads frames (``BatchFrame``).
///
/// A frame whose head contradicts itself ends the input, because the position of the next frame cannot be trusted. A
/// frame that is longer than the maximum is rejected with its identifier.
package struct FrameReader: BatchReader {
    private var input: InputBuffer
    private let limits: BatchLimits

    /// The number of bytes that follow and belong to a frame that has been rejected.
    private var skippedBytes = 0

    /// The offset in the file of the frame that was read last.
    private var frameStart = 0

    /// The length of the frame at the beginning of the buffer; 0 if it is not known.
    private var frameBytes = 0

    package init(limits: BatchLimits) { self.init(InputBuffer(), limits: limits) }

    init(_ input: InputBuffer, limits: BatchLimits) {
        self.input = input
        self.limits = limits
    }

    package mutating func next<Source: ByteSource & ~Copyable>(
        from source: inout Source
    ) throws(BatchInputError) -> BatchBlock? {
        while true {
            skip()
            if skippedBytes == 0, let block = try nextBlock() { return block }
            guard try input.read(from: &source, expected: frameBytes) else { break }
        }
        guard skippedBytes == 0, input.count == 0 else {
            throw .malformed(BatchFault("the input ends in a frame", at: frameStart))
        }
        return nil
    }

    /// Returns the frames in the buffer; `nil` if there is none.
    private mutating func nextBlock() throws(BatchInputError) -> BatchBlock? {
        var items: [BatchItem] = []
        var start = 0
        while start < limits.blockBytes, start < input.count {
            frameStart = input.start + start
            frameBytes = 0
            let head: FrameHead?
            do {
                head = try FrameHead(parsing: input.bytes.span.extracting(droppingFirst: start), at: frameStart)
            } catch {
                // The next call throws the error.
                guard items.isEmpty else { break }
                throw error
            }
            guard let head else { break }
            if head.partBytes > limits.maxItemBytes {
                items.append(rejectedItem(head))
                skippedBytes = head.frameBytes - min(head.frameBytes, input.count - start)
                start += head.frameBytes - skippedBytes
                continue
            }
            frameBytes = head.frameBytes
            guard input.count - start >= head.frameBytes else { break }
            let parts = start + BatchFrame.headBytes..<start + head.frameBytes
            items.append(BatchItem(byte: frameStart, range: parts, form: .frame(head.frame(at: start))))
            start += head.frameBytes
        }
        return items.isEmpty ? nil : BatchBlock(bytes: input.take(start), items: items)
    }

    private func rejectedItem(_ head: FrameHead) -> BatchItem {
        let error = BatchItemError.tooLong(maxBytes: limits.maxItemBytes)
        return BatchItem(byte: frameStart, range: 0..<0, form: .rejected(error, id: .number(head.id)))
    }

    /// Removes the bytes of a frame that has been rejected.
    private mutating func skip() {
        let count = min(skippedBytes, input.count)
        input.drop(count)
        skippedBytes -= count
    }
}
