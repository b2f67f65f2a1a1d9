/// Undoes one coding piece by piece.
///
/// A reader does not know where its input comes from: the encoded content, or another reader.
protocol CodingReader: AnyObject {
    /// The memory that the reader may hold besides its output, in bytes. It may grow between two calls of ``read(_:isLast:into:room:)``.
    var windowBytes: Int { get }

    /// Undoes the coding of some more input.
    /// - Parameters:
    ///   - input: what has not been consumed yet. A reader that needs more of it than there is consumes what it can, and receives the rest
    ///     again with what follows.
    ///   - isLast: whether nothing follows `input`.
    ///   - room: the most bytes that are appended to `output`; at least 1.
    func read(_ input: Span<UInt8>, isLast: Bool, into output: inout OutputBuffer, room: Int) -> CodingStep
}

/// What one call of a reader led to. What it wrote is in the output, whatever the state.
struct CodingStep {
    enum State: Equatable {
        /// The reader needs more room or, if it consumed all that it can, more input.
        case more
        /// Its data has ended. The rest of the input, if there is any, does not belong to it.
        /// - Parameter lacksTrailer: whether the checksum after the data is missing.
        case end(lacksTrailer: Bool)
        case failed(CodingError.Reason)
    }

    /// The bytes of the input that were used. If the reader failed, the position of the error.
    var consumed: Int
    var state: State

    init(_ consumed: Int, _ state: State) {
        self.consumed = consumed
        self.state = state
    }
}

extension ContentCoding {
    /// A reader at the beginning of its data.
    func makeReader() -> any CodingReader {
        switch self {
        case .gzip: GzipReader()
        case .deflate: DeflateReader()
        case .br: BrotliReader()
        case .zstd: ZstdReader()
        }
    }
}
