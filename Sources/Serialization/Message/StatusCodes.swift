/// A set of status codes, written as ranges: `200-299,304`.
///
/// The ranges are kept in ascending order, and neither overlap nor touch, so that two sets of the same codes are equal
/// and have the same description, however they were written.
public struct StatusCodes: Equatable, Sendable {
    /// What a status code may be: three digits, the first not zero. RFC 9110 §15 has classes 1 to 5; upstreams have more.
    public static let allowed = 100...999

    public static let all = StatusCodes(ranges: [allowed])
    public static let none = StatusCodes(ranges: [])
    public static let successful = StatusCodes(ranges: [200...299])

    public let ranges: [ClosedRange<Int>]

    /// - Parameter ranges: in any order, each within ``allowed``; ranges outside are a programmer's error.
    public init(ranges: [ClosedRange<Int>]) {
        var merged: [ClosedRange<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            precondition(
                Self.allowed ~= range.lowerBound && Self.allowed ~= range.upperBound,
                "a code has three digits"
            )
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        self.ranges = merged
    }

    public func contains(_ code: Int) -> Bool {
        ranges.contains { $0 ~= code }
    }
}

extension StatusCodes: CustomStringConvertible {
    /// What ``init(parsing:)`` reads: `200-299,304`, `*` for all, `none`.
    public var description: String {
        if ranges.isEmpty { return "none" }
        return self == .all ? "*" : descriptions.joined(separator: ",")
    }

    /// One entry a range: `["200-299", "304"]`.
    public var descriptions: [String] {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
    }
}
