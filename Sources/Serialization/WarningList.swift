/// The warnings of a serialization, at most ``Limits/maxWarnings``; the rest is only counted.
package struct WarningList: Sendable {
    private(set) var listed: [Warning] = []
    private(set) var unlistedCount = 0
    /// The leniencies that the warnings report, including those that are not listed.
    private(set) var leniencies: Leniencies = []
    private let max: Int

    package init(max: Int) { self.max = max }

    package mutating func append(_ warning: Warning) {
        if listed.count < max {
            listed.append(warning)
        } else {
            unlistedCount += 1
        }
    }

    /// Counts warnings that were not created.
    package mutating func append(unlisted count: Int) { unlistedCount += count }

    /// Records the leniencies that the content needs.
    mutating func note(_ used: Leniencies) { leniencies.formUnion(used) }

    /// The warnings for the answer: the listed ones and, if some were omitted, their number.
    package var warnings: [Warning] {
        unlistedCount == 0 ? listed : listed + [Warning(.truncated(count: unlistedCount))]
    }
}
