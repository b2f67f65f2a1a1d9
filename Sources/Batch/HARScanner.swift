internal import Primitives
internal import Serialization

/// Finds the entries in the text of an HTTP archive, which arrives in pieces. Each byte is examined once.
struct HARScanner: Sendable {
    enum Event {
        /// Further bytes are needed.
        case more
        /// The range of an entry.
        case entry(Range<Int>)
        /// The offset of an element that is not read.
        case rejected(at: Int, tooLong: Bool)
        /// Nothing but white space follows.
        case end
    }

    /// The object or array whose members or elements are being read.
    private enum Level {
        case archive
        case log
        case entries
    }

    /// The next token.
    fileprivate enum Expected {
        case archive
        case name
        case nameOrClosing
        case nameRest
        case colon
        case value
        case element
        case elementOrClosing
        case entryRest
        /// The rest of a value that is not needed.
        case skippedRest
        case commaOrClosing
        case nothing
    }

    private enum Member {
        case log
        case entries
        case other
    }

    private let maxEntryBytes: Int
    private var expected = Expected.archive
    private var level = Level.archive
    private var member = Member.other
    private var value = JSONValueScanner()
    private var hasLog = false
    private var hasEntries = false

    /// The offset of the next byte.
    private var index = 0

    /// The offset of the name or entry that is being read; `nil` if its bytes are not needed.
    private var tokenStart: Int?

    /// A name that is longer is neither `log` nor `entries`, in bytes, with escapes.
    private static let maxNameBytes = 64

    init(maxEntryBytes: Int) { self.maxEntryBytes = maxEntryBytes }

    /// The number of bytes at the beginning that are not needed any longer.
    var unneededBytes: Int { tokenStart ?? index }

    /// Notes that the first `count` bytes have been removed.
    mutating func remove(_ count: Int) {
        index -= count
        if let start = tokenStart { tokenStart = start - count }
    }

    /// Reads tokens up to the next event.
    mutating func next(in input: InputBuffer) throws(BatchInputError) -> Event {
        while true { if let event = try readToken(in: input.bytes.span, at: input.start) { return event } }
    }

    /// Returns the error of an input that ends here; `nil` if it is complete, or white space.
    func errorAtEnd(of input: InputBuffer) -> BatchInputError? {
        let start = input.start
        return switch expected {
        case .nothing where hasEntries, .archive where index == input.count: nil
        case .nothing: .malformed(BatchFault("the HTTP archive has no array `log.entries`", at: start + index))
        case .archive, .name, .nameOrClosing, .nameRest, .colon, .value, .element, .elementOrClosing, .entryRest,
            .skippedRest, .commaOrClosing:
            .malformed(BatchFault("the HTTP archive is cut off", at: start + index))
        }
    }

    // MARK: Tokens

    /// Reads one token, or the rest of it.
    /// - Parameter start: the offset of `bytes` in the file.
    private mutating func readToken(in bytes: Span<UInt8>, at start: Int) throws(BatchInputError) -> Event? {
        switch expected {
        case .nameRest, .entryRest, .skippedRest: return try readRest(in: bytes, at: start)
        case .archive, .name, .nameOrClosing, .colon, .value, .element, .elementOrClosing, .commaOrClosing, .nothing:
            break
        }
        while index < bytes.count, bytes[index].isJSONWhiteSpace { index += 1 }
        guard index < bytes.count else { return expected.isNothing ? .end : .more }
        let byte = bytes[index]
        switch (expected, byte) {
        case (.archive, 0xEF) where start + index == 0:
            guard bytes.count >= 3 else { return .more }
            guard bytes.hasByteOrderMark else { throw fault("an object", at: start) }
            index += 3
        case (.archive, UInt8(ascii: "{")): open(.archive)
        case (.name, UInt8(ascii: "\"")), (.nameOrClosing, UInt8(ascii: "\"")):
            value.begin(byte)
            tokenStart = index
            expected = .nameRest
        case (.colon, UInt8(ascii: ":")):
            index += 1
            expected = .value
        case (.value, _): try readValue(byte, at: start)
        case (.commaOrClosing, UInt8(ascii: ",")):
            index += 1
            expected = level == .entries ? .element : .name
        case (.nameOrClosing, UInt8(ascii: "}")), (.elementOrClosing, UInt8(ascii: "]")): close()
        case (.commaOrClosing, UInt8(ascii: "}")) where level != .entries,
            (.commaOrClosing, UInt8(ascii: "]")) where level == .entries:
            close()
        case (.element, _), (.elementOrClosing, _): return try readElement(byte, at: start)
        case (_, _): throw fault(expected.description, at: start)
        }
        return nil
    }

