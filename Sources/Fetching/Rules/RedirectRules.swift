internal import Primitives

// Decides whether a response is a redirect that is followed, and which request follows it. The service follows
// redirects itself: each hop passes the rules of the first URL, because the origin chooses where it leads.
//
//     POST https://a.example/x     302, Location: //b.example/y     GET https://b.example/y
//     Cookie, Accept, content                                       Accept
//
// Ambiguities, and how we resolve them:
// - RFC 9110 §15.4 permits both, for 301 and 302: to change POST to GET, and to keep it. Clients change it, and so does
//   WHATWG Fetch §4.5. 303 changes every method to GET, except HEAD.
// - 300 has no single target, and 304, 305 and 306 are not redirects. They are final, as is a redirect without
//   `Location` (WHATWG Fetch §4.5).
// - Several `Location` fields are valid only if all of them have the same value. Otherwise the response is malformed.
// - A `Location` is often relative, and is resolved by RFC 3986 §5.2. Its fragment is ignored. Bytes that a URL cannot
//   have make it malformed: a browser would encode spaces, but read `\` as `/`.
// - A redirect to another origin keeps only `Accept`, `Accept-…` and `User-Agent`. All other fields could be
//   credentials: APIs use fields of any name for keys. This includes the type of content that 307 and 308 send again.
// - Removed fields do not return if a later hop leads back to the first origin.

/// The reason why a redirect is not followed.
package enum RedirectRejection: Error, Equatable, Sendable {
    /// The caller asked for no redirects (`redirects=error`).
    case refused(status: Int)
    case tooMany(max: Int)
    /// `Location` is not a URL, or there are several.
    case malformedLocation(FetchURLError?)
    /// The redirect leads from `https` to `http`.
    case downgrade
    /// The policy does not permit the URL.
    case notAllowed(FetchRejection)
}

/// What is done with a redirect.
package enum RedirectMode: String, Equatable, Sendable, CaseIterable {
    /// The redirect is followed.
    case follow
    /// The redirect is the response.
    case manual
    /// The redirect is an error.
    case error
}

/// What follows a response.
package enum RedirectDecision: Equatable, Sendable {
    /// The response is the result.
    case final
    case follow(FetchRequest, FetchPolicy.Admission)
}

package struct RedirectRules: Equatable, Sendable {
    /// The maximum number of redirects that are followed (`fetch-max-redirects`), inclusive.
    package var maxRedirects: Int

    package init(maxRedirects: Int) { self.maxRedirects = maxRedirects }

    /// Whether a response with this status redirects if it has a `Location`.
    package static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Decides what follows a response.
    /// - Parameters:
    ///   - request: The request that was responded to.
    ///   - locations: The values of all `Location` fields. They are evaluated only for a redirect.
    ///   - count: The number of redirects that have been followed to reach `request`.
    package func decide(
        after request: FetchRequest,
        status: Int,
        locations: @autoclosure () -> [String],
        count: Int,
        mode: RedirectMode,
        policy: FetchPolicy
    ) throws(RedirectRejection) -> RedirectDecision {
        guard Self.isRedirect(status) else { return .final }
        let locations = locations()
        guard let location = locations.first else { return .final }
        switch mode {
        case .manual: return .final
        case .error: throw .refused(status: status)
        case .follow: break
        }
        guard count < maxRedirects else { throw .tooMany(max: maxRedirects) }
        guard locations.allSatisfy({ $0 == location }) else { throw .malformedLocation(nil) }
        let url: FetchURL
        do throws(FetchURLError) {
            url = try request.url.resolving(location)
        } catch { throw .malformedLocation(error) }
        guard request.url.origin.scheme == .http || url.origin.scheme == .https else { throw .downgrade }

        let next = Self.request(following: request, status: status, url: url)
        do throws(FetchRejection) {
            return .follow(next, try policy.admit(url, method: next.method, isRedirect: true))
        } catch { throw .notAllowed(error) }
    }

    private static func request(following request: FetchRequest, status: Int, url: FetchURL) -> FetchRequest {
        var next = request
        next.url = url
        let isGet = status == 303 ? request.method != "HEAD" : status < 303 && request.method == "POST"
        if isGet {
            next.method = "GET"
            next.content = nil
            // RFC 9110 §15.4: fields that describe the content are removed with it.
            next.fields.removeAll { field in
                contentFields.contains { field.name.equalsIgnoringASCIICase($0) }
            }
        }
        if url.origin != request.url.origin {
            next.fields.removeAll { !isKeptAcrossOrigins($0.name) }
        }
        return next
    }

    private static let contentFields = [
        "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-Disposition", "Digest",
        "Content-Digest", "Repr-Digest", "Content-MD5", "Last-Modified",
    ]

    /// Whether a field can contain no credentials, so that a redirect to another origin keeps it.
    package static func isKeptAcrossOrigins(_ name: String) -> Bool {
        let name = name.asciiLowercased
        return name == "user-agent" || name == "accept" || name.hasPrefix("accept-")
    }
}
