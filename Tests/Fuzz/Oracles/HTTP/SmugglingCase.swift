/// A request that two readers may understand in two ways, or that is just within or just beyond a rule.
///
/// The cases follow RFC 9112 §§2.2, 3, 5, 6, 7 and 11.2 and the published desync attacks (CL.TE, TE.CL, TE.TE, CL.0,
/// 0.CL, TE.0, chunk extensions, bare line feeds). Each one is written so that a request of its own appears if the
/// content or a line ends where it must not.
package struct SmugglingCase: Sendable {
    package var name: String
    package var bytes: [UInt8]

    /// - Parameter text: one character per byte, up to U+00FF.
    private init(_ name: String, _ text: String) {
        self.name = name
        bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    package static let all: [SmugglingCase] =
        lengthAndChunks + contentLength + transferEncoding + lines + requestLines + hosts + chunks + sizes
}

extension SmugglingCase {
    /// The request that must not be found within another one.
    package static let hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func post(_ fields: String, _ content: String = "") -> String {
        "POST /a HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(content)"
    }

    private static func get(_ fields: String) -> String {
        "GET /a HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n"
    }

    private static func chunked(_ chunks: String) -> String {
        post("Transfer-Encoding: chunked", chunks)
    }

    private static func hex(_ count: Int) -> String {
        String(count, radix: 16)
    }

    // MARK: Content-Length and Transfer-Encoding

    private static let lengthAndChunks = [
        SmugglingCase(
            "CL.TE",
            post("Content-Length: \(hidden.utf8.count + 5)\r\nTransfer-Encoding: chunked", "0\r\n\r\n" + hidden)
        ),
        SmugglingCase(
            "TE.CL",
            post(
                "Transfer-Encoding: chunked\r\nContent-Length: 4",
                "\(hex(hidden.utf8.count))\r\n\(hidden)\r\n0\r\n\r\n"
            )
        ),
        SmugglingCase("CL.0", post("Content-Length: \(hidden.utf8.count)", hidden)),
        SmugglingCase("TE.0", chunked("\(hex(hidden.utf8.count))\r\n\(hidden)\r\n0\r\n\r\n")),
        SmugglingCase("0.CL", post(" Content-Length: \(hidden.utf8.count)", hidden)),
        SmugglingCase("CL zero with TE", post("Content-Length: 0\r\nTransfer-Encoding: chunked", "0\r\n\r\n")),
        SmugglingCase("TE in HTTP/1.0", "POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden),
        SmugglingCase(
            "TE in persistent HTTP/1.0",
            "POST /a HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden
        ),
        SmugglingCase(
            "CL and TE in HTTP/1.0",
            "POST /a HTTP/1.0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        SmugglingCase("content after GET", "GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"),
        SmugglingCase("content without a length", post("X: y", hidden)),
        SmugglingCase("content longer than its length", post("Content-Length: 4", "\r\n\r\n" + hidden)),
        SmugglingCase("CRLF after content", post("Content-Length: 5", "hello\r\n" + hidden)),
        SmugglingCase("LF after content", post("Content-Length: 5", "hello\n" + hidden)),
    ]

    private static let contentLength = [
        SmugglingCase("CL twice, equal", post("Content-Length: 5\r\nContent-Length: 5", "hello")),
        SmugglingCase("CL twice, different", post("Content-Length: 5\r\nContent-Length: 0", "hello")),
        SmugglingCase("CL twice, other case", post("Content-Length: 5\r\ncONTENT-lENGTH: 5", "hello")),
        SmugglingCase(
            "CL twice, not adjacent",
            post("Content-Length: 5\r\nX: y\r\nY: z\r\nContent-Length: 6", "hello")
        ),
        SmugglingCase("CL list, equal", post("Content-Length: 5, 5", "hello")),
        SmugglingCase("CL list, different", post("Content-Length: 5,0", "hello")),
        SmugglingCase("CL plus", post("Content-Length: +5", "hello")),
        SmugglingCase("CL minus", post("Content-Length: -5", "hello")),
        SmugglingCase("CL minus zero", post("Content-Length: -0")),
        SmugglingCase("CL hexadecimal", post("Content-Length: 0x5", "hello")),
        SmugglingCase("CL hexadecimal digits", post("Content-Length: a", "helloworld")),
        SmugglingCase("CL fraction", post("Content-Length: 5.0", "hello")),
        SmugglingCase("CL exponent", post("Content-Length: 5e0", "hello")),
        SmugglingCase("CL underscore", post("Content-Length: 0_5", "hello")),
        SmugglingCase("CL quoted", post("Content-Length: \"5\"", "hello")),
        SmugglingCase("CL parameter", post("Content-Length: 5;a=b", "hello")),
        SmugglingCase("CL inner space", post("Content-Length: 0 5", "hello")),
        SmugglingCase("CL inner tab", post("Content-Length: 0\t5", "hello")),
        SmugglingCase("CL outer tabs", post("Content-Length:\t5\t", "hello")),
        SmugglingCase("CL without space", post("Content-Length:5", "hello")),
        SmugglingCase("CL vertical tab", post("Content-Length: \u{0B}5", "hello")),
        SmugglingCase("CL form feed", post("Content-Length: 5\u{0C}", "hello")),
        SmugglingCase("CL NUL", post("Content-Length: 5\0", "hello")),
        SmugglingCase("CL no-break space", post("Content-Length: \u{A0}5", "hello")),
        SmugglingCase("CL superscript", post("Content-Length: \u{B2}", "hello")),
        SmugglingCase("CL Arabic digit", post("Content-Length: \u{D9}\u{A5}", "hello")),
        SmugglingCase("CL empty", post("Content-Length:", hidden)),
        SmugglingCase("CL spaces only", post("Content-Length:   ", hidden)),
        SmugglingCase("CL leading zeros", post("Content-Length: 0000000000000000000000005", "hello")),
        SmugglingCase("CL 2^63 - 1", post("Content-Length: 9223372036854775807", "hello")),
        SmugglingCase("CL 2^63", post("Content-Length: 9223372036854775808", "hello")),
        SmugglingCase("CL 2^64 + 5", post("Content-Length: 18446744073709551621", "hello")),
        SmugglingCase("CL 2^32 + 5", post("Content-Length: 4294967301", "hello")),
        SmugglingCase("CL space before colon", post("Content-Length : 5", "hello")),
        SmugglingCase("CL tab before colon", post("Content-Length\t: 5", "hello")),
        SmugglingCase("CL CR before colon", post("Content-Length\r: 5", "hello")),
        SmugglingCase("CL folded", post("Content-Length:\r\n 5", "hello")),
        SmugglingCase("CL folded after digit", post("Content-Length: 1\r\n 5", "hello")),
        SmugglingCase("CL with underscore in name", post("Content_Length: \(hidden.utf8.count)", hidden)),
        SmugglingCase("CL name in a value", post("X: Content-Length: 5", hidden)),
        SmugglingCase("CL after bare LF", post("X: y\nContent-Length: \(hidden.utf8.count)", hidden)),
        SmugglingCase("CL after bare CR", post("X: y\rContent-Length: \(hidden.utf8.count)", hidden)),
        SmugglingCase("CL after NUL and LF", post("X: y\0\nContent-Length: \(hidden.utf8.count)", hidden)),
        SmugglingCase("CL after LF and CR", post("X: y\n\rContent-Length: \(hidden.utf8.count)", hidden)),
        SmugglingCase("CL twice, second empty", post("Content-Length: 5\r\nContent-Length:", "hello")),
    ]

    private static let transferEncoding = [
        SmugglingCase("TE upper case", post("TRANSFER-ENCODING: CHUNKED", "5\r\nhello\r\n0\r\n\r\n")),
        SmugglingCase("TE surrounded by white space", post("Transfer-Encoding: \t chunked \t", "0\r\n\r\n")),
        SmugglingCase("TE without space", post("Transfer-Encoding:chunked", "0\r\n\r\n")),
        SmugglingCase("TE xchunked", post("Transfer-Encoding: xchunked", "0\r\n\r\n")),
        SmugglingCase("TE chunkedx", post("Transfer-Encoding: chunkedx", "0\r\n\r\n")),
        SmugglingCase("TE chunk", post("Transfer-Encoding: chunk", "0\r\n\r\n")),
        SmugglingCase("TE identity", post("Transfer-Encoding: identity\r\nContent-Length: 5", "hello")),
        SmugglingCase("TE gzip, chunked", post("Transfer-Encoding: gzip, chunked", "0\r\n\r\n")),
        SmugglingCase("TE chunked, identity", post("Transfer-Encoding: chunked, identity", "0\r\n\r\n")),
        SmugglingCase("TE chunked, chunked", post("Transfer-Encoding: chunked, chunked", "0\r\n\r\n")),
        SmugglingCase("TE twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n")),
        SmugglingCase("TE twice, identity", post("Transfer-Encoding: chunked\r\nTransfer-encoding: identity", hidden)),
        SmugglingCase("TE twice, unknown", post("Transfer-Encoding: cow\r\nTransfer-Encoding: chunked", "0\r\n\r\n")),
        SmugglingCase("TE trailing comma", post("Transfer-Encoding: chunked,", "0\r\n\r\n")),
        SmugglingCase("TE leading comma", post("Transfer-Encoding: ,chunked", "0\r\n\r\n")),
        SmugglingCase("TE parameter", post("Transfer-Encoding: chunked;q=0.5", "0\r\n\r\n")),
        SmugglingCase("TE quoted", post("Transfer-Encoding: \"chunked\"", "0\r\n\r\n")),
        SmugglingCase("TE single quotes", post("Transfer-Encoding: 'chunked'", "0\r\n\r\n")),
        SmugglingCase("TE backslash", post("Transfer-Encoding: chun\\ked", "0\r\n\r\n")),
        SmugglingCase("TE colon", post("Transfer-Encoding: : chunked", "0\r\n\r\n")),
        SmugglingCase("TE empty", post("Transfer-Encoding:", hidden)),
        SmugglingCase("TE vertical tab", post("Transfer-Encoding: \u{0B}chunked", "0\r\n\r\n")),
        SmugglingCase("TE form feed", post("Transfer-Encoding: chunked\u{0C}", "0\r\n\r\n")),
        SmugglingCase("TE backspace", post("Transfer-Encoding: x\u{08}chunked", "0\r\n\r\n")),
        SmugglingCase("TE delete", post("Transfer-Encoding: chunked\u{7F}", "0\r\n\r\n")),
        SmugglingCase("TE NUL", post("Transfer-Encoding: chunked\0", "0\r\n\r\n")),
        SmugglingCase("TE CR", post("Transfer-Encoding: chunked\r", "0\r\n\r\n")),
        SmugglingCase("TE no-break space", post("Transfer-Encoding: \u{A0}chunked", "0\r\n\r\n")),
        SmugglingCase("TE next line", post("Transfer-Encoding: chunked\u{85}", "0\r\n\r\n")),
        SmugglingCase("TE Kelvin sign", post("Transfer-Encoding: chun\u{E2}\u{84}\u{AA}ed", "0\r\n\r\n")),
        SmugglingCase("TE space before colon", post("Transfer-Encoding : chunked", "0\r\n\r\n")),
        SmugglingCase("TE no-break space before colon", post("Transfer-Encoding\u{A0}: chunked", "0\r\n\r\n")),
        SmugglingCase("TE NUL before colon", post("Transfer-Encoding\0: chunked", "0\r\n\r\n")),
        SmugglingCase("TE leading space", post(" Transfer-Encoding: chunked", "0\r\n\r\n")),
        SmugglingCase("TE leading tab", post("X: y\r\n\tTransfer-Encoding: chunked", "0\r\n\r\n")),
        SmugglingCase("TE leading NUL", post("\0Transfer-Encoding: chunked", "0\r\n\r\n")),
        SmugglingCase("TE folded", post("Transfer-Encoding:\r\n chunked", "0\r\n\r\n")),
        SmugglingCase("TE folded after chunked", post("Transfer-Encoding: chunked\r\n , identity", "0\r\n\r\n")),
        SmugglingCase("TE without colon", post("Transfer-Encoding chunked", "0\r\n\r\n")),
        SmugglingCase("TE with underscore in name", post("Transfer_Encoding: chunked", "0\r\n\r\n")),
        SmugglingCase("TE after bare LF", post("X: y\nTransfer-Encoding: chunked", "0\r\n\r\n" + hidden)),
        SmugglingCase("TE after bare CR", post("X: y\rTransfer-Encoding: chunked", "0\r\n\r\n" + hidden)),
        SmugglingCase("TE after NUL and LF", post("X: y\0\nTransfer-Encoding: chunked", "0\r\n\r\n" + hidden)),
        SmugglingCase("TE after NUL and CRLF", post("X: y\0\r\nTransfer-Encoding: chunked", "0\r\n\r\n" + hidden)),
        SmugglingCase("TE after an empty name", post(":\r\nTransfer-Encoding: chunked", "0\r\n\r\n")),
        SmugglingCase("TE before bare LF", post("Transfer-Encoding: chunked\nX: y", "0\r\n\r\n")),
    ]

    // MARK: Lines

    private static let lines = [
        SmugglingCase("LF only", "GET /a HTTP/1.1\nHost: a\n\n" + hidden),
        SmugglingCase("LF after the request line", "GET /a HTTP/1.1\nHost: a\r\n\r\n" + hidden),
        SmugglingCase("LF after the last field", "GET /a HTTP/1.1\r\nHost: a\n\r\n" + hidden),
        SmugglingCase("LF as the empty line", "GET /a HTTP/1.1\r\nHost: a\r\n\n" + hidden),
        SmugglingCase("NUL before LF", "GET /a HTTP/1.1\r\nHost: a\0\n\r\n" + hidden),
        SmugglingCase("NUL and LF as the empty line", "GET /a HTTP/1.1\r\nHost: a\r\n\0\n" + hidden),
        SmugglingCase("CR only", "GET /a HTTP/1.1\rHost: a\r\r" + hidden),
        SmugglingCase("two CR before LF", "GET /a HTTP/1.1\r\nHost: a\r\r\n\r\n" + hidden),
        SmugglingCase("two CR before LF in the request line", "GET /a HTTP/1.1\r\r\nHost: a\r\n\r\n" + hidden),
        SmugglingCase("CR as a line", get("\r") + hidden),
        SmugglingCase("CR at the start of a name", get("\rX: y") + hidden),
        SmugglingCase("LF and CR", "GET /a HTTP/1.1\n\rHost: a\n\r\n\r" + hidden),
        SmugglingCase("space as a line", get("X: y\r\n ") + hidden),
        SmugglingCase("folded value", get("X: y\r\n z") + hidden),
        SmugglingCase("value folded with a tab", get("X: y\r\n\tz") + hidden),
        SmugglingCase("folded first field", "GET /a HTTP/1.1\r\n Host: a\r\n\r\n" + hidden),
        SmugglingCase("folded empty value", get("X:\r\n y") + hidden),
        SmugglingCase("folded colon", get("X\r\n : y") + hidden),
        SmugglingCase("field without a colon", get("X y") + hidden),
        SmugglingCase("empty name", get(": y") + hidden),
        SmugglingCase("colon only", get(":") + hidden),
        SmugglingCase("space in a name", get("X Y: z") + hidden),
        SmugglingCase("space in a name and before the colon", get("X Y : z") + hidden),
        SmugglingCase("control character in a name", get("X\u{01}: z") + hidden),
        SmugglingCase("separator in a name", get("X(Y): z") + hidden),
        SmugglingCase("UTF-8 in a name", get("\u{C3}\u{A9}: z") + hidden),
        SmugglingCase("NUL in a value", get("X: y\0z") + hidden),
        SmugglingCase("escape in a value", get("X: y\u{1B}z") + hidden),
        SmugglingCase("delete in a value", get("X: y\u{7F}z") + hidden),
        SmugglingCase("tab in a value", get("X: y\tz") + hidden),
        SmugglingCase("bytes from 0x80 in a value", get("X: \u{80}\u{85}\u{A0}\u{FF}") + hidden),
        SmugglingCase("second request line", get("GET /hidden HTTP/1.1") + hidden),
        SmugglingCase("end of the head twice", get("X: y") + "\r\n" + hidden),
        SmugglingCase("32 empty lines", String(repeating: "\r\n", count: 32) + hidden),
        SmugglingCase("33 empty lines", String(repeating: "\r\n", count: 33) + hidden),
        SmugglingCase("LF before the request", "\n" + hidden),
        SmugglingCase("CR before the request", "\r" + hidden),
        SmugglingCase("CRLF and LF before the request", "\r\n\n" + hidden),
        SmugglingCase("two CR and LF before the request", "\r\r\n" + hidden),
        SmugglingCase("space before the request", " " + hidden),
        SmugglingCase("NUL before the request", "\0" + hidden),
        SmugglingCase("byte order mark before the request", "\u{EF}\u{BB}\u{BF}" + hidden),
        SmugglingCase("Expect with a length of 0", get("Expect: 100-continue\r\nContent-Length: 0") + hidden),
        SmugglingCase("Expect without content", get("Expect: 100-continue") + hidden),
        SmugglingCase("Expect with space", post(" Expect: 100-continue\r\nContent-Length: 5", "hello") + hidden),
        SmugglingCase("Expect unknown", post("Expect: y 100-continue\r\nContent-Length: 5", "hello") + hidden),
        SmugglingCase("Expect in HTTP/1.0", "POST /a HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx"),
        SmugglingCase("close, then another request", get("Connection: close") + hidden),
        SmugglingCase("close among others", get("Connection: x, \tCLOSE ,y") + hidden),
        SmugglingCase("close and keep-alive", get("Connection: keep-alive\r\nConnection: close") + hidden),
        SmugglingCase("close in quotes", get("Connection: \"close\"") + hidden),
        SmugglingCase("close, misspelt", get("Connection: close;a=b") + hidden),
        SmugglingCase("HTTP/1.0, then another request", "GET /a HTTP/1.0\r\n\r\n" + hidden),
        SmugglingCase("persistent HTTP/1.0", "GET /a HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n" + hidden),
        SmugglingCase(
            "upgrade",
            get("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: A") + hidden
        ),
    ]

    private static let requestLines: [SmugglingCase] = [
        ("two spaces after the method", "GET  /a HTTP/1.1"),
        ("two spaces after the target", "GET /a  HTTP/1.1"),
        ("space in the target", "GET /a b HTTP/1.1"),
        ("space at the end", "GET /a HTTP/1.1 "),
        ("tab after the method", "GET\t/a HTTP/1.1"),
        ("tab after the target", "GET /a\tHTTP/1.1"),
        ("tabs only", "GET\t/a\tHTTP/1.1"),
        ("no version", "GET /a"),
        ("no target", "GET HTTP/1.1"),
        ("empty target", "GET  HTTP/1.1"),
        ("empty method", " /a HTTP/1.1"),
        ("empty version", "GET /a "),
        ("method with a colon", "GET: /a HTTP/1.1"),
        ("method with a NUL", "G\0T /a HTTP/1.1"),
        ("method in lower case", "get /a HTTP/1.1"),
        ("method of all token characters", "!#$%&'*+-.^_`|~09azAZ /a HTTP/1.1"),
        ("version in lower case", "GET /a http/1.1"),
        ("version 0.9", "GET /a HTTP/0.9"),
        ("version 2.0", "PRI * HTTP/2.0"),
        ("version 1.2", "GET /a HTTP/1.2"),
        ("version 1.10", "GET /a HTTP/1.10"),
        ("version 01.1", "GET /a HTTP/01.1"),
        ("version 1", "GET /a HTTP/1"),
        ("version 1,1", "GET /a HTTP/1,1"),
        ("version 1.x", "GET /a HTTP/1.x"),
        ("version with a sign", "GET /a HTTP/+.1"),
        ("version of ICY", "GET /a ICY/1.1"),
        ("version 2.0 with an invalid target", "GET a HTTP/2.0"),
        ("invalid method with version 2.0", "G@T /a HTTP/2.0"),
        ("invalid method with an invalid version", "G@T /a HTTP/2"),
        ("target with a fragment", "GET /a#b HTTP/1.1"),
        ("target with a NUL", "GET /a\0 HTTP/1.1"),
        ("target with a CR", "GET /a\r HTTP/1.1"),
        ("target with a delete", "GET /a\u{7F} HTTP/1.1"),
        ("target in UTF-8", "GET /\u{C3}\u{A9} HTTP/1.1"),
        ("target with open escapes", "GET /%?%zz=%4 HTTP/1.1"),
        ("target with a second question mark", "GET /a?b?c HTTP/1.1"),
        ("target without a slash", "GET a HTTP/1.1"),
        ("target of a question mark", "GET ?a HTTP/1.1"),
        ("target of two slashes", "GET //b/c HTTP/1.1"),
        ("target with a backslash", "GET \\a HTTP/1.1"),
        ("asterisk", "OPTIONS * HTTP/1.1"),
        ("two asterisks", "OPTIONS ** HTTP/1.1"),
        ("asterisk with a query", "OPTIONS *?a HTTP/1.1"),
        ("authority", "CONNECT a:80 HTTP/1.1"),
        ("absolute target", "GET http://b/c?d HTTP/1.1"),
        ("absolute target in upper case", "GET HTTPS://b:1?d/e HTTP/1.1"),
        ("absolute target without a path", "GET http://b HTTP/1.1"),
        ("absolute target without a host", "GET http:///a HTTP/1.1"),
        ("absolute target with a user", "GET https://u@b/a HTTP/1.1"),
        ("absolute target with an unclosed address", "GET http://[::1/a HTTP/1.1"),
        ("absolute target of another scheme", "GET ftp://b/a HTTP/1.1"),
        ("absolute target with one slash", "GET http:/b/a HTTP/1.1"),
    ].map { SmugglingCase("request line: \($0.0)", "\($0.1)\r\nHost: a\r\n\r\n\(hidden)") }

    private static let hosts: [SmugglingCase] =
        [
            ("address", "[::1]:80"), ("address and name", "[::1]a"), ("empty address", "[]"),
            ("address of a zone", "[fe80::1%251]"), ("two ports", "a:1:2"), ("empty port", "a:"),
            ("port 65535", "a:65535"), ("port 65536", "a:65536"), ("port of six digits", "a:000080"),
            ("port with a sign", "a:+8"), ("port only", ":80"), ("user", "u@a"), ("path", "a/b"), ("query", "a?b"),
            ("comma", "a,b"), ("space", "a b"), ("tab", "a\tb"), ("escape", "a%2e"), ("open escape", "a%2"),
            ("escape before the port", "a%2:80"), ("backslash", "a\\b"), ("underscore", "a_b"),
            ("UTF-8", "\u{C3}\u{A9}"),
            ("empty", ""),
        ].map { SmugglingCase("host: \($0.0)", "GET /a HTTP/1.1\r\nHost: \($0.1)\r\n\r\n\(hidden)") } + [
            SmugglingCase("host: missing", "GET /a HTTP/1.1\r\n\r\n" + hidden),
            SmugglingCase("host: missing in HTTP/1.0", "GET /a HTTP/1.0\r\n\r\n" + hidden),
            SmugglingCase("host: twice", get("Host: a") + hidden),
            SmugglingCase("host: twice in HTTP/1.0", "GET /a HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n" + hidden),
            SmugglingCase("host: twice, second invalid", get("HOST: a b") + hidden),
            SmugglingCase("host: last", "GET /a HTTP/1.1\r\nX: y\r\nhOsT:a\r\n\r\n" + hidden),
        ]

    // MARK: Chunks

    private static let chunks: [SmugglingCase] = [
        ("good", "5\r\nhello\r\n0\r\n\r\n"),
        ("upper case", "A\r\nhelloworld\r\n0\r\n\r\n"),
        ("leading zeros", "0000000000000005\r\nhello\r\n0\r\n\r\n"),
        ("17 digits", "00000000000000005\r\nhello\r\n0\r\n\r\n"),
        ("last chunk of three zeros", "5\r\nhello\r\n000\r\n\r\n"),
        ("last chunk of 17 zeros", "5\r\nhello\r\n00000000000000000\r\n\r\n"),
        ("2^63 - 1", "7fffffffffffffff\r\nhello\r\n0\r\n\r\n"),
        ("2^63", "8000000000000000\r\nhello\r\n0\r\n\r\n"),
        ("2^64 - 1", "ffffffffffffffff\r\nhello\r\n0\r\n\r\n"),
        ("2^64 + 5", "10000000000000005\r\nhello\r\n0\r\n\r\n"),
        ("2^32 + 5", "100000005\r\nhello\r\n0\r\n\r\n"),
        ("prefix 0x", "0x5\r\nhello\r\n0\r\n\r\n"),
        ("plus", "+5\r\nhello\r\n0\r\n\r\n"),
        ("minus", "-5\r\nhello\r\n0\r\n\r\n"),
        ("underscore", "0_5\r\nhello\r\n0\r\n\r\n"),
        ("letter", "5h\r\nhello\r\n0\r\n\r\n"),
        ("empty size", "\r\nhello\r\n0\r\n\r\n"),
        ("empty size with an extension", ";a\r\nhello\r\n0\r\n\r\n"),
        ("space before the size", " 5\r\nhello\r\n0\r\n\r\n"),
        ("space after the size", "5 \r\nhello\r\n0\r\n\r\n"),
        ("tab after the size", "5\t\r\nhello\r\n0\r\n\r\n"),
        ("space before the extension", "5 ;a\r\nhello\r\n0\r\n\r\n"),
        ("NUL after the size", "5\0\r\nhello\r\n0\r\n\r\n"),
        ("LF after the size", "5\nhello\r\n0\r\n\r\n"),
        ("CR after the size", "5\rhello\r\n0\r\n\r\n"),
        ("two CR after the size", "5\r\r\nhello\r\n0\r\n\r\n"),
        ("extension", "5;a=b;c=\"d\"\r\nhello\r\n0;e\r\n\r\n"),
        ("empty extension", "5;\r\nhello\r\n0;\r\n\r\n"),
        ("extension with bytes from 0x80", "5;\u{80}\u{FF}\t\r\nhello\r\n0\r\n\r\n"),
        ("extension ended by LF", "5;a\nhello\r\n0\r\n\r\n\(hidden)"),
        ("extension with a NUL", "5;a\0\r\nhello\r\n0\r\n\r\n"),
        ("extension with a delete", "5;\u{7F}\r\nhello\r\n0\r\n\r\n"),
        ("extension with a CR", "5;a\rb\r\nhello\r\n0\r\n\r\n"),
        ("extension with two CR", "5;a\r\r\nhello\r\n0\r\n\r\n"),
        ("quoted CRLF in an extension", "5;a=\"\r\nhello\r\n0\r\n\r\n\""),
        ("data shorter than the size", "6\r\nhello\r\n0\r\n\r\n"),
        ("data longer than the size", "4\r\nhello\r\n0\r\n\r\n"),
        ("LF after the data", "5\r\nhello\n0\r\n\r\n"),
        ("CR after the data", "5\r\nhello\r0\r\n\r\n"),
        ("two bytes in place of CRLF", "5\r\nhelloXX0\r\n\r\n"),
        ("nothing after the data", "5\r\nhello0\r\n\r\n"),
        ("two CRLF after the data", "5\r\nhello\r\n\r\n0\r\n\r\n"),
        ("LF after the last chunk", "5\r\nhello\r\n0\n\r\n"),
        ("LF at the end", "5\r\nhello\r\n0\r\n\n\(hidden)"),
        ("CR at the end", "5\r\nhello\r\n0\r\n\rX\n\(hidden)"),
        ("no end", "5\r\nhello\r\n0\r\n"),
        ("no last chunk", "5\r\nhello\r\n"),
        ("trailers", "0\r\nA: b\r\nC:\r\n\r\n"),
        (
            "framing in trailers",
            "0\r\nContent-Length: 5\r\nTransfer-Encoding: x\r\nHost: b\r\nConnection: close\r\n\r\n"
        ),
        ("trailer without a colon", "0\r\nA b\r\n\r\n"),
        ("trailer with space before the colon", "0\r\nA : b\r\n\r\n"),
        ("trailer with an empty name", "0\r\n: b\r\n\r\n"),
        ("trailer folded", "0\r\nA: b\r\n c\r\n\r\n"),
        ("trailer ended by LF", "0\r\nA: b\n\r\n"),
        ("trailer with a NUL", "0\r\nA: b\0\r\n\r\n"),
        ("trailer with a CR", "0\r\nA: b\rC: d\r\n\r\n"),
        ("trailer with bytes from 0x80", "0\r\nA: \u{80}\u{FF}\t\r\n\r\n"),
        ("request in place of trailers", "0\r\n\(hidden)"),
        ("another last chunk", "0\r\n\r\n0\r\n\r\n"),
    ].map { SmugglingCase("chunk: \($0.0)", chunked($0.1)) }

    // MARK: Limits

    /// Heads, lines and overheads at the limit of 16 384 bytes, and one byte off it.
    private static let sizes: [SmugglingCase] = (-1...1).flatMap { difference in
        let limit = 16_384 + difference
        let label = difference == 0 ? "at the limit" : difference < 0 ? "below the limit" : "above the limit"
        func fill(_ count: Int) -> String { String(repeating: "x", count: count) }
        let rest = "Host: a\r\nX: \r\n\r\n"
        let extensions = chunked("5;\(fill(limit - 1))\r\nhello\r\n0\r\n\r\n")
        let trailers = chunked("0\r\nA:\(fill(limit - 4))\r\n\r\n")
        let both = chunked("5;\(fill(limit - 105))\r\nhello\r\n0\r\nA:\(fill(100))\r\n\r\n")
        return [
            SmugglingCase("request line \(label)", "GET /\(fill(limit - 16)) HTTP/1.1\r\n\(rest)"),
            SmugglingCase("request line without an end \(label)", "GET /\(fill(limit - 5))"),
            SmugglingCase("head \(label)", "GET / HTTP/1.1\r\nHost: a\r\nX: \(fill(limit - 32))\r\n\r\n" + hidden),
            SmugglingCase("head without an end \(label)", "GET / HTTP/1.1\r\nHost: a\r\nX: \(fill(limit - 28))"),
            SmugglingCase(
                "LF at the end of a head \(label)",
                "GET / HTTP/1.1\r\nHost: a\r\nX: \(fill(limit - 29))\n\r\n"
            ),
            SmugglingCase(
                "head after empty lines \(label)",
                "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nX: \(fill(limit - 32))\r\n\r\n" + hidden
            ),
            SmugglingCase("extension \(label)", extensions),
            SmugglingCase("trailers \(label)", trailers),
            SmugglingCase("extension and trailers \(label)", both),
        ]
    }
}
