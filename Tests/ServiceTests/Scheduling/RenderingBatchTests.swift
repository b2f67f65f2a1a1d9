import Serialization
import Synchronization
import Testing

@testable import Service

@Suite struct RenderingBatchTests {
    /// Makes thumbnails whose content is their width, unless there are more orders than permitted.
    private final class Recorder: ImageReader {
        let maxOrders: Int
        let failure: ImageError.Reason
        private let state = Mutex([[Int]]())

        init(maxOrders: Int = .max, failure: ImageError.Reason = .decoderCrashed) {
            self.maxOrders = maxOrders
            self.failure = failure
        }

        /// The widths of the thumbnails of each call.
        var widths: [[Int]] { state.withLock { $0 } }

        func read(_ content: Span<UInt8>, _ orders: [ImageOrder]) -> [Result<ImageRecord, ImageRejection>] {
            state.withLock { $0.append(orders.flatMap { $0.thumbnails ?? [] }.map(\.width)) }
            return orders.map { order in
                guard orders.count <= maxOrders else { return .failure(ImageRejection(ImageError(failure))) }
                var record = ImageRecord(ImageFindings(), json: [])
                record.thumbnails = (order.thumbnails ?? []).map {
                    .init(width: $0.width, height: $0.height, format: .jpeg, content: [UInt8($0.width)])
                }
                return .success(record)
            }
        }
    }

    /// What steps have received, by the width that they requested.
    private final class Results: Sendable {
        private let state = Mutex([Int: [[UInt8]]]())

        func add(_ width: Int, _ content: [UInt8]) { state.withLock { $0[width, default: []].append(content) } }

        /// The requested widths; those whose step received something else are negative.
        var widths: [Int] { state.withLock { $0.map { $1 == [[UInt8($0)]] ? $0 : -$0 }.sorted() } }
    }

    private let batch = RenderingBatch()
    private let results = Results()

    /// Adds a step that requests a thumbnail of the image.
    /// - Parameter isGone: whether its client has left when it begins.
    private func add(
        _ width: Int,
        requesting requested: Int? = nil,
        isGone: Bool = false,
        _ change: (inout SerializationOptions) -> Void = { _ in }
    ) -> RenderingBatch.StepID {
        var options = SerializationOptions()
        options.thumbnails = [ThumbnailRequest(width: width, height: 1)]
        change(&options)
        let order = ImageOrder(.thumbnail, options, Limits())
        return batch.add(order) { [results] reader in
            guard !isGone else { return }
            var order = order
            order.thumbnails = [ThumbnailRequest(width: requested ?? width, height: 1)]
            let record = try? reader.read([0].span, [order]).first?.get()
            results.add(requested ?? width, record?.thumbnails.flatMap(\.content) ?? [])
        }
    }

    @Test func `a step reads for all that wait, and they begin only once`() {
        let recorder = Recorder()
        let ids = [8, 4, 2, 1].map { add($0) }
        for id in [ids[1], ids[0], ids[2], ids[3], ids[1]] { batch.run(id, recorder) }
        #expect(recorder.widths == [[4, 8, 2, 1]])
        #expect(results.widths == [1, 2, 4, 8])
        // A later step is not affected.
        batch.run(add(5), recorder)
        #expect(recorder.widths == [[4, 8, 2, 1], [5]])
    }

    @Test func `steps with other options are not combined`() {
        let recorder = Recorder()
        let first = add(1)
        let other = add(2) { $0.truncated = .allow }
        let second = add(3)
        batch.run(first, recorder)
        #expect(recorder.widths == [[1, 3]])
        batch.run(other, recorder)
        batch.run(second, recorder)
        #expect(recorder.widths == [[1, 3], [2]])
        #expect(results.widths == [1, 2, 3])
    }

    @Test func `one decode makes at most eight thumbnails`() {
        let recorder = Recorder()
        let ids = (1...200).map { add($0) }
        for id in ids { batch.run(id, recorder) }
        #expect(recorder.widths == stride(from: 1, through: 200, by: 8).map { Array($0..<$0 + 8) })
        #expect(results.widths == Array(1...200))
    }

    @Test func `a step that was removed reads nothing`() {
        let recorder = Recorder()
        let ids = [1, 2, 3].map { add($0) }
        #expect(batch.remove(ids[1]))
        #expect(!batch.remove(ids[1]))
        for id in ids { batch.run(id, recorder) }
        #expect(recorder.widths == [[1, 3]])
        #expect(results.widths == [1, 3])
        #expect(!batch.remove(ids[0]))
    }

    @Test func `a step whose client has left is passed over`() {
        let recorder = Recorder()
        let first = add(1, isGone: true)
        _ = (add(2), add(3, isGone: true), add(4))
        batch.run(first, recorder)
        // Whether a client has left is known when its step begins.
        #expect(recorder.widths == [[2, 3, 4]])
        #expect(results.widths == [2, 4])
    }

    @Test func `after a failure of the worker each step reads alone`() {
        let recorder = Recorder(maxOrders: 2)
        let ids = [1, 2, 3].map { add($0) }
        batch.run(ids[0], recorder)
        #expect(recorder.widths == [[1, 2, 3], [1], [2], [3]])
        #expect(results.widths == [1, 2, 3])

        let strict = Recorder(maxOrders: 0)
        let failing = [4, 5].map { add($0) }
        for id in failing { batch.run(id, strict) }
        #expect(strict.widths == [[4, 5], [4], [5]])
        // Both steps have received the error.
        #expect(results.widths == [-5, -4, 1, 2, 3])
    }

    /// Eight thumbnails may be too long for one answer, or too expensive for one decode.
    @Test(arguments: [
        ImageError.Reason.tooLargeToDecode(amount: "bytes of results", max: 1), .decodeTime(seconds: 1), .saturated,
    ])
    func `after a failure that may be that of the number each step reads alone`(reason: ImageError.Reason) {
        let recorder = Recorder(maxOrders: 1, failure: reason)
        let first = add(1)
        _ = add(2)
        batch.run(first, recorder)
        #expect(recorder.widths == [[1, 2], [1], [2]])
        #expect(results.widths == [1, 2])
    }

    @Test(arguments: [ImageError.Reason.corrupt(part: nil), .truncated, .unsupportedPixels(feature: "x")])
    func `after a failure of the content no step reads again`(reason: ImageError.Reason) {
        let recorder = Recorder(maxOrders: 0, failure: reason)
        let first = add(1)
        _ = add(2)
        batch.run(first, recorder)
        #expect(recorder.widths == [[1, 2]])
        #expect(results.widths == [-2, -1])
    }

    /// The trial of a remedy may read other content than that of the batch.
    @Test func `an unexpected order of the first step is read alone, and not for the others`() {
        let recorder = Recorder()
        let first = add(1, requesting: 9)
        _ = (add(2), add(3))
        batch.run(first, recorder)
        #expect(recorder.widths == [[9], [2, 3]])
        #expect(results.widths == [2, 3, 9])
    }

    @Test func `an unexpected order is read alone`() {
        let recorder = Recorder()
        let first = add(1)
        _ = (add(2, requesting: 9), add(3))
        batch.run(first, recorder)
        #expect(recorder.widths == [[1, 2, 3], [9]])
        #expect(results.widths == [1, 3, 9])
    }
}
