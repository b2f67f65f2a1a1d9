internal import HTTP
internal import Platform
internal import Serialization

/// Formats one line per request.
///
/// A line contains no content, no query, and no value of a header field except for the identifiers of the request and
/// its trace. An example in JSON, which is one line:
///
///     {"time":"2026-11-22T08:18:44.123Z","level":"info","message":"request",
///      "request":"8d2f…","method":"POST","path":"/v1/normalize","endpoint":"normalize","status":200,
///      "serializer":"json","lane":"inline","bytesIn":1024,"bytesOut":1311,
///      "durations":{"receive":0.012,"decode":0.034,"send":0.051,"total":0.103},"end":"kept"}
///
/// The same as text:
///
///     2026-11-22T08:18:44.123Z info request POST /v1/normalize 200 endpoint=normalize serializer=json lane=inline
///     in=1024 out=1311 receive=0.012ms decode=0.034ms send=0.051ms total=0.103ms end=kept request=8d2f…
///
/// A request with a token also has its name: `"token":"web"` after `endpoint`. The token itself is in no line.
///
/// Formatting allocates no memory. The method, the path and the client's identifier are the only text that a client
/// controls: they are escaped, and truncated if they are too long. `…` marks the truncation.
struct AccessLog {
    let format: LogFormat
    private var clock: WallClock
    private var timestamp = Timestamp()

    init(format: LogFormat, clock: WallClock = WallClock()) {
        self.format = format
        self.clock = clock
    }

    /// Appends the line of a request, including its line feed.
    mutating func append(_ record: borrowing RequestRecord, to buffer: inout OutputBuffer) {
        let time = timestamp.text(of: clock.nanoseconds(at: record.time))
        switch format {
        case .json: Self.appendJSON(record, time, to: &buffer)
        case .text: Self.appendText(record, time, to: &buffer)
        }
    }

    /// The maximum lengths of texts that come from a client, in bytes, without the mark.
    static let maxPathBytes = 256
    static let maxMethodBytes = 32
    static let maxRequestIDBytes = 128

    /// The maximum total length of the pieces of a line between two texts of a client, in bytes.
    ///
    /// The pieces after the path in JSON are the longest: about 200 bytes of names, the name of a token of at most 128
    /// bytes, a problem code of at most 40 bytes, and nine numbers of at most 24 bytes.
    static let maxPieceBytes = 768
}

extension StageDurations {
    /// Calls `body` with each stage that took place: the text before its duration in JSON, and in a line of text.
    @inline(__always) func forEachStage(
        _ body: (_ json: StaticString, _ text: StaticString, _ nanoseconds: UInt64) -> Void
    ) {
        if receiving > 0 { body("\"receive\":", " receive=", receiving) }
        if waitingForCompute > 0 { body("\"computeQueue\":", " computeQueue=", waitingForCompute) }
        if waitingForWorker > 0 { body("\"workerQueue\":", " workerQueue=", waitingForWorker) }
        if fetching > 0 { body("\"fetch\":", " fetch=", fetching) }
        if decoding > 0 { body("\"decode\":", " decode=", decoding) }
        if sending > 0 { body("\"send\":", " send=", sending) }
    }
}

// MARK: Text that comes from a client

extension OutputBuffer {
    /// Appends at most `maxBytes` bytes of `text` as a part of a JSON string.
    @inline(__always) mutating func append(escaping text: borrowing String, maxBytes: Int) {
        let bytes = text.utf8.span
        if bytes.count <= maxBytes { return append(escaping: bytes, length: bytes.count) }
        append(escaping: bytes, length: bytes.characterBoundary(upTo: maxBytes))
        append("…")
    }

    /// Appends at most `maxBytes` bytes of `text`. Visible ASCII characters except `"` and `\` are copied. Every other
    /// byte is written as `\x` and two hexadecimal digits, as in nginx. Empty text is written as `-`.
    mutating func append(visible text: borrowing String, maxBytes: Int) {
        let bytes = text.utf8.span
        let count = bytes.count <= maxBytes ? bytes.count : bytes.characterBoundary(upTo: maxBytes)
        write(maxBytes: 4 * count + 4) { line in
            for index in 0..<count {
                let byte = bytes[index]
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"), ...0x20, 0x7F...:
                    line.put("\\x")
                    line.put(UInt8(truncatingIfNeeded: Hexadecimal.digits(of: UInt64(byte)) >> 48))
                    line.put(UInt8(truncatingIfNeeded: Hexadecimal.digits(of: UInt64(byte)) >> 56))
                default: line.put(byte)
                }
            }
            if bytes.isEmpty { line.put("-") }
            if count < bytes.count { line.put("…") }
        }
    }
}

extension Span<UInt8> {
    /// Returns the last offset up to `end` at which a character of this UTF-8 text begins.
    fileprivate func characterBoundary(upTo end: Int) -> Int {
        var end = end
        while end > 0, (self[end] & 0xC0) == 0x80 { end -= 1 }
        return end
    }
}
