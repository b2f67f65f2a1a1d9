extension Charset {
    /// Returns the text of `content` from `start` as UTF-8, which is at most three times as long.
    /// - Throws: ``CharsetError`` for the first malformed sequence, or for a charset that is not supported.
    package func transcode(_ content: Span<UInt8>, from start: Int = 0) throws(CharsetError) -> [UInt8] {
        switch coding {
        case .unicode(.utf8): return try Self.validate(content, from: start)
        case .unicode(let encoding): return try encoding.transcode(content, from: start)
        case .table(let table): return try table.transcode(content, from: start)
        case .none: throw .unsupported(self)
        }
    }

    /// Returns the maximum length of `content` in UTF-8, in bytes. ASCII keeps its length.
    func maxTextBytes(of content: Span<UInt8>) -> Int {
        switch coding {
        case .unicode(let encoding): return encoding.maxTextBytes(of: content)
        case .table, .none:
            var others = 0
            for index in content.indices { others += Int(content[index] >> 7) }
            return content.count + others * 2
        }
    }

    /// Calls `body` with the text of `content` as UTF-8, in pieces that contain whole characters.
    /// - Throws: ``CharsetError`` like ``transcode(_:from:)``, after the pieces before the first malformed sequence.
    func transcode(_ content: Span<UInt8>, pieces body: (Span<UInt8>) -> Void) throws(CharsetError) {
        switch coding {
        case .unicode(.utf8):
            try Self.check(content, from: 0)
            body(content)
        case .none: throw .unsupported(self)
        case .unicode(let encoding): try encoding.transcode(content, pieces: body)
        case .table(let table): try table.transcode(content, pieces: body)
        }
    }

    /// Returns the text of `content` from `start` in a buffer on the C heap.
    /// - Precondition: The charset is not UTF-8, which needs no transcoding.
    func transcodeIntoBuffer(_ content: Span<UInt8>, from start: Int) throws(CharsetError) -> OutputBuffer {
        switch coding {
        case .unicode(let encoding):
            precondition(encoding != .utf8, "the charset is not UTF-8")
            return try encoding.transcodeIntoBuffer(content, from: start)
        case .table(let table): return try table.transcodeIntoBuffer(content, from: start)
        case .none: throw .unsupported(self)
        }
    }

    func transcode(_ content: Span<UInt8>, from start: Int, _ append: (UInt8) -> Void) -> Int? {
        switch coding {
        case .unicode(let encoding): encoding.transcode(content, from: start, append)
        case .table(let table): table.transcode(content, from: start, append)
        case .none: start
        }
    }

    /// Returns the offset of the sequence in `content` whose text begins at `utf8Offset` or contains it.
    /// - Parameter start: The start offset of ``transcode(_:from:)``.
    package func offset(ofUTF8 utf8Offset: Int, in content: Span<UInt8>, from start: Int = 0) -> Int {
        offsets(ofUTF8: [utf8Offset], in: content, from: start)[0]
    }

    /// Returns the offsets for several UTF-8 offsets, which must be in ascending order, in one pass.
    package func offsets(ofUTF8 utf8Offsets: [Int], in content: Span<UInt8>, from start: Int = 0) -> [Int] {
        switch coding {
        case .unicode(.utf8), .none: return utf8Offsets.map { start + $0 }
        case .unicode(let encoding): return encoding.offsets(ofUTF8: utf8Offsets, in: content, from: start)
        case .table(let table): return table.offsets(ofUTF8: utf8Offsets, in: content, from: start)
        }
    }

    /// Returns bytes of the same length as `content` in which lines and columns can be counted as in UTF-8: each
    /// character beyond ASCII is a letter and continuation bytes. A byte of a malformed sequence is a character.
    func outline(of content: Span<UInt8>) -> [UInt8] {
        var outline: [UInt8] = []
        outline.reserveCapacity(content.count)
        while outline.count < content.count {
            let byte = content[outline.count]
            outline.append(byte < 0x80 ? byte : UInt8(ascii: "x"))
            guard byte >= 0x80, case .table(let table) = coding,
                let (_, width) = table.next(in: content, at: outline.count - 1)
            else { continue }
            for _ in 1..<width { outline.append(0x80) }
        }
        return outline
    }

    /// Whether bytes below 0x80 are ASCII in every text.
    var extendsASCII: Bool {
        self != .utf16LittleEndian && self != .utf16BigEndian && self != .iso2022JP && self != .replacement
    }

    /// Whether each character has one byte.
    var hasSingleBytes: Bool {
        switch self {
        case .utf8, .utf16LittleEndian, .utf16BigEndian, .gbk, .gb18030, .big5, .eucJP, .shiftJIS, .eucKR, .iso2022JP,
            .replacement:
            false
        case .ibm866, .iso8859Part2, .iso8859Part3, .iso8859Part4, .iso8859Part5, .iso8859Part6, .iso8859Part7,
            .iso8859Part8, .iso8859Part8Logical, .iso8859Part10, .iso8859Part13, .iso8859Part14, .iso8859Part15,
            .iso8859Part16, .koi8R, .koi8U, .macintosh, .windows874, .windows1250, .windows1251, .windows1252,
            .windows1253, .windows1254, .windows1255, .windows1256, .windows1257, .windows1258, .macCyrillic,
            .userDefined:
            true
        }
    }

    /// The way in which the bytes of the charset are read.
    private enum Coding {
        case unicode(UnicodeEncoding)
        case table(CharsetTable)
        case none
    }

    private var coding: Coding {
        switch self {
        case .utf8: .unicode(.utf8)
        case .utf16LittleEndian: .unicode(.utf16LittleEndian)
        case .utf16BigEndian: .unicode(.utf16BigEndian)
        case .ibm866, .iso8859Part2, .iso8859Part3, .iso8859Part4, .iso8859Part5, .iso8859Part6, .iso8859Part7,
            .iso8859Part8, .iso8859Part8Logical, .iso8859Part10, .iso8859Part13, .iso8859Part14, .iso8859Part15,
            .iso8859Part16, .koi8R, .koi8U, .macintosh, .windows874, .windows1250, .windows1251, .windows1252,
            .windows1253, .windows1254, .windows1255, .windows1256, .windows1257, .windows1258, .macCyrillic, .gbk,
            .gb18030, .big5, .eucJP, .shiftJIS, .eucKR:
            .table(table)
        case .iso2022JP, .replacement, .userDefined: .none
        }
    }

    private var table: CharsetTable {
        guard let table = CharsetResource.tables[self] else {
            preconditionFailure("the file of charsets has a record of each charset with a table")
        }
        return table
    }

    private static func validate(_ content: Span<UInt8>, from start: Int) throws(CharsetError) -> [UInt8] {
        try check(content, from: start)
        return (start..<content.count).map { content[$0] }
    }

    private static func check(_ content: Span<UInt8>, from start: Int) throws(CharsetError) {
        let text = content.extracting(droppingFirst: start)
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: text)
        } catch { throw .malformed(at: start + error.byteOffsets.lowerBound) }
    }
}

