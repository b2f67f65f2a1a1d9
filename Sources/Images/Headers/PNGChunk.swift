internal import Serialization

/// The type of a PNG chunk: four letters, as one number.
struct PNGChunk: Equatable, Sendable {
    static let cgbi = PNGChunk("CgBI")
    static let idat = PNGChunk("IDAT")
    static let iend = PNGChunk("IEND")
    static let ihdr = PNGChunk("IHDR")
    static let plte = PNGChunk("PLTE")
    static let actl = PNGChunk("acTL")
    static let exif = PNGChunk("eXIf")
    static let fctl = PNGChunk("fcTL")
    static let iccp = PNGChunk("iCCP")
    static let itxt = PNGChunk("iTXt")
    static let phys = PNGChunk("pHYs")
    static let text = PNGChunk("tEXt")
    static let trns = PNGChunk("tRNS")
    static let ztxt = PNGChunk("zTXt")

    let rawValue: UInt32

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// - Parameter name: Four ASCII letters.
    private init(_ name: StaticString) {
        precondition(name.utf8CodeUnitCount == 4, "a chunk's type has four letters")
        var value: UInt32 = 0
        for index in 0..<4 {
            // The index is within the length of the name.
            value = value << 8 | UInt32(unsafe name.utf8Start[index])
        }
        rawValue = value
    }

    /// Whether the type consists of four letters (ISO/IEC 15948 §5.4).
    var isValid: Bool {
        // Upper-case and lower-case letters differ in one bit.
        let lowered = rawValue | 0x2020_2020
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
            let letter = UInt8(truncatingIfNeeded: lowered >> shift)
            guard letter.isLowercaseLetter, ((rawValue >> shift) & 0x80) == 0 else {
                return false
            }
        }
        return true
    }

    /// Whether an image can be displayed without the chunk, which a lower-case first letter indicates (ISO/IEC 15948
    /// §5.4).
    var isAncillary: Bool { (rawValue & 0x2000_0000) != 0 }

    var name: String {
        guard isValid else { return "chunk" }
        return String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }, as: UTF8.self)
    }
}
