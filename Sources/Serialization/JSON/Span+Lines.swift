extension Span<UInt8> {
    /// Returns the offset after the line end at `offset`, or the end of the text; `nil` if there is something else.
    @inline(__always) func lineEnd(at offset: Int) -> Int? {
        guard offset < count else { return count }
        switch self[offset] {
        case 0x0A: return offset + 1
        case 0x0D: return offset + 1 < count && self[offset + 1] == 0x0A ? offset + 2 : offset + 1
        default: return nil
        }
    }

    /// Returns the lines and columns, from 1, of `offsets` in this UTF-8 text. The offsets must be in ascending order.
    ///
    /// A line ends with LF, CR or CR LF. Columns count code points. `byte` is the offset itself.
    package func locate(_ offsets: [Int]) -> [SourceLocation] {
        var locations: [SourceLocation] = []
        var line = 1
        var column = 1
        var i = 0
        for offset in offsets {
            while i < Swift.min(offset, count) {
                let byte = self[i]
                i += 1
                if byte == 0x0A || byte == 0x0D && !(i < count && self[i] == 0x0A) {
                    line += 1
                    column = 1
                } else if (byte & 0xC0) != 0x80, byte != 0x0D {
                    column += 1
                }
            }
            locations.append(SourceLocation(byte: offset, line: line, column: column))
        }
        return locations
    }
}

/// Finds the lines and columns of ascending offsets in a text that is passed one byte at a time, like
/// ``Swift/Span/locate(_:)`` for a complete text.
struct LineLocator {
    private let offsets: [Int]
    private(set) var locations: [SourceLocation] = []
    private var line = 1
    private var column = 1
    private var count = 0
    /// Whether the last byte was a carriage return, which ends a line unless a line feed follows.
    private var isAfterReturn = false

    init(_ offsets: [Int]) { self.offsets = offsets }

    mutating func append(_ byte: UInt8) {
        guard locations.count < offsets.count else { return }
        if isAfterReturn && byte != 0x0A { endLine() }
        isAfterReturn = byte == 0x0D
        note()
        count += 1
        if byte == 0x0A {
            endLine()
        } else if (byte & 0xC0) != 0x80, byte != 0x0D {
            column += 1
        }
    }

    mutating func finish() {
        if isAfterReturn { endLine() }
        while locations.count < offsets.count { add() }
    }

    private mutating func endLine() {
        line += 1
        column = 1
    }

    private mutating func note() { while locations.count < offsets.count, offsets[locations.count] <= count { add() } }

    private mutating func add() {
        locations.append(SourceLocation(byte: offsets[locations.count], line: line, column: column))
    }
}
