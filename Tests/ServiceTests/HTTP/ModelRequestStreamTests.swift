import FuzzOracles
import Testing

/// Compares the model with outcomes that were derived manually from RFC 9112 and the rules of the service.
struct ModelRequestStreamTests {
    // MARK: Whole requests

    @Test func `reads the parts of a request`() {
        let stream = read(
            "\r\nPOST /a?b=%20?c HTTP/1.1\r\nhost:a:80\r\nX: \t 1  2\t\r\nx:\r\n"
                + "Content-Length: 5\r\nY: \u{80}\r\n\r\nhello"
        )
        var request = ModelRequest()
        request.method = bytes("POST")
        request.target = bytes("/a?b=%20?c")
        request.path = bytes("/a")
        request.query = bytes("b=%20?c")
        request.fields = [
            .init(name: bytes("host"), value: bytes("a:80")), .init(name: bytes("X"), value: bytes("1  2")),
            .init(name: bytes("x"), value: []), .init(name: bytes("Content-Length"), value: bytes("5")),
            .init(name: bytes("Y"), value: [0x80]),
        ]
        request.declaredContentBytes = 5
        request.content = bytes("hello")
        #expect(stream.requests == [request])
        #expect(stream.unfinished == nil)
        #expect(stream.end == .clean)
    }

    @Test(arguments: [
        ("/", "/", nil), ("/?", "/", ""), ("/a?b?c", "/a", "b?c"), ("*", "*", nil), ("//", "//", nil),
        ("http://a", "/", nil), ("http://a?b", "/", "b"), ("hTTps://[::1]:1/c?d", "/c", "d"), ("http://a/?", "/", ""),
    ])
    func `splits targets`(target: String, path: String, query: String?) {
        let request = read("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").requests.first
        #expect(request?.target == bytes(target))
        #expect(request?.path == bytes(path))
        #expect(request?.query == query.map { bytes($0) })
    }

    @Test(arguments: [
        ("1.1", "", true), ("1.1", "close", false), ("1.1", "CLOSE", false), ("1.1", "a,\t close ", false),
        ("1.1", "a\r\nConnection: close", false), ("1.1", "closed", true), ("1.1", "keep-alive, close", false),
        ("1.1", "a;close", true), ("1.0", "", false), ("1.0", "keep-alive", true), ("1.0", "x,Keep-Alive", true),
        ("1.0", "keep-alive\r\nConnection: close", false), ("1.0", "keepalive", false), ("1.9", "", true),
    ])
    func `decides whether the connection persists`(version: String, connection: String, isPersistent: Bool) {
        let stream = read("GET / HTTP/\(version)\r\nHost: a\r\nConnection: \(connection)\r\n\r\n")
        #expect(stream.requests.map(\.isPersistent) == [isPersistent])
        #expect(stream.end == (isPersistent ? .clean : .closed))
        #expect(stream.requests.map(\.minorVersion) == [version == "1.0" ? 0 : 1])
    }

    @Test(arguments: [
        ("HTTP/1.1", "Expect: 100-continue\r\nContent-Length: 1", true),
        ("HTTP/1.1", "Expect: 100-CONTINUE\r\nTransfer-Encoding: chunked", true),
        ("HTTP/1.1", "Expect: 100-continue\r\nContent-Length: 0", false),
        ("HTTP/1.1", "Expect: 100-continue", false),
        ("HTTP/1.1", "Expect: 100-continue, x\r\nContent-Length: 1", false),
        ("HTTP/1.1", "Expect: x\r\nExpect: 100-continue\r\nContent-Length: 1", true),
        ("HTTP/1.1", "Expect: 100-continue\r\nExpect: x\r\nContent-Length: 1", true),
        ("HTTP/1.0", "Expect: 100-continue\r\nContent-Length: 1", false),
    ])
    func `decides whether the client waits`(version: String, fields: String, awaitsContinue: Bool) {
        let stream = read("POST / \(version)\r\nHost: a\r\n\(fields)\r\n\r\n0\r\n\r\n")
        let request = stream.requests.first ?? stream.unfinished
        #expect(request?.awaitsContinue == awaitsContinue)
    }

