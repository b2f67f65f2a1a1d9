/// What one sequence of bytes spells: UTF-8, kept as it is written. Every entry of every charset fits into four bytes,
/// the four pairs of Big5 that spell two characters (`Ê̄`) too.
struct CharsetText: Equatable, Sendable {
    /// The first byte is the lowest; bytes that are not used are 0.
    let utf8: UInt32

    /// The sequence spells nothing.
    static let none = CharsetText(utf8: 0)

    /// U+0000 is never an entry: charsets have it at byte 0 only, which is ASCII.
    init(utf8: UInt32) {
        self.utf8 = utf8
    }

    init(_ character: Unicode.Scalar) {
        self.init(utf8: character.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// At least 1: U+0000 has no byte that is not 0.
    var byteCount: Int { max(1, 4 - utf8.leadingZeroBitCount / 8) }
}
