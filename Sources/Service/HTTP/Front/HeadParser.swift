internal import Glibc
internal import Serialization

/// Reads the head of a request (RFC 9112 §2 to §6), each line once, as soon as its end has come.
///
/// The window that it reads begins with the head's first byte, and offsets count from there:
///
///     POST␠/x␠HTTP/1.1␍␊Host:␠a␍␊␍␊
///     0    5  8         18   24  27
///
/// A head that is incomplete is presented again, from its beginning and with more behind it: the lines that were read are not
/// read again, and the search for the next line feed goes on where it ended.
///
/// Ambiguities in the standard, and how they are resolved: a line feed without CR before it, white space before the first
/// field, folded lines and several spaces in the request line may be tolerated (RFC 9112 §2.2, §3, §5.2) and are rejected,
/// because readers in front of this one may differ in what they make of them.
struct HeadParser: ~Copyable {
    enum Progress: Equatable {
        case incomplete
        case complete
        case rejected(FramingError)
    }

    /// The maximum size of a head in bytes, from the request line to the empty line, inclusive.
    static let maxHeadBytes = 16 << 10

    /// The maximum size of the empty lines before a request line, in bytes. Inclusive.
    static let maxSkippedBytes = 64

    /// The memory for fields and targets, which a connection needs only while it reads a head.
    var memory = HeadMemory()

    private(set) var framing = RequestFraming()
    private(set) var method = ""
    private(set) var target = RequestTarget(path: "", query: nil)

    /// Whether the request's version is 1.0; otherwise it is 1.1 or a later minor version, which is read as 1.1.
    private(set) var isHTTP10 = false

    private var hasRequestLine = false
    private var skippedBytes = 0

    /// The offset of the line that is incomplete.
    private var lineStart = 0

    /// The offset up to which there is no further line feed.
    private var searched = 0

    /// Whether any byte of a head has been read and is to be presented again.
    var hasBegun: Bool { searched > 0 }

    /// Forgets the head that is complete.
    mutating func reset() {
        framing = RequestFraming()
        hasRequestLine = false
        skippedBytes = 0
        lineStart = 0
        searched = 0
    }

    /// Reads the lines whose ends have come.
    ///
    /// Moves `position` behind empty lines before the request line, and behind the head once it is complete; otherwise it
    /// stays at the head's first byte.
    mutating func read(_ window: Span<UInt8>, at position: inout Int) -> Progress {
        while let end = Self.lineFeed(in: window, from: position + searched) {
            let start = position + lineStart
            searched = end + 1 - position
            guard searched <= Self.maxHeadBytes else { return .rejected(tooLong) }
            // RFC 9112 §2.2: a recipient may recognize a bare line feed as a line terminator; this one does not.
            guard end > start, window[end - 1] == UInt8(ascii: "\r") else { return .rejected(irregularLine) }
            if end - start > 1 {
                do throws(FramingError) {
                    try readLine(window, start..<(end - 1), headStart: position)
                } catch {
                    return .rejected(error)
                }
                lineStart = searched
            } else if hasRequestLine {
                do throws(FramingError) {
                    try framing.check(isHTTP10: isHTTP10)
                } catch {
                    return .rejected(error)
                }
                memory.fields.end(head: window.extracting(position..<(end + 1)))
                position = end + 1
                return .complete
            } else {
                // RFC 9112 §2.2: a server should ignore at least one empty line before the request line.
                skippedBytes += 2
                guard skippedBytes <= Self.maxSkippedBytes else { return .rejected(.irregularRequestLine) }
                position = end + 1
                searched = 0
            }
        }
        searched = window.count - position
        return searched > Self.maxHeadBytes ? .rejected(tooLong) : .incomplete
    }

    private var tooLong: FramingError { hasRequestLine ? .headTooLarge : .targetTooLong }

    private var irregularLine: FramingError {
        hasRequestLine ? .irregularFieldLine(index: memory.fields.count) : .irregularRequestLine
    }

    // MARK: Lines

    @inline(__always)
    private mutating func readLine(
        _ window: Span<UInt8>,
        _ line: Range<Int>,
        headStart: Int
    ) throws(FramingError) {
        if hasRequestLine {
            try readField(window, line, headStart: headStart)
        } else {
            memory.fields.begin()
            try readRequestLine(window.extracting(line))
            hasRequestLine = true
        }
    }

    /// RFC 9112 §3: `method SP request-target SP HTTP-version`, with single spaces.
    private mutating func readRequestLine(_ line: Span<UInt8>) throws(FramingError) {
        guard let methodEnd = Self.space(in: line, from: 0),
            let targetEnd = Self.space(in: line, from: methodEnd + 1)
        else { throw .irregularRequestLine }
        let method = line.extracting(0..<methodEnd)
        guard FieldSyntax.isToken(method) else { throw .invalidMethod }
        try readVersion(line.extracting((targetEnd + 1)...))
        target = try memory.target(line.extracting((methodEnd + 1)..<targetEnd))
        // Nearly all methods are one of these, whose text exists already.
        self.method =
            method.isMethod("POST") ? "POST" : method.isMethod("GET") ? "GET" : String(ascii: method, 0..<method.count)
    }

