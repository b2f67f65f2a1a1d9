internal import Serialization

/// The facts in an ICC profile (ICC.1:2022 §7).
package struct ICCProfile: Equatable, Sendable {
    /// The length of the complete profile, in bytes.
    package var bytes: Int
    package var description: String?
    /// The colour space of the data: `RGB`, `GRAY`, `CMYK`.
    package var space: String
    package var intent: String?

    enum Reading: Equatable {
        case profile(ICCProfile)
        /// The description is beyond the given part of the profile. The value is the number of bytes that include it.
        case needs(Int)
        case malformed
    }

    /// Reads a profile that `start` returns the first bytes of, as many as it is passed or all if there are fewer, or
    /// `nil` if they cannot be obtained. The profile's header contains its length and the offset of the description;
    /// no more than that is requested.
    static func read(bytes: Int?, _ start: (Int) -> [UInt8]?) -> ICCProfile? {
        var count = 1_024
        // The second part contains all tags, and the third one the description.
        for _ in 0..<3 {
            guard let part = start(count) else { return nil }
            switch read(part.span, bytes: bytes) {
            case .profile(let profile): return profile
            case .needs(let more):
                guard part.count == count, more > count else { return nil }
                count = more
            case .malformed: return nil
            }
        }
        return nil
    }

    /// - Parameters:
    ///   - profile: The start of the profile, or all of it.
    ///   - bytes: The length of the complete profile; `nil` reads it from the profile.
    static func read(_ profile: Span<UInt8>, bytes: Int?) -> Reading {
        guard profile.count >= 132, profile.hasText("acsp", at: 36), let length = profile.number32(0, .big) else {
            return .malformed
        }
        let whole = bytes ?? length
        var facts = ICCProfile(bytes: whole, description: nil, space: profile.signature(at: 16), intent: nil)
        // §7.2.15: the upper half is zero.
        facts.intent =
            switch profile.number32(64, .big).map({ $0 & 0xFFFF }) {
            case 0: "perceptual"
            case 1: "relative-colorimetric"
            case 2: "saturation"
            case 3: "absolute-colorimetric"
            default: nil
            }
        guard let tags = profile.number32(128, .big) else { return .malformed }
        for index in 0..<min(tags, maxTags) {
            let entry = 132 + 12 * index
            guard entry + 12 <= profile.count else {
                return entry + 12 <= whole ? .needs(min(whole, 132 + 12 * min(tags, maxTags))) : .malformed
            }
            guard profile.hasText("desc", at: entry) else { continue }
            guard let start = profile.number32(entry + 4, .big), let size = profile.number32(entry + 8, .big),
                start + size <= whole
            else { return .malformed }
            guard start + size <= profile.count else { return .needs(start + size) }
            facts.description = profile.slice(at: start, count: size) { description($0) }
            break
        }
        return .profile(facts)
    }

    /// The maximum number of tags, which no profile reaches.
    private static let maxTags = 200

    /// Returns the text of the tag: type `desc` in version 2 (ICC.1:2001 §6.5.17), `mluc` in version 4 (§10.15).
    private static func description(_ tag: Span<UInt8>) -> String? {
        if tag.hasText("desc", at: 0) {
            guard let count = tag.number32(8, .big), count > 0, 12 + count <= tag.count else { return nil }
            let end = tag.terminator(in: 12..<12 + count) ?? 12 + count
            return tag.slice(at: 12, count: end - 12) { $0.latin1Text }
        }
        guard tag.hasText("mluc", at: 0), let records = tag.number32(8, .big), let size = tag.number32(12, .big),
            size >= 12
        else { return nil }
        var chosen: Range<Int>?
        for index in 0..<min(records, 64) {
            let record = 16 + size * index
            guard let length = tag.number32(record + 4, .big), let start = tag.number32(record + 8, .big),
                start + length <= tag.count
            else { break }
            // English if there is one, else the first one.
            if chosen == nil || tag.hasText("en", at: record) { chosen = start..<start + length }
            if tag.hasText("en", at: record) { break }
        }
        return chosen.flatMap { tag.slice($0) { $0.utf16Text(.big) } }
    }
}

extension Span<UInt8> {
    /// Returns four characters, without trailing spaces and NULs.
    func signature(at offset: Int) -> String {
        guard offset >= 0, offset <= count - 4 else { return "" }
        var length = 4
        while length > 0, self[offset + length - 1] == 0x20 || self[offset + length - 1] == 0 { length -= 1 }
        return slice(at: offset, count: length) { $0.latin1Text } ?? ""
    }

    /// The text in UTF-8 if it is valid, else in ISO 8859-1.
    var text: String {
        if let utf8 = try? UTF8Span(validating: self) { return String(copying: utf8) }
        return latin1Text
    }

    /// The text in ISO 8859-1.
    var latin1Text: String {
        if let ascii = try? UTF8Span(validating: self), ascii.isKnownASCII { return String(copying: ascii) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + count / 2)
        for index in indices {
            let byte = self[index]
            if byte < 0x80 {
                bytes.append(byte)
            } else {
                // U+0080 to U+00FF have two bytes in UTF-8.
                bytes.append(0xC0 | byte >> 6)
                bytes.append(0x80 | byte & 0x3F)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text in UTF-16 up to a NUL. Lone surrogates become U+FFFD.
    func utf16Text(_ order: ByteOrder) -> String {
        var units: [UInt16] = []
        units.reserveCapacity(count / 2)
        var index = 0
        while let unit = number16(index, order), unit != 0 {
            units.append(UInt16(unit))
            index += 2
        }
        return String(decoding: units, as: UTF16.self)
    }
}

extension ImageFacts {
    /// Reads the profile at `range`, or lists it as the flaw `part` at `byte` if it is malformed or beyond the content.
    package mutating func readProfile(
        _ content: Span<UInt8>,
        _ range: Range<Int>,
        part: String = "ICC profile",
        at byte: Int,
        _ budget: inout HeaderBudget
    ) {
        if case .profile(let read)? = content.slice(range, { ICCProfile.read($0, bytes: range.count) }) {
            color.profile = read
        } else {
            note(ImageFlaw(byte: byte, part: part), &budget)
        }
    }
}
