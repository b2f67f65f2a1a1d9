/// An error in the bytes that the other process has written.
enum WireError: Error, Equatable, Sendable {
    /// The bytes end too early.
    case short
    /// Bytes follow the last part.
    case trailing
    /// The named part has an invalid value.
    case invalid(StaticString)

    static func == (left: WireError, right: WireError) -> Bool { "\(left)" == "\(right)" }
}