    @Test(arguments: [
        ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("1\r\nh\r\n4;a\r\nello\r\n0\r\nX: y\r\n\r\n", "hello"),
        ("0\r\n\r\n", ""),
        ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"), ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
    ])
    func `joins chunks`(chunks: String, content: String) {
        let stream = read("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        #expect(stream.requests.map(\.content) == [bytes(content)])
        #expect(stream.requests.map(\.isChunked) == [true])
        #expect(stream.requests.map(\.declaredContentBytes) == [nil])
        #expect(stream.end == .clean)
    }

    @Test(
        arguments: [
            ("", .clean, nil), ("\r\n", .clean, nil), ("\r", .incomplete, nil), ("\r\n\r", .incomplete, nil),
            ("G", .incomplete, nil), ("GET / HTTP/1.1\r\n", .incomplete, nil),
            ("GET / HTTP/1.1\r\nHost: a\r\n", .incomplete, nil),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r", .incomplete, nil), ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", .clean, nil),
            ("P / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n", .incomplete, ""),
            ("P / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx", .incomplete, "x"),
            ("P / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxy", .clean, nil),
            ("P / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nx", .incomplete, "x"),
            ("P / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxyz", .fault(.malformedChunk), "xy"),
            ("P / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxy\r\n0\r\n\r", .incomplete, "xy"),
        ] as [(String, ModelRequestStream.End, String?)]
    )
    func `reports how a stream ends`(text: String, end: ModelRequestStream.End, unfinished: String?) {
        let stream = read(text)
        #expect(stream.end == end)
        #expect(stream.unfinished?.content == unfinished.map { bytes($0) })
    }

    // MARK: Smuggling forms

    @Test func `every smuggling case has one outcome`() {
        let names = SmugglingCase.all.map(\.name)
        #expect(names.count == Set(names).count)
        #expect(Self.outcomes.flatMap(\.names).sorted() == names.sorted())
    }

    @Test(arguments: outcomes)
    func `returns the result that the standard specifies`(outcome: Outcome) {
        for smuggled in SmugglingCase.all where outcome.names.contains(smuggled.name) {
            let stream = ModelRequestStream(reading: smuggled.bytes)
            #expect(stream.end == outcome.end, "\(smuggled.name)")
            #expect(stream.requests.count == outcome.requests, "\(smuggled.name)")
        }
    }

    /// An error is determined by the first invalid byte, regardless of the following bytes.
    @Test func `an outcome does not change`() {
        for smuggled in SmugglingCase.all where smuggled.bytes.count < 1_000 {
            let whole = ModelRequestStream(reading: smuggled.bytes)
            for count in 0..<smuggled.bytes.count {
                let part = ModelRequestStream(reading: Array(smuggled.bytes[..<count]))
                #expect(whole.requests.starts(with: part.requests), "\(smuggled.name)")
                switch part.end {
                case .fault, .closed: #expect(part == whole, "\(smuggled.name)")
                case .clean, .incomplete: break
                }
            }
        }
    }

    struct Outcome: Sendable {
        var names: [String]
        var requests: Int
        var end: ModelRequestStream.End

        init(_ fault: ModelFault, after requests: Int = 0, _ names: String...) {
            self.names = names
            self.requests = requests
            end = .fault(fault)
        }

        init(_ end: ModelRequestStream.End, _ requests: Int, _ names: [String]) {
            self.names = names
            self.requests = requests
            self.end = end
        }
    }

    static let outcomes = framingOutcomes + lineOutcomes + requestLineOutcomes + chunkOutcomes + sizeOutcomes

