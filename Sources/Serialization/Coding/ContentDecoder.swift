/// Decodes the content codings of one response, piece by piece. It can be stopped after each step, and be continued on
/// another thread.
///
/// The codings form a chain of stages. The first stage reads the content, each further stage reads the output of the
/// preceding one, and the last stage writes the output of the chain. The other stages write at most 16 KiB at a time,
/// so a chain needs little more memory than its output.
///
/// **Invariant.** The result does not depend on where the decoder was stopped, nor on the grants of memory unless one
/// is rejected. The input of a stage before its offset has been decoded into the input of the next one, or into the
/// output. The output never exceeds `maxDecodedBytes`, and its memory is granted before it is written. After the end or
/// an error nothing is read. Content that is not in its declared coding is used as it is, with a warning.
/// `CodingOracle` (FuzzGzip, FuzzDeflate, FuzzBrotli, FuzzZstd) checks this.
///
/// @unchecked Sendable: one thread uses it at a time, and passes it on.
package final class ContentDecoder: @unchecked Sendable {
    package enum Progress {
        case finished
        /// There is more output than requested.
        case stopped
    }

    /// The stages. The first one decodes the coding that was applied last.
    private var stages: [CodingStage]
    private var output: OutputBuffer?
    private let maxDecodedBytes: Int
    private let allowsTruncation: Bool

    /// The maximum output that is decoded on an HTTP thread, in bytes, inclusive: the bound of the format, if the
    /// format is known.
    package let maxInlineBytes: Int

    /// The codings of the stages whose input was not encoded. These stages are no longer in ``stages``.
    private var unencoded: [Warning] = []
    private var error: SerializationError?
    private var encodedBytes = 0
    private var isFinished = false

    /// The memory that was granted, in bytes.
    private var grantedBytes = 0

    /// The maximum output of one call of a reader, in bytes.
    private static let pieceBytes = 64 << 10
    /// The maximum input of one call of a reader, in bytes.
    private static let sliceBytes = 16 << 10

    /// - Parameter codings: in the order in which they were applied.
    init(_ codings: [ContentCoding], limits: Limits, allowsTruncation: Bool, maxInlineBytes: Int) {
        let reversed = Array(codings.reversed())
        stages = reversed.enumerated().map { CodingStage($0.element, after: Array(reversed[..<$0.offset])) }
        maxDecodedBytes = limits.maxDecodedBytes
        self.allowsTruncation = allowsTruncation
        self.maxInlineBytes = maxInlineBytes
    }

    /// Creates a decoder that only reports `error`.
    init(failing error: SerializationError) {
        stages = []
        maxDecodedBytes = 0
        allowsTruncation = false
        maxInlineBytes = .max
        self.error = error
        isFinished = true
    }

    /// Starts or continues decoding.
    /// - Parameters:
    ///   - content: all of the encoded content, the same in each call.
    ///   - maxBytes: the output after which the decoder stops, in bytes, inclusive.
    ///   - memory: grants the output and the windows.
    package func run(_ content: Span<UInt8>, until maxBytes: Int = .max, memory: any MemoryGrant) -> Progress {
        encodedBytes = content.count
        guard !isFinished else { return .finished }
        do throws(CodingError) {
            // The memory that was used without a grant.
            try charge(0, memory)
            try inflateAtOnce(content, memory)
            while let index = nextStage {
                try advance(index, content, memory)
                if hasExceeded(maxBytes) { return .stopped }
            }
        } catch {
            let first = allowsTruncation ? nil : stages.lazy.compactMap(\.truncation).first
            self.error = error.reason == .outOfMemory ? .outOfMemory : .coding(first ?? error)
        }
        isFinished = true
        return .finished
    }

    /// Returns the result of a decoder that has finished.
    package func finish() -> DecodedContent {
        let isDecoded = error == nil && !stages.isEmpty
        let decodedBytes = isDecoded ? outputCount : 0
        let bytes = isDecoded ? output.take() ?? OutputBuffer(capacity: 0) : nil
        var warnings = unencoded + stages.flatMap(\.warnings)
        if error == nil, let truncation = stages.lazy.compactMap(\.truncation).first {
            if allowsTruncation, decodedBytes > 0 {
                warnings.append(Warning(.truncatedCoding(truncation.coding ?? .gzip), at: truncation.location))
            } else {
                error = .coding(truncation)
            }
        }
        let decoded = stages.reversed().map(\.coding)
        return DecodedContent(
            codings: DecodedCodings(
                decoded,
                encodedBytes: encodedBytes,
                decodedBytes: isDecoded ? decodedBytes : nil,
                warnings: warnings,
                error: error
            ),
            bytes: bytes
        )
    }

    // MARK: The chain

    /// The stage that reads next: the last one that has not ended or, if it waits for input, the one that it waits for;
    /// `nil` if all have ended.
    private var nextStage: Int? {
        // The input after the data of a stage that has ended is read, too: it may be corrupt.
        guard var index = stages.lastIndex(where: { !$0.hasEnded }) else { return nil }
        while index > 0, stages[index].needsInput, !stages[index - 1].hasEnded { index -= 1 }
        return index
    }

    /// Whether decoding has taken longer than is planned for `maxBytes` of output.
    private func hasExceeded(_ maxBytes: Int) -> Bool {
        guard maxBytes < .max else { return false }
        // Tables, frames and members without data take time, too.
        return stages.contains {
            $0.producedBytes > maxBytes || $0.offset > 2 * $0.producedBytes + Self.sliceBytes
        }
    }

    /// Calls the reader of one stage once.
    private func advance(_ index: Int, _ content: Span<UInt8>, _ memory: any MemoryGrant) throws(CodingError) {
        let stage = stages[index]
        let isEncoded: Bool
        if index == 0 {
            let end = min(content.count, stage.inputOffset + Self.sliceBytes)
            isEncoded = try advance(index, content, end, isLast: end == content.count, memory)
        } else {
            stage.compact()
            let isLast = stages[index - 1].hasEnded
            isEncoded = try stage.input.withBytes { input throws(CodingError) in
                try advance(index, input, input.count, isLast: isLast, memory)
            }
        }
        if !isEncoded { removeStage(index) }
    }

    /// - Parameters:
    ///   - input: all available input of the stage.
    ///   - end: the end of the part of `input` that the reader receives.
    ///   - isLast: whether nothing follows this part.
    /// - Returns: `false` if the input is known not to be encoded.
    private func advance(
        _ index: Int,
        _ input: Span<UInt8>,
        _ end: Int,
        isLast: Bool,
        _ memory: any MemoryGrant
    ) throws(CodingError) -> Bool {
        let stage = stages[index]
        let rest = input.extracting(first: end).extracting(droppingFirst: stage.inputOffset)
        if stage.reader == nil {
            guard rest.count >= ContentCoding.signatureBytes || isLast else {
                stage.needsInput = true
                return true
            }
            // Too little of it was received to find out what it is.
            if rest.count < ContentCoding.signatureBytes, isCut(before: index) {
                return try fail(index, .truncated, input)
            }
            guard stage.coding.mayBegin(rest) else { return false }
            stage.reader = stage.coding.makeReader()
        }
        guard let reader = stage.reader else { return true }
        let windowBytes = reader.windowBytes
        let (step, written) = try read(index, reader, rest, isLast: isLast, memory)
        stage.inputOffset += step.consumed
        stage.producedBytes += written
        switch step.state {
        case .more:
            let isStuck = step.consumed == 0 && written == 0 && reader.windowBytes == windowBytes
            if step.consumed == rest.count || isStuck { stage.needsInput = index > 0 }
            // A reader that has received all input does not ask for more.
            if isStuck, isLast { return try fail(index, .truncated, input) }
        case .end(let lacksTrailer):
            stage.hasEnded = true
            if lacksTrailer { stage.warn(.missingTrailer(stage.coding)) }
            let trailingBytes = input.count - stage.inputOffset
            if trailingBytes > 0 {
                if isUnencoded(index, input) { return false }
                try checkIsEncoded(stage)
                stage.hasTrailingBytes = true
                stage.warn(.trailingBytes(stage.coding, count: index == 0 ? trailingBytes : nil))
            }
        case .failed(let reason): return try fail(index, reason, input)
        }
        try check(stage)
        return true
    }

    /// Calls the reader, and returns the number of bytes that it has written.
    private func read(
        _ index: Int,
        _ reader: any CodingReader,
        _ rest: Span<UInt8>,
        isLast: Bool,
        _ memory: any MemoryGrant
    ) throws(CodingError) -> (CodingStep, written: Int) {
        let stage = stages[index]
        // One byte beyond the limit is enough to detect that it is exceeded.
        let left = maxDecodedBytes - stage.producedBytes + 1
        guard index == stages.count - 1 else {
            try charge(0, memory)
            let next = stages[index + 1]
            let start = next.input.count
            let step = reader.read(rest, isLast: isLast, into: &next.input, room: min(Self.sliceBytes, left))
            let written = next.input.count - start
            if written > 0 { next.needsInput = false }
            if next.hasEnded, written > 0 { try noteDrained(index + 1) }
            return (step, written)
        }
        // Short content has short output.
        let isShort = encodedBytes < Self.pieceBytes / 8 && stage.producedBytes == 0
        let room = min(isShort ? max(512, encodedBytes * 8) : Self.pieceBytes, left)
        try charge(room, memory)
        let start = outputCount
        let step = withOutput { output in reader.read(rest, isLast: isLast, into: &output, room: room) }
        return (step, outputCount - start)
    }

    /// Discards the input after the end of the data of a stage, which is not part of the output.
    private func noteDrained(_ index: Int) throws(CodingError) {
        let stage = stages[index]
        if !stage.hasTrailingBytes {
            if stage.input.withBytes({ isUnencoded(index, $0) }) { return removeStage(index) }
            try checkIsEncoded(stage)
            stage.hasTrailingBytes = true
            stage.warn(.trailingBytes(stage.coding, count: nil))
        }
        stage.input.truncate(to: stage.inputOffset)
    }

    /// Checks a stage whose data has ended before its input. In a coding without a signature, a few bytes of any
    /// content can be valid empty data. The bytes after them would then be lost.
    private func checkIsEncoded(_ stage: CodingStage) throws(CodingError) {
        guard stage.producedBytes > 0 || stage.coding.hasSignature else { throw stage.error(.corrupt(part: .data)) }
    }

    /// - Returns: false if the input of the stage is not encoded.
    /// - Throws: the error, unless the part before the error may be used.
    private func fail(_ index: Int, _ reason: CodingError.Reason, _ all: Span<UInt8>) throws(CodingError) -> Bool {
        let stage = stages[index]
        switch reason {
        case .truncated where all.count < ContentCoding.signatureBytes && isCut(before: index): break
        case .truncated, .corrupt, .dictionary:
            if isUnencoded(index, all) { return false }
        case .windowTooLarge, .tooManyCodings, .tooLong, .ratio, .outOfMemory: break
        }
        guard reason == .truncated else { throw stage.error(reason) }
        stage.inputOffset = all.count
        stage.hasEnded = true
        stage.truncation = stage.error(reason)
        try check(stage)
        return true
    }

    /// Returns whether the input of a stage ends early, because the input of a preceding stage does.
    private func isCut(before index: Int) -> Bool { stages[..<index].contains { $0.truncation != nil } }

    /// Returns whether the input of a stage that cannot be decoded, and whose coding has no signature, is not encoded.
    private func isUnencoded(_ index: Int, _ all: Span<UInt8>) -> Bool {
        guard !stages[index].coding.hasSignature else { return false }
        if index + 1 < stages.count, stages[index + 1].coding != stages[index].coding,
            stages[index + 1].coding.isLikely(all)
        {
            return true
        }
        return all.looksUnencoded
    }

    /// Removes a stage whose input is not encoded. The stages after it start again with this input.
    private func removeStage(_ index: Int) {
        let stage = stages.remove(at: index)
        unencoded.append(Warning(.notEncoded(stage.coding), at: SourceLocation(byte: 0)))
        for later in index..<stages.count {
            stages[later] = CodingStage(stages[later].coding, after: stages[..<later].map(\.coding))
        }
        output = nil
        guard index > 0 else { return }
        if index < stages.count {
            swap(&stages[index].input, &stage.input)
            stages[index].needsInput = false
        } else {
            var input = OutputBuffer(capacity: 0)
            swap(&input, &stage.input)
            output = consume input
        }
    }

    private func check(_ stage: CodingStage) throws(CodingError) {
        guard stage.producedBytes <= maxDecodedBytes else { throw stage.error(.tooLong(max: maxDecodedBytes)) }
        let encodedBytes = stages.first?.inputOffset ?? 0
        if stage.producedBytes > ContentCoding.freeDecodedBytes,
            stage.producedBytes > ContentCoding.maxRatio * encodedBytes
        {
            throw stage.error(.ratio(max: ContentCoding.maxRatio))
        }
    }

    // MARK: The output

    private var outputCount: Int {
        switch output {
        case nil: 0
        case let output?: output.count
        }
    }

    private func withOutput<Result>(_ body: (inout OutputBuffer) -> Result) -> Result {
        var buffer = output.take() ?? OutputBuffer(capacity: 0)
        let result = body(&buffer)
        output = consume buffer
        return result
    }

    /// Requests the memory for the stages, and for `room` more bytes of output.
    private func charge(_ room: Int, _ memory: any MemoryGrant) throws(CodingError) {
        var bytes = 0
        for stage in stages { bytes += (stage.reader?.windowBytes ?? 0) + stage.input.capacity }
        switch output {
        case nil: bytes += room
        case let output?: bytes += output.capacity(reserving: room)
        }
        guard bytes > grantedBytes else { return }
        guard memory.grow(by: bytes - grantedBytes) else { throw CodingError(.outOfMemory) }
        grantedBytes = bytes
    }

    // MARK: Decoding in one call

    /// Inflates the first member of gzip with libdeflate if its trailer specifies a short length. The readers decode
    /// the rest.
    private func inflateAtOnce(_ content: Span<UInt8>, _ memory: any MemoryGrant) throws(CodingError) {
        guard stages.count == 1, stages[0].coding == .gzip, stages[0].reader == nil,
            DeflateLibrary.accepts(content),
            let bytes = content.number32(content.count - 4, .little), bytes > 0,
            bytes <= min(maxInlineBytes, maxDecodedBytes),
            // Tables without data take long. A reader, which can be stopped, decodes them.
            content.count <= 2 * bytes + Self.sliceBytes
        else { return }
        try charge(bytes + DeflateLibrary.bytes, memory)
        let consumed = withOutput { DeflateLibrary.gunzip(content, into: &$0, room: bytes) }
        guard let consumed else { return }
        stages[0].reader = GzipReader.afterMember()
        stages[0].inputOffset = consumed
        stages[0].producedBytes = outputCount
    }
}
