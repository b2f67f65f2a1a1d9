internal import Fetching
internal import HTTP
internal import Platform
internal import Serialization
internal import Synchronization

/// A response of an origin in the cache. It does not change: a validation replaces it by one with the same content.
final class StoredResponse: Sendable {
    let head: StoredHead

    /// The content; `nil` if only the head was needed, because the response is a redirect that was followed.
    let content: SharedBytes?

    /// Identifies the content: 128 random bits.
    let generation: UInt128

    /// The number of validations, each of which has changed the head.
    let revision: Int

    /// The responses before this one, and its URL, if it is stored under the first URL of redirects; `nil` if it is stored under its own, or
    /// under a caller's key.
    let alias: Alias?

    struct Alias: Sendable {
        let url: FetchURL
        let history: [PrecedingResponse]
        /// The URLs that were redirected to, in order, the last of which is ``url``.
        let hops: [FetchURL]
        /// The time of the cache when the flight began. The response is not used if one of the URLs was purged later.
        let began: UInt64
    }

    /// If the response is stored under a URL or a caller's key that redirects to it, the time until which the redirects permit callers to
    /// use it, in nanoseconds of the monotonic clock; `nil` if it is stored under its own URL.
    let redirectExpiry: UInt64?

    /// What is known about the content, also if the response is stored under other keys, or was validated.
    let verdict: ContentVerdict

    /// Whether the response is that of another URL, to which the requested one redirects. Its validators are not those of the latter.
    var isRedirected: Bool { redirectExpiry != nil }

    init(
        _ head: StoredHead,
        content: SharedBytes?,
        generation: UInt128,
        revision: Int = 0,
        alias: Alias? = nil,
        redirectExpiry: UInt64? = nil,
        verdict: ContentVerdict = ContentVerdict()
    ) {
        self.verdict = verdict
        self.head = head
        self.content = content
        self.generation = generation
        self.revision = revision
        self.alias = alias
        self.redirectExpiry = redirectExpiry
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
        StoredResponse(
            head,
            content: content,
            generation: generation,
            revision: revision + 1,
            alias: alias,
            redirectExpiry: redirectExpiry,
            verdict: verdict
        )
    }

    static func newGeneration() -> UInt128 {
        var random = SystemRandomPool()
        return UInt128.random(in: 0 ... .max, using: &random)
    }
}

/// What is known about the content of a stored response.
final class ContentVerdict: Sendable {
    private let rejected = Atomic<Bool>(false)

    /// Whether it was rejected with some options, so that it is not used longer than its lifetime, except for what was made of it with others.
    var isRejected: Bool { rejected.load(ordering: .relaxed) }

    func reject() { rejected.store(true, ordering: .relaxed) }
}

/// The result that was made of a stored response with one set of options.
final class Rendition: Sendable {
    let response: RenderedResponse
    /// The revision of the head that the object `upstream` describes.
    let revision: Int
    /// The URL and the preceding responses that the object `upstream` contains.
    let path: ResponsePath
    /// Decant's own entity tag, which depends on the generation, the options and the build, and not on `upstream`.
    let entityTag: String

    /// Returns a weak entity tag (RFC 9110 §8.8.3) of the generation and of random bits, which stand for the options and the build.
    static func newEntityTag(_ stored: StoredResponse) -> String {
        let bits = StoredResponse.newGeneration() ^ stored.generation
        return "W/\"\(String(bits, radix: 36))\""
    }

    init(_ response: RenderedResponse, revision: Int, path: ResponsePath, entityTag: String) {
        self.response = response
        self.revision = revision
        self.path = path
        self.entityTag = entityTag
    }

    /// Returns the response as it describes `stored`, reached by `path`. Nothing is decoded.
    func response(_ stored: StoredResponse, _ path: ResponsePath, _ options: SerializationOptions) -> RenderedResponse {
        guard revision != stored.revision || self.path != path, let upstream = response.upstream else {
            return response
        }
        let facts = upstream.facts.replacing(
            HeaderFields(stored.head.fields),
            options.upstreamHeaders,
            url: path.url,
            history: path.history
        )
        return response.replacing(upstream, by: facts)
    }
}

/// The path on which a response was reached.
struct ResponsePath: Equatable, Sendable {
    var url: String
    /// The redirects that were followed.
    var history: [PrecedingResponse] = []
}

extension ResponsePath {
    /// - Parameters:
    ///   - url: the URL of the last request.
    ///   - history: the redirects before it.
    init(_ stored: StoredResponse?, url: FetchURL, history: [PrecedingResponse]) {
        guard let alias = stored?.alias else {
            self.init(url: url.text, history: history)
            return
        }
        self.init(url: alias.url.text, history: history + alias.history)
    }
}
