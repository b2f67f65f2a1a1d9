/// Warnings as they arise, at most ``Limits/maxWarnings`` of them; the rest is only counted.
package struct WarningList: Sendable {
    private(set) var listed: [Warning] = []
    private(set) var unlistedCount = 0
    private let max: Int

    package init(max: Int) {
        self.max = max
    }

    package mutating func append(_ warning: Warning) {
        if listed.count < max {
            listed.append(warning)
        } else {
            unlistedCount += 1
        }
    }

    /// Counts warnings that were never made.
    package mutating func append(unlisted count: Int) {
        unlistedCount += count
    }

    /// What goes into the answer: the listed ones and, where some were left out, how many.
    package var warnings: [Warning] {
        unlistedCount == 0 ? listed : listed + [Warning(.truncated(count: unlistedCount))]
    }
}
