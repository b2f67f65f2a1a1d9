/// The parts of a request head that framing needs.
struct RequestHead {
    let bytes: [UInt8]
    let method: String
    let target: String
    var contentLength = 0
    var isChunked = false
    var closes = false
    var expectsContinue = false

    /// - Parameter bytes: the request line and the field lines, up to and including the empty line.
    /// - Returns: `nil` if the request line has no target.
    init?(parsing bytes: ArraySlice<UInt8>) {
        self.bytes = Array(bytes)
        guard let line = bytes.firstIndex(of: 13), let first = bytes[..<line].firstIndex(of: 32),
            let second = bytes[(first + 1)..<line].firstIndex(of: 32)
        else { return nil }
        method = String(decoding: bytes[..<first], as: UTF8.self)
        target = String(decoding: bytes[(first + 1)..<second], as: UTF8.self)
        closes = bytes[(second + 1)..<line].elementsEqual("HTTP/1.0".utf8)
        var start = line + 2
        while start < bytes.endIndex, let end = bytes[start...].firstIndex(of: 13), end > start {
            // Only four names are of interest: connection, content-length, expect, transfer-encoding.
            switch bytes[start] | 0x20 {
            case UInt8(ascii: "c"), UInt8(ascii: "e"), UInt8(ascii: "t"):
                read(String(decoding: bytes[start..<end], as: UTF8.self))
            default: break
            }
            start = end + 2
        }
    }

    /// Whether the content is taken for the next request, as by servers that expect none in a GET.
    var ignoresContent: Bool {
        (method == "GET" || method == "HEAD") && target.contains("/ignore-content")
    }

    private mutating func read(_ line: String) {
        guard let colon = line.firstIndex(of: ":") else { return }
        let value = line[line.index(after: colon)...].lowercased().split(separator: " ").joined()
        switch line[..<colon].lowercased() {
        case "content-length": contentLength = Int(value) ?? 0
        case "transfer-encoding": isChunked = value.hasSuffix("chunked")
        case "connection": closes = closes && value != "keep-alive" || value.contains("close")
        case "expect": expectsContinue = value == "100-continue"
        default: break
        }
    }
}
