internal import CCharsets

// The tables of all charsets are constants of the program: the file Sources/CCharsets/charsets.bin, which
// scripts/generate-charsets makes from the index files of the WHATWG Encoding Standard. Nothing is copied or computed
// at startup. All numbers are little-endian, and offsets count from the start of the file.
//
//     header     UInt32: the length of the file, and the number of records
//     record     the name of a charset in 16 bytes, filled with zeros; then the offset and the count (UInt32) of each
//                of the six arrays of `CharsetTable`. Equal arrays of several charsets are stored once
//
// A text is a UInt32: its UTF-8, the first byte lowest, or 0 for none. `codes` has a row for each lead byte, with a
// code for each trail byte: a UTF-16 code unit of three bytes in UTF-8, or below 0x800 the number of a text. Row 0 is
// that of bytes that lead nothing, and column 0 that of bytes that end nothing; they contain only text 0, which is
// none.
// Example: Shift_JIS 93 FA is codes[rows[0x13] + columns[0xFA]] = 0x65E5 (日).

enum CharsetResource {
    /// The table of each charset that is neither a Unicode encoding nor unsupported.
    static let tables: [Charset: CharsetTable] = {
        let header = PackedArray<UInt32>(in: file, at: 0, count: 2)
        precondition(header[0] == file.count, "the file of charsets has the length that its header states")
        let records = (0..<Int(header[1])).map { headerBytes + $0 * recordBytes }
        return Dictionary(uniqueKeysWithValues: records.map { (charset(at: $0), CharsetTable(at: $0 + nameBytes)) })
    }()

    /// The whole file.
    static let file = PackedArray<UInt8>(wholeFile: ())

    private static let headerBytes = 8
    private static let nameBytes = 16
    private static let recordBytes = nameBytes + 6 * 8

    private static func charset(at offset: Int) -> Charset {
        let name = PackedArray<UInt8>(in: file, at: offset, count: nameBytes)
        let bytes = (0..<nameBytes).map { name[$0] }.prefix { $0 != 0 }
        guard let charset = Charset(rawValue: String(decoding: bytes, as: UTF8.self)) else {
            preconditionFailure("each record of the file of charsets has the name of a charset")
        }
        return charset
    }
}

/// An array in the file of charsets.
///
/// @unchecked Sendable: the memory is a constant of the program, so it is never changed or freed.
@safe struct PackedArray<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>: @unchecked Sendable {
    private let start: UnsafeRawPointer
    let count: Int

    var isEmpty: Bool { count == 0 }

    subscript(index: Int) -> Number {
        precondition(0..<count ~= index, "an index is inside its array")
        return self[unchecked: index]
    }

    /// - Parameter index: Less than `count`, which only debug builds check.
    @inline(__always)
    subscript(unchecked index: Int) -> Number {
        assert(0..<count ~= index, "an index is inside its array")
        // The array is inside the file (see the initializers), and the index is inside the array.
        return unsafe Number(
            littleEndian: start.loadUnaligned(fromByteOffset: index &* MemoryLayout<Number>.size, as: Number.self)
        )
    }

    /// Creates an array of the numbers from `offset` on.
    init(in file: PackedArray<UInt8>, at offset: Int, count: Int) {
        precondition(
            offset >= 0 && count >= 0 && offset + count * MemoryLayout<Number>.size <= file.count,
            "an array is inside the file of charsets"
        )
        // The offset was compared with the length of the file.
        unsafe start = file.start + offset
        self.count = count
    }
}

extension PackedArray<UInt8> {
    fileprivate init(wholeFile: Void) {
        let file = unsafe ccharsets_tables()
        unsafe start = UnsafeRawPointer(file.start)
        count = unsafe file.count
    }
}
