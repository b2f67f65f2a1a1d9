/// Acceptable media types.
public struct MediaTypeSet: Equatable, Sendable {
}
