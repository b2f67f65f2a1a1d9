/// The lines of one head, as they come (RFC 9112 §2.1).
struct HeadLines {
    enum Outcome {
        case goesOn
        case complete
        /// ``fault`` or ``cutFault`` says why.
        case faulty
    }

    /// Length of the head so far in bytes, from the request line's first.
    private(set) var headBytes = 0

    /// What is wrong with a line that the library reads in its own way. It goes on to the head's end and asks us.
    private(set) var fault: FramingError?

    /// What is wrong with a head that the library would answer by itself, or never. It was made to end before that line.
    private(set) var cutFault: HeadFault?

    /// What the head takes of the library's memory.
    private var usedBytes = 0

    private var count = 0

    /// What one head may take of the library's memory for a connection (16 KiB), which must hold the answer's head, too.
    static let maxUsedBytes = 12 << 10

    /// What each line takes beside its bytes: the library's record of a field.
    static let recordBytes = 64

    /// Most bytes of empty lines before a request line.
    private static let maxSkippedBytes = 64

    /// Reads a line, `start` to the line feed at `end`.
    mutating func read(_ window: inout MutableSpan<UInt8>, from start: Int, to end: Int) -> Outcome {
        // The library ends a line at a bare line feed, too, and takes one that begins with a NUL for an empty one.
        guard end > start, window[end - 1] == UInt8(ascii: "\r"), window[start] != 0 else {
            let isEmpty = end == start || window[start] == 0
            // Fields are counted from 0; the line before them is the request line.
            let field = isEmpty ? count - 2 : count - 1
            fault = field < 0 ? .irregularRequestLine : .irregularFieldLine(index: field)
            return .faulty
        }
        usedBytes += end - start + 1
        if end - start == 1 {
            // RFC 9112 §2.2: empty lines before the request line are no part of a head.
            guard count > 0 else { return skipEmptyLine() }
            headBytes += 2
            return .complete
        }
        usedBytes += Self.recordBytes
        guard usedBytes <= Self.maxUsedBytes else { return cut(&window, start, tooLong) }
        headBytes += end - start + 1
        count += 1
        return count == 1 ? .goesOn : readField(&window, start, end - 1)
    }

    /// Looks at the beginning of a line, of which more will come.
    mutating func hold(_ window: inout MutableSpan<UInt8>, from start: Int) -> Outcome {
        let heldBytes = window.count - start
        // Room for a cut: a request line that is too long has it anyway.
        guard usedBytes + heldBytes > Self.maxUsedBytes, heldBytes >= 2 else { return .goesOn }
        return cut(&window, start, tooLong)
    }

    /// The library skips any number of them, but they use up its memory.
    private mutating func skipEmptyLine() -> Outcome {
        guard usedBytes > Self.maxSkippedBytes else { return .goesOn }
        fault = .irregularRequestLine
        return .faulty
    }

    private var tooLong: HeadFault { count == 0 ? .targetTooLong : .tooLarge }

    // MARK: Fields

    /// Reads the field in `start..<end`, where the library would do harm with it.
    private mutating func readField(_ window: inout MutableSpan<UInt8>, _ start: Int, _ end: Int) -> Outcome {
        switch window[start] | 0x20 {
        case UInt8(ascii: "c"):
            if let name = Self.end(of: "Content-Length", in: window.span, start, end) {
                return readLength(&window, start, name, end)
            }
            // The library takes a cookie apart, and uses up the connection's memory for it. Nobody here asks for cookies.
            if Self.end(of: "Cookie", in: window.span, start, end) != nil { window[start] = UInt8(ascii: "-") }
        case UInt8(ascii: "t"):
            if let name = Self.end(of: "Transfer-Encoding", in: window.span, start, end) {
                Self.moveToEnd(&window, FieldSyntax.trimmed(window.span, name..<end), end)
            }
        default: break
        }
        return .goesOn
    }

    /// A length that is no number the library refuses twice over, and the connection hangs where it is none at all.
    private mutating func readLength(
        _ window: inout MutableSpan<UInt8>,
        _ start: Int,
        _ name: Int,
        _ end: Int
    ) -> Outcome {
        let value = FieldSyntax.trimmed(window.span, name..<end)
        do throws(FramingError) {
            _ = try RequestFraming.length(window.span.extracting(value))
        } catch {
            return cut(&window, start, .framing(error))
        }
        Self.moveToEnd(&window, value, end)
        return .goesOn
    }

    /// Where the value of a field begins, white space included; nil where the name is another.
    private static func end(of name: StaticString, in bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
        let colon = start + name.utf8CodeUnitCount
        guard colon < end, bytes[colon] == UInt8(ascii: ":"), bytes.extracting(start..<colon).equals(name) else {
            return nil
        }
        return colon + 1
    }

    /// Moves a value behind the white space that follows it. RFC 9110 §5.5 says it is no part of the value, but the
    /// library knows that only of white space before one.
    private static func moveToEnd(_ window: inout MutableSpan<UInt8>, _ value: Range<Int>, _ end: Int) {
        let distance = end - value.upperBound
        guard distance > 0 else { return }
        for index in value.reversed() { window[index + distance] = window[index] }
        for index in value.lowerBound..<(value.lowerBound + distance) { window[index] = UInt8(ascii: " ") }
    }

    // MARK: Cuts

    /// What the library gets to read where a request line is too long to let it.
    private static let shortestRequest: StaticString = "GET / HTTP/1.1\r\n\r\n"

    /// Has the head end where a line begins, so that the library asks what to answer.
    private mutating func cut(_ window: inout MutableSpan<UInt8>, _ start: Int, _ reason: HeadFault) -> Outcome {
        cutFault = reason
        let end: StaticString = count == 0 ? Self.shortestRequest : "\r\n"
        end.withUTF8Buffer { end in
            for index in end.indices { window[start + index] = unsafe end[index] }
        }
        return .faulty
    }
}

/// Why a head was cut short.
enum HeadFault: Equatable, Sendable {
    /// The request line does not fit into the memory for a head. 414.
    case targetTooLong

    /// All of the head does not. 431.
    case tooLarge

    case framing(FramingError)
}
