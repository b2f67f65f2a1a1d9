import Testing

@testable import HTTP
@testable import Service

@Suite struct ServerTimingTests {
    /// The value has three decimal places, and is rounded down.
    @Test(arguments: [
        (UInt64(0), "0.000"), (999, "0.000"), (1_000, "0.001"), (12_999, "0.012"), (123_456, "0.123"),
        (1_000_000, "1.000"), (9_999_999, "9.999"), (10_000_000, "10.000"), (1_234_567_890, "1234.567"),
        (.max, "18446744073709.551"),
    ])
    func `is written in milliseconds`(nanoseconds: UInt64, milliseconds: String) {
        let timing = ServerTiming(decodingNanoseconds: nanoseconds)
        #expect(timing.text.span.bytes.withCString { unsafe String(cString: $0) } == "decode;dur=" + milliseconds)
    }

    @Test func `lists the time in queues first, if there was any`() {
        for (queue, text) in [(UInt64(1_250_000), "queue;dur=1.250, decode;dur=0.012"), (0, "decode;dur=0.012")] {
            let timing = ServerTiming(queueNanoseconds: queue, decodingNanoseconds: 12_000)
            #expect(timing.text.span.bytes.withCString { unsafe String(cString: $0) } == text)
        }
        let longest = ServerTiming(queueNanoseconds: .max, decodingNanoseconds: .max)
        let text = "queue;dur=18446744073709.551, decode;dur=18446744073709.551"
        #expect(longest.text.span.bytes.withCString { unsafe String(cString: $0) } == text)
    }
}
