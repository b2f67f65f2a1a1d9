internal import Serialization

/// What one request asks for: its options as values, and the limits that hold for it.
struct RequestOptions: Equatable, Sendable {
    var serialization = SerializationOptions()
    var limits = Limits()
}
