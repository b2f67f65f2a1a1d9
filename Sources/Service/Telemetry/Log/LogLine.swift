internal import Logging
internal import Serialization

/// A log line that is not a line of the access log.
///
/// In JSON, each member of the metadata is a member of the line, in the order of the names. The names that the line
/// itself uses (`time`, `level`, `message`), and names that begin with `metadata.`, get the prefix `metadata.`, so that
/// all names remain distinct. An `Int` or a `Bool` is written as such, and every other value as a string:
///
///     {"time":"2026-11-22T08:18:44.123Z","level":"notice","message":"stopping","delaySeconds":5,"signal":"SIGTERM"}
///
/// As text, the metadata follow the message. A name or a value is enclosed in quotes if it is empty or contains a
/// space, `=`, `"`, `\`, or a control character:
///
///     2026-11-22T08:18:44.123Z notice stopping delaySeconds=5 signal=SIGTERM
struct LogLine {
    /// The time since 1970-01-01T00:00:00Z in nanoseconds.
    var time: UInt64
    var level: Logger.Level
    var message: String
    var metadata: Logger.Metadata = [:]

    /// Returns the bytes of the line, including its line feed.
    func bytes(_ format: LogFormat) -> [UInt8] {
        switch format {
        case .json: json
        case .text: text
        }
    }

    private var sortedMetadata: [(key: String, value: Logger.MetadataValue)] { metadata.sorted { $0.key < $1.key } }

    // MARK: JSON

    private var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("time", timeText)
        writer.member("level", level.rawValue)
        writer.member("message", message)
        for (key, value) in sortedMetadata {
            writer.name(Self.memberName(key) as String)
            Self.write(value, to: &writer)
        }
        writer.endObject()
        return Array(writer.buffer) + [UInt8(ascii: "\n")]
    }

    private static func memberName(_ key: String) -> String {
        ["time", "level", "message"].contains(key) || key.hasPrefix("metadata.") ? "metadata." + key : key
    }

    private static func write(_ value: Logger.MetadataValue, to writer: inout JSONWriter) {
        switch value {
        case .string(let text): writer.string(text)
        case .stringConvertible(let value as Int): writer.integer(value)
        case .stringConvertible(let value as Bool): writer.boolean(value)
        case .stringConvertible(let value): writer.string(value.description)
        case .array(let values):
            writer.beginArray()
            for value in values { write(value, to: &writer) }
            writer.endArray()
        case .dictionary(let members):
            writer.beginObject()
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                writer.name(key as String)
                write(value, to: &writer)
            }
            writer.endObject()
        }
    }

    // MARK: Text

    private var text: [UInt8] {
        var line = "\(timeText) \(level.rawValue) "
        line.append(escaping: message)
        for (key, value) in sortedMetadata {
            line += " "
            line.append(quotingIfNeeded: key)
            line += "="
            line.append(quotingIfNeeded: value.description)
        }
        return Array(line.utf8) + [UInt8(ascii: "\n")]
    }

    private var timeText: String {
        var timestamp = Timestamp()
        let (first, second, third) = timestamp.text(of: time)
        let bytes = [first, second, third].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    /// Appends `text`. Control characters and separators of lines and paragraphs are written as `\u{…}`.
    fileprivate mutating func append(escaping text: String) {
        for scalar in text.unicodeScalars {
            if scalar.breaksLine {
                append("\\u{\(String(scalar.value, radix: 16))}")
            } else {
                unicodeScalars.append(scalar)
            }
        }
    }

    fileprivate mutating func append(quotingIfNeeded text: String) {
        let needsQuotes = text.unicodeScalars.contains {
            $0 == " " || $0 == "=" || $0 == "\"" || $0 == "\\" || $0.breaksLine
        }
        guard needsQuotes || text.isEmpty else { return append(text) }
        append("\"")
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { append("\\") }
            append(escaping: String(scalar))
        }
        append("\"")
    }
}

extension Unicode.Scalar {
    /// Whether the character could break a line, or control a terminal.
    fileprivate var breaksLine: Bool { properties.generalCategory == .control || value == 0x2028 || value == 0x2029 }
}