    /// RFC 9112 §2.3: `HTTP/` and two digits with a dot between them, case-sensitive.
    private mutating func readVersion(_ version: Span<UInt8>) throws(FramingError) {
        guard version.count == 8, version.extracting(0..<5).isMethod("HTTP/"), version[6] == UInt8(ascii: "."),
            version[5] &- UInt8(ascii: "0") <= 9, version[7] &- UInt8(ascii: "0") <= 9
        else { throw .irregularRequestLine }
        // RFC 9110 §2.5: a later minor version of 1 is read as the latest that this server knows.
        guard version[5] == UInt8(ascii: "1") else { throw .unsupportedVersion }
        isHTTP10 = version[7] == UInt8(ascii: "0")
    }

    /// RFC 9112 §5: `field-name ":" OWS field-value OWS`.
    @inline(__always)
    private mutating func readField(
        _ window: Span<UInt8>,
        _ line: Range<Int>,
        headStart: Int
    ) throws(FramingError) {
        let index = memory.fields.count
        // RFC 9112 §5.2: a folded line, which a server must reject or unfold.
        guard !FieldSyntax.isWhitespace(window[line.lowerBound]),
            let colon = Self.colon(in: window, line)
        else { throw .irregularFieldLine(index: index) }
        let name = line.lowerBound..<colon
        let field = FieldName(window.extracting(name))
        if !field.isToken, !FieldSyntax.isToken(window, name) { throw Self.nameFault(window, name, index: index) }
        let value = FieldSyntax.trimmed(window, (colon + 1)..<line.upperBound)
        if let byte = FieldSyntax.forbiddenByte(in: window, value) {
            throw .invalidFieldValue(name: String(ascii: window, name), byte: byte)
        }
        if field.isFraming { try framing.read(field, value: window.extracting(value)) }
        memory.fields.append(
            RequestFields.Place(
                field: field,
                name: (name.lowerBound - headStart)..<(name.upperBound - headStart),
                value: (value.lowerBound - headStart)..<(value.upperBound - headStart)
            )
        )
    }

    private static func nameFault(_ window: Span<UInt8>, _ name: Range<Int>, index: Int) -> FramingError {
        // RFC 9112 §5.1: a server must reject white space before the colon, which has been used to hide a length.
        if !name.isEmpty, FieldSyntax.isWhitespace(window[name.upperBound - 1]) {
            return .whitespaceBeforeColon(name: String(ascii: window, FieldSyntax.trimmed(window, name)))
        }
        return .invalidFieldName(index: index)
    }

    // MARK: Searching

    private static func lineFeed(in window: Span<UInt8>, from start: Int) -> Int? {
        start < window.count ? position(of: UInt8(ascii: "\n"), in: window, start..<window.count) : nil
    }

    @inline(__always) private static func colon(in window: Span<UInt8>, _ line: Range<Int>) -> Int? {
        position(of: UInt8(ascii: ":"), in: window, line)
    }

    private static func space(in line: Span<UInt8>, from start: Int) -> Int? {
        position(of: UInt8(ascii: " "), in: line, start..<line.count)
    }

    /// memchr(3) in a part of `window`.
    @inline(__always)
    private static func position(of byte: UInt8, in window: Span<UInt8>, _ range: Range<Int>) -> Int? {
        precondition(range.upperBound <= window.count, "the range is in the window")
        // All pointers point into the memory that is borrowed for the duration of this call.
        return unsafe window.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress,
                let found = unsafe memchr(base + range.lowerBound, Int32(byte), range.count)
            else { return nil }
            return unsafe UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
        }
    }
}

/// Memory that heads are read into. A loop has one for all its connections; a connection whose head is incomplete keeps it until
/// the head is complete.
struct HeadMemory: ~Copyable {
    var fields = RequestFields()

    /// The target of the last head, as it was received: clients request the same one again and again.
    private var lastTarget: [UInt8] = []
    private var lastParsed = RequestTarget(path: "", query: nil)

    /// Parses a target, or returns what the same one was parsed to before.
    mutating func target(_ received: Span<UInt8>) throws(FramingError) -> RequestTarget {
        if received.count > 0, lastTarget.span.equals(received) { return lastParsed }
        let parsed = try RequestTarget(parsing: received)
        lastParsed = parsed
        lastTarget.removeAll(keepingCapacity: true)
        for index in received.indices { lastTarget.append(received[index]) }
        return parsed
    }
}

extension Span<UInt8> {
    /// Whether the bytes are `text`. Methods and `HTTP` compare with case (RFC 9110 §9.1, RFC 9112 §2.3).
    @inline(__always) fileprivate func isMethod(_ text: StaticString) -> Bool {
        // The literal's bytes exist for ever.
        let text = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard count == text.count else { return false }
        for index in text.indices where unsafe self[index] != text[index] { return false }
        return true
    }
}