    private static let framingOutcomes = [
        Outcome(.contentLengthWithTransferEncoding, "CL.TE", "TE.CL", "CL zero with TE", "CL and TE in HTTP/1.0"),
        Outcome(.transferEncodingInHTTP10, "TE in HTTP/1.0", "TE in persistent HTTP/1.0"),
        Outcome(
            .clean,
            1,
            [
                "CL.0", "TE.0", "content after GET", "CL outer tabs", "CL without space", "CL leading zeros",
                "TE upper case",
                "TE surrounded by white space", "TE without space",
            ]
        ),
        Outcome(
            .clean,
            2,
            [
                "content without a length", "content longer than its length", "CRLF after content",
                "CL with underscore in name", "CL name in a value",
            ]
        ),
        Outcome(.incomplete, 0, ["CL 2^63 - 1", "CL 2^32 + 5"]),
        Outcome(.irregularRequestLine, after: 1, "LF after content", "TE with underscore in name"),
        Outcome(
            .repeatedContentLength,
            "CL twice, equal",
            "CL twice, different",
            "CL twice, other case",
            "CL twice, not adjacent",
            "CL twice, second empty"
        ),
        Outcome(
            .invalidContentLength,
            "CL list, equal",
            "CL list, different",
            "CL plus",
            "CL minus",
            "CL minus zero",
            "CL hexadecimal",
            "CL hexadecimal digits",
            "CL fraction",
            "CL exponent",
            "CL underscore",
            "CL quoted",
            "CL parameter",
            "CL inner space",
            "CL inner tab",
            "CL no-break space",
            "CL superscript",
            "CL Arabic digit",
            "CL empty",
            "CL spaces only",
            "CL 2^63",
            "CL 2^64 + 5",
            "CL folded"
        ),
        Outcome(.invalidFieldValue(name: bytes("Content-Length"), byte: 0x0B), "CL vertical tab"),
        Outcome(.invalidFieldValue(name: bytes("Content-Length"), byte: 0x0C), "CL form feed"),
        Outcome(.invalidFieldValue(name: bytes("Content-Length"), byte: 0), "CL NUL"),
        Outcome(.whitespaceBeforeColon(name: bytes("Content-Length")), "CL space before colon", "CL tab before colon"),
        Outcome(
            .irregularFieldLine(index: 1),
            "0.CL",
            "CL after bare LF",
            "CL after NUL and LF",
            "CL after LF and CR",
            "TE leading space",
            "TE without colon",
            "TE after bare LF",
            "TE after NUL and LF",
            "TE before bare LF"
        ),
        Outcome(.irregularFieldLine(index: 2), "CL folded after digit", "TE leading tab", "TE folded after chunked"),
        Outcome(.invalidFieldValue(name: bytes("X"), byte: 13), "CL after bare CR", "TE after bare CR"),
        Outcome(.invalidFieldValue(name: bytes("X"), byte: 0), "TE after NUL and CRLF"),
        Outcome(
            .invalidFieldName(index: 1),
            "CL CR before colon",
            "TE no-break space before colon",
            "TE NUL before colon",
            "TE leading NUL",
            "TE after an empty name"
        ),
        Outcome(.whitespaceBeforeColon(name: bytes("Transfer-Encoding")), "TE space before colon"),
        Outcome(.invalidFieldValue(name: bytes("Transfer-Encoding"), byte: 0x0B), "TE vertical tab"),
        Outcome(.invalidFieldValue(name: bytes("Transfer-Encoding"), byte: 0x0C), "TE form feed"),
        Outcome(.invalidFieldValue(name: bytes("Transfer-Encoding"), byte: 0x08), "TE backspace"),
        Outcome(.invalidFieldValue(name: bytes("Transfer-Encoding"), byte: 0x7F), "TE delete"),
        Outcome(.invalidFieldValue(name: bytes("Transfer-Encoding"), byte: 0), "TE NUL"),
        Outcome(.invalidFieldValue(name: bytes("Transfer-Encoding"), byte: 13), "TE CR"),
        Outcome(.unsupportedTransferEncoding(bytes("xchunked")), "TE xchunked"),
        Outcome(.unsupportedTransferEncoding(bytes("chunkedx")), "TE chunkedx"),
        Outcome(.unsupportedTransferEncoding(bytes("chunk")), "TE chunk"),
        Outcome(.unsupportedTransferEncoding(bytes("identity")), "TE identity", "TE twice, identity"),
        Outcome(.unsupportedTransferEncoding(bytes("gzip, chunked")), "TE gzip, chunked"),
        Outcome(.unsupportedTransferEncoding(bytes("chunked, identity")), "TE chunked, identity"),
        Outcome(.unsupportedTransferEncoding(bytes("chunked, chunked")), "TE chunked, chunked"),
        Outcome(.unsupportedTransferEncoding(bytes("chunked")), "TE twice"),
        Outcome(.unsupportedTransferEncoding(bytes("cow")), "TE twice, unknown"),
        Outcome(.unsupportedTransferEncoding(bytes("chunked,")), "TE trailing comma"),
        Outcome(.unsupportedTransferEncoding(bytes(",chunked")), "TE leading comma"),
        Outcome(.unsupportedTransferEncoding(bytes("chunked;q=0.5")), "TE parameter"),
        Outcome(.unsupportedTransferEncoding(bytes("\"chunked\"")), "TE quoted"),
        Outcome(.unsupportedTransferEncoding(bytes("'chunked'")), "TE single quotes"),
        Outcome(.unsupportedTransferEncoding(bytes("chun\\ked")), "TE backslash"),
        Outcome(.unsupportedTransferEncoding(bytes(": chunked")), "TE colon"),
        Outcome(.unsupportedTransferEncoding([]), "TE empty", "TE folded"),
        Outcome(.unsupportedTransferEncoding(bytes("\u{A0}chunked")), "TE no-break space"),
        Outcome(.unsupportedTransferEncoding(bytes("chunked\u{85}")), "TE next line"),
        Outcome(.unsupportedTransferEncoding(bytes("chun\u{E2}\u{84}\u{AA}ed")), "TE Kelvin sign"),
    ]

