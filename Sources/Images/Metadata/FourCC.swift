internal import Serialization

/// The type of a chunk: four ASCII characters, as one number.
struct FourCC: Equatable, Sendable, ExpressibleByStringLiteral {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(stringLiteral name: StaticString) {
        precondition(name.utf8CodeUnitCount == 4, "a type has four characters")
        var value: UInt32 = 0
        for index in 0..<4 {
            // The index is within the length of the name.
            value = value << 8 | UInt32(unsafe name.utf8Start[index])
        }
        rawValue = value
    }

    /// Whether all four characters are letters.
    var consistsOfLetters: Bool { (0..<4).allSatisfy { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)).isLetter } }

    /// The characters, or a general name if they are not letters.
    var name: String {
        guard consistsOfLetters else { return "chunk" }
        return String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * $0)) }, as: UTF8.self)
    }
}
