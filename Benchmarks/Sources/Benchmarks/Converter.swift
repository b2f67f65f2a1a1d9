import Foundation

/// A program or library that reads JSON and writes it minified.
protocol Converter {
    /// The heading of its column.
    var name: String { get }

    /// Processes `file` repeatedly for about `seconds`, at least once.
    /// - Returns: `nil` if the converter is not installed or rejects the file.
    mutating func measure(_ file: BenchmarkFile, seconds: Double) -> Sample?
}

/// The duration of one pass over a file: the best and the median of all passes of one turn.
struct Sample {
    var best: Double
    var median: Double

    /// - Parameter passes: the durations of the passes in seconds; not empty.
    init(_ passes: [Double]) {
        let sorted = passes.sorted()
        best = sorted[0]
        median = sorted[sorted.count / 2]
    }

    init(best: Double, median: Double) {
        self.best = best
        self.median = median
    }

    /// Measures `pass` repeatedly for about `seconds`, after one pass that does not count if there is time for it.
    ///
    /// Durations are processor time in seconds, which excludes the time that a shared machine spends on other work.
    static func measuring(seconds: Double, _ pass: () -> Void) -> Sample {
        func processorTime() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
        }
        func time() -> Double {
            let start = processorTime()
            pass()
            return processorTime() - start
        }
        var passes: [Double] = []
        let first = time()
        if first > seconds { return Sample([first]) }
        var spent = 0.0
        while spent < seconds {
            passes.append(time())
            spent += passes[passes.count - 1]
        }
        return Sample(passes)
    }
}
