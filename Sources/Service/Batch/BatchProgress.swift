internal import Platform
internal import Synchronization

/// The progress of a batch, which a terminal shows while the batch runs.
final class BatchProgress: Sendable {
    private let readBytes = Atomic<Int>(0)
    /// The length of all input; `nil` if it is not known.
    private let totalBytes: Int?
    private let start: MonotonicTime
    private let isEnded = Monitor(false)

    /// - Parameter lengths: the length of each input, in bytes; `nil` for one whose length is not known.
    init(inputBytes lengths: [Int?], start: MonotonicTime = .now) {
        self.start = start
        totalBytes = lengths.reduce(0 as Int?) { total, length in
            guard let total, let length else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(length)
            return overflow ? nil : sum
        }
    }

    /// Counts bytes of the input.
    func note(readBytes count: Int) { readBytes.wrappingAdd(count, ordering: .relaxed) }

    /// Shows the progress every second until ``end()``, on a thread of its own.
    func show(_ counts: @escaping @Sendable () -> BatchCounts) {
        let thread = try? Thread { [self] in
            while isEnded.wait(until: .now + .seconds(1), { $0 ? true : nil }) == nil {
                Self.write("\r\(line(of: counts()))\u{1B}[K")
            }
            Self.write("\r\u{1B}[K")
            isEnded.change { $0 = false }
        }
        // Without a thread there is no progress to see, and no other harm.
        isShown.store(thread != nil, ordering: .relaxed)
        thread?.detach()
    }

    private let isShown = Atomic<Bool>(false)

    /// Ends the display, and clears its line.
    func end() {
        guard isShown.exchange(false, ordering: .relaxed) else { return }
        isEnded.change { $0 = true }
        _ = isEnded.wait(until: .never) { $0 ? nil : true }
    }

    /// `12 345 items, 4 567 items/s, 42 %, 1:23 left`
    func line(of counts: BatchCounts, now: MonotonicTime = .now) -> String {
        let seconds = max(1, now.nanoseconds(since: start) / 1_000_000_000)
        var line = "\(counts.items) items, \(counts.items / Int(seconds)) items/s"
        if counts.failed > 0 { line += ", \(counts.failed) failed" }
        let read = readBytes.load(ordering: .relaxed)
        guard let totalBytes, totalBytes > 0, read > 0 else { return line }
        line += ", \(Int(min(100, Double(read) / Double(totalBytes) * 100))) %"
        let left = Double(max(0, totalBytes - read)) / Double(read) * Double(seconds)
        return line + ", \(Self.duration(Int(min(left, 359_999)))) left"
    }

    /// `1:23`, or `4:01:23`.
    private static func duration(_ seconds: Int) -> String {
        let digits = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        let minutes = seconds / 60
        let rest = digits(seconds % 60)
        return minutes < 60 ? "\(minutes):\(rest)" : "\(minutes / 60):\(digits(minutes % 60)):\(rest)"
    }

    /// Writes a line to standard error.
    func report(_ line: String) {
        let clear = isShown.load(ordering: .relaxed) ? "\r\u{1B}[K" : ""
        Self.write(clear + line + "\n")
    }

    private static func write(_ text: String) {
        // Nobody can be told that standard error has failed.
        try? FileDescriptor.standardError().writeAll(text.utf8.span)
    }
}
