internal import Primitives

/// A parser of request heads (RFC 9112 §2 to §6). It reads each line once, as soon as the end of the line is received.
///
/// The window begins with the first byte of the head, and offsets are relative to that byte:
///
///     POST␠/x␠HTTP/1.1␍␊Host:␠a␍␊␍␊
///     0    5  8         18   24  27
///
/// A head whose first byte cannot begin a request is rejected without waiting for the end of a line, which the first
/// message of a TLS client often does not contain.
///
/// An incomplete head is presented again, from its beginning and followed by more bytes. The lines that were read are
/// not read again, and the search for the next line feed continues at the offset at which it ended.
///
/// Ambiguities in the standard, and how they are resolved: a server may tolerate a line feed without a preceding CR,
/// white space before the first field, folded lines, and several spaces in the request line (RFC 9112 §2.2, §3, §5.2).
/// This parser rejects them, because proxies in front of the service may interpret them differently.
package struct HeadParser: ~Copyable {
    enum Progress: Equatable {
        case incomplete
        case complete
        case rejected(FramingError)
    }

    /// The maximum size of a head in bytes, inclusive. It includes the request line and the empty line at the end.
    package static let maxHeadBytes = 16 << 10

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
    /// Moves `offset` past empty lines that precede the request line, and past the head when it is complete.
    /// Otherwise `offset` remains at the first byte of the head.
    mutating func read(_ window: Span<UInt8>, at offset: inout Int) -> Progress {
        guard hasRequestLine || Self.mayBegin(window, at: offset) else { return .rejected(.invalidMethod) }
        while let line = HeadLine(in: window, from: offset + lineStart, searchingFrom: offset + searched) {
            searched = line.end - offset
            guard searched <= Self.maxHeadBytes else { return .rejected(tooLong) }
            guard let text = line.text(in: window) else { return .rejected(irregularLine) }
            if !text.isEmpty {
                do throws(FramingError) {
                    try readLine(window, text, headStart: offset)
                } catch { return .rejected(error) }
                lineStart = searched
            } else if hasRequestLine {
                do throws(FramingError) {
                    try framing.check(isHTTP10: isHTTP10)
                } catch { return .rejected(error) }
                memory.fields.end(head: window.extracting(offset..<line.end))
                offset = line.end
                return .complete
            } else {
                // RFC 9112 §2.2: a server should ignore at least one empty line before the request line.
                skippedBytes += 2
                guard skippedBytes <= Self.maxSkippedBytes else { return .rejected(.irregularRequestLine) }
                offset = line.end
                searched = 0
                guard Self.mayBegin(window, at: offset) else { return .rejected(.invalidMethod) }
            }
        }
        searched = window.count - offset
        return searched > Self.maxHeadBytes ? .rejected(tooLong) : .incomplete
    }

    /// Whether the byte at `offset`, if there is one, can begin a method or an end of line.
    private static func mayBegin(_ window: Span<UInt8>, at offset: Int) -> Bool {
        guard offset < window.count else { return true }
        let byte = window[offset]
        return byte.isTokenCharacter || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
    }

    private var tooLong: FramingError { hasRequestLine ? .headTooLarge : .targetTooLong }

    private var irregularLine: FramingError {
        hasRequestLine ? .irregularFieldLine(index: memory.fields.count) : .irregularRequestLine
    }

    // MARK: Lines

    @inline(__always)
    private mutating func readLine(_ window: Span<UInt8>, _ line: Range<Int>, headStart: Int) throws(FramingError) {
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
        let space = UInt8(ascii: " ")
        guard let methodEnd = line.firstOffset(of: space, in: 0..<line.count),
            let targetEnd = line.firstOffset(of: space, in: (methodEnd + 1)..<line.count)
        else { throw .irregularRequestLine }
        let method = line.extracting(0..<methodEnd)
        guard method.isToken else { throw .invalidMethod }
        try readVersion(line.extracting((targetEnd + 1)...))
        target = try memory.target(line.extracting((methodEnd + 1)..<targetEnd))
        // Nearly all methods are one of these, whose text is a constant.
        self.method = method.isMethod("POST") ? "POST" : method.isMethod("GET") ? "GET" : method.text
    }

    /// Reads the version, `HTTP/` and two digits separated by a dot, which is case-sensitive (RFC 9112 §2.3).
    private mutating func readVersion(_ version: Span<UInt8>) throws(FramingError) {
        guard version.count == 8, version.extracting(0..<5).isMethod("HTTP/"), version[6] == UInt8(ascii: "."),
            version[5].isDecimalDigit, version[7].isDecimalDigit
        else { throw .irregularRequestLine }
        // RFC 9110 §2.5: a later minor version of 1 is treated as the latest that this server supports.
        guard version[5] == UInt8(ascii: "1") else { throw .unsupportedVersion }
        isHTTP10 = version[7] == UInt8(ascii: "0")
    }

    @inline(__always)
    private mutating func readField(_ window: Span<UInt8>, _ line: Range<Int>, headStart: Int) throws(FramingError) {
        guard let (field, parsed) = FieldLine.identified(window, line) else {
            throw FramingError(FieldLine.fault(in: window, line), in: window, index: memory.fields.count)
        }
        if field.isFraming { try framing.read(field, value: window.extracting(parsed.value)) }
        memory.fields.append(
            RequestFields.Entry(
                field: field,
                name: (parsed.name.lowerBound - headStart)..<(parsed.name.upperBound - headStart),
                value: (parsed.value.lowerBound - headStart)..<(parsed.value.upperBound - headStart)
            )
        )
    }
}

extension FramingError {
    /// - Parameter index: the number of field lines before the rejected one.
    fileprivate init(_ error: FieldLineError, in window: Span<UInt8>, index: Int) {
        switch error {
        case .folded, .missingColon: self = .irregularFieldLine(index: index)
        case .whitespaceBeforeColon(let name): self = .whitespaceBeforeColon(name: window.text(name))
        case .invalidName: self = .invalidFieldName(index: index)
        case .invalidValue(let name, let byte): self = .invalidFieldValue(name: window.text(name), byte: byte)
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
