import Serialization

extension UnicodeEncoding {
    /// Returns the text in this encoding, without a byte order mark.
    func bytes(of text: String) -> [UInt8] {
        func bytes<Unit: FixedWidthInteger>(_ units: [Unit], bigEndian: Bool) -> [UInt8] {
            units.flatMap { unit in
                let bytes = (0..<Unit.bitWidth / 8).map { UInt8(truncatingIfNeeded: unit >> Unit($0 * 8)) }
                return bigEndian ? bytes.reversed() : bytes
            }
        }
        return switch self {
        case .utf8: Array(text.utf8)
        case .utf16LittleEndian: bytes(Array(text.utf16), bigEndian: false)
        case .utf16BigEndian: bytes(Array(text.utf16), bigEndian: true)
        case .utf32LittleEndian: bytes(text.unicodeScalars.map(\.value), bigEndian: false)
        case .utf32BigEndian: bytes(text.unicodeScalars.map(\.value), bigEndian: true)
        }
    }
}
