/// Generates the bytes of connections: pipelined requests of every kind, some of them broken.
///
/// A request is broken in one of two ways: a ``SmugglingCase`` takes its place, or a ``RequestStreamMutator`` changes
/// bytes of the stream. More than half of all streams are left as they are.
package struct RequestStreamGenerator {
    private var random: RandomSource
    private var bytes: [UInt8] = []

    /// Content is cut out of these bytes. They contain requests, chunks and line ends, which become visible if the
    /// content ends where it must not.
    private static let content: [UInt8] = {
        var random = RandomSource(seed: 1)
        var content: [UInt8] = []
        while content.count < 140_000 {
            switch random.below(6) {
            case 0: content += SmugglingCase.hidden.utf8
            case 1: content += Array("\r\n0\r\n\r\n".utf8)
            case 2: content += Array("{\"a\": \(random.next())}\r\n".utf8)
            default: content += (0..<random.below(200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }
        }
        return content
    }()

    package init(seed: UInt64) {
        random = RandomSource(seed: seed)
    }

    package mutating func stream() -> [UInt8] {
        bytes = []
        switch random.below(40) {
        case 0: tinyRequests(count: 1_000 + random.below(2_000))
        case 1...12: requests(count: 1)
        default: requests(count: 1 + random.below(random.oneIn(4) ? 40 : 6))
        }
        if random.oneIn(3) {
            var mutator = RequestStreamMutator(seed: random.next())
            for _ in 0..<1 + random.below(3) { mutator.mutate(&bytes) }
        }
        return bytes
    }

    // MARK: Requests

    private mutating func requests(count: Int) {
        // Sizes are chosen once per stream, so that most streams are short.
        let maxContentBytes = random.pick([0, 10, 100, 1_000, 1_000, 10_000, 70_000])
        let caseIndex = random.oneIn(4) ? random.below(count) : nil
        for index in 0..<count {
            if index == caseIndex {
                bytes += random.pick(SmugglingCase.all).bytes
            } else {
                request(maxContentBytes: maxContentBytes, mayClose: index + 1 == count || random.oneIn(20))
            }
        }
    }

    private mutating func tinyRequests(count: Int) {
        let tiny = random.pick([
            "GET / HTTP/1.1\r\nHost:a\r\n\r\n",
            "POST / HTTP/1.1\r\nHost:a\r\nContent-Length:1\r\n\r\n\n",
            "POST / HTTP/1.1\r\nHost:a\r\nTransfer-Encoding:chunked\r\n\r\n1\r\n\r\r\n0\r\n\r\n",
            "GET / HTTP/1.0\r\nConnection:keep-alive\r\n\r\n",
        ])
        for _ in 0..<count { put(tiny) }
    }

    private mutating func request(maxContentBytes: Int, mayClose: Bool) {
        for _ in 0..<emptyLines() { put("\r\n") }
        let isHTTP10 = random.oneIn(10)
        put(
            method() + " " + target() + (isHTTP10 ? " HTTP/1.0" : random.oneIn(30) ? " HTTP/1.7" : " HTTP/1.1") + "\r\n"
        )
        let framing = Framing(rawValue: random.below(isHTTP10 ? 2 : 3)) ?? .none
        let contentBytes = random.oneIn(8) ? maxContentBytes : random.below(maxContentBytes + 1)
        var lines = (0..<random.below(random.oneIn(8) ? 60 : 8)).map { _ in field() }
        if !isHTTP10 || random.oneIn(2) { lines.append(line(named: "Host", random.pick(Self.hosts))) }
        switch framing {
        case .none: break
        case .length: lines.append(line(named: "Content-Length", String(contentBytes)))
        case .chunks: lines.append(line(named: "Transfer-Encoding", random.pick(["chunked", "Chunked", "CHUNKED"])))
        }
        if isHTTP10, !mayClose || random.oneIn(2) {
            lines.append(line(named: "Connection", "keep-alive"))
        } else if random.oneIn(mayClose ? 6 : 1_000) {
            lines.append(line(named: "Connection", random.pick(["close", "Close, x", "te ,\tclose", ",,close"])))
        } else if random.oneIn(6) {
            lines.append(
                line(named: "Connection", random.pick(["keep-alive", "", "Upgrade", "closed", "close x", ",\t,"]))
            )
        }
        if random.oneIn(8) {
            lines.append(line(named: "Expect", random.pick(["100-continue", "100-Continue", "101"])))
        }
        lines.shuffle(using: &random)
        for line in lines { put(line + "\r\n") }
        put("\r\n")
        switch framing {
        case .none: break
        case .length: putContent(contentBytes)
        case .chunks: putChunks(contentBytes)
        }
    }

    private enum Framing: Int {
        case none
        case length
        case chunks
    }

    private mutating func emptyLines() -> Int {
        guard random.oneIn(12) else { return 0 }
        return random.oneIn(4) ? random.pick([30, 31, 32]) : 1 + random.below(3)
    }

    // MARK: Head

    private static let tokenCharacters = Array(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    )

    private static let hosts = [
        "a", "example.com:8080", "[::1]", "[::ffff:1.2.3.4]:1", "a:", "a%2E", "a_b~c!$&'()*+;=", "10.0.0.1:65535", "A",
    ]

    private static let names = [
        "Accept", "accept-encoding", "Content-Type", "Cookie", "User-Agent", "X-Request-ID", "X-Forwarded-For", "TE",
        "Trailer", "Upgrade", "Content-Encoding", "Date", "If-None-Match", "Via", "Content-Length-X", "XHost", "Hos",
        "Transfer-Encodin", "Expected", "Connections",
    ]

    private mutating func method() -> String {
        switch random.below(8) {
        case 0: token(1 + random.below(20))
        case 1: random.pick(["PUT", "DELETE", "OPTIONS", "PATCH", "get", "QUERY"])
        case 2: "HEAD"
        case 3, 4: "GET"
        default: "POST"
        }
    }

    private mutating func token(_ count: Int) -> String {
        String((0..<count).map { _ in random.pick(Self.tokenCharacters) })
    }

    private mutating func target() -> String {
        let form = random.below(20)
        let start = form == 0 ? random.pick(["http://a", "HTTPS://[::1]:8", "hTTp://b.example:"]) : ""
        if form == 1 { return "*" }
        let end = random.oneIn(3) ? "?" + visible(random.below(30)) : ""
        let path = "/" + visible(random.below(random.oneIn(30) ? 2_000 : 20)).filter { $0 != "?" }
        return start + (form == 0 && random.oneIn(2) ? "" : path) + end
    }

    /// Visible ASCII without `#`.
    private mutating func visible(_ count: Int) -> String {
        var text = ""
        for _ in 0..<count {
            let byte = UInt8(0x21 + random.below(0x7F - 0x21))
            text.unicodeScalars.append(Unicode.Scalar(byte == UInt8(ascii: "#") ? UInt8(ascii: "/") : byte))
        }
        return text
    }

    private mutating func field() -> String {
        if random.oneIn(40) { return line(named: "Connection", random.pick(["x", "y, z", "TE"])) }
        let name = random.oneIn(3) ? token(1 + random.below(random.oneIn(20) ? 300 : 20)) : random.pick(Self.names)
        // A token may be a name that matters by itself.
        let framing = ["host", "content-length", "transfer-encoding", "expect", "connection"]
        return line(named: framing.contains(name.lowercased()) ? "X" : name, value())
    }

    /// A value with inner spaces, tabs and bytes from 0x80, one character per byte.
    private mutating func value() -> String {
        let count = random.below(random.oneIn(20) ? 1_000 : 30)
        var value = ""
        for _ in 0..<count {
            let byte =
                random.oneIn(10)
                ? random.pick([0x20, 0x09, 0x3A, 0x2C, 0x80, 0x85, 0xA0, 0xFF])
                : UInt8(0x21 + random.below(0x7F - 0x21))
            value.unicodeScalars.append(Unicode.Scalar(byte))
        }
        return value
    }

    private mutating func line(named name: String, _ value: String) -> String {
        let name = random.oneIn(4) ? random.pick([name.lowercased(), name.uppercased()]) : name
        let before = random.oneIn(4) ? random.pick(["", "\t", "  ", " \t "]) : " "
        return name + ":" + before + value + (random.oneIn(8) ? random.pick([" ", "\t", " \t"]) : "")
    }

    // MARK: Content

    private mutating func putContent(_ count: Int) {
        let start = random.below(Self.content.count - count)
        bytes += Self.content[start..<(start + count)]
    }

    private mutating func putChunks(_ count: Int) {
        let maxChunkBytes = random.pick([1, 5, 100, 1_000, 16_384, 70_000])
        let hasExtensions = random.oneIn(4)
        var left = count
        // At most so many chunks that their lines do not outweigh the content.
        var chunks = 0
        while left > 0 {
            let size = chunks < 200 ? min(left, 1 + random.below(maxChunkBytes)) : left
            put(hex(size) + (hasExtensions ? chunkExtension() : "") + "\r\n")
            putContent(size)
            put("\r\n")
            left -= size
            chunks += 1
        }
        put((random.oneIn(4) ? String(repeating: "0", count: 1 + random.below(16)) : "0"))
        put((hasExtensions ? chunkExtension() : "") + "\r\n")
        for _ in 0..<(random.oneIn(4) ? random.below(6) : 0) {
            put((random.oneIn(3) ? "Content-Length" : token(1 + random.below(10))) + ":" + value() + "\r\n")
        }
        put("\r\n")
    }

    private mutating func hex(_ size: Int) -> String {
        let digits = String(size, radix: 16, uppercase: random.oneIn(2))
        return random.oneIn(6) ? String(repeating: "0", count: random.below(17 - digits.count)) + digits : digits
    }

    private mutating func chunkExtension() -> String {
        switch random.below(4) {
        case 0: ""
        case 1: ";" + token(1 + random.below(5)) + "=\"" + value() + "\""
        default: ";" + value()
        }
    }

    private mutating func put(_ text: String) {
        bytes += text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}
