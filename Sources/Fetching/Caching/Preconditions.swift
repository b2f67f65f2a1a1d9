package import Primitives

/// The conditions of requests: those that a caller sends, and those that validate a stored response.
package enum Preconditions {
    /// Returns whether a stored response is what the caller has, so that 304 is the response (RFC 9111 §4.3.2).
    ///
    /// `If-None-Match` takes precedence over `If-Modified-Since`, also if it is malformed; then it matches nothing. The
    /// date is compared with `Last-Modified`, or with `Date`, or with the time at which the response was received.
    package static func isNotModified(_ request: CacheRequest, _ head: StoredHead) -> Bool {
        // RFC 9110 §13.2.1: conditions apply only if the response would be successful without them.
        guard request.method == "GET" || request.method == "HEAD", 200...299 ~= head.status else { return false }
        let tags = request.fields.values(of: "If-None-Match")
        guard tags.isEmpty else { return EntityTag.isMatched(by: tags, head.entityTag) }
        let dates = request.fields.values(of: "If-Modified-Since")
        // RFC 9110 §13.1.3: an invalid date, or more than one, is ignored.
        guard dates.count == 1, let since = HTTPDate.secondsSince1970(dates[0]) else { return false }
        let modified =
            (head.lastModified ?? head.fields.values(of: "Date").first).flatMap { HTTPDate.secondsSince1970($0) }
            ?? head.freshness.received.wallSeconds
        return modified <= since
    }

    /// Returns the fields of a 304 response for a stored one (RFC 9110 §15.4.5).
    package static func notModifiedFields(_ head: StoredHead) -> [HeaderFields.Field] {
        let names = ["cache-control", "content-location", "date", "etag", "expires", "vary"]
        return head.fields.filter { field in
            let name = field.name.asciiLowercased
            return names.contains(name) || (name == "last-modified" && head.entityTag == nil)
        }
    }

    /// The maximum length of a validator that is sent, in bytes, inclusive. With a longer one, the fields of a request
    /// could be too long together.
    static let maxValidatorBytes = 4 << 10

    /// Returns the fields of a request that validates a stored response (RFC 9111 §4.3.1): those of the request, with
    /// the stored validators in place of the caller's conditions.
    /// - Returns: `nil` if the stored response has no validator, or only longer ones than ``maxValidatorBytes``.
    static func validating(_ head: StoredHead, _ request: CacheRequest) -> [HeaderFields.Field]? {
        let conditions = [("If-None-Match", head.entityTag), ("If-Modified-Since", head.lastModified)]
            .compactMap { name, value -> HeaderFields.Field? in
                guard let value, value.utf8.count <= maxValidatorBytes else { return nil }
                return HeaderFields.Field(name: name, value: value)
            }
        guard !conditions.isEmpty else { return nil }
        return withoutConditions(request.fields) + conditions
    }

    /// Returns the fields without the conditions that a cache evaluates.
    static func withoutConditions(_ fields: [HeaderFields.Field]) -> [HeaderFields.Field] {
        fields.filter { !isCondition($0) }
    }

    /// Returns whether there is a condition that a cache evaluates.
    static func hasConditions(_ fields: [HeaderFields.Field]) -> Bool { fields.contains(where: isCondition) }

    private static func isCondition(_ field: HeaderFields.Field) -> Bool {
        field.name.equalsIgnoringASCIICase("If-None-Match") || field.name.equalsIgnoringASCIICase("If-Modified-Since")
    }
}
