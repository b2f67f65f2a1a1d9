internal import Synchronization

/// The URL under which callers reach the service, for references in its responses.
enum PublicURL {
    /// The URL without a trailing slash; empty if it is not known. It is set once, before the service accepts requests.
    private static let base = Mutex("")

    static func set(_ url: String) { base.withLock { $0 = url.hasSuffix("/") ? String(url.dropLast()) : url } }

    /// Returns a path as an absolute URL, or the path itself if the URL of the service is not known.
    static func reference(_ path: String) -> String { reference(path, base: base.withLock { $0 }) }

    static func reference(_ path: String, base: String) -> String { base + path }

    /// Returns whether `text` is accepted as the URL of the service: `http` or `https`, a host, and a path without
    /// query and fragment.
    static func isValid(_ text: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }), text.utf8.count <= 1_024 else {
            return false
        }
        let rest = text.dropFirst(scheme.utf8.count)
        return rest.utf8.first.map { $0 != UInt8(ascii: "/") } ?? false
            && rest.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"\"<>\\^`{|}?#@".utf8.contains($0) }
    }
}
