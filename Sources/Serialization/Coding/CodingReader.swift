/// Decodes one coding piece by piece.
///
/// The input of a reader is the encoded content, or the output of another reader. The reader does not depend on which.
protocol CodingReader: AnyObject {
    /// The maximum memory of the reader in addition to its output, in bytes. It may grow between two calls of
    /// ``read(_:isLast:into:room:)``.
    var windowBytes: Int { get }

    /// Decodes further input.
    /// - Parameters:
    ///   - input: the input that has not been consumed. A reader that needs more input consumes as much as it can, and
    ///     receives the rest again with the input that follows.
    ///   - isLast: whether nothing follows `input`.
    ///   - room: the maximum number of bytes that are appended to `output`; at least 1.
    func read(_ input: Span<UInt8>, isLast: Bool, into output: inout OutputBuffer, room: Int) -> CodingStep
}

/// The result of one call of a reader. The bytes that it wrote are in the output in every state.
package struct CodingStep {
    package enum State: Equatable {
        /// The reader needs more space in the output or, if it consumed as much as it can, more input.
        case more
        /// The data of the reader has ended. The remaining input does not belong to it.
        /// - Parameter lacksTrailer: whether the checksum after the data is missing.
        case end(lacksTrailer: Bool)
        case failed(CodingError.Reason)
    }

    /// The number of bytes of the input that were consumed. If the reader failed, this is the offset of the error.
    package var consumed: Int
    package var state: State

    init(_ consumed: Int, _ state: State) {
        self.consumed = consumed
        self.state = state
    }
}

extension OutputBuffer {
    /// Appends what a library decodes from `input`, at most `room` bytes.
    /// - Parameter call: Decodes from the input, whose length is the second argument, into the output, and sets the
    ///   numbers of bytes that it consumed and wrote. The pointers are valid for the duration of the call.
    mutating func append<Outcome>(
        decoding input: Span<UInt8>,
        room: Int,
        _ call: (UnsafePointer<UInt8>?, Int, inout Int, UnsafeMutablePointer<UInt8>, inout Int) -> Outcome
    ) -> (consumed: Int, written: Int, outcome: Outcome) {
        reserve(room)
        var (consumed, written) = (0, 0)
        // The buffer has at least `room` bytes after its content.
        let outcome = unsafe input.withUnsafeBufferPointer { input in
            unsafe call(input.baseAddress, input.count, &consumed, base + count, &written)
        }
        count += written
        return (consumed, written, outcome)
    }
}

extension ContentCoding {
    /// A reader at the beginning of its data.
    func makeReader() -> any CodingReader {
        switch self {
        case .gzip: GzipReader(oneMember: false)
        case .deflate: DeflateReader()
        case .br: BrotliReader()
        case .zstd: ZstdReader()
        }
    }
}
