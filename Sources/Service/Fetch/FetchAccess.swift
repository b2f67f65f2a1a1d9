/// Who sends a request, as far as fetching depends on it.
///
/// Without a file of tokens, no permission is needed, and a request may name any partition.
struct FetchAccess: Sendable {
    /// The partition of requests that name none.
    var partition = ""

    /// Whether a request may name another partition.
    var mayNamePartition = true

    /// Whether the request has a token or a signature.
    var isAuthenticated = false

    static let open = FetchAccess()

    /// Returns the partition of a request that names `name`, or `nil` if it may not.
    func partition(named name: String?) -> String? {
        guard let name, name != partition else { return partition }
        return mayNamePartition ? name : nil
    }
}
