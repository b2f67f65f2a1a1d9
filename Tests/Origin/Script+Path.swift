extension Script {
    /// Parses the path of a request target: one script for each request of the target, of which the last one is
    /// repeated.
    ///
    /// `/delay/200/json/1024` is one script of two commands. `/status/503/then/json/10` is two scripts: the first
    /// request receives 503, and each later one 200. Arguments are percent-encoded. The query is ignored.
    ///
    /// | command | effect |
    /// |---|---|
    /// | `status/N` | the status; 200 by default |
    /// | `fields/LINES` | field lines, separated by LF or CRLF |
    /// | `redirect/STATUS/URL` | the status and `Location` |
    /// | `content/BYTES`, `json/BYTES`, `text/TEXT` | the content |
    /// | `count` | the content `{"count":N}`, where N is the number of requests for this target |
    /// | `echo` | the content is the request |
    /// | `chunked/BYTES`, `until-close` | the framing; `Content-Length` by default |
    /// | `length/TEXT` | the value of `Content-Length`, whatever the content is |
    /// | `version/TEXT` | the version in the status line, for example `HTTP%2F1.0` |
    /// | `extra-fields/N`, `long-field/BYTES` | N more field lines; one long field line |
    /// | `interim/STATUS/N` | N interim responses; 0: until the peer closes the connection |
    /// | `delay/MS`, `hold/NAME` | waits before the head |
    /// | `delay-content/MS`, `hold-content/NAME` | waits after the head |
    /// | `drip/BYTES/MS`, `drip-head/BYTES/MS` | sends the content or the head in pieces, with waits between them |
    /// | `reset/STAGE`, `end/STAGE` | resets or closes the connection: `before-head`, `in-head`, `in-content` … |
    /// | `close` | `Connection: close` |
    /// | `authenticate/SCHEME` | the credentials of a request are those of its connection |
    /// | `ignore-content` | the content of a GET or HEAD is taken for the next request |
    /// | `raw/NAME` | sends registered bytes and closes the connection |
    /// | `then` | begins the script of the next request |
    public static func parse(path: some StringProtocol) throws(OriginError) -> [Script] {
        var words: [String] = []
        for part in path.prefix(while: { $0 != "?" }).split(separator: "/") {
            guard let word = PercentEncoding.decode(part) else { throw .invalidCommand(String(part)) }
            words.append(String(decoding: word, as: UTF8.self))
        }
        var scripts = [Script()]
        var reader = words[...]
        while let command = reader.popFirst() {
            if command == "then" {
                scripts.append(Script())
            } else {
                try scripts[scripts.count - 1].apply(command, &reader)
            }
        }
        return scripts
    }

    private mutating func apply(_ command: String, _ arguments: inout ArraySlice<String>) throws(OriginError) {
        func text() throws(OriginError) -> String {
            guard let text = arguments.popFirst() else { throw .invalidCommand("\(command) without an argument") }
            return text
        }
        func number() throws(OriginError) -> Int {
            let text = try text()
            guard let number = Int(text), number >= 0 else { throw .invalidCommand("\(command)/\(text)") }
            return number
        }
        func stage() throws(OriginError) -> Stage {
            let text = try text()
            guard let stage = Stage(rawValue: text) else { throw .invalidCommand("\(command)/\(text)") }
            return stage
        }
        switch command {
        case "status": status = try number()
        case "fields":
            fieldLines += try text().split(whereSeparator: \.isNewline).map(String.init)
        case "redirect":
            status = try number()
            fieldLines.append("Location: \(try text())")
        case "content": content = .pattern(bytes: try number())
        case "json": content = .json(bytes: try number())
        case "text":
            content = .bytes(Array(try text().utf8))
            fieldLines.append("Content-Type: text/plain")
        case "count": content = .count
        case "echo": content = .echo
        case "chunked": framing = .chunks(bytes: max(1, try number()))
        case "until-close": framing = .close
        case "length": statedLength = try text()
        case "version": version = try text()
        case "extra-fields": extraFields = try number()
        case "long-field": longFieldBytes = try number()
        case "interim": interim = (try number(), try number())
        case "delay": waitsBeforeHead.append(.delay(milliseconds: try number()))
        case "hold": waitsBeforeHead.append(.hold(try text()))
        case "delay-content": waitsBeforeContent.append(.delay(milliseconds: try number()))
        case "hold-content": waitsBeforeContent.append(.hold(try text()))
        case "drip": contentDrip = Drip(bytes: try number(), milliseconds: try number())
        case "drip-head": headDrip = Drip(bytes: try number(), milliseconds: try number())
        case "reset": failure = .reset(try stage())
        case "end": failure = .end(try stage())
        case "close": closes = true
        case "authenticate": authentication = try text()
        // It has an effect before the script is known.
        case "ignore-content": break
        case "raw": rawName = try text()
        default: throw .invalidCommand(command)
        }
    }

    /// Returns text as one argument in a path: everything except unreserved characters is percent-encoded.
    public static func argument(_ text: String) -> String {
        PercentEncoding.encode(Array(text.utf8))
    }
}
