/// The cost of reading a content may grow with its length, and not faster.
///
/// A fault of this kind shows only in long content, and a fuzzer tries short ones. The oracle therefore grows each
/// input (``GrownContent``), measures what reading it costs at a few lengths, and compares. Measurements are noisy: a
/// suspicion is measured again several times, and the minimum counts.
///
/// 1. At each length: the processor time is at most ``Bounds/nanosecondsPerByte`` for each byte that is read or
///    written, plus a constant. The memory and the response are bounded in the same way. The next length is tried only
///    if these bounds hold, so that a fault costs milliseconds.
/// 2. From one length to the next, four times longer, the time grows by less than ``Bounds/maxGrowth``. One step, for
///    example where a buffer moves to other memory, is permitted if the time of the next length does not grow as much.
package enum CostOracle {
    /// The cost of reading one content.
    package struct Cost: Equatable, Sendable {
        package var contentBytes: Int
        package var outputBytes = 0
        /// Processor time, in nanoseconds.
        package var nanoseconds: Int
        /// The peak of the heap in addition to the content, without memory that was granted; 0 if it is not measured.
        package var heapBytes = 0
        /// The error with which the content is rejected, or `nil` if it is accepted.
        package var rejection: String?

        package init(contentBytes: Int, outputBytes: Int = 0, nanoseconds: Int, heapBytes: Int = 0) {
            self.contentBytes = contentBytes
            self.outputBytes = outputBytes
            self.nanoseconds = nanoseconds
            self.heapBytes = heapBytes
        }
    }

    /// The bounds hold for optimized code with AddressSanitizer. They are an order of magnitude above the usual cost.
    package struct Bounds: Sendable {
        package var nanosecondsPerByte = 6_000
        package var constantNanoseconds = 25_000_000

        /// The maximum factor between the times of two lengths, of which one is four times the other; 16 is quadratic.
        package var maxGrowth = 8.0

        /// Times below this one are not compared with each other, because they are noisy.
        package var minNanoseconds = 150_000_000

        package var outputBytesPerByte = 200
        package var constantOutputBytes = 4 << 20

        /// The heap includes capacity that is reserved and not used.
        package var heapBytesPerByte = 60
        package var constantHeapBytes = 64 << 20

        package init() {}
    }

    /// The lengths of short contents, and of those that are tried if the time seems to grow faster than the length.
    private static let (shortLengths, longLengths) = ([8 << 10, 32 << 10], [128 << 10, 512 << 10])

    /// The number of measurements of which the minimum counts.
    private static let repetitions = 4

    /// Returns a description of the violated bound, or `nil` if all hold.
    /// - Parameters:
    ///   - always: Whether long contents are tried without a suspicion.
    ///   - measure: Reads a content of about the given length once, and returns the cost.
    package static func violation(
        _ bounds: Bounds = Bounds(),
        always: Bool,
        measure: (_ bytes: Int) -> Cost
    ) -> String? {
        var costs: [Cost] = []
        for length in shortLengths + longLengths {
            if length == longLengths[0], !always, let first = costs.first, let last = costs.last {
                // Twice the time per byte is noise, or the start of a curve.
                let isSuspicious = last.nanoseconds * first.contentBytes > first.nanoseconds * last.contentBytes * 2
                guard isSuspicious else { return nil }
            }
            var cost = measure(length)
            // The content could not grow that much.
            guard cost.contentBytes * 2 > length else { return nil }
            let shorter = costs.last
            if excess(cost, bounds) != nil || growth(cost, after: shorter, bounds) != nil {
                for _ in 1..<repetitions {
                    let again = measure(length)
                    cost.nanoseconds = min(cost.nanoseconds, again.nanoseconds)
                    cost.heapBytes = min(cost.heapBytes, again.heapBytes)
                }
                if let violation = excess(cost, bounds) { return violation }
                if let violation = growth(cost, after: shorter, bounds) {
                    let longer = measure(4 * length)
                    let isComparable = longer.contentBytes > 2 * length && longer.rejection == cost.rejection
                    guard isComparable, growth(longer, after: cost, bounds) == nil else { return violation }
                }
            }
            costs.append(cost)
        }
        return nil
    }

    /// Returns a description of the bound at one length that is violated.
    private static func excess(_ cost: Cost, _ bounds: Bounds) -> String? {
        let bytes = cost.contentBytes
        if cost.outputBytes > bounds.constantOutputBytes + bounds.outputBytesPerByte * bytes {
            return "\(bytes) bytes become \(cost.outputBytes)"
        }
        let written = bytes + cost.outputBytes
        if cost.nanoseconds > bounds.constantNanoseconds + bounds.nanosecondsPerByte * written {
            return "\(bytes) bytes take \(cost.nanoseconds / 1_000_000) ms"
        }
        if cost.heapBytes > bounds.constantHeapBytes + bounds.heapBytesPerByte * written {
            return "\(bytes) bytes take \(cost.heapBytes) bytes of memory"
        }
        return nil
    }

    /// Returns a description of a time that has grown too much.
    private static func growth(_ cost: Cost, after shorter: Cost?, _ bounds: Bounds) -> String? {
        let bytes = cost.contentBytes
        let written = bytes + cost.outputBytes
        // Content that is rejected may be rejected at its start, and content that is accepted is read completely.
        guard let shorter, cost.rejection == shorter.rejection, cost.nanoseconds > bounds.minNanoseconds else {
            return nil
        }
        // A response that grows is bounded above; what it costs is proportional to it.
        let growth = Double(written) / Double(shorter.contentBytes + shorter.outputBytes)
        // The longer content may be rejected after as much work, without a response.
        let length = max(growth, Double(bytes) / Double(shorter.contentBytes))
        guard Double(cost.nanoseconds) > Double(shorter.nanoseconds) * bounds.maxGrowth / 4 * length else { return nil }
        return "\(shorter.contentBytes) bytes take \(shorter.nanoseconds / 1000) µs, and \(bytes) bytes "
            + "\(cost.nanoseconds / 1000) µs"
    }
}
