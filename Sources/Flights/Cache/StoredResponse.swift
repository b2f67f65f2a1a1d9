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

    /// What is known about the content, also after a validation.
    let verdict: ContentVerdict

    private let charge = Mutex<CacheCharge?>(nil)

    init(_ head: StoredHead, content: (any FlightContent)?, generation: UInt128) {
        self.head = head
        self.content = content
        self.generation = generation
        revision = 0
        verdict = ContentVerdict()
    }

    private init(_ head: StoredHead, replacingHeadOf response: StoredResponse) {
        self.head = head
        content = response.content
        generation = response.generation
        revision = response.revision + 1
        verdict = response.verdict
    }

    /// Whether the response is a redirect that is not the result.
    func isFollowed(_ mode: RedirectMode) -> Bool { mode != .manual && RedirectRules.isRedirect(head.status) }

    /// Returns the response after a validation.
    func replacing(_ head: StoredHead) -> StoredResponse { StoredResponse(head, replacingHeadOf: self) }

    /// Keeps `charge`, which pays for the response in the cache, as long as somebody uses the response or its content.
    func retain(_ charge: CacheCharge) {
        self.charge.withLock { $0 = charge }
        content?.retain(charge)
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
