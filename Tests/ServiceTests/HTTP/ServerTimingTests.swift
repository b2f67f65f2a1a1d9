import Testing

@testable import Service

@Suite struct ServerTimingTests {
    /// The value has three decimal places, and is truncated rather than rounded.
    @Test(arguments: [
        (UInt64(0), "0.000"), (999, "0.000"), (1_000, "0.001"), (12_999, "0.012"), (123_456, "0.123"),
        (1_000_000, "1.000"), (9_999_999, "9.999"), (10_000_000, "10.000"), (1_234_567_890, "1234.567"),
        (.max, "18446744073709.551"),
    ])
    func `is written in milliseconds`(nanoseconds: UInt64, milliseconds: String) {
        let timing = ServerTiming(decodingNanoseconds: nanoseconds)
        #expect(timing.text.span.bytes.withCString { unsafe String(cString: $0) } == "decode;dur=" + milliseconds)
    }
}
