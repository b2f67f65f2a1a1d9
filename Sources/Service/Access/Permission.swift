/// A permission that a token has. Its raw value is its name in the file of tokens and in problems.
enum Permission: String, CaseIterable, Sendable {
    /// `POST /v1/normalize` in all its forms, and `POST /v1/thumbnail`.
    case normalize

    /// Requesting upstream resources, and cancelling such requests.
    case fetch

    /// Naming another partition than that of the token.
    case fetchAnyPartition = "fetch-any-partition"

    /// Purging the cache.
    case purge

    /// `GET /metrics`, and the sizes of the cache.
    case metrics

    /// Whether the permission concerns fetching. The setting `fetch-signing-keys-file` restricts it even if there is no
    /// file of tokens.
    var concernsFetching: Bool {
        switch self {
        case .fetch, .fetchAnyPartition, .purge: true
        case .normalize, .metrics: false
        }
    }
}

/// Several permissions.
struct PermissionSet: OptionSet, Sendable {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ permission: Permission) {
        let bit: UInt8 =
            switch permission {
            case .normalize: 0
            case .fetch: 1
            case .fetchAnyPartition: 2
            case .purge: 3
            case .metrics: 4
            }
        rawValue = 1 << bit
    }

    func contains(_ permission: Permission) -> Bool { isSuperset(of: PermissionSet(permission)) }
}
