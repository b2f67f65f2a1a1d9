package import Fetching
internal import Platform
internal import Synchronization

/// A response of an origin in the cache. It does not change: a validation replaces it by one with the same content.
package final class StoredResponse: Sendable {
    package let head: StoredHead

    /// The content; `nil` if only the head was needed, because the response is a redirect that was followed.
    package let content: (any FlightContent)?

    /// Identifies the content: 128 random bits.
    package let generation: UInt128

    /// The number of validations, each of which has changed the head.
    package let revision: Int

    /// The responses before this one, and its URL, if it is stored under the first URL of redirects; `nil` if it is
    /// stored under its own, or under a caller's key.
    package let alias: Alias?

    package struct Alias: Sendable {
        let url: FetchURL
        let history: [FollowedRedirect]
        /// The URLs that were redirected to, in order, the last of which is ``url``.
        let hops: [FetchURL]
        /// The time of the cache when the flight began. The response is not used if one of the URLs was purged later.
        let began: UInt64
    }

    /// If the response is stored under a URL or a caller's key that redirects to it, the time until which the redirects
    /// permit callers to use it, in nanoseconds of the monotonic clock; `nil` if it is stored under its own URL.
    let redirectExpiry: UInt64?

    /// What is known about the content, also if the response is stored under other keys, or was validated.
    let verdict: ContentVerdict

    /// Whether the response is that of another URL, to which the requested one redirects. Its validators are not those
    /// of the latter.
    var isRedirected: Bool { redirectExpiry != nil }

    package init(
        _ head: StoredHead,
        content: (any FlightContent)?,
        generation: UInt128,
        alias: Alias? = nil,
        redirectExpiry: UInt64? = nil,
        verdict: ContentVerdict = ContentVerdict()
    ) {
        self.verdict = verdict
        self.head = head
        self.content = content
        self.generation = generation
        revision = 0
        self.alias = alias
        self.redirectExpiry = redirectExpiry
    }

    private init(_ head: StoredHead, replacingHeadOf response: StoredResponse) {
        self.head = head
        content = response.content
        generation = response.generation
        revision = response.revision + 1
        alias = response.alias
        redirectExpiry = response.redirectExpiry
        verdict = response.verdict
    }

    /// Returns the time for which the redirects before the response permit callers to use it, in seconds.
    func redirectSeconds(at now: CacheMoment) -> Int {
        guard let redirectExpiry else { return .max }
        return redirectExpiry > now.nanoseconds ? Int(clamping: (redirectExpiry - now.nanoseconds) / 1_000_000_000) : 0
    }

    /// Whether the response is a redirect that is not the result.
    func isFollowed(_ mode: RedirectMode) -> Bool {
        mode != .manual && [301, 302, 303, 307, 308].contains(head.status)
    }

    /// Returns the response after a validation.
    func replacing(_ head: StoredHead) -> StoredResponse {
        StoredResponse(head, replacingHeadOf: self)
    }

    package static func newGeneration() -> UInt128 {
        var random = SystemRandomPool()
        return UInt128.random(in: 0 ... .max, using: &random)
    }
}

/// What is known about the content of a stored response.
package final class ContentVerdict: Sendable {
    private let rejected = Atomic<Bool>(false)

    /// Whether it was rejected with some options, so that it is not used longer than its lifetime, except for what was
    /// made of it with others.
    var isRejected: Bool { rejected.load(ordering: .relaxed) }

    func reject() { rejected.store(true, ordering: .relaxed) }
}
