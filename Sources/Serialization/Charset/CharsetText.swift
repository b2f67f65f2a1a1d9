/// The text of one byte sequence, in UTF-8. Every entry of every charset fits into four bytes, including the four pairs
/// of Big5 that encode two characters (`Ê̄`).
struct CharsetText: Equatable, Sendable {
    /// The bytes, the first one lowest. Unused bytes are 0.
    let utf8: UInt32

    /// The value of a sequence that is not assigned.
    static let none = CharsetText(utf8: 0)

    /// U+0000 is never an entry: charsets encode it only as byte 0, which is ASCII.
    init(utf8: UInt32) { self.utf8 = utf8 }

    /// - Parameter code: A UTF-16 code unit from U+0800, and not a surrogate.
    @inline(__always)
    init(threeBytes code: UInt16) {
        let code = UInt32(code)
        utf8 = 0x80_80E0 | code >> 12 | (code & 0xFC0) << 2 | (code & 0x3F) << 16
    }

    /// - Parameter codePoint: At least U+0080, and not a surrogate.
    init(codePoint: UInt32) {
        /// Returns the continuation byte with six bits from `bit` on.
        func continuation(_ bit: UInt32) -> UInt32 { 0x80 | codePoint >> bit & 0x3F }
        if codePoint < 0x800 {
            self.init(utf8: 0xC0 | codePoint >> 6 | continuation(0) << 8)
        } else if let code = UInt16(exactly: codePoint) {
            self.init(threeBytes: code)
        } else {
            let first = 0xF0 | codePoint >> 18
            self.init(utf8: first | continuation(12) << 8 | continuation(6) << 16 | continuation(0) << 24)
        }
    }

    /// The length in bytes. At least 1, because U+0000 has no byte other than 0.
    var byteCount: Int { max(1, 4 - utf8.leadingZeroBitCount / 8) }
}
