extension Span<UInt8> {
    /// The lines and columns, from 1, of `offsets` of this UTF-8 text; the offsets must ascend.
    ///
    /// A line ends with LF, CR or CR LF; a column is a code point. `byte` is the offset itself.
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
                } else if byte & 0xC0 != 0x80, byte != 0x0D {
                    column += 1
                }
            }
            locations.append(SourceLocation(byte: offset, line: line, column: column))
        }
        return locations
    }
}
