/// A set of status codes, written as ranges: `200-299,304`.
public struct StatusCodes: Equatable, Sendable {
    public static let successful = StatusCodes(ranges: [200...299])
    public var ranges: [ClosedRange<Int>]
}
