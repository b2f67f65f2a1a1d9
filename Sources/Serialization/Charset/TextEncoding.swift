/// An encoding of text other than UTF-8: one of Unicode, which its bytes indicate, or a charset, which a label names.
protocol TextEncoding: Sendable {
    /// The name in lower case.
    var name: String { get }

    /// Returns the maximum length of `content` in UTF-8, in bytes.
    func maxTextBytes(of content: Span<UInt8>) -> Int

    /// Returns the text of `content` from `start` as UTF-8.
    func transcode(_ content: Span<UInt8>, from start: Int) throws(CharsetError) -> [UInt8]

    /// Returns the text of `content` from `start` as UTF-8 in a buffer on the C heap.
    func transcodeIntoBuffer(_ content: Span<UInt8>, from start: Int) throws(CharsetError) -> OutputBuffer

    /// Passes each byte of the text to `append`.
    /// - Returns: The offset of the first malformed sequence, or `nil` if there is none.
    func transcode(_ content: Span<UInt8>, from start: Int, _ append: (UInt8) -> Void) -> Int?

    /// Returns the offsets in `content` of the characters that begin at `utf8Offsets` in its text, in ascending order.
    func offsets(ofUTF8 utf8Offsets: [Int], in content: Span<UInt8>, from start: Int) -> [Int]
}

extension UnicodeEncoding: TextEncoding {
    var name: String { rawValue }
}

extension Charset: TextEncoding {}

/// The reason why content could not be transcoded.
struct TranscodingError: Error {
    let cause: CharsetError
    /// The name of the encoding in lower case.
    let encoding: String
    /// The location of the first malformed sequence, or the start of the content.
    let location: SourceLocation

    init(
        _ cause: CharsetError,
        _ encoding: some TextEncoding,
        of content: Span<UInt8>,
        from start: Int,
        _ memory: any MemoryGrant
    ) {
        self.encoding = encoding.name
        switch cause {
        case .malformed(let offset) where memory.permitsReadingAgain(offset):
            self.cause = cause
            location = encoding.location(ofMalformed: offset, in: content, from: start)
        case .malformed, .outOfMemory: (self.cause, location) = (.outOfMemory, SourceLocation(byte: 0))
        case .unsupported: (self.cause, location) = (cause, SourceLocation(byte: 0, line: 1, column: 1))
        }
    }
}

extension TextEncoding {
    /// Returns the location of the first malformed sequence, which begins at `offset`.
    fileprivate func location(ofMalformed offset: Int, in content: Span<UInt8>, from start: Int) -> SourceLocation {
        var locator = LineLocator([.max])
        _ = transcode(content, from: start) { locator.append($0) }
        locator.finish()
        var location = locator.locations[0]
        location.byte = offset
        return location
    }
}

extension MemoryGrant {
    /// Returns the text of content as UTF-8, after memory for it was granted.
    /// - Parameters:
    ///   - row: The serializer that reads the text.
    ///   - failure: Returns the error of the serializer.
    func text<Failure: Error>(
        of content: Span<UInt8>,
        from start: Int = 0,
        in encoding: some TextEncoding,
        for row: any ContentSerializer.Type,
        _ failure: (TranscodingError) -> Failure
    ) throws(Failure) -> [UInt8] {
        do throws(CharsetError) {
            guard grants(text: encoding.maxTextBytes(of: content), of: content, row) else { throw .outOfMemory }
            return try encoding.transcode(content, from: start)
        } catch { throw failure(TranscodingError(error, encoding, of: content, from: start, self)) }
    }
}

extension OutputBuffer {
    /// Returns a buffer with a text of at most `maxBytes` bytes.
    /// - Parameter transcode: ``TextEncoding/transcode(_:from:_:)`` of the content.
    @inline(__always) static func text(
        maxBytes: Int,
        _ transcode: (_ append: (UInt8) -> Void) -> Int?
    ) throws(CharsetError) -> OutputBuffer {
        var buffer = OutputBuffer(capacity: maxBytes + JSONSink.slackBytes)
        let (_, malformed) = buffer.fill(maxBytes) { sink in
            var count = 0
            let malformed = transcode { byte in
                sink.put(byte, at: count)
                count &+= 1
            }
            return (count, malformed)
        }
        if let malformed { throw .malformed(at: malformed) }
        return buffer
    }
}