    private mutating func open(_ level: Level) {
        index += 1
        self.level = level
        expected = level == .entries ? .elementOrClosing : .nameOrClosing
    }

    private mutating func close() {
        index += 1
        switch level {
        case .entries: (level, expected) = (.log, .commaOrClosing)
        case .log: (level, expected) = (.archive, .commaOrClosing)
        case .archive: expected = .nothing
        }
    }

    /// Begins with the value of a member.
    private mutating func readValue(_ byte: UInt8, at start: Int) throws(BatchInputError) {
        switch member {
        case .log:
            guard byte == UInt8(ascii: "{") else { throw fault("the object `log`", at: start) }
            open(.log)
        case .entries:
            guard byte == UInt8(ascii: "[") else { throw fault("the array `log.entries`", at: start) }
            hasEntries = true
            open(.entries)
        case .other:
            guard byte.beginsJSONValue else { throw fault("a value", at: start) }
            value.begin(byte)
            expected = .skippedRest
        }
    }

    private mutating func readElement(_ byte: UInt8, at start: Int) throws(BatchInputError) -> Event? {
        guard byte.beginsJSONValue else { throw fault("an entry", at: start) }
        value.begin(byte)
        guard byte == UInt8(ascii: "{") else {
            expected = .skippedRest
            return .rejected(at: index, tooLong: false)
        }
        tokenStart = index
        expected = .entryRest
        return nil
    }

    /// Reads the rest of a name or value.
    private mutating func readRest(in bytes: Span<UInt8>, at start: Int) throws(BatchInputError) -> Event? {
        var isComplete = false
        var mismatch: BatchInputError?
        do throws(JSONValueScanner.Mismatch) {
            isComplete = try value.scan(bytes, &index)
        } catch { mismatch = fault("the end of the innermost object or array", at: start) }
        let length = index - (tokenStart ?? index)
        let isEntry = if case .entryRest = expected { true } else { false }
        // The entry may have been rejected before the mismatch was read.
        if let mismatch, !isEntry || length <= maxEntryBytes { throw mismatch }
        if isEntry, length > maxEntryBytes {
            defer { tokenStart = nil }
            expected = isComplete ? .commaOrClosing : .skippedRest
            return .rejected(at: index - length, tooLong: true)
        }
        if case .nameRest = expected {
            if isComplete {
                try readName(in: bytes, at: start)
            } else if length > Self.maxNameBytes {
                tokenStart = nil
            }
            return isComplete ? nil : .more
        }
        guard isComplete else { return .more }
        expected = .commaOrClosing
        guard let entry = tokenStart else { return nil }
        tokenStart = nil
        return .entry(entry..<index)
    }

    /// Recognizes the name that ends here.
    private mutating func readName(in bytes: Span<UInt8>, at start: Int) throws(BatchInputError) {
        var name: [UInt8] = []
        if let first = tokenStart, index - first <= Self.maxNameBytes {
            name = bytes.slice(first + 1..<index - 1) { JSONString.unescape($0) } ?? []
        }
        let nameStart = start + (tokenStart ?? index)
        tokenStart = nil
        expected = .colon
        if level == .archive, name.elementsEqual("log".utf8) {
            guard !hasLog else { throw .malformed(BatchFault("the HTTP archive has a second `log`", at: nameStart)) }
            (member, hasLog) = (.log, true)
        } else if level == .log, name.elementsEqual("entries".utf8) {
            guard !hasEntries else { throw .malformed(BatchFault("`log` has a second `entries`", at: nameStart)) }
            member = .entries
        } else {
            member = .other
        }
    }

    private func fault(_ description: String, at start: Int) -> BatchInputError {
        .malformed(BatchFault("the HTTP archive has something else instead of \(description)", at: start + index))
    }
}

extension HARScanner.Expected {
    fileprivate var isNothing: Bool { if case .nothing = self { true } else { false } }

    fileprivate var description: String {
        switch self {
        case .archive: "an object"
        case .name: "a name"
        case .nameOrClosing: "a name or the end of the object"
        case .colon: "a colon"
        case .commaOrClosing: "a comma or a closing bracket"
        case .nothing: "its end"
        case .value, .element, .elementOrClosing, .nameRest, .entryRest, .skippedRest: "a value"
        }
    }
}

extension UInt8 {
    /// Whether the byte begins a value of JSON.
    fileprivate var beginsJSONValue: Bool {
        switch self {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "-"), UInt8(ascii: "t"),
            UInt8(ascii: "f"), UInt8(ascii: "n"):
            true
        default: isDecimalDigit
        }
    }
}
