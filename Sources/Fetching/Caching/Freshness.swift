internal import Primitives

// The lifetime and the age of a stored response (RFC 9111 §4.2).
//
//     Date: Sun, 06 Nov 1994 08:49:37 GMT         received 08:49:40, 1 s after the request
//     Cache-Control: max-age=60, s-maxage=600
//     Age: 20
//     lifetime 600 s, age on receipt max(3, 20 + 1) = 21 s
//
// The lifetime is the first of s-maxage, max-age, Expires − Date, 10 % of Date − Last-Modified (at most a day), and the
// configured heuristic (cache-heuristic-seconds). The last two apply only if RFC 9111 §4.2.2 permits a heuristic. An
// error that permits one (404, 410) is fresh for at most a minute, and never by the configured heuristic, because it
// may be gone.
//
// Ambiguities, and how we resolve them:
// - A response without a valid Date was generated when it was received (RFC 9110 §6.6.1).
// - Several Expires lines: the earliest applies. If one of them is invalid, the response is stale (RFC 9111 §4.2.1).
// - Of a list in Age, the first member counts, and an invalid one is ignored (RFC 9111 §5.1).
// - The age is compared in nanoseconds, so that `max-age=1` is one second, not up to two.

/// The lifetime and the age of a stored response.
package struct Freshness: Equatable, Sendable {
    /// The freshness lifetime in a shared cache, in seconds, from 0 to 2³¹.
    package let lifetimeSeconds: Int

    /// The lifetime in a cache of the caller, which may be shared or private, in seconds, from 0 to 2³¹.
    package let callerLifetimeSeconds: Int

    /// The corrected initial age (RFC 9111 §4.2.3), in nanoseconds.
    let initialAge: Int

    /// The time at which the response was received, or validated.
    let received: CacheMoment

    /// The time at which the request for the response, or for its validation, began, in nanoseconds of the monotonic
    /// clock.
    package let requestedNanoseconds: UInt64

    /// The time at which the response was received, or validated, in nanoseconds of the monotonic clock.
    package var receivedNanoseconds: UInt64 { received.nanoseconds }

    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - transfer: The response with the fields that describe this transfer: that with 304, or the response itself.
    ///   - heuristicSeconds: The lifetime if nothing else determines one.
    init(
        status: Int,
        control: CacheControl,
        fields: [HeaderFields.Field],
        transfer: OriginResponse,
        heuristicSeconds: Int
    ) {
        received = transfer.received
        let dates = transfer.fields.values(of: "Date")
        let date = dates.first.flatMap { HTTPDate.secondsSince1970($0) } ?? received.wallSeconds
        requestedNanoseconds = transfer.requested.nanoseconds
        initialAge = Self.initialAge(transfer, date: date)

        let expires = Self.secondsUntilExpiry(fields, date: date)
        if let explicit = control.sMaxAge ?? control.maxAge ?? expires {
            lifetimeSeconds = explicit
            // RFC 9111 §5.2.2.10: s-maxage is for shared caches only, and the cache of the caller may be that of a
            // browser.
            callerLifetimeSeconds = min(explicit, control.maxAge ?? expires ?? 0)
            return
        }
        let byLastModified = Self.secondsByLastModified(fields, date: date)
        let heuristic =
            if Storability.isHeuristicallyCacheable(status) || control.isPublic {
                byLastModified ?? heuristicSeconds
            } else if Storability.isHeuristicallyCacheableError(status) {
                min(byLastModified ?? 0, Self.maxErrorSeconds)
            } else {
                0
            }
        lifetimeSeconds = min(max(heuristic, 0), CacheControl.maxSeconds)
        callerLifetimeSeconds = lifetimeSeconds
    }

    /// Returns the current age (RFC 9111 §4.2.3), in nanoseconds, at most 2³¹ s.
    package func age(at now: CacheMoment) -> Int {
        min(initialAge + now.nanoseconds(since: received), CacheDuration.max)
    }

    /// Returns the value of `Age`, in seconds, rounded down.
    package func ageSeconds(at now: CacheMoment) -> Int { age(at: now) / CacheDuration.second }

    /// Returns the age minus the lifetime, in nanoseconds. The response is fresh if it is negative (RFC 9111 §4.2).
    func staleness(at now: CacheMoment) -> Int { age(at: now) - CacheDuration.seconds(lifetimeSeconds) }

    // RFC 9111 §4.2.3
    private static func initialAge(_ transfer: OriginResponse, date: Int) -> Int {
        let received = transfer.received
        let apparent = CacheDuration.seconds(seconds(from: date, to: received.wallSeconds))
        let corrected =
            CacheDuration.seconds(ageValue(transfer.fields)) + received.nanoseconds(since: transfer.requested)
        return min(max(apparent, corrected), CacheDuration.max)
    }

    // RFC 9111 §5.1
    private static func ageValue(_ fields: [HeaderFields.Field]) -> Int {
        guard let value = fields.values(of: "Age").first else { return 0 }
        let text = value.utf8.span
        let end = text.firstOffset(of: UInt8(ascii: ","), in: 0..<text.count) ?? text.count
        return text.decimal(text.trimmingBlanks(0..<end), clampedTo: CacheControl.maxSeconds) ?? 0
    }

    // RFC 9111 §5.3
    private static func secondsUntilExpiry(_ fields: [HeaderFields.Field], date: Int) -> Int? {
        let lines = fields.values(of: "Expires")
        guard !lines.isEmpty else { return nil }
        var shortest = CacheControl.maxSeconds
        for line in lines {
            guard let expiry = HTTPDate.secondsSince1970(line) else { return 0 }
            shortest = min(shortest, seconds(from: date, to: expiry))
        }
        return shortest
    }

    /// The maximum lifetime of an error that states none, in seconds.
    private static let maxErrorSeconds = 60

    // RFC 9111 §4.2.2
    private static func secondsByLastModified(_ fields: [HeaderFields.Field], date: Int) -> Int? {
        guard let value = fields.values(of: "Last-Modified").first, let modified = HTTPDate.secondsSince1970(value),
            modified <= date
        else { return nil }
        return min(seconds(from: modified, to: date) / 10, 86_400)
    }

    /// Returns a duration from 0 to 2³¹ s; 0 if `end` is not later.
    private static func seconds(from start: Int, to end: Int) -> Int {
        guard end > start else { return 0 }
        let (difference, overflow) = end.subtractingReportingOverflow(start)
        return overflow ? CacheControl.maxSeconds : min(difference, CacheControl.maxSeconds)
    }
}

extension [HeaderFields.Field] {
    /// Returns the values of the fields `name`, in order.
    func values(of name: String) -> [String] { compactMap { $0.name.equalsIgnoringASCIICase(name) ? $0.value : nil } }
}
