internal import Fetching
internal import Serialization

/// The options of a fetch that a profile contains. They are defaults for the members of `POST /v1/fetch` with the same names, and have no
/// effect on responses that are posted.
struct FetchDefaults: Equatable, Sendable {
    /// Fields of the request to the origin. A field of the caller replaces all fields of its name.
    var fields: [HeaderFields.Field] = []
    var cache: CacheMode?
    var store: Bool?
    var redirects: RedirectMode?
    var timeoutSeconds: Int?
    var retries: Int?
    var waitSeconds: Int?

    var isEmpty: Bool { self == FetchDefaults() }

    /// The names of the members.
    enum Member: String, CaseIterable {
        case headers, cache, store, redirects, timeoutSeconds, retries, waitSeconds
    }

    /// A member with its value.
    enum Value: Equatable, Sendable {
        /// Replaces the fields with these names. A name without a field removes an inherited one.
        case headers(names: [String], fields: [HeaderFields.Field])
        case cache(CacheMode)
        case store(Bool)
        case redirects(RedirectMode)
        case timeoutSeconds(Int)
        case retries(Int)
        case waitSeconds(Int)

        var member: Member {
            switch self {
            case .headers: .headers
            case .cache: .cache
            case .store: .store
            case .redirects: .redirects
            case .timeoutSeconds: .timeoutSeconds
            case .retries: .retries
            case .waitSeconds: .waitSeconds
            }
        }
    }

    /// The maximum values: the settings of the service, which a profile may lower, but not raise.
    struct Bounds: Equatable, Sendable {
        var timeoutSeconds: Int
        var retries: Int
    }

    /// The names of fields that a profile cannot contain, in lower case, in addition to those of ``FieldRules``. A caller can combine a
    /// profile with any URL that is allowed, so that credentials in it would be sent to origins for which they are not intended.
    static let credentialNames = ["authorization", "cookie"]

    /// Sets one member.
    mutating func set(_ value: Value) {
        switch value {
        case .headers(let names, let own):
            fields.removeAll { field in names.contains { $0.equalsIgnoringASCIICase(field.name) } }
            fields += own
        case .cache(let cache): self.cache = cache
        case .store(let store): self.store = store
        case .redirects(let redirects): self.redirects = redirects
        case .timeoutSeconds(let seconds): timeoutSeconds = seconds
        case .retries(let retries): self.retries = retries
        case .waitSeconds(let seconds): waitSeconds = seconds
        }
    }

    /// Returns the fields of a request: those of the caller, and the default ones of other names.
    func fields(besides own: [HeaderFields.Field]) -> [HeaderFields.Field] {
        if fields.isEmpty { return own }
        return own
            + fields.filter { field in
                !own.contains { $0.name.equalsIgnoringASCIICase(field.name) }
            }
    }
}
