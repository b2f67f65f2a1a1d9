import Serialization
import Testing

@testable import HTTP
@testable import Service

@Suite struct PrometheusTextTests {
    private static func text(_ write: (inout PrometheusText) -> Void) -> String {
        var text = PrometheusText()
        write(&text)
        return String(decoding: [UInt8](text.finish()), as: UTF8.self)
    }

    @Test func `writes a family with its help, type and samples`() {
        let text = Self.text {
            $0.family(.laneWaiting)
            $0.sample(3, .init("lane", Lane.compute.name))
            $0.sample(UInt64.max, .init("lane", "isolated" as String), .init("state", "x" as String))
            $0.family(.startTime, nanoseconds: 1_700_000_000_250_000_000)
        }
        #expect(
            text == """
                # HELP decant_lane_waiting Requests that wait in the queue of a lane.
                # TYPE decant_lane_waiting gauge
                decant_lane_waiting{lane="compute"} 3
                decant_lane_waiting{lane="isolated",state="x"} 18446744073709551615
                # HELP process_start_time_seconds Time at which the service started, since 1970-01-01 UTC.
                # TYPE process_start_time_seconds gauge
                process_start_time_seconds 1700000000.25

                """
        )
    }

    @Test func `escapes backslashes and line feeds, and quotation marks only in values of labels`() throws {
        let text = Self.text {
            $0.family(name: "a", kind: .gauge, help: "\"a\"\\\nb")
            $0.sample(1, .init("x", "\"a\"\\\nb é" as String))
        }
        #expect(
            text == #"""
                # HELP a "a"\\\nb
                # TYPE a gauge
                a{x="\"a\"\\\nb é"} 1

                """#
        )
        let family = try MetricsText(parsing: text).families[0]
        #expect(family.help == "\"a\"\\\nb" && family.samples[0].labels[0].value == "\"a\"\\\nb é")
    }

    @Test func `writes a histogram with cumulative buckets`() throws {
        var buckets = [UInt64](repeating: 0, count: DurationBuckets.count)
        (buckets[0], buckets[3], buckets[21]) = (2, 1, 4)
        let text = Self.text {
            $0.family(.stageDuration)
            $0.histogram(
                DurationHistogram(buckets: buckets, nanoseconds: 100_000_000_001),
                .init("stage", "send" as String)
            )
        }
        let bounds = [
            "0.00001", "0.000025", "0.00005", "0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01",
            "0.025", "0.05",
            "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "30", "60", "+Inf",
        ]
        let counts = [2, 2, 2] + [Int](repeating: 3, count: 18) + [7]
        let lines = zip(bounds, counts).map {
            "decant_stage_duration_seconds_bucket{stage=\"send\",le=\"\($0)\"} \($1)"
        }
        let sums = [
            "decant_stage_duration_seconds_sum{stage=\"send\"} 100.000000001",
            "decant_stage_duration_seconds_count{stage=\"send\"} 7",
        ]
        let printed = text.split(separator: "\n").dropFirst(2).map { String($0) }
        #expect(printed == lines + sums)
        _ = try MetricsText(parsing: text)
    }

    @Test(arguments: [
        (0, "0"), (1, "0.000000001"), (10_000, "0.00001"), (1_000_000_000, "1"), (1_500_000_000, "1.5"),
        (10_000_000_000, "10"), (UInt64.max, "18446744073.709551615"),
    ])
    func `writes nanoseconds as seconds in decimal`(nanoseconds: UInt64, seconds: String) {
        #expect(PrometheusText.seconds(nanoseconds) == seconds)
    }
}
