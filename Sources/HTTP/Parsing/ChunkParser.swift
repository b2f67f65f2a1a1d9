internal import Primitives

/// A strict parser of chunked content (RFC 9112 §7.1): lines end in CRLF, and there is no white space around sizes.
///
/// Extensions and trailers are checked and ignored, as RFC 9112 §7.1.1 and §7.1.2 allow. White space before the
/// semicolon of an extension (`BWS`, which senders must not generate) is rejected, because some parsers treat it as
/// part of the size. In a request an extension may be any text, because only its end is relevant.
package struct ChunkParser {
    package enum Progress: Equatable {
        /// All bytes of the window are read, and the content is incomplete.
        case incomplete
        /// Content was read at these offsets of the window.
        case content(Range<Int>)
        /// The last CRLF was read.
        case complete
        case rejected(FramingError)
    }

    private enum State {
        case size(digits: Int)
        case sizeExtension
        /// After the CR of the line that contains the size.
        case sizeEnd
        case data(left: Int)
        case dataCR
        case dataLF
        /// At the beginning of a trailer line, or of the CRLF that ends the content.
        case trailerStart
        case trailerName
        case trailerValue
        case trailerEnd
        case lastLF
    }

    private var state = State.size(digits: 0)
    private var size = 0
    private var overheadBytes = 0
    private let maxOverheadBytes: Int
    private let checksExtensions: Bool
    private var chunkExtension = ChunkExtension()

    /// Whether a line that contains a size was read completely.
    private var hasReadLine = false

    /// The maximum size of all extensions and trailer lines of a request together, in bytes, inclusive.
    package static let maxOverheadBytes = 16 << 10

    /// - Parameters:
    ///   - maxOverheadBytes: the maximum size of all extensions and trailer lines together, in bytes, inclusive.
    ///   - checksExtensions: whether extensions must have the syntax of RFC 9112 §7.1.1.
    package init(maxOverheadBytes: Int = Self.maxOverheadBytes, checksExtensions: Bool = false) {
        self.maxOverheadBytes = maxOverheadBytes
        self.checksExtensions = checksExtensions
    }

    /// Continues reading at `offset`, and moves `offset` to the end of the bytes that it has read.
    package mutating func read(_ window: Span<UInt8>, at offset: inout Int) -> Progress {
        while offset < window.count {
            if case .data(let left) = state {
                let start = offset
                let count = min(left, window.count - start)
                offset += count
                state = left > count ? .data(left: left - count) : .dataCR
                return .content(start..<offset)
            }
            let byte = window[offset]
            if case .lastLF = state {
                guard byte == UInt8(ascii: "\n") else { return .rejected(.malformedChunk) }
                offset += 1
                return .complete
            }
            guard let next = next(byte) else { return .rejected(.malformedChunk) }
            guard overheadBytes <= maxOverheadBytes else { return .rejected(.chunkOverheadTooLarge) }
            state = next
            offset += 1
        }
        return .incomplete
    }

    /// Returns the state after `byte`, or `nil` if `byte` is not allowed in the current state.
    private mutating func next(_ byte: UInt8) -> State? {
        switch state {
        case .size(let digits): return nextInSize(byte, digits)
        case .sizeExtension:
            // RFC 9112 §7.1.1
            if checksExtensions, !chunkExtension.read(byte) { return nil }
            if byte == UInt8(ascii: "\r") { return .sizeEnd }
            return overhead(byte, .sizeExtension)
        case .sizeEnd:
            guard byte == UInt8(ascii: "\n") else { return nil }
            hasReadLine = true
            return size > 0 ? .data(left: size) : .trailerStart
        case .dataCR: return byte == UInt8(ascii: "\r") ? .dataLF : nil
        case .dataLF:
            guard byte == UInt8(ascii: "\n") else { return nil }
            size = 0
            return .size(digits: 0)
        case .trailerStart:
            // RFC 9112 §7.1.2: field lines, as in a head.
            if byte == UInt8(ascii: "\r") { return .lastLF }
            return byte.isTokenCharacter ? overhead(byte, .trailerName) : nil
        case .trailerName:
            if byte == UInt8(ascii: ":") { return overhead(byte, .trailerValue) }
            return byte.isTokenCharacter ? overhead(byte, .trailerName) : nil
        case .trailerValue:
            if byte == UInt8(ascii: "\r") {
                overheadBytes += 1
                return .trailerEnd
            }
            return overhead(byte, .trailerValue)
        case .trailerEnd:
            guard byte == UInt8(ascii: "\n") else { return nil }
            overheadBytes += 1
            return .trailerStart
        case .data, .lastLF: return nil
        }
    }

    private mutating func nextInSize(_ byte: UInt8, _ digits: Int) -> State? {
        switch byte {
        case UInt8(ascii: "\r") where digits > 0: return .sizeEnd
        case UInt8(ascii: ";") where digits > 0:
            chunkExtension = ChunkExtension()
            return overhead(byte, .sizeExtension)
        default:
            // RFC 9112 §7.1: a recipient must prevent overflow. A size below 2⁵⁹ has space for one more digit.
            guard digits < 16, let digit = byte.hexDigit, size >> 59 == 0 else { return nil }
            size = size << 4 | Int(digit)
            return .size(digits: digits + 1)
        }
    }

    /// Counts a byte of an extension or a trailer, which must not be a control character other than the tab.
    /// - Returns: `next`, or `nil` if the byte is not allowed.
    private mutating func overhead(_ byte: UInt8, _ next: State) -> State? {
        guard !byte.isForbiddenInField else { return nil }
        overheadBytes += 1
        return next
    }
}

