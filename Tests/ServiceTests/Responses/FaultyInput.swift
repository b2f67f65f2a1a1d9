import FuzzOracles

/// A request with a fault that a seed selects: in the content, in its label, or in the request itself.
struct FaultyInput: CustomStringConvertible {
    var row: ResponseRow
    var content: [UInt8]

    var description: String { "\(row.request) | \(String(decoding: content.prefix(200), as: UTF8.self))" }

    init(seed: UInt64) {
        var choices = RandomSource(seed: seed)
        if choices.oneIn(12) {
            let (request, notation) = choices.pick(Self.strictRequests)
            row = ResponseRow(request, notation)
            content = ResponseContentNotation.bytes(of: notation)
            return
        }
        let format = choices.pick(Format.allCases)
        var request = format.type
        var content = ResponseContentNotation.bytes(of: choices.pick(format.documents))
        // Few contents have two faults.
        for _ in 0..<choices.pick([1, 1, 1, 2]) {
            switch choices.pick([0, 0, 0, 0, 1, 2, 3]) {
            case 0 where !format.faults.isEmpty:
                let fault = ResponseContentNotation.bytes(of: choices.pick(format.faults))
                let places = [0] + content.indices.filter { format.isPlace(content[$0]) } + [content.count]
                content.insert(contentsOf: fault, at: choices.pick(places))
            case 1: request = choices.pick(Format.allCases).type
            case 2: request += " " + choices.pick(Self.requestFaults)
            default: content = ResponseContentNotation.apply(choices.pick(Self.contentFaults), to: content)
            }
        }
        row = ResponseRow(request, "")
        self.content = content
    }

    private enum Format: CaseIterable {
        case json, records, xml, feed, propertyList, form, image, message, envelope

        var type: String {
            switch self {
            case .json: "application/json"
            case .records: "application/x-ndjson"
            case .xml: "application/xml;charset=utf-8"
            case .feed: "application/rss+xml"
            case .propertyList: "application/x-plist"
            case .form: "application/x-www-form-urlencoded"
            case .image: "image/png ?thumbnail=none"
            case .message: "message/http"
            case .envelope: "/v1/normalize/envelope application/json"
            }
        }

        var documents: [String] {
            switch self {
            case .json: [#"{"a":[1,2.5,null],"b":{"c":"x y"}}"#, #"["é",{"a":true}]"#, "[[[[]]]]"]
            case .records: [#"{"a":1}\n{"a":2}\n"#]
            case .xml: ["<r a=\"1\"><b>x é</b><b/></r>", "<?xml version='1.0' encoding='iso-8859-1'?><r>x</r>"]
            case .feed: ["<rss><channel><title>A B</title><item><link>http://a/b</link></item></channel></rss>"]
            case .propertyList: ["<plist><dict><key>a</key><string>x</string></dict></plist>", "{ a = \"b\"; }"]
            case .form: ["a=1&b=x%20y"]
            case .image: ["@png", "@gif", "@bmp"]
            case .message: [#"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[1]"#]
            case .envelope:
                [
                    #"{"headers":{"content-type":"application/json"},"body":{"text":"[1]"}}"#, #"{"order":{"id":1}}"#,
                    "[1]",
                ]
            }
        }

        /// What is inserted somewhere.
        var faults: [String] {
            switch self {
            case .json, .records:
                [
                    ",", "/*c*/", "//c\\n", "NaN", "'a'", "{a:1}", "01", ".5", "+1", "\\n", #"\\d"#, "\\x01",
                    #"\\ud800"#,
                    "}", "{}", #","a":1,"a":2"#, ")]}'", "cb(", "\\xE9", "<", "[ >> times 600",
                ]
            case .xml, .feed, .propertyList: ["&", "&nbsp;", "&#1;", "\\x01", "\\n", "\\xE9", "<b>", "&x;", "<", "é"]
            case .form: ["%E9", "%", "\\xE9", "{", "&a=2"]
            case .image, .message, .envelope: []
            }
        }

        /// Whether a fault may be inserted before this byte.
        func isPlace(_ byte: UInt8) -> Bool {
            switch self {
            case .json, .records: "[]{}:,\"".utf8.contains(byte)
            case .xml, .feed, .propertyList: "<>x ".utf8.contains(byte)
            case .form, .image, .message, .envelope: true
            }
        }
    }

    /// Requests that reject what is accepted by default.
    private static let strictRequests = [
        ("application/json ?duplicates=reject", #"{"a":1,"b":[{"c":1,"c":2}]}"#),
        ("application/json ?fragments=false", #""text""#), ("application/json ?prefixes=reject", #")]}'\n[1]"#),
        ("application/json", #"["\\ud800"]"#), ("application/json ?max-nesting-depth=1", "[[1]]"),
    ]

    private static let contentFaults = [
        "gzip", "deflate", "utf-16le", "latin1", "bom", "without 1", "without 9", "first 30", "times 2",
    ]

    private static let requestFaults = [
        "404", "500", "304", "204", "+Content-Encoding=gzip", "+Content-Encoding=compress", "?nulls=kep",
        "?lenient=comment", "?serializer=jsn", "?serializer=xml", "?serializer=json,form", "?accept-types=image/*",
        "?accept-status=404", "?duplicates=reject", "?fragments=false", "?prefixes=reject", "?max-nesting-depth=1",
        "?lenient=nan", "?profile=afnetworking", "?decode=full", "?thumbnail=8x8", "?max-object-members=1",
        "?type=application/xml", "?records=one", "?profile=defalt", "?serializer=feed", "?select=a", "?omit=a,/b",
    ]
}
