/// Bytes of the other process that are not what they must be.
enum WireError: Error, Equatable, Sendable {
    /// They end too early.
    case short
    /// Something follows the last part.
    case trailing
    /// A part has a value that it cannot have; says which.
    case invalid(StaticString)

    static func == (left: WireError, right: WireError) -> Bool {
        "\(left)" == "\(right)"
    }
}