extension CharsetTable {
    fileprivate func transcode(_ content: Span<UInt8>, from start: Int) throws(CharsetError) -> [UInt8] {
        var malformed: Int?
        // The text is at most three times as long: one byte becomes at most three (`€`), two or more bytes at most
        // four. Pages of the capacity that are not used are never touched.
        let text = [UInt8](capacity: (content.count - start) * 3) { text in
            malformed = transcode(content, from: start) { text.append($0) }
        }
        if let malformed { throw .malformed(at: malformed) }
        return text
    }

    fileprivate func transcodeIntoBuffer(
        _ content: Span<UInt8>,
        from start: Int
    ) throws(CharsetError) -> OutputBuffer {
        try OutputBuffer.text(maxBytes: (content.count - start) * 3) { transcode(content, from: start, $0) }
    }

    /// Passes each byte of the text to `append`.
    /// - Returns: The offset of the first malformed sequence, or `nil` if there is none.
    @inline(__always) fileprivate func transcode(
        _ content: Span<UInt8>,
        from start: Int,
        _ append: (UInt8) -> Void
    ) -> Int? {
        var offset = start
        while offset < content.count {
            guard let (piece, width) = next(in: content, at: offset) else { return offset }
            offset += width
            var utf8 = piece.utf8
            repeat {
                append(UInt8(truncatingIfNeeded: utf8))
                utf8 >>= 8
            } while utf8 != 0
        }
        return nil
    }

    fileprivate func transcode(_ content: Span<UInt8>, pieces body: (Span<UInt8>) -> Void) throws(CharsetError) {
        var piece: [UInt8] = []
        piece.reserveCapacity(UnicodeEncoding.pieceBytes + 4)
        var offset = 0
        while offset < content.count {
            guard let (text, width) = next(in: content, at: offset) else { throw .malformed(at: offset) }
            offset += width
            var utf8 = text.utf8
            repeat {
                piece.append(UInt8(truncatingIfNeeded: utf8))
                utf8 >>= 8
            } while utf8 != 0
            if piece.count >= UnicodeEncoding.pieceBytes {
                body(piece.span)
                piece.removeAll(keepingCapacity: true)
            }
        }
        body(piece.span)
    }

    /// `byte` and `passed` are the same offset, in the content and in its text.
    fileprivate func offsets(ofUTF8 utf8Offsets: [Int], in content: Span<UInt8>, from start: Int) -> [Int] {
        var byte = start
        var passed = 0
        return utf8Offsets.map { target in
            while passed < target, byte < content.count, let (text, width) = next(in: content, at: byte) {
                if passed + text.byteCount > target { break }
                passed += text.byteCount
                byte += width
            }
            return byte
        }
    }
}
