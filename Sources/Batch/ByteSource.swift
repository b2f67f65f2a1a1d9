/// The bytes of an input, in pieces of any length.
package protocol ByteSource: ~Copyable {
    /// Appends at least one and at most `max` further bytes to `buffer`, and waits for them.
    /// - Returns: the number of bytes; 0 at the end of the input.
    mutating func read(_ max: Int, into buffer: inout [UInt8]) throws(BatchInputError) -> Int

    /// The length of the whole input in bytes; `nil` if it is not known.
    var inputBytes: Int? { get }
}

/// A reader of one input.
package protocol BatchReader {
    /// Returns the next items; `nil` at the end of the input. A block ends as soon as further items would have to wait
    /// for more bytes, so that a program which waits for a result receives it.
    mutating func next<Source: ByteSource & ~Copyable>(
        from source: inout Source
    ) throws(BatchInputError) -> BatchBlock?
}

/// The reason why an input cannot be read any further. The items before it are valid.
package enum BatchInputError: Error, Equatable, Sendable {
    /// A read failed.
    case system(String)
    /// The input ends, or is malformed, so that the next item cannot be found.
    case malformed(BatchFault)
    /// The input is compressed in a form that is not supported. One sentence without a period.
    case unsupported(String)
}

/// The reason why one item is rejected before its response is read. The next item can be found.
package enum BatchItemError: Error, Equatable, Sendable {
    /// The item is longer than ``BatchLimits/maxItemBytes``.
    case tooLong(maxBytes: Int)
    case malformed(BatchFault)
}

/// What is wrong, in one sentence without a period, and where.
package struct BatchFault: Equatable, Sendable {
    package var sentence: String
    /// The offset in the file in bytes; in a member of gzip, that of the member.
    package var byte: Int

    package init(_ sentence: String, at byte: Int) {
        self.sentence = sentence
        self.byte = byte
    }
}
