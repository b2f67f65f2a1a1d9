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
    init?(_ fields: borrowing RequestFields) {
        self.init(fields.values(of: "Prefer"))
    }

    init?(_ values: [String]) {
        var isAsynchronous = false
        var seconds: Int?
        for preference in values.flatMap({ $0.parts(separatedBy: ",") }) {
            // Parameters follow a semicolon.
            let parts = preference.parts(separatedBy: ";", maxSplits: 1, omittingEmpty: false)[0]
                .parts(separatedBy: "=", maxSplits: 1)
            let name = parts.first.map { String($0).trimmingBlanks().lowercased() } ?? ""
            var value = parts.count > 1 ? String(parts[1]).trimmingBlanks() : ""
            if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
                value = String(value.dropFirst().dropLast())
            }
            switch name {
            case "respond-async": isAsynchronous = true
            // RFC 7240 §2: the first one counts.
            case "wait" where seconds == nil:
                seconds = value.decimal().map { min($0, FetchCall.maxSeconds) }
            default: break
            }
        }
        guard isAsynchronous else { return nil }
        self.seconds = seconds ?? 0
    }
}
