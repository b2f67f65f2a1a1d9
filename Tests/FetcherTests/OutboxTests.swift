import Fetching
import Testing

@testable import Fetcher

@Suite struct OutboxTests {
    /// Sends everything, in pieces of at most `bytes`, and returns the frames.
    private func frames(_ outbox: inout Outbox, pieces bytes: Int = .max) throws -> [FetchReply] {
        var reader = FetchFrameReader(receiving: .toService)
        var frames: [FetchReply] = []
        while !outbox.isEmpty {
            var isFirst = true
            outbox.flush { rest in
                guard isFirst else { return 0 }
                isFirst = false
                let count = min(rest.count, bytes)
                reader.append(rest.extracting(0..<count))
                return count
            }
            while let frame = try reader.next() { frames.append(try FetchReply(frame)) }
        }
        return frames
    }

    private func content(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

    @Test func `content of one transfer shares a frame of up to 64 KiB`() throws {
        var outbox = Outbox()
        let all = content(100_000)
        for start in stride(from: 0, to: all.count, by: 10_000) {
            outbox.append(content: Array(all[start..<start + 10_000]).span, of: 1)
        }
        #expect(outbox.count == 100_000 + 2 * FetchFrame.headerBytes)
        let expected: [FetchReply] = [
            .data(id: 1, content: Array(all[..<65_536])), .data(id: 1, content: Array(all[65_536...])),
        ]
        #expect(try frames(&outbox, pieces: 999) == expected)
    }

    @Test func `content of another transfer, and content after another frame, has its own frame`() throws {
        var outbox = Outbox()
        outbox.append(content: [1].span, of: 1)
        outbox.append(content: [2].span, of: 2)
        outbox.append(.pong(sequence: 1))
        outbox.append(content: [3].span, of: 2)
        let expected: [FetchReply] = [
            .data(id: 1, content: [1]), .data(id: 2, content: [2]), .pong(sequence: 1), .data(id: 2, content: [3]),
        ]
        #expect(try frames(&outbox) == expected)
    }

    @Test func `a frame is not extended after its first byte was sent`() throws {
        var outbox = Outbox()
        var reader = FetchFrameReader(receiving: .toService)
        var received: [FetchReply] = []
        for step in 0..<200 {
            outbox.append(content: [UInt8(step), 0].span, of: 1)
            var remaining = step % 23
            outbox.flush { rest in
                let count = min(rest.count, remaining)
                remaining -= count
                reader.append(rest.extracting(0..<count))
                return count
            }
            while let frame = try reader.next() { received.append(try FetchReply(frame)) }
        }
        outbox.flush { rest in
            reader.append(rest)
            return rest.count
        }
        while let frame = try reader.next() { received.append(try FetchReply(frame)) }
        let bytes = received.flatMap { reply in
            guard case .data(1, let content) = reply else { return [UInt8]() }
            return content
        }
        let expected = (0..<200).flatMap { number -> [UInt8] in [UInt8(number), 0] }
        #expect(bytes == expected)
    }

    @Test func `a long queue is sent in order`() throws {
        var outbox = Outbox()
        let piece = content(16_384)
        for id in 0..<500 { outbox.append(content: piece.span, of: UInt64(id)) }
        let replies = try frames(&outbox, pieces: 100_000)
        #expect(replies == (0..<500).map { .data(id: $0, content: piece) })
    }
}
