import Batch

/// Bytes of memory in pieces.
struct PieceSource: ByteSource {
    private let bytes: [UInt8]
    private let piece: Int
    private var offset = 0
    /// The error at the end of the bytes; `nil` if the input ends there.
    var failure: BatchInputError?
    /// The number of bytes that were read.
    var readBytes: Int { offset }
    var inputBytes: Int?

    init(_ bytes: [UInt8], piece: Int = .max, isLengthKnown: Bool = false) {
        self.bytes = bytes
        inputBytes = isLengthKnown ? bytes.count : nil
        self.piece = piece
    }

    mutating func read(_ max: Int, into buffer: inout [UInt8]) throws(BatchInputError) -> Int {
        let count = min(max, piece, bytes.count - offset)
        if count == 0, let failure { throw failure }
        buffer.append(contentsOf: bytes[offset..<offset + count])
        offset += count
        return count
    }
}

/// The items of an input, without their blocks.
struct ReadItems: Equatable {
    struct Item: Equatable {
        var byte: Int
        var bytes: [UInt8]
        var form: Form

        var content: String { String(decoding: bytes, as: UTF8.self) }

        init(byte: Int, content: String, form: Form) {
            self.byte = byte
            bytes = Array(content.utf8)
            self.form = form
        }
    }

    /// A form without offsets of a block.
    enum Form: Equatable {
        case envelope
        case entry
        case message(WARCRecord)
        case frame(id: UInt64, status: UInt16, url: String, fields: String, content: String?)
        case rejected(BatchItemError, id: BatchIdentifier?)
    }

    var items: [Item] = []
    var skipped: [String: Int] = [:]
    var error: BatchInputError?
    /// The maximum length of a block in bytes.
    var maxBlockBytes = 0
    var blocks = 0

    var contents: [String] { items.map(\.content) }

    static func == (one: ReadItems, other: ReadItems) -> Bool {
        one.items == other.items && one.skipped == other.skipped && one.error == other.error
    }

    init(_ reader: some BatchReader, _ bytes: [UInt8], piece: Int = .max, isLengthKnown: Bool = false) {
        var source = PieceSource(bytes, piece: piece, isLengthKnown: isLengthKnown)
        self.init(reader, &source)
    }

    init(_ reader: some BatchReader, _ source: inout PieceSource) {
        var reader = reader
        do throws(BatchInputError) {
            while let block = try reader.next(from: &source) {
                blocks += 1
                maxBlockBytes = max(maxBlockBytes, block.bytes.count)
                items += block.items.map { Item($0, block.bytes) }
                skipped.merge(block.skipped, uniquingKeysWith: +)
            }
        } catch {
            self.error = error
        }
    }
}

extension ReadItems.Item {
    init(_ item: BatchItem, _ bytes: [UInt8]) {
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        byte = item.byte
        self.bytes = Array(bytes[item.range])
        switch item.form {
        case .envelope: form = .envelope
        case .entry: form = .entry
        case .message(let record): form = .message(record)
        case .frame(let frame):
            form = .frame(
                id: frame.id,
                status: frame.status,
                url: text(frame.url),
                fields: text(frame.fields),
                content: frame.hasContent ? text(frame.content) : nil
            )
        case .rejected(let error, let id): form = .rejected(error, id: id)
        }
    }
}

/// The sizes of reads with which tests repeat themselves.
let pieces = [1, 2, 3, 7, 64, 4_096, 65_536, .max]
