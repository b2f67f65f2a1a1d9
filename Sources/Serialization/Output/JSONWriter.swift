/// Writes minified JSON (RFC 8259, UTF-8) into one growing buffer.
///
/// The writer sets the commas and escapes text. No method fails: beyond `maxBytes`, or if no memory is granted, nothing
/// more is written and ``isOverLimit`` stays `true`. The caller checks that once, at the end.
package struct JSONWriter: ~Copyable {
    package var buffer: OutputBuffer

    /// The maximum length of the buffer, in bytes.
    package var maxBytes: Int { didSet { roomEnd = min(maxBytes, memory.bytes) } }

    /// Whether the text is incomplete because something did not fit.
    package private(set) var isOverLimit = false

    /// Whether the text is incomplete because no memory was granted.
    package private(set) var isOutOfMemory = false

    /// The memory for the buffer, which is not limited before ``use(_:after:)``.
    private var memory = MemoryBudget(.unlimited, reserved: .max)

    /// The lower of ``maxBytes`` and that of the memory.
    private var roomEnd: Int

    /// Whether a value has been written at this level, so that a comma precedes the next one.
    package var needsComma = false

    package init(capacity: Int = 256, maxBytes: Int = .max) {
        buffer = OutputBuffer(capacity: capacity)
        self.maxBytes = maxBytes
        roomEnd = maxBytes
    }

    // MARK: Structure

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a member's name. The next value is that of the member.
    @inline(__always) package mutating func name(_ name: StaticString) {
        guard admit(name.utf8CodeUnitCount + (needsComma ? 4 : 3)) else { return }
        buffer.append(name: name, afterComma: needsComma)
        needsComma = false
    }

    /// Writes a member's name that is data. Disfavoured, because a literal would otherwise be taken for a `String`.
    @_disfavoredOverload
    package mutating func name(_ name: String) {
        string(name)
        guard admit(1) else { return }
        buffer.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member's name that is data, in valid UTF-8.
    package mutating func name(utf8: Span<UInt8>) {
        string(utf8: utf8)
        guard admit(1) else { return }
        buffer.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Values

    package mutating func string(_ text: String) { string(utf8: text.utf8.span) }

    /// Writes `utf8`, which must be valid UTF-8, as a string.
    package mutating func string(utf8: Span<UInt8>) { string(utf8: utf8, length: utf8.count) }

    /// Writes the first `length` bytes of `utf8`, which must be valid UTF-8, as a string. Faster if sixteen more bytes
    /// can be read.
    package mutating func string(utf8: Span<UInt8>, length: Int) {
        guard length <= Self.textPieceBytes else { return longString(utf8, length) }
        guard admit(length + (needsComma ? 3 : 2)) else { return }
        let start = buffer.count
        buffer.append(string: utf8, length: length, afterComma: needsComma)
        needsComma = true
        if buffer.count > roomEnd, !grow(to: buffer.count) { cut(to: start) }
    }

    /// Writes a long string piece by piece: the capacity for its longest possible form would be too much to request.
    @inline(never) private mutating func longString(_ utf8: Span<UInt8>, _ length: Int) {
        separate()
        guard admit(length + 2) else { return }
        buffer.append(UInt8(ascii: "\""))
        append(utf8: utf8.extracting(first: length))
        endString()
    }

    /// Writes the first `length` bytes of `utf8`, the valid UTF-8 of a field of CSV between its quotes, as a string.
    @inline(never) mutating func string(utf8: Span<UInt8>, length: Int, unescaping escape: CSVEscape) {
        beginString()
        append(utf8: utf8, length: length, unescaping: escape)
        endString()
    }

    /// Begins a string whose text is appended in pieces.
    package mutating func beginString() {
        separate()
        guard admit(1) else { return }
        buffer.append(UInt8(ascii: "\""))
    }

    /// Appends a piece of a string. The piece must be valid UTF-8.
    package mutating func append(utf8: Span<UInt8>) { append(utf8: utf8, length: utf8.count) }

    private mutating func append(utf8: Span<UInt8>, length: Int, unescaping escape: CSVEscape? = nil) {
        var start = 0
        while start < length, !isOverLimit {
            start += buffer.append(
                escaping: utf8.extracting(droppingFirst: start),
                length: min(Self.textPieceBytes, length - start),
                unescaping: escape
            )
            // No byte that was not read yet becomes shorter.
            let total = buffer.count + length - start
            if total >= roomEnd, !grow(to: total + 1) { cut(to: maxBytes) }
        }
    }

    /// Ends a string that ``beginString()`` began.
    package mutating func endString() {
        guard admit(1) else { return }
        buffer.append(UInt8(ascii: "\""))
        needsComma = true
    }

    private static let textPieceBytes = 512

    /// Truncates the buffer to `length` bytes.
    private mutating func cut(to length: Int) {
        buffer.truncate(to: min(buffer.count, length))
        isOverLimit = true
    }

    package mutating func integer(_ value: Int) {
        separate()
        let digits = value.magnitude.decimalDigits
        guard admit(digits + (value < 0 ? 1 : 0)) else { return }
        if value < 0 { buffer.append(UInt8(ascii: "-")) }
        buffer.append(decimal: value.magnitude, digits: digits)
        needsComma = true
    }

    package mutating func boolean(_ value: Bool) { value ? scalar("true") : scalar("false") }

    package mutating func null() { scalar("null") }

    /// Writes `json`, which must be one JSON value, without changes.
    package mutating func raw(_ json: Span<UInt8>) {
        separate()
        guard admit(json.count) else { return }
        buffer.append(json)
        needsComma = true
    }

    /// Writes `json`, which must be one JSON value, without changes.
    package mutating func raw(_ json: [UInt8]) { raw(json.span) }

    /// Lets `body` write one value directly into the buffer.
    /// - Parameters:
    ///   - maxBytes: The maximum length of the value.
    ///   - body: Receives the capacity for `maxBytes` and ``JSONSink/slackBytes`` more bytes, and returns the length of
    ///     the value. If it throws, everything is rolled back, including the comma before the value.
    @inline(__always) mutating func value<Result, Failure: Error>(
        maxBytes: Int,
        _ body: (JSONSink) throws(Failure) -> (bytes: Int, Result)
    ) throws(Failure) -> Result {
        let start = mark
        separate()
        let result: Result
        do throws(Failure) {
            (_, result) = try buffer.fill(maxBytes + JSONSink.slackBytes, body)
        } catch {
            rollBack(to: start)
            throw error
        }
        needsComma = true
        if buffer.count > roomEnd, !grow(to: buffer.count) { isOverLimit = true }
        return result
    }

    /// Writes `name`, the text between the quotes of a JSON string, as a member's name.
    mutating func rawName(_ name: Span<UInt8>) {
        separate()
        guard admit(name.count + 3) else { return }
        buffer.append(UInt8(ascii: "\""))
        buffer.append(name)
        buffer.append("\":")
        needsComma = false
    }

    /// Writes a member's name without changes.
    /// - Parameters:
    ///   - name: The range of the name. It begins with the comma that separates the member from the previous one, and
    ///     ends with the colon.
    ///   - names: The bytes that contain the name, followed by at least sixteen more bytes.
    @inline(__always) mutating func rawName(afterComma name: Range<Int>, ofPadded names: Span<UInt8>) {
        let name = name.lowerBound &+ (needsComma ? 0 : 1)..<name.upperBound
        guard admit(name.count) else { return }
        buffer.append(name, ofPadded: names)
        needsComma = false
    }

    /// Lets `body` write any number of members or elements directly into the buffer.
    /// - Parameters:
    ///   - maxBytes: The capacity for all of them. Less is available close to the limit and to the end of the memory,
    ///     and none beyond them.
    ///   - body: Receives the capacity, and whether a comma precedes the first one. It returns the number of bytes
    ///     written.
    @inline(__always) mutating func members<Result>(
        maxBytes: Int,
        _ body: (JSONSink, _ needsComma: Bool) -> (bytes: Int, Result)
    ) -> Result {
        let room = isOverLimit ? 0 : max(0, min(maxBytes, roomEnd - buffer.count))
        let (bytes, result) = buffer.fill(room) { body($0, needsComma) }
        if bytes > 0 { needsComma = true }
        return result
    }

    /// Marks the text as too long from here on, or the memory as used up.
    mutating func rejectMore(isOutOfMemory: Bool = false) {
        isOverLimit = true
        if isOutOfMemory { self.isOutOfMemory = true }
    }

    // MARK: Memory

    /// Requests the memory for everything after the first `bytes` bytes from `memory`.
    mutating func use(_ memory: any MemoryGrant, after bytes: Int) {
        self.memory = MemoryBudget(memory, reserved: bytes)
        roomEnd = min(maxBytes, bytes)
    }

    /// Requests memory for `bytes` more bytes, unless it was already granted. The limit is not checked.
    /// - Returns: `false` if there is none.
    @inline(__always) mutating func reserveMemory(for bytes: Int) -> Bool {
        buffer.count + bytes <= memory.bytes || grant(buffer.count + bytes)
    }

    /// Requests memory for a buffer of `bytes` bytes, unless that exceeds the limit.
    /// - Returns: `false` if the buffer must not grow to that length.
    @inline(never) private mutating func grow(to bytes: Int) -> Bool { bytes <= maxBytes && grant(bytes) }

    private mutating func grant(_ bytes: Int) -> Bool {
        guard memory.grow(to: bytes) else {
            isOutOfMemory = true
            return false
        }
        roomEnd = min(maxBytes, memory.bytes)
        return true
    }

    // MARK: Rolling back

    /// A state to which the writer can roll back.
    package struct Mark {
        fileprivate var count: Int
        fileprivate var needsComma: Bool
    }

    package var mark: Mark { Mark(count: buffer.count, needsComma: needsComma) }

    /// Returns whether nothing was written since `mark`.
    package func isAt(_ mark: Mark) -> Bool { buffer.count == mark.count }

    /// Rolls back everything that was written since `mark`.
    package mutating func rollBack(to mark: Mark) {
        buffer.truncate(to: mark.count)
        needsComma = mark.needsComma
    }

    // MARK: Steps

    @inline(__always) private mutating func scalar(_ text: StaticString) {
        separate()
        guard admit(text.utf8CodeUnitCount) else { return }
        buffer.append(text)
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        guard admit(1) else { return }
        buffer.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        guard admit(1) else { return }
        buffer.append(bracket)
        needsComma = true
    }

    mutating func separate() {
        guard needsComma, admit(1) else { return }
        buffer.append(UInt8(ascii: ","))
    }

    /// Returns whether `bytes` more bytes may be written. Sets ``isOverLimit`` if not.
    mutating func admit(_ bytes: Int) -> Bool {
        if buffer.count + bytes <= roomEnd, !isOverLimit { return true }
        if !isOverLimit, grow(to: buffer.count + bytes) { return true }
        isOverLimit = true
        return false
    }
}

extension UInt {
    /// The number of decimal digits.
    fileprivate var decimalDigits: Int {
        var digits = 1
        var rest = self
        while rest >= 10_000 {
            rest /= 10_000
            digits += 4
        }
        return digits + (rest >= 10 ? 1 : 0) + (rest >= 100 ? 1 : 0) + (rest >= 1000 ? 1 : 0)
    }
}
