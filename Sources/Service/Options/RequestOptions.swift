internal import Serialization

/// The options of one request as values, and the limits that apply to it.
struct RequestOptions: Equatable, Sendable {
    var serialization = SerializationOptions()
    var limits = Limits()
    /// The options of a fetch in the profile of the request.
    var fetch = FetchPreferences()
}
