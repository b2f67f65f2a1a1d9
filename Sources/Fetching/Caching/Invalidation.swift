package import Primitives

/// The URLs whose stored responses an unsafe request invalidates (RFC 9111 §4.4).
package enum Invalidation {
    /// Returns the URL of the request, and the `Location` and `Content-Location` of the response if they are at the
    /// same origin.
    ///
    /// There are none if the method is safe, or if the status is not 2xx or 3xx. The method is unsafe unless it is
    /// known to be safe.
    package static func urls(after request: CacheRequest, status: Int, fields: [HeaderFields.Field]) -> [FetchURL] {
        guard !request.isSafe, 200...399 ~= status else { return [] }
        var urls = [request.url]
        for name in ["Location", "Content-Location"] {
            for value in fields.values(of: name) {
                // Many lines cannot name many resources: only the first one has a meaning.
                if let url = try? request.url.resolving(value), url.origin == request.url.origin, !urls.contains(url) {
                    urls.append(url)
                }
                break
            }
        }
        return urls
    }
}
