/// The Unicode encodings: detection from the first bytes of a text, and decoding.
///
/// Worked example: `FE FF 00 7B 00 7D` begins with the byte order mark of UTF-16, big-endian; the text is `{}`.
package enum UnicodeEncoding: String, Sendable, CaseIterable {
    case utf8 = "utf-8"
    case utf16LittleEndian = "utf-16le"
    case utf16BigEndian = "utf-16be"
    case utf32LittleEndian = "utf-32le"
    case utf32BigEndian = "utf-32be"

    /// Detects the encoding from the first bytes of a JSON text.
    ///
    /// A byte order mark decides. Without one the zero bytes do (RFC 4627 §3): the first character of a JSON text is
    /// ASCII, so its code unit has zeros in every byte but one, and UTF-8 has none.
    package static func detect(_ content: Span<UInt8>) -> (encoding: UnicodeEncoding, markBytes: Int) {
        // The usual case: ASCII that is not a part of a wider code unit.
        if content.count > 1, 1..<0x80 ~= content[0], content[1] != 0 { return (.utf8, 0) }

        func starts(_ bytes: UInt8...) -> Bool {
            content.count >= bytes.count && bytes.indices.allSatisfy { content[$0] == bytes[$0] }
        }
        func isZero(_ index: Int) -> Bool { index < content.count && content[index] == 0 }

        if starts(0xEF, 0xBB, 0xBF) { return (.utf8, 3) }
        // FF FE 00 00 could be UTF-16 that begins with a null character, but no JSON text begins with one.
        if starts(0xFF, 0xFE, 0, 0) { return (.utf32LittleEndian, 4) }
        if starts(0, 0, 0xFE, 0xFF) { return (.utf32BigEndian, 4) }
        if starts(0xFF, 0xFE) { return (.utf16LittleEndian, 2) }
        if starts(0xFE, 0xFF) { return (.utf16BigEndian, 2) }
        if isZero(0) { return (isZero(1) ? .utf32BigEndian : .utf16BigEndian, 0) }
        if isZero(1) { return (isZero(2) && isZero(3) ? .utf32LittleEndian : .utf16LittleEndian, 0) }
        return (.utf8, 0)
    }

    /// The encoding that a label of UTF-16 or UTF-32 declares for content without a byte order mark.
    ///
    /// Such text almost always contains ASCII, at least white space or punctuation. Content that does not is in another
    /// encoding: valid text in UTF-8 contains no zero bytes, and most pairs of bytes are characters of UTF-16. If the
    /// label does not specify the order of the bytes, there is more ASCII in the right one; if there is as much in
    /// both, the order is little-endian (WHATWG Encoding §4.2).
    /// - Returns: `nil` if the label is another one, or if the content contains no ASCII in the encoding.
    init?(_ label: String, of content: Span<UInt8>) {
        let encodings: [UnicodeEncoding]
        switch (label.asciiLowercased, Charset(label: label)) {
        case ("utf-16le", _): encodings = [.utf16LittleEndian]
        case (_, .utf16BigEndian): encodings = [.utf16BigEndian]
        case (_, .utf16LittleEndian): encodings = [.utf16LittleEndian, .utf16BigEndian]
        case ("utf-32le", _): encodings = [.utf32LittleEndian]
        case ("utf-32be", _): encodings = [.utf32BigEndian]
        case ("utf-32", _): encodings = [.utf32LittleEndian, .utf32BigEndian]
        default: return nil
        }
        var found: (encoding: UnicodeEncoding, count: Int)?
        for encoding in encodings {
            let count = encoding.countASCII(in: content)
            if count > found?.count ?? 0 { found = (encoding, count) }
        }
        guard let found else { return nil }
        self = found.encoding
    }

    /// Returns the number of code units that are a character of ASCII other than NUL.
    private func countASCII(in content: Span<UInt8>) -> Int {
        stride(from: 0, to: content.count, by: unitBytes).count { offset in
            unit(in: content, at: offset).map { 1..<0x80 ~= $0 } == true
        }
    }

    /// The number of bytes in one code unit.
    var unitBytes: Int {
        switch self {
        case .utf8: 1
        case .utf16LittleEndian, .utf16BigEndian: 2
        case .utf32LittleEndian, .utf32BigEndian: 4
        }
    }

    /// Returns the text of `content` from `start` as UTF-8.
    /// - Throws: ``CharsetError/malformed(at:)`` at the first invalid code unit, or at one that the end truncates.
    func transcode(_ content: Span<UInt8>, from start: Int) throws(CharsetError) -> [UInt8] {
        var text: [UInt8] = []
        // The maximum length: a unit of two bytes becomes three bytes, or four together with another unit. Unused
        // capacity is never touched.
        text.reserveCapacity((content.count - start) / unitBytes * (unitBytes == 2 ? 3 : 4))
        if let offset = transcode(content, from: start, { text.append($0) }) { throw .malformed(at: offset) }
        return text
    }

    /// Returns the text of `content` from `start` as UTF-8 in a buffer on the C heap.
    func transcodeIntoBuffer(_ content: Span<UInt8>, from start: Int) throws(CharsetError) -> OutputBuffer {
        // As above.
        let maxBytes = (content.count - start) / unitBytes * (unitBytes == 2 ? 3 : 4)
        return try OutputBuffer.text(maxBytes: maxBytes) { transcode(content, from: start, $0) }
    }

    /// The length of the pieces in which a text is transcoded, in bytes.
    static let pieceBytes = 4096

    /// Calls `body` with the text of `content` as UTF-8, in pieces that contain whole characters.
    func transcode(_ content: Span<UInt8>, pieces body: (Span<UInt8>) -> Void) throws(CharsetError) {
        var piece: [UInt8] = []
        piece.reserveCapacity(Self.pieceBytes * 2)
        var offset = 0
        while offset < content.count {
            let end = min(offset + Self.pieceBytes, content.count)
            guard transcode(content, from: &offset, to: end, { piece.append($0) }) else { throw .malformed(at: offset) }
            body(piece.span)
            piece.removeAll(keepingCapacity: true)
        }
    }

    /// Passes each byte of the text to `append`.
    /// - Returns: The offset of the first invalid code unit, or `nil` if there is none.
    @inline(__always) func transcode(_ content: Span<UInt8>, from start: Int, _ append: (UInt8) -> Void) -> Int? {
        var offset = start
        return transcode(content, from: &offset, to: content.count, append) ? nil : offset
    }

    /// Passes the bytes of the characters that begin before `end` to `append`, and moves `offset` behind them.
    /// - Returns: `false` if the code unit at `offset` is invalid.
    @inline(__always) private func transcode(
        _ content: Span<UInt8>,
        from offset: inout Int,
        to end: Int,
        _ append: (UInt8) -> Void
    ) -> Bool {
        while offset < end {
            guard let (scalar, width) = scalar(in: content, at: offset) else { return false }
            if scalar.isASCII {
                append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
            }
            offset += width
        }
        return true
    }

    /// Returns the offsets in `content` of the characters that begin at `utf8Offsets` in its transcoded text, in
    /// ascending order.
    func offsets(ofUTF8 utf8Offsets: [Int], in content: Span<UInt8>, from start: Int) -> [Int] {
        var offsets: [Int] = []
        var offset = start
        var passed = 0
        for wanted in utf8Offsets {
            while passed < wanted, let (scalar, width) = scalar(in: content, at: offset) {
                guard passed + UTF8.width(scalar) <= wanted else { break }
                passed += UTF8.width(scalar)
                offset += width
            }
            offsets.append(offset)
        }
        return offsets
    }

    /// Returns whether the content from `start` is only JSON white space (RFC 8259 §2).
    func isBlank(_ content: Span<UInt8>, from start: Int) -> Bool {
        var offset = start
        while offset < content.count {
            guard let unit = unit(in: content, at: offset), unit < 0x80, UInt8(unit).isJSONWhiteSpace else {
                return false
            }
            offset += unitBytes
        }
        return true
    }

    /// Returns the character at `offset` and its length in bytes, or `nil` if it is invalid or truncated.
    private func scalar(in content: Span<UInt8>, at offset: Int) -> (Unicode.Scalar, Int)? {
        guard let first = unit(in: content, at: offset) else { return nil }
        guard unitBytes == 2, (first & 0xFC00) == 0xD800 else { return Unicode.Scalar(first).map { ($0, unitBytes) } }
        // RFC 2781 §2.2: a high surrogate and the following low surrogate are one character beyond U+FFFF.
        guard let second = unit(in: content, at: offset + 2), (second & 0xFC00) == 0xDC00 else { return nil }
        return Unicode.Scalar(0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF)).map { ($0, 4) }
    }

    private func unit(in content: Span<UInt8>, at offset: Int) -> UInt32? {
        guard offset + unitBytes <= content.count else { return nil }
        func byte(_ index: Int) -> UInt32 { UInt32(content[offset + index]) }
        return switch self {
        case .utf8: byte(0)
        case .utf16LittleEndian: byte(0) | byte(1) << 8
        case .utf16BigEndian: byte(1) | byte(0) << 8
        case .utf32LittleEndian: byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24
        case .utf32BigEndian: byte(3) | byte(2) << 8 | byte(1) << 16 | byte(0) << 24
        }
    }
}