    private static let lineOutcomes = [
        Outcome(
            .clean,
            2,
            [
                "tab in a value", "bytes from 0x80 in a value", "end of the head twice", "Expect with a length of 0",
                "Expect without content", "Expect unknown", "close in quotes", "close, misspelt", "persistent HTTP/1.0",
                "upgrade", "host: address", "host: empty port", "host: port 65535", "host: escape", "host: underscore",
                "host: last",
            ]
        ),
        Outcome(.clean, 1, ["32 empty lines"]),
        Outcome(
            .closed,
            1,
            [
                "Expect in HTTP/1.0", "close, then another request", "close among others", "close and keep-alive",
                "HTTP/1.0, then another request", "host: missing in HTTP/1.0",
            ]
        ),
        Outcome(
            .irregularRequestLine,
            "LF only",
            "LF after the request line",
            "CR only",
            "two CR before LF in the request line",
            "LF and CR",
            "33 empty lines",
            "LF before the request",
            "CRLF and LF before the request",
            "two CR and LF before the request"
        ),
        Outcome(
            .invalidMethod,
            "CR before the request",
            "space before the request",
            "NUL before the request",
            "byte order mark before the request"
        ),
        Outcome(.irregularFieldLine(index: 0), "LF after the last field", "NUL before LF", "folded first field"),
        Outcome(
            .irregularFieldLine(index: 1),
            "LF as the empty line",
            "NUL and LF as the empty line",
            "CR as a line",
            "folded colon",
            "field without a colon",
            "second request line",
            "Expect with space"
        ),
        Outcome(
            .irregularFieldLine(index: 2),
            "space as a line",
            "folded value",
            "value folded with a tab",
            "folded empty value"
        ),
        Outcome(.invalidFieldValue(name: bytes("Host"), byte: 13), "two CR before LF"),
        Outcome(
            .invalidFieldName(index: 1),
            "CR at the start of a name",
            "empty name",
            "colon only",
            "space in a name",
            "control character in a name",
            "separator in a name",
            "UTF-8 in a name"
        ),
        Outcome(.whitespaceBeforeColon(name: bytes("X Y")), "space in a name and before the colon"),
        Outcome(.invalidFieldValue(name: bytes("X"), byte: 0), "NUL in a value"),
        Outcome(.invalidFieldValue(name: bytes("X"), byte: 0x1B), "escape in a value"),
        Outcome(.invalidFieldValue(name: bytes("X"), byte: 0x7F), "delete in a value"),
        Outcome(
            .invalidHost,
            "host: address and name",
            "host: empty address",
            "host: address of a zone",
            "host: two ports",
            "host: port 65536",
            "host: port of six digits",
            "host: port with a sign",
            "host: port only",
            "host: user",
            "host: path",
            "host: query",
            "host: comma",
            "host: space",
            "host: tab",
            "host: open escape",
            "host: escape before the port",
            "host: backslash",
            "host: UTF-8",
            "host: empty"
        ),
        Outcome(.missingHost, "host: missing"),
        Outcome(.repeatedHost, "host: twice", "host: twice in HTTP/1.0", "host: twice, second invalid"),
    ]

    private static let requestLineOutcomes = [
        requestLine(
            .fault(.irregularRequestLine),
            "two spaces after the method",
            "two spaces after the target",
            "space in the target",
            "space at the end",
            "tab after the method",
            "tab after the target",
            "tabs only",
            "no version",
            "no target",
            "empty version",
            "version in lower case",
            "version 1.10",
            "version 01.1",
            "version 1",
            "version 1,1",
            "version 1.x",
            "version with a sign",
            "version of ICY"
        ),
        requestLine(
            .fault(.invalidMethod),
            "empty method",
            "method with a colon",
            "method with a NUL",
            "invalid method with version 2.0",
            "invalid method with an invalid version"
        ),
        requestLine(.fault(.unsupportedVersion), "version 0.9", "version 2.0", "version 2.0 with an invalid target"),
        requestLine(
            .fault(.invalidTarget(offset: 0)),
            "empty target",
            "target without a slash",
            "target of a question mark",
            "target with a backslash",
            "two asterisks",
            "asterisk with a query",
            "authority",
            "absolute target of another scheme",
            "absolute target with one slash"
        ),
        requestLine(.fault(.invalidTarget(offset: 1)), "target in UTF-8"),
        requestLine(
            .fault(.invalidTarget(offset: 2)),
            "target with a fragment",
            "target with a NUL",
            "target with a CR",
            "target with a delete"
        ),
        requestLine(
            .fault(.invalidTarget(offset: 7)),
            "absolute target without a host",
            "absolute target with an unclosed address"
        ),
        requestLine(.fault(.invalidTarget(offset: 8)), "absolute target with a user"),
        requestLine(
            .clean,
            "method in lower case",
            "method of all token characters",
            "version 1.2",
            "target with open escapes",
            "target with a second question mark",
            "target of two slashes",
            "asterisk",
            "absolute target",
            "absolute target in upper case",
            "absolute target without a path"
        ),
    ]

