import Platform
import Serialization

@testable import HTTP
@testable import Service

extension RequestRecord {
    /// The record of a typical request.
    static var example: RequestRecord {
        RequestRecord(
            request: Request(
                id: .made(0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210),
                trace: nil,
                method: "POST",
                path: "/v1/normalize",
                endpoint: .normalize
            ),
            response: Response(status: 200, problem: nil, serializer: .json, lane: .inline, sentBytes: 1311),
            receivedBytes: 1024,
            durations: StageDurations(receiving: 12_345, decoding: 34_999, sending: 1_051_000, total: 12_345_103_000),
            end: .kept,
            time: MonotonicTime(nanoseconds: 5_000_000_000)
        )
    }
}

extension WallClock {
    /// A clock for which 5 s of monotonic time are 2026-11-22T08:18:44.123Z.
    static var example: WallClock {
        WallClock { 1_795_335_524_123_000_000 - 5_000_000_000 }
    }
}
