internal import Serialization

/// Writes the parts of a request or an answer in sequence: integers in little-endian order, an enumeration as its index
/// in the list of its cases, and bytes and text after their length.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func integer(_ value: Int) { word(UInt64(bitPattern: Int64(value))) }

    mutating func word(_ value: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
    }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func choice<Choice: CaseIterable & Equatable>(_ value: Choice) {
        var index: UInt8 = 0
        for other in Choice.allCases {
            if other == value { break }
            index += 1
        }
        bytes.append(index)
    }

    mutating func optional<Value>(_ value: Value?, _ write: (inout WireWriter, Value) -> Void) {
        flag(value != nil)
        if let value { write(&self, value) }
    }

    mutating func block(_ content: some Collection<UInt8>) {
        integer(content.count)
        bytes += content
    }

    /// Writes text. Characters other than visible ASCII and spaces become question marks, and long text is truncated
    /// (``WireReader/text(maxBytes:_:)``).
    mutating func text(_ value: String) {
        block(value.utf8.prefix(WireLimits.textBytes).map { 0x20..<0x7F ~= $0 ? $0 : UInt8(ascii: "?") })
    }

    /// Writes text of any characters. Control characters become U+FFFD, and long text is truncated
    /// (``WireReader/unicode(maxBytes:_:)``).
    mutating func unicode(_ value: String) {
        var text = ""
        for scalar in value.unicodeScalars {
            let scalar = scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar
            guard text.utf8.count + scalar.utf8.count <= WireLimits.textBytes else { break }
            text.unicodeScalars.append(scalar)
        }
        block(Array(text.utf8))
    }

    mutating func color(_ value: RGBA) { bytes += [value.red, value.green, value.blue, value.alpha] }
}