    private static let chunkOutcomes = [
        chunks(
            .clean,
            1,
            "good",
            "upper case",
            "leading zeros",
            "last chunk of three zeros",
            "extension",
            "empty extension",
            "extension with bytes from 0x80",
            "trailers",
            "framing in trailers",
            "trailer with bytes from 0x80"
        ),
        chunks(.incomplete, 0, "2^63 - 1", "2^32 + 5", "no end", "no last chunk"),
        chunks(.fault(.invalidMethod), 1, "quoted CRLF in an extension"),
        chunks(.fault(.irregularRequestLine), 1, "another last chunk"),
        chunks(
            .fault(.malformedChunk),
            0,
            "17 digits",
            "last chunk of 17 zeros",
            "2^63",
            "2^64 - 1",
            "2^64 + 5",
            "prefix 0x",
            "plus",
            "minus",
            "underscore",
            "letter",
            "empty size",
            "empty size with an extension",
            "space before the size",
            "space after the size",
            "tab after the size",
            "space before the extension",
            "NUL after the size",
            "LF after the size",
            "CR after the size",
            "two CR after the size",
            "extension ended by LF",
            "extension with a NUL",
            "extension with a delete",
            "extension with a CR",
            "extension with two CR",
            "data shorter than the size",
            "data longer than the size",
            "LF after the data",
            "CR after the data",
            "two bytes in place of CRLF",
            "nothing after the data",
            "two CRLF after the data",
            "LF after the last chunk",
            "LF at the end",
            "CR at the end",
            "trailer without a colon",
            "trailer with space before the colon",
            "trailer with an empty name",
            "trailer folded",
            "trailer ended by LF",
            "trailer with a NUL",
            "trailer with a CR",
            "request in place of trailers"
        ),
    ]

    private static let sizeOutcomes = [
        Outcome(.headTooLarge, "request line below the limit", "request line at the limit"),
        Outcome(.targetTooLong, "request line above the limit", "request line without an end above the limit"),
        Outcome(
            .incomplete,
            0,
            [
                "request line without an end below the limit", "request line without an end at the limit",
                "head without an end below the limit", "head without an end at the limit",
            ]
        ),
        Outcome(
            .clean,
            2,
            [
                "head below the limit", "head at the limit", "head after empty lines below the limit",
                "head after empty lines at the limit",
            ]
        ),
        Outcome(
            .headTooLarge,
            "head above the limit",
            "head after empty lines above the limit",
            "head without an end above the limit",
            "LF at the end of a head above the limit"
        ),
        Outcome(
            .irregularFieldLine(index: 1),
            "LF at the end of a head below the limit",
            "LF at the end of a head at the limit"
        ),
        Outcome(
            .clean,
            1,
            [
                "extension below the limit", "extension at the limit", "trailers below the limit",
                "trailers at the limit",
                "extension and trailers below the limit", "extension and trailers at the limit",
            ]
        ),
        Outcome(
            .chunkOverheadTooLarge,
            "extension above the limit",
            "trailers above the limit",
            "extension and trailers above the limit"
        ),
    ]

    // MARK: Steps

    private static func requestLine(_ end: ModelRequestStream.End, _ names: String...) -> Outcome {
        Outcome(end, end == .clean ? 2 : 0, names.map { "request line: \($0)" })
    }

    private static func chunks(_ end: ModelRequestStream.End, _ requests: Int, _ names: String...) -> Outcome {
        Outcome(end, requests, names.map { "chunk: \($0)" })
    }

    private func read(_ text: String) -> ModelRequestStream {
        ModelRequestStream(reading: bytes(text))
    }
}

/// Returns one byte per character, up to U+00FF.
private func bytes(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
}
