import Foundation
import Testing

@testable import Serialization

@Suite struct ZlibStreamTests {
    /// Compressed by zlib, with dynamic codes.
    private static let dynamic =
        "eAEFwQkBgCAQAMEq24MaFhA9QHwO+UTTOzMF4W7bsmOzPhdOB7GdqaBdMjUIx/y9rOoNUxDuti07Nutz4XQQ25kK2iVTg3DM38uq"
        + "3jAF4W7bsmOzPhdOB7GdqaBdMjUIx/y9rOoNUxDuti07Nutz4XQQ25kK2iVTg3DM38uq3vADCI1A0Q=="

    private func inflate(_ stream: [UInt8], max: Int) -> [UInt8]? {
        var budget = max
        return ZlibStream.content(of: stream.span, within: &budget)
    }

    private func inflate(_ stream: [UInt8], prefix: Int) -> [UInt8]? {
        ZlibStream.content(of: stream.span, prefix: prefix)
    }

    private static func bytes(_ base64: String) -> [UInt8] {
        Data(base64Encoded: base64).map { Array($0) } ?? []
    }

    @Test(
        arguments: [
            ("eAFLTEpOBCMAET0Dcw==", "abc", 3),
            (dynamic, "The quick brown fox jumps over the lazy dog; ", 4),
            ("eAEBBgD5/3N0b3JlZAk8ApI=", "stored", 1),
        ] as [(String, String, Int)]
    )
    func `returns the data that zlib compressed, completely or in part`(base64: String, text: String, times: Int) {
        let stream = Self.bytes(base64)
        let whole = Array(String(repeating: text, count: times).utf8)
        #expect(inflate(stream, max: whole.count) == whole)
        #expect(inflate(stream, max: whole.count - 1) == nil)
        for count in [0, 1, whole.count / 2, whole.count, whole.count + 9] {
            #expect(inflate(stream, prefix: count) == Array(whole.prefix(count)))
        }
    }

    @Test func `a truncated or changed stream is rejected`() {
        let stream = Self.bytes(Self.dynamic)
        for count in 0..<stream.count {
            #expect(inflate(Array(stream[..<count]), max: 1 << 20) == nil)
        }
        // The last byte before the checksum contains unused bits.
        for index in stream.indices where index != stream.count - 5 {
            var changed = stream
            changed[index] ^= 0x10
            #expect(inflate(changed, max: 1 << 20) == nil)
        }
    }

    @Test func `the budget is reduced by what was decompressed, also if it is not returned`() {
        let text = "The quick brown fox jumps over the lazy dog; "
        let whole = Self.bytes(Self.dynamic)
        let count = 4 * text.utf8.count
        func left(of budget: Int, _ stream: [UInt8]) -> Int {
            var budget = budget
            _ = ZlibStream.content(of: stream.span, within: &budget)
            return budget
        }
        #expect(left(of: 1_000, whole) == 1_000 - count)
        // The content is one byte longer than the budget.
        #expect(left(of: count - 1, whole) == 0)
        // The checksum is wrong, or the stream ends early.
        #expect(left(of: 1_000, whole.dropLast() + [0]) == 1_000 - count)
        #expect(left(of: 1_000, Array(whole.dropLast(5))) < 1_000)
        #expect(left(of: 1_000, Array("not zlib".utf8)) == 1_000)
    }
}
