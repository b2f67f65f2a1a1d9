internal import Serialization

extension HeaderFields.Field {
    /// Answers carry text of the upstream's: no browser may guess another type for it.
    static let noSniff = HeaderFields.Field(name: "X-Content-Type-Options", value: "nosniff")

    static let noStore = HeaderFields.Field(name: "Cache-Control", value: "no-store")

    /// Documents that change with the version only.
    static let cacheable = HeaderFields.Field(name: "Cache-Control", value: "public, max-age=300")

    static func allow(_ methods: String) -> HeaderFields.Field {
        HeaderFields.Field(name: "Allow", value: methods)
    }

    static func retryAfter(seconds: Int) -> HeaderFields.Field {
        HeaderFields.Field(name: "Retry-After", value: String(seconds))
    }

    /// `Server-Timing: decode;dur=0.012`, in milliseconds (W3C Server Timing).
    static func serverTiming(decodingSince start: UInt64) -> HeaderFields.Field {
        let microseconds = (MonotonicClock.nanoseconds() &- start) / 1000
        let thousandths = String(microseconds % 1000)
        let padding = thousandths.utf8.count == 3 ? "" : thousandths.utf8.count == 2 ? "0" : "00"
        return HeaderFields.Field(
            name: "Server-Timing",
            value: "decode;dur=" + String(microseconds / 1000) + "." + padding + thousandths
        )
    }
}
