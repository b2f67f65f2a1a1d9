/// A set of status codes, written as ranges: `200-299,304`.
///
/// The ranges are in ascending order, and neither overlap nor touch. Two sets of the same codes are therefore equal and
/// have the same description, however they were written.
public struct StatusCodes: Equatable, Sendable {
    /// The valid status codes: three digits, the first of which is not zero. RFC 9110 §15 defines classes 1 to 5, but
    /// upstreams use more.
    public static let allowed = 100...999

    public static let all = StatusCodes(ranges: [allowed])
    public static let none = StatusCodes(ranges: [])
    public static let successful = StatusCodes(ranges: [200...299])

    public let ranges: [ClosedRange<Int>]

    /// - Parameter ranges: The ranges in any order, each within ``allowed``; other ranges are a programming error.
    public init(ranges: [ClosedRange<Int>]) {
        var merged: [ClosedRange<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            precondition(
                Self.allowed ~= range.lowerBound && Self.allowed ~= range.upperBound,
                "codes have three digits"
            )
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        self.ranges = merged
    }

    public func contains(_ code: Int) -> Bool { ranges.contains { $0 ~= code } }
}

extension StatusCodes: CustomStringConvertible {
    /// The text that ``init(parsing:)`` parses: `200-299,304`, `*` for all, or `none`.
    public var description: String {
        if ranges.isEmpty { return "none" }
        return self == .all ? "*" : descriptions.joined(separator: ",")
    }

    /// The text of each range: `["200-299", "304"]`.
    public var descriptions: [String] {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
    }
}
