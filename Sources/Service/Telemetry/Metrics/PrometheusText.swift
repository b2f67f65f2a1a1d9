internal import Serialization

/// Writes metrics in the text format of Prometheus, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
///
/// A family begins with ``family(_:)``, and its samples follow before the next family begins, as the format requires:
///
///     # HELP decant_lane_waiting Requests that wait in the queue of a lane.
///     # TYPE decant_lane_waiting gauge
///     decant_lane_waiting{lane="compute"} 0
struct PrometheusText: ~Copyable {
    /// The media type of the text.
    static let contentType: StaticString = "text/plain; version=0.0.4; charset=utf-8"

    struct Label: Sendable {
        var name: StaticString
        var value: String

        init(_ name: StaticString, _ value: String) {
            self.name = name
            self.value = value
        }

        init(_ name: StaticString, _ value: StaticString) { self.init(name, "\(value)") }
    }

    private var text = OutputBuffer(capacity: 16 << 10)
    private var name = ""

    mutating func family(_ metric: Metric) { family(name: metric.rawValue, kind: metric.kind, help: metric.help) }

    /// Writes a family of one sample.
    mutating func family(_ metric: Metric, _ value: some FixedWidthInteger, _ labels: Label...) {
        family(metric)
        sample("", labels, "\(value)")
    }

    /// Writes a family of one sample, in seconds.
    mutating func family(_ metric: Metric, nanoseconds: UInt64) {
        family(metric)
        sample("", [], Self.seconds(nanoseconds))
    }

    mutating func family(name: String, kind: Metric.Kind, help: String) {
        self.name = name
        append("# HELP \(name) ")
        appendEscaped(help, quote: false)
        append("\n# TYPE \(name) \(kind.rawValue)\n")
    }

    /// Writes a sample of the current family.
    mutating func sample(_ value: some FixedWidthInteger, _ labels: Label...) { sample("", labels, "\(value)") }

    /// Writes all samples of a histogram of the current family: a cumulative bucket per bound and for `+Inf`, the sum
    /// and the count.
    mutating func histogram(_ histogram: DurationHistogram, _ labels: Label...) {
        var count: UInt64 = 0
        for (index, bucket) in histogram.buckets.enumerated() {
            count &+= bucket
            let bounds = DurationBuckets.bounds
            let bound = index < bounds.count ? Self.seconds(bounds[index]) : "+Inf"
            sample("_bucket", labels + [Label("le", bound)], "\(count)")
        }
        sample("_sum", labels, Self.seconds(histogram.nanoseconds))
        sample("_count", labels, "\(count)")
    }

    consuming func finish() -> OutputBuffer { text }

    // MARK: Lines

    private mutating func sample(_ suffix: String, _ labels: [Label], _ value: String) {
        append(name)
        append(suffix)
        var separator: StaticString = "{"
        for label in labels {
            text.append(separator)
            text.append(label.name)
            text.append("=\"")
            appendEscaped(label.value, quote: true)
            text.append("\"")
            separator = ","
        }
        if !labels.isEmpty { text.append("}") }
        append(" \(value)\n")
    }

    private mutating func append(_ string: String) { text.append(contentsOf: string.utf8) }

    /// Appends text. Escapes backslashes, line feeds and, in the value of a label, quotation marks.
    private mutating func appendEscaped(_ string: String, quote: Bool) {
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): text.append(#"\\"#)
            case UInt8(ascii: "\n"): text.append(#"\n"#)
            case UInt8(ascii: "\"") where quote: text.append(#"\""#)
            default: text.append(byte)
            }
        }
    }

    /// Returns a duration in seconds as an exact decimal number: 1 500 000 000 → `1.5`, 10 000 → `0.00001`.
    static func seconds(_ nanoseconds: UInt64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard rest > 0 else { return "\(whole)" }
        // The leading 1 preserves the leading zeros of the nine digits.
        let fraction = "\(1_000_000_000 + rest)".dropFirst()
        let lastDigit = fraction.lastIndex { $0 != "0" } ?? fraction.startIndex
        return "\(whole).\(fraction[...lastDigit])"
    }
}