extension ChunkParser {
    /// Whether the first line, which contains a size, has not been read completely.
    package var isInFirstLine: Bool {
        switch state {
        case .size, .sizeExtension, .sizeEnd: !hasReadLine
        case .data, .dataCR, .dataLF, .trailerStart, .trailerName, .trailerValue, .trailerEnd, .lastLF: false
        }
    }

    /// Whether the first line has not been read further than its size.
    package var isInFirstSize: Bool { if case .size = state { !hasReadLine } else { false } }

    /// Whether the line of the last chunk was read completely, so that only trailer lines and an empty line follow.
    package var isAfterLastChunk: Bool {
        switch state {
        case .trailerStart, .trailerName, .trailerValue, .trailerEnd, .lastLF: true
        case .size, .sizeExtension, .sizeEnd, .data, .dataCR, .dataLF: false
        }
    }

    /// The bytes that may follow those that were read.
    package var expected: [String] {
        switch state {
        case .size(digits: 0): ["a chunk size in hexadecimal digits"]
        case .size: ["a chunk size of at most 15 significant hexadecimal digits", "';'", "CRLF"]
        case .sizeExtension: checksExtensions ? ["a chunk extension (RFC 9112 §7.1.1)"] : ["text", "CRLF"]
        case .sizeEnd, .dataLF, .trailerEnd, .lastLF: ["a line feed after a carriage return"]
        case .data: ["content"]
        case .dataCR: ["CRLF after a chunk"]
        case .trailerStart: ["a trailer line", "CRLF"]
        case .trailerName: ["the name of a trailer field", "':'"]
        case .trailerValue: ["the value of a trailer field", "CRLF"]
        }
    }
}

/// The syntax of a chunk extension after its first semicolon (RFC 9112 §7.1.1):
/// `BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ]`, and further extensions after semicolons.
private struct ChunkExtension {
    private enum State {
        /// After a semicolon.
        case start
        case name
        /// After the white space that follows a name.
        case nameEnd
        /// After an equals sign.
        case valueStart
        case token
        case quoted
        /// After a backslash (RFC 9110 §5.6.4).
        case escape
        case valueEnd
    }

    private var state = State.start

    /// Reads one byte, which may be the CR at the end of the line.
    /// - Returns: whether the byte is allowed.
    mutating func read(_ byte: UInt8) -> Bool {
        guard let next = next(byte) else { return false }
        state = next
        return true
    }

    private func next(_ byte: UInt8) -> State? {
        let isToken = byte.isTokenCharacter
        let isBlank = byte.isBlank
        switch state {
        case .start: return isToken ? .name : isBlank ? .start : nil
        case .name where isToken: return .name
        case .name, .nameEnd:
            if byte == UInt8(ascii: "=") { return .valueStart }
            return isBlank ? .nameEnd : end(byte)
        case .valueStart:
            if byte == UInt8(ascii: "\"") { return .quoted }
            return isToken ? .token : isBlank ? .valueStart : nil
        case .token where isToken: return .token
        case .token, .valueEnd: return isBlank ? .valueEnd : end(byte)
        case .quoted:
            if byte == UInt8(ascii: "\"") { return .valueEnd }
            if byte == UInt8(ascii: "\\") { return .escape }
            return byte == UInt8(ascii: "\r") ? nil : .quoted
        case .escape: return byte == UInt8(ascii: "\r") ? nil : .quoted
        }
    }

    /// The state after a byte that ends an extension.
    private func end(_ byte: UInt8) -> State? {
        byte == UInt8(ascii: ";") ? .start : byte == UInt8(ascii: "\r") ? .valueEnd : nil
    }
}
