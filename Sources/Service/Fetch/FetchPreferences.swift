internal import Fetching
internal import Serialization

/// How a resource is requested: the members of `POST /v1/fetch` that are useful for a group of requests. A profile
/// contains the defaults of a request, which have no effect on responses that are posted.
struct FetchPreferences: Equatable, Sendable {
    /// Fields of the request to the origin. A field of the caller replaces all fields of its name in a profile.
    var fields: [HeaderFields.Field] = []
    var cache: CacheMode?
    var store: Bool?
    var redirects: RedirectMode?
    var timeoutSeconds: Int?
    var retries: Int?
    var waitSeconds: Int?

    var isEmpty: Bool { self == FetchPreferences() }

    /// The maximum values: the settings of the service, which a profile may lower, but not raise.
    struct Bounds: Equatable, Sendable {
        var timeoutSeconds: Int
        var retries: Int
    }

    /// The names of fields that a profile cannot contain, in lower case, in addition to those of ``FieldRules``. A
    /// caller can combine a profile with any URL that is allowed, so that credentials in it would be sent to origins
    /// for which they are not intended.
    static let credentialNames = ["authorization", "cookie"]

    /// Replaces the fields with these names. A name without a field removes an inherited one.
    mutating func replaceFields(named names: [String], by own: [HeaderFields.Field]) {
        fields.removeAll { field in names.contains { $0.equalsIgnoringASCIICase(field.name) } }
        fields += own
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
