/// Metrics in the text format of Prometheus 0.0.4, checked more strictly than by Prometheus.
///
/// Each family has one `HELP` and one `TYPE` line, in this order, and all of its samples follow. There are no comments,
/// timestamps, exponents, optional spaces or empty lines.
struct MetricsText: Equatable {
    struct Sample: Equatable {
        var name: String
        var labels: [Label]
        var value: String
    }

    struct Label: Hashable {
        var name: String
        var value: String
    }

    struct Family: Equatable {
        var name: String
        var help: String
        var kind: String
        var samples: [Sample]
    }

    enum Fault: Error, Equatable {
        case noLineFeedAtEnd
        case malformed(line: String)
        case noType(line: String)
        case duplicateFamily(String)
        case duplicateSeries(line: String)
        case notInFamily(line: String)
        case invalidNumber(line: String)
        case notCumulative(line: String)
        case bucketsOutOfOrder(line: String)
        case incompleteHistogram(family: String)
    }

    private(set) var families: [Family] = []

    init(parsing text: String) throws(Fault) {
        guard text.last == "\n" else { throw .noLineFeedAtEnd }
        var help: (name: String, text: String)?
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("# HELP ") {
                guard help == nil, let (name, text) = Self.pair(line.dropFirst(7)),
                    let text = Self.unescaped(text, "\\n")
                else { throw .malformed(line: line) }
                guard !families.contains(where: { $0.name == name }) else { throw .duplicateFamily(name) }
                help = (name, text)
            } else if line.hasPrefix("# TYPE ") {
                guard let (name, kind) = Self.pair(line.dropFirst(7)),
                    ["counter", "gauge", "histogram"].contains(kind),
                    let text = help, text.name == name
                else { throw .malformed(line: line) }
                families.append(Family(name: name, help: text.text, kind: kind, samples: []))
                help = nil
            } else {
                guard help == nil, !families.isEmpty else { throw .noType(line: line) }
                try families[families.count - 1].append(line)
            }
        }
        guard help == nil else { throw .malformed(line: "") }
        for family in families { try family.check() }
    }

    /// Returns the value of a sample; `nil` if there is none.
    func value(_ name: String, _ labels: [String: String] = [:]) -> String? {
        let samples = families.flatMap(\.samples).filter { $0.name == name }
        return samples.first { sample in
            sample.labels.count == labels.count && sample.labels.allSatisfy { labels[$0.name] == $0.value }
        }?.value
    }

    // MARK: Syntax

    private static func pair(_ text: Substring) -> (String, String)? {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && isName(parts[0]) ? (String(parts[0]), String(parts[1])) : nil
    }

    fileprivate static func isName(_ text: Substring) -> Bool {
        text.wholeMatch(of: /[a-z_][a-z0-9_]*/) != nil
    }

    /// Decodes the escapes `\X` of the characters in `escapes`. Returns `nil` if there is another escape, or an
    /// unescaped quotation mark although quotation marks are escaped.
    fileprivate static func unescaped(_ text: String, _ escapes: String) -> String? {
        var result = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "\\" else {
                if character == "\"", escapes.contains("\"") { return nil }
                result.append(character)
                continue
            }
            guard let escaped = rest.popFirst(), escapes.contains(escaped) else { return nil }
            result.append(escaped == "n" ? "\n" : escaped)
        }
        return result
    }
}

extension MetricsText.Family {
    fileprivate mutating func append(_ line: String) throws(MetricsText.Fault) {
        guard let match = line.wholeMatch(of: /([^{ ]*)(?:\{(.*)\})? ([^ ]*)/), MetricsText.isName(match.1) else {
            throw .malformed(line: line)
        }
        let suffixes = kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { name + $0 == match.1 }) else { throw .notInFamily(line: line) }
        let value = String(match.3)
        // A sum can have a fraction. Counts are integers.
        let isNumber =
            name.hasSuffix("_seconds") && match.1.hasSuffix("_sum") || name.contains("_seconds") && kind != "histogram"
            ? value.wholeMatch(of: /[0-9]+(\.[0-9]*[1-9])?/) != nil
            : value.wholeMatch(of: /[0-9]+/) != nil
        guard isNumber else { throw .invalidNumber(line: line) }
        let sample = MetricsText.Sample(
            name: String(match.1),
            labels: try Self.labels(String(match.2 ?? ""), isEmpty: match.2 == nil, line),
            value: value
        )
        guard !samples.contains(where: { $0.name == sample.name && Set($0.labels) == Set(sample.labels) }) else {
            throw .duplicateSeries(line: line)
        }
        samples.append(sample)
    }

    private static func labels(_ text: String, isEmpty: Bool, _ line: String) throws(MetricsText.Fault) -> [MetricsText
        .Label]
    {
        guard !isEmpty else { return [] }
        var labels: [MetricsText.Label] = []
        var rest = text[...]
        repeat {
            guard let match = rest.prefixMatch(of: /([^=]*)="((?:[^"\\]|\\.)*)"/), MetricsText.isName(match.1),
                let value = MetricsText.unescaped(String(match.2), "\\n\""),
                !labels.contains(where: { $0.name == match.1 })
            else { throw .malformed(line: line) }
            labels.append(MetricsText.Label(name: String(match.1), value: value))
            rest = rest[match.range.upperBound...]
            guard let comma = rest.popFirst() else { return labels }
            guard comma == "," else { throw .malformed(line: line) }
        } while true
    }

    /// Checks that each histogram has a sum, and buckets in ascending order with cumulative counts, the last of which
    /// is `+Inf` and equals the total count.
    fileprivate func check() throws(MetricsText.Fault) {
        guard kind == "histogram" else { return }
        var series: [Set<MetricsText.Label>: [MetricsText.Sample]] = [:]
        for sample in samples { series[Set(sample.labels.filter { $0.name != "le" }), default: []].append(sample) }
        for samples in series.values {
            var last: (bound: Double, value: Int) = (-1, 0)
            for sample in samples where sample.name == name + "_bucket" {
                let line = "\(sample.labels.map { "\($0.name)=\($0.value)" }) \(sample.value)"
                guard let le = sample.labels.last, le.name == "le", let value = Int(sample.value),
                    let bound = le.value == "+Inf" ? .infinity : Double(le.value)
                else { throw .malformed(line: line) }
                guard bound > last.bound else { throw .bucketsOutOfOrder(line: line) }
                guard value >= last.value else { throw .notCumulative(line: line) }
                last = (bound, value)
            }
            guard last.bound == .infinity, samples.contains(where: { $0.name == name + "_sum" }),
                samples.first(where: { $0.name == name + "_count" })?.value == "\(last.value)"
            else { throw .incompleteHistogram(family: name) }
        }
    }
}
