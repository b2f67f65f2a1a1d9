internal import Glibc
internal import Serialization

/// A parser of request heads (RFC 9112 §2 to §6). It reads each line once, as soon as the end of the line is received.
///
/// The window begins with the first byte of the head, and offsets are relative to that byte:
///
///     POST␠/x␠HTTP/1.1␍␊Host:␠a␍␊␍␊
///     0    5  8         18   24  27
///
/// An incomplete head is presented again, from its beginning and followed by more bytes. The lines that were read are
/// not read again, and the search for the next line feed continues at the offset at which it ended.
///
/// Ambiguities in the standard, and how they are resolved: a server may tolerate a line feed without a preceding CR,
/// white space before the first field, folded lines, and several spaces in the request line (RFC 9112 §2.2, §3, §5.2).
/// This parser rejects them, because proxies in front of the service may interpret them differently.
struct HeadParser: ~Copyable {
    enum Progress: Equatable {
        case incomplete
        case complete
        case rejected(FramingError)
    }

    /// The maximum size of a head in bytes, inclusive. It includes the request line and the empty line at the end.
    static let maxHeadBytes = 16 << 10

    /// The maximum size of the empty lines before a request line, in bytes, inclusive.
    static let maxSkippedBytes = 64

    /// The memory for fields and targets. A connection needs it only while it reads a head.
    var memory = HeadMemory()

    private(set) var framing = RequestFraming()
    private(set) var method = ""
    private(set) var target = RequestTarget(path: "", query: nil)

    /// Whether the version of the request is 1.0. Otherwise it is 1.1, or a later minor version that is treated as 1.1.
    private(set) var isHTTP10 = false

    private var hasRequestLine = false
    private var skippedBytes = 0

    /// The offset of the incomplete line.
    private var lineStart = 0

    /// The offset at which the search for the next line feed continues.
    private var searched = 0

    /// Whether any byte of an incomplete head has been read. The head must be presented again.
    var hasBegun: Bool { searched > 0 }

    /// Discards the complete head.
    mutating func reset() {
        framing = RequestFraming()
        hasRequestLine = false
        skippedBytes = 0
        lineStart = 0
        searched = 0
    }

    /// Reads the complete lines.
    ///
    /// Moves `position` past empty lines that precede the request line, and past the head when it is complete.
    /// Otherwise `position` remains at the first byte of the head.
    mutating func read(_ window: Span<UInt8>, at position: inout Int) -> Progress {
        while let end = Self.lineFeed(in: window, from: position + searched) {
            let start = position + lineStart
            searched = end + 1 - position
            guard searched <= Self.maxHeadBytes else { return .rejected(tooLong) }
            // RFC 9112 §2.2: a recipient may recognize a bare line feed as a line terminator. This parser does not.
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

    /// Reads the request line, `method SP request-target SP HTTP-version` with single spaces (RFC 9112 §3).
    private mutating func readRequestLine(_ line: Span<UInt8>) throws(FramingError) {
        guard let methodEnd = Self.space(in: line, from: 0),
            let targetEnd = Self.space(in: line, from: methodEnd + 1)
        else { throw .irregularRequestLine }
        let method = line.extracting(0..<methodEnd)
        guard FieldSyntax.isToken(method) else { throw .invalidMethod }
        try readVersion(line.extracting((targetEnd + 1)...))
        target = try memory.target(line.extracting((methodEnd + 1)..<targetEnd))
        // Nearly all methods are one of these, whose text is a constant.
        self.method =
            method.isMethod("POST") ? "POST" : method.isMethod("GET") ? "GET" : String(ascii: method, 0..<method.count)
    }

    /// Reads the version, `HTTP/` and two digits separated by a dot, which is case-sensitive (RFC 9112 §2.3).
    private mutating func readVersion(_ version: Span<UInt8>) throws(FramingError) {
        guard version.count == 8, version.extracting(0..<5).isMethod("HTTP/"), version[6] == UInt8(ascii: "."),
            version[5] &- UInt8(ascii: "0") <= 9, version[7] &- UInt8(ascii: "0") <= 9
        else { throw .irregularRequestLine }
        // RFC 9110 §2.5: a later minor version of 1 is treated as the latest that this server supports.
        guard version[5] == UInt8(ascii: "1") else { throw .unsupportedVersion }
        isHTTP10 = version[7] == UInt8(ascii: "0")
    }

    /// Reads a field line, `field-name ":" OWS field-value OWS` (RFC 9112 §5).
    @inline(__always)
    private mutating func readField(
        _ window: Span<UInt8>,
        _ line: Range<Int>,
        headStart: Int
    ) throws(FramingError) {
        let index = memory.fields.count
        // RFC 9112 §5.2: a server must reject a folded line or unfold it.
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
        // RFC 9112 §5.1: a server must reject white space before the colon, which has been used to hide
        // `Content-Length`.
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

    /// Returns the offset of the first `byte` in `range` of `window`, which memchr(3) finds.
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

/// The memory that heads are read into. The connections of a loop share one instance. A connection whose head is
/// incomplete keeps an instance until the head is complete.
struct HeadMemory: ~Copyable {
    var fields = RequestFields()

    /// The target of the last head, as it was received: clients often request the same target repeatedly.
    private var lastTarget: [UInt8] = []
    private var lastParsed = RequestTarget(path: "", query: nil)

    /// Parses a target, or returns the result for the last target if it is the same.
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
    /// Returns whether the bytes equal `text`. Methods and `HTTP` are case-sensitive (RFC 9110 §9.1, RFC 9112 §2.3).
    @inline(__always) fileprivate func isMethod(_ text: StaticString) -> Bool {
        // The bytes of a literal are valid for the lifetime of the process.
        let text = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard count == text.count else { return false }
        for index in text.indices where unsafe self[index] != text[index] { return false }
        return true
    }
}
