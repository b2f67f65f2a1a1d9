// Tests/Fuzz/build compiles this file with the fuzz target of CacheControl.
import Fetching
import Serialization

/// What must hold for every text in the fields on which caching depends.
///
/// The first byte of an input chooses which; the rest is one or more lines.
enum CacheControlOracle {
    /// Returns what does not hold for `input`, if there is something.
    static func violation(for input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        let lines = input.dropFirst().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            Array($0)
        }
        switch choice % 4 {
        case 0: return violation(ofControl: lines)
        case 1: return violation(ofEntityTags: lines)
        case 2: return violation(ofVary: lines)
        default: return violation(ofHead: lines)
        }
    }

    /// The parser and the model agree, and no order of the lines changes what they mean.
    private static func violation(ofControl lines: [[UInt8]]) -> String? {
        var control = CacheControl()
        var reversed = CacheControl()
        var model = ModelCacheControl()
        for line in lines {
            control.read(line.span)
            model.read(line)
        }
        for line in lines.reversed() { reversed.read(line.span) }
        let text = quoted(lines)
        func smallest(_ name: String) -> Int? { model.numbers[name]?.map { $0 ?? 0 }.min() }
        let numbers = [
            (control.maxAge, smallest("max-age")), (control.sMaxAge, smallest("s-maxage")),
            (control.maxStale, smallest("max-stale")), (control.staleIfError, smallest("stale-if-error")),
            (control.staleWhileRevalidate, smallest("stale-while-revalidate")),
            (control.minFresh, model.numbers["min-fresh"]?.map { $0 ?? CacheControl.maxSeconds }.max()),
        ]
        guard numbers.allSatisfy({ $0.0 == $0.1 }) else { return "\(text): the numbers \(numbers)" }
        let flags = [
            (control.noStore, "no-store"), (control.isPrivate, "private"), (control.isPublic, "public"),
            (control.mustRevalidate, "must-revalidate"), (control.proxyRevalidate, "proxy-revalidate"),
            (control.mustUnderstand, "must-understand"), (control.onlyIfCached, "only-if-cached"),
        ]
        for (flag, name) in flags where flag != model.names.contains(name) { return "\(text): \(name) is \(flag)" }
        guard control.noCache == model.noCache, control.noCacheFields == model.noCacheFields else {
            return "\(text): no-cache \(control.noCache) \(control.noCacheFields)"
        }
        reversed.noCacheFields.sort()
        var sorted = control
        sorted.noCacheFields.sort()
        return sorted == reversed ? nil : "\(text): the order of lines changes the meaning"
    }

    /// A tag matches itself, and a list that is written from its tags has the same tags.
    private static func violation(ofEntityTags lines: [[UInt8]]) -> String? {
        let values = lines.map { String(decoding: $0, as: UTF8.self) }
        for value in values {
            guard let tag = EntityTag(value) else { continue }
            guard EntityTag.List([value]) == .tags([tag]), tag.matchesWeakly(tag) else {
                return "\(quoted(lines)): \(tag)"
            }
        }
        guard case .tags(let tags) = EntityTag.List(values) else { return nil }
        let written = tags.map { ($0.isWeak ? "W/" : "") + "\"\($0.opaque)\"" }.joined(separator: ", ")
        return EntityTag.List([written]) == .tags(tags) ? nil : "\(quoted(lines)) is written as \(written)"
    }

    /// The first line is the value of `Vary`; the others are values of a field.
    private static func violation(ofVary lines: [[UInt8]]) -> String? {
        let values = lines.map { String(decoding: $0, as: UTF8.self) }
        let vary = HeaderFields.Field(name: "Vary", value: values[0])
        guard let names = VaryNames(ofResponse: [vary]) else { return nil }
        let again = HeaderFields.Field(name: "vary", value: names.names.joined(separator: " , "))
        guard VaryNames(ofResponse: [again]) == names else { return "\(quoted(lines)): \(names.names)" }
        guard let name = names.names.first else { return nil }
        let fields = values.dropFirst().map { HeaderFields.Field(name: name.uppercased(), value: " \($0)\t") }
        let trimmed = values.dropFirst().map { HeaderFields.Field(name: name, value: $0) }
        guard VaryKey(names, request: fields) == VaryKey(names, request: trimmed) else {
            return "\(quoted(lines)): white space counts"
        }
        let other = trimmed + [HeaderFields.Field(name: name, value: "x")]
        return VaryKey(names, request: other) != VaryKey(names, request: trimmed)
            ? nil : "\(quoted(lines)): another value has the same key"
    }

    /// The lines are fields of a response and, after an empty line, of a request. What is stored is fresh or not for a
    /// reason.
    private static func violation(ofHead lines: [[UInt8]]) -> String? {
        let parts = lines.split(separator: [], maxSplits: 1, omittingEmptySubsequences: false)
        let fields = Self.fields(parts[0])
        guard let url = try? FetchURL(parsing: "http://a.example/") else { return "no URL" }
        let plain = CacheRequest(FetchRequest(method: "GET", url: url))
        let request = CacheRequest(
            FetchRequest(method: "GET", url: url, fields: parts.count > 1 ? Self.fields(parts[1]) : [])
        )
        let start = CacheMoment(wallSeconds: 1_795_348_800, nanoseconds: 0)
        let response = OriginResponse(status: 200, fields: fields, requested: start, received: start)
        let policy = CachePolicy(heuristicSeconds: 10, staleIfErrorSeconds: 0, keyFields: .all)
        guard case .forward(let forward) = policy.lookup(plain, .uriMiss, now: start) else { return "no request" }
        let control = CacheControl(ofResponse: fields)
        guard case .store(let head) = policy.receive(response, for: plain, forward) else { return nil }
        let text = quoted(lines)
        if control.noStore && !control.mustUnderstand || control.isPrivate { return "\(text) is stored" }
        for seconds in [0, 5, 86_401, 1 << 31] {
            let now = CacheMoment(wallSeconds: start.wallSeconds, nanoseconds: UInt64(seconds) * 1_000_000_000)
            let isFresh = head.freshness.ageSeconds(at: now) < head.freshness.lifetimeSeconds
            guard 0...CacheControl.maxSeconds ~= head.freshness.ageSeconds(at: now),
                head.freshness.ageSeconds(at: now) >= min(seconds, CacheControl.maxSeconds)
            else { return "\(text): the age after \(seconds) s" }
            switch policy.lookup(request, .stored(head), now: now) {
            case .serve:
                if control.noCache || request.control.noCache || (!isFresh && request.control.maxStale == nil) {
                    return "\(text) is served after \(seconds) s"
                }
            case .staleWhileRevalidate:
                if isFresh || head.control.staleWhileRevalidate == nil || control.mustRevalidate
                    || control.proxyRevalidate
                {
                    return "\(text) is served while it is revalidated after \(seconds) s"
                }
            case .forward(let forward):
                // A 304 response without fields confirms the response.
                guard forward.isValidation else { continue }
                let confirmation = OriginResponse(status: 304, fields: [], requested: now, received: now)
                guard case .freshened(let updated, _) = policy.receive(confirmation, for: request, forward),
                    updated.fields == head.fields
                else { return "\(text) is not confirmed" }
            case .gatewayTimeout:
                if !request.control.onlyIfCached { return "\(text) is not fetched" }
            }
        }
        return nil
    }

    private static func fields(_ lines: ArraySlice<[UInt8]>) -> [HeaderFields.Field] {
        lines.compactMap { line in
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = parts.first else { return nil }
            return HeaderFields.Field(
                name: String(decoding: name, as: UTF8.self),
                value: String(decoding: parts[1].drop { $0 == 0x20 }, as: UTF8.self)
            )
        }
    }

    private static func quoted(_ lines: [[UInt8]]) -> String {
        String(decoding: Array(lines.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self).debugDescription
    }
}
