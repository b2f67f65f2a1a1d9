internal import Serialization

/// Reads the output of a ``WireWriter``. The bytes are untrusted, and everything is validated.
struct WireReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The number of bytes that have not been read.
    var count: Int { bytes.count - offset }

    mutating func byte() throws(WireError) -> UInt8 {
        guard offset < bytes.count else { throw .short }
        offset += 1
        return bytes[offset - 1]
    }

    mutating func word() throws(WireError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 8) { value |= UInt64(try byte()) << UInt64(shift) }
        return value
    }

    mutating func integer(_ allowed: ClosedRange<Int>, _ part: StaticString) throws(WireError) -> Int {
        let value = Int(Int64(bitPattern: try word()))
        guard allowed ~= value else { throw .invalid(part) }
        return value
    }

    mutating func flag(_ part: StaticString) throws(WireError) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw .invalid(part)
        }
    }

    mutating func choice<Choice: CaseIterable>(_ part: StaticString) throws(WireError) -> Choice {
        var index = try byte()
        for value in Choice.allCases {
            if index == 0 { return value }
            index -= 1
        }
        throw .invalid(part)
    }

    mutating func optional<Value>(
        _ part: StaticString,
        _ read: (inout WireReader) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        try flag(part) ? try read(&self) : nil
    }

    /// - Parameter maxBytes: the maximum length, inclusive.
    /// - Returns: a part of the answer, which is not copied.
    mutating func block(maxBytes: Int, _ part: StaticString) throws(WireError) -> ArraySlice<UInt8> {
        let length = try integer(0...maxBytes, part)
        guard length <= count else { throw .short }
        offset += length
        return bytes[offset - length..<offset]
    }

    /// Reads text of visible ASCII characters and spaces, because it appears in responses and logs.
    mutating func text(maxBytes: Int, _ part: StaticString) throws(WireError) -> String {
        let characters = try block(maxBytes: maxBytes, part)
        guard characters.allSatisfy({ 0x20..<0x7F ~= $0 }) else { throw .invalid(part) }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Reads text of any characters except control characters.
    mutating func unicode(maxBytes: Int, _ part: StaticString) throws(WireError) -> String {
        guard let text = String(validating: try block(maxBytes: maxBytes, part), as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw .invalid(part) }
        return text
    }

    /// Reads an optional offset in the content.
    mutating func offset(contentBytes: Int) throws(WireError) -> Int? {
        try optional("byte") { (reader) throws(WireError) in try reader.integer(0...contentBytes, "byte") }
    }

    mutating func color() throws(WireError) -> RGBA {
        RGBA(red: try byte(), green: try byte(), blue: try byte(), alpha: try byte())
    }

    func end() throws(WireError) { guard count == 0 else { throw .trailing } }
}
