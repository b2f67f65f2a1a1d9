import Testing

/// Tests that the checker of the text format detects errors.
@Suite struct MetricsTextTests {
    private static let head = "# HELP a_total A.\n# TYPE a_total counter\n"
    private static let histogramHead = "# HELP h_seconds H.\n# TYPE h_seconds histogram\n"

    @Test func `reads families, labels and escapes`() throws {
        let text = Self.head + #"a_total{x="1",y="q\"b\\n\n"} 5"# + "\na_total 0\n# HELP b b\\\\\\n\n# TYPE b gauge\n"
        let text2 = try MetricsText(parsing: text)
        #expect(
            text2.families == [
                MetricsText.Family(
                    name: "a_total",
                    help: "A.",
                    kind: "counter",
                    samples: [
                        .init(
                            name: "a_total",
                            labels: [.init(name: "x", value: "1"), .init(name: "y", value: "q\"b\\n\n")],
                            value: "5"
                        ),
                        .init(name: "a_total", labels: [], value: "0"),
                    ]
                ),
                MetricsText.Family(name: "b", help: "b\\\n", kind: "gauge", samples: []),
            ]
        )
        #expect(text2.value("a_total", ["y": "q\"b\\n\n", "x": "1"]) == "5")
        #expect(text2.value("a_total", ["x": "1"]) == nil)
    }

    private static let violations: [(text: String, fault: MetricsText.Fault)] = [
        ("", .noLineFeedAtEnd),
        (head + "a_total 1", .noLineFeedAtEnd),
        ("a_total 1\n", .noType(line: "a_total 1")),
        ("# HELP a_total A.\na_total 1\n", .noType(line: "a_total 1")),
        ("# TYPE a_total counter\na_total 1\n", .malformed(line: "# TYPE a_total counter")),
        ("# HELP a_total A.\n# TYPE a_total timer\n", .malformed(line: "# TYPE a_total timer")),
        (#"# HELP a_total \x"# + "\n", .malformed(line: #"# HELP a_total \x"#)),
        (head + head, .duplicateFamily("a_total")),
        (head + "b_total 1\n", .notInFamily(line: "b_total 1")),
        (head + "a_total 1\n\n", .malformed(line: "")),
        (head + "a_total  1\n", .malformed(line: "a_total  1")),
        (head + "a_total -1\n", .invalidNumber(line: "a_total -1")),
        (head + "a_total 1.5\n", .invalidNumber(line: "a_total 1.5")),
        (head + "a_total 1 1700000000\n", .malformed(line: "a_total 1 1700000000")),
        (head + "a_total{x=1} 1\n", .malformed(line: "a_total{x=1} 1")),
        (head + #"a_total{x="1"y="2"} 1"# + "\n", .malformed(line: #"a_total{x="1"y="2"} 1"#)),
        (head + #"a_total{x="1",x="2"} 1"# + "\n", .malformed(line: #"a_total{x="1",x="2"} 1"#)),
        (head + #"a_total{x="\t"} 1"# + "\n", .malformed(line: #"a_total{x="\t"} 1"#)),
        (head + #"a_total{x="a"b"} 1"# + "\n", .malformed(line: #"a_total{x="a"b"} 1"#)),
        (head + "a_total{x=\"a\nb\"} 1\n", .malformed(line: "a_total{x=\"a")),
        (
            head + #"a_total{x="1",y="2"} 1"# + "\n" + #"a_total{y="2",x="1"} 1"# + "\n",
            .duplicateSeries(line: #"a_total{y="2",x="1"} 1"#)
        ),
        (histogramHead + "h_seconds 1\n", .notInFamily(line: "h_seconds 1")),
        (
            histogramHead + histogram([("0.5", 2), ("+Inf", 1)], sum: "1", count: 1),
            .notCumulative(line: #"["le=+Inf"] 1"#)
        ),
        (
            histogramHead + histogram([("0.5", 0), ("0.25", 1), ("+Inf", 1)], sum: "1", count: 1),
            .bucketsOutOfOrder(line: #"["le=0.25"] 1"#)
        ),
        (histogramHead + histogram([("0.5", 1)], sum: "1", count: 1), .incompleteHistogram(family: "h_seconds")),
        (histogramHead + histogram([("+Inf", 1)], sum: "1", count: 2), .incompleteHistogram(family: "h_seconds")),
        (histogramHead + histogram([("+Inf", 1)], sum: nil, count: 1), .incompleteHistogram(family: "h_seconds")),
        (histogramHead + histogram([("+Inf", 1)], sum: "1.50", count: 1), .invalidNumber(line: "h_seconds_sum 1.50")),
    ]

    @Test(arguments: violations)
    func `rejects text that violates the format`(text: String, fault: MetricsText.Fault) {
        #expect(throws: fault) { try MetricsText(parsing: text) }
    }

    private static func histogram(_ buckets: [(String, Int)], sum: String?, count: Int) -> String {
        let lines = buckets.map { "h_seconds_bucket{le=\"\($0.0)\"} \($0.1)\n" }
        return lines.joined() + (sum.map { "h_seconds_sum \($0)\n" } ?? "") + "h_seconds_count \(count)\n"
    }

    @Test func `accepts a histogram`() throws {
        let text = Self.histogramHead + Self.histogram([("0.5", 1), ("1", 1), ("+Inf", 3)], sum: "1.25", count: 3)
        #expect(try MetricsText(parsing: text).value("h_seconds_bucket", ["le": "1"]) == "1")
    }
}
