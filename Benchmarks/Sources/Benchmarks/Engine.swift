import Foundation

/// Something that reads JSON and writes it minified.
protocol Engine {
    /// The heading of its column.
    var name: String { get }

    /// Works on `file` for about `seconds`, at least once.
    /// - Returns: nil where the engine is not on this machine or refuses the file.
    mutating func measure(_ file: BenchmarkFile, seconds: Double) -> Sample?
}

/// How long one pass over a file took in one turn: the best and the median of as many passes as there was time for.
struct Sample {
    var best: Double
    var median: Double

    /// - Parameter passes: seconds of each; not empty.
    init(_ passes: [Double]) {
        let sorted = passes.sorted()
        best = sorted[0]
        median = sorted[sorted.count / 2]
    }

    init(best: Double, median: Double) {
        self.best = best
        self.median = median
    }

    /// Times `pass` again and again for about `seconds`, after one pass that does not count where there is time for it.
    ///
    /// In seconds of processor time: on a machine that nobody shares they are the clock's, and on another they leave out
    /// what it did for others meanwhile.
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
