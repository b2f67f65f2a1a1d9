/// A format of a file that contains upstream responses.
package enum BatchFormat: String, CaseIterable, Sendable {
    /// One envelope per line.
    case ndjson
    /// An HTTP archive (HAR 1.2), as browsers save it.
    case har
    /// Web archive records (WARC 1.0 and 1.1), plain or as members of gzip.
    case warc
    /// Frames with a length, for a program that writes responses to a pipe and reads the results.
    case frames
}

/// Consecutive items of an input, which are processed together.
package struct BatchBlock: Sendable {
    /// The bytes of the items.
    package var bytes: [UInt8]

    /// The items in the order of the input.
    package var items: [BatchItem]

    /// The parts of the input that are not items, by type, since the preceding block: `request` records of WARC, for
    /// example.
    package var skipped: [String: Int]

    package init(bytes: [UInt8], items: [BatchItem], skipped: [String: Int] = [:]) {
        self.bytes = bytes
        self.items = items
        self.skipped = skipped
    }
}

/// One item of an input: an upstream response, or a part that should be one.
package struct BatchItem: Equatable, Sendable {
    /// The form in which the bytes of the item describe a response.
    package enum Form: Equatable, Sendable {
        /// An envelope as JSON, with an optional member `id`.
        case envelope
        /// An entry of an HTTP archive, as JSON.
        case entry
        /// A message (RFC 9112), the block of a record.
        case message(WARCRecord)
        /// The content, whose head is separate.
        case frame(BatchFrame)
        /// Nothing: the item cannot be read, and the range is empty.
        case rejected(BatchItemError, id: BatchIdentifier?)
    }

    /// The offset in the file from which the item can be read again, in bytes: that of its line, entry, record, or
    /// member of gzip.
    package var byte: Int

    /// The part of ``BatchBlock/bytes`` that the form describes.
    package var range: Range<Int>

    package var form: Form

    package init(byte: Int, range: Range<Int>, form: Form) {
        self.byte = byte
        self.range = range
        self.form = form
    }
}

/// The identifier of an item that is rejected before its response is read.
package enum BatchIdentifier: Equatable, Sendable {
    /// That of a frame.
    case number(UInt64)
    /// That of a record of a web archive.
    case text(String)
}

/// The bounds of an input.
package struct BatchLimits: Sendable {
    /// The maximum length of an item in bytes, inclusive: of a line without its end, of the JSON text of an entry, of
    /// the block of a record, or of the parts of a frame after its head. A longer one is rejected, and its bytes are
    /// skipped.
    package var maxItemBytes: Int

    /// The length of the items after which a block ends, in bytes. A single item may be longer.
    package var blockBytes = 64 << 10

    /// The maximum length of the encoded value of a member other than the content, in bytes, inclusive. It applies to
    /// the header fields together.
    package static let maxMemberBytes = 64 << 10

    /// The maximum length of an identifier as it is written, in bytes, inclusive.
    package static let maxIDBytes = 1 << 10

    package init(maxItemBytes: Int) { self.maxItemBytes = maxItemBytes }
}
