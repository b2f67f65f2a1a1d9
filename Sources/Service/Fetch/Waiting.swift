internal import HTTP
internal import Serialization

/// What a request that waits for its result can receive before it.
struct Waiting: Sendable {
    /// The time after which the response is 202, unless the request specifies one.
    let preference: WaitPreference?
    /// Where the result is available then.
    var location: ResultLocation

    init(_ fields: borrowing RequestFields, _ location: ResultLocation) {
        preference = WaitPreference(fields)
        self.location = location
    }
}

/// The field `Prefer: respond-async, wait=10` (RFC 7240): the response is 202 if there is no result after that time.
struct WaitPreference: Equatable, Sendable {
    /// The time, in seconds.
    let seconds: Int

    /// - Returns: `nil` if the client does not prefer an asynchronous response.
    init?(_ fields: borrowing RequestFields) { self.init(fields.values(of: "Prefer")) }

    /// A field may have thousands of preferences, so that no text is created for each.
    init?(_ values: [String]) {
        var isAsynchronous = false
        var wait: Substring.UTF8View?
        for preference in values.lazy.flatMap({ $0.utf8.split(separator: UInt8(ascii: ",")) }) {
            let start = preference.drop { $0.isBlank }
            // A value or parameters follow the name.
            let name = start.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") && !$0.isBlank }
            if name.isEqual(to: "respond-async") {
                isAsynchronous = true
            } else if wait == nil, name.isEqual(to: "wait") {
                // RFC 7240 §2: the first one counts.
                wait = start.dropFirst(name.count)
            }
        }
        guard isAsynchronous else { return nil }
        seconds = wait.flatMap { Self.seconds(in: $0) } ?? 0
    }

    /// Returns the value after the name of a preference.
    private static func seconds(in rest: Substring.UTF8View) -> Int? {
        let parameters = String(Substring(rest)).parts(separatedBy: ";", maxSplits: 1, omittingEmpty: false)[0]
        let parts = parameters.parts(separatedBy: "=", maxSplits: 1, omittingEmpty: false)
        guard parts.count == 2 else { return nil }
        var value = String(parts[1]).trimmingBlanks()
        if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
            value = String(value.dropFirst().dropLast())
        }
        return value.decimal().map { min($0, FetchCall.maxSeconds) }
    }
}

extension Substring.UTF8View {
    /// Whether this is `name`, apart from the case of letters.
    fileprivate func isEqual(to name: StaticString) -> Bool {
        count == name.utf8CodeUnitCount && lazy.map(\.asciiLowercased).elementsEqual("\(name)".utf8)
    }
}
