internal import HTTP
internal import Serialization
internal import Synchronization

/// The steps that wait for a worker to make thumbnails of one image.
///
/// The first one that begins has the image read for all others that wait with the same options, in one job: decoding
/// takes most of the time. Steps that begin at once because workers are idle are not affected.
final class RenderingBatch: Sendable {
    typealias Work = @Sendable (any ImageReader) -> Void

    /// The membership of one client, whose step may wait for a worker.
    struct Part: Sendable {
        let batch: RenderingBatch
        /// What the step reads from the image.
        let order: ImageOrder
    }

    struct StepID: Equatable, Sendable {
        fileprivate let number: UInt64
    }

    /// The maximum number of thumbnails of one decode that combines several requests.
    static let maxThumbnails = 8

    private struct Step: Sendable {
        let id: StepID
        let order: ImageOrder
        let work: Work

        var thumbnailCount: Int { order.thumbnails?.count ?? 1 }

        /// What must be equal, so that two steps share one decode.
        var shared: ImageOrder {
            var order = order
            order.thumbnails = nil
            return order
        }
    }

    private struct State {
        var waiting: [Step] = []
        var nextNumber: UInt64 = 0

        mutating func remove(_ id: StepID) -> Step? {
            waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
        }

        /// Removes a step and others that can be combined with it, and returns them in this order.
        mutating func take(_ id: StepID) -> [Step] {
            guard let first = remove(id) else { return [] }
            var taken = [first]
            guard !waiting.isEmpty else { return taken }
            let shared = first.shared
            var thumbnails = first.thumbnailCount
            waiting.removeAll { step in
                guard thumbnails + step.thumbnailCount <= maxThumbnails, shared == step.shared else { return false }
                thumbnails += step.thumbnailCount
                taken.append(step)
                return true
            }
            return taken
        }
    }

    private let state = Mutex(State())

    /// Adds a step.
    /// - Parameters:
    ///   - order: what the step reads; all of its pixels are those of its thumbnails.
    ///   - work: called at most once, with the reader of the step.
    func add(_ order: ImageOrder, _ work: @escaping Work) -> StepID {
        state.withLock { state in
            let id = StepID(number: state.nextNumber)
            state.nextNumber += 1
            state.waiting.append(Step(id: id, order: order, work: work))
            return id
        }
    }

    /// Removes a step.
    /// - Returns: whether the step was removed. If not, it has begun.
    func remove(_ id: StepID) -> Bool { state.withLock { $0.remove(id) != nil } }

    /// Executes a step, and those that wait with the same options apart from the thumbnails, on a thread that may
    /// block. Has no effect if the step was removed or has begun.
    func run(_ id: StepID, _ reader: any ImageReader) {
        let steps = state.withLock { $0.take(id) }
        guard steps.count > 1 else {
            steps.first?.work(reader)
            return
        }
        let joint = JointReader(reader)
        for (index, step) in steps.enumerated() {
            // A step whose client has left reads nothing.
            joint.expect(step.order, before: steps[index...].dropFirst().map(\.order))
            step.work(joint)
        }
    }
}

/// A reader for steps that run one after the other: the first one reads the image for all of them.
///
/// If that fails for a reason that may be the number of orders, each step reads the image alone, because one may need
/// less memory and less time than all of them. A step that reads something other than its order, such as a trial of a
/// remedy with other content, always does that alone.
private final class JointReader: ImageReader {
    typealias Result = Swift.Result<ImageRecord, ImageRejection>

    private struct State {
        /// The order of the current step; `nil` before the first one.
        var own: ImageOrder?
        /// The orders of the steps that follow it.
        var expected: [ImageOrder] = []
        /// The results for later steps.
        var results: [(order: ImageOrder, result: Result)] = []
        /// Whether the image was read for all steps.
        var isTried = false
    }

    private let reader: any ImageReader
    private let state = Mutex(State())

    init(_ reader: any ImageReader) { self.reader = reader }

    func expect(_ own: ImageOrder, before orders: [ImageOrder]) {
        state.withLock { ($0.own, $0.expected) = (own, orders) }
    }

    func read(_ content: Span<UInt8>, _ orders: [ImageOrder]) -> [Result] {
        let (result, expected) = state.withLock { state -> (Result?, [ImageOrder]) in
            guard let own = state.own, orders == [own] else { return (nil, []) }
            if let index = state.results.firstIndex(where: { $0.order == own }) {
                return (state.results.remove(at: index).result, [])
            }
            defer { state.isTried = true }
            return (nil, state.isTried ? [] : state.expected)
        }
        if let result { return [result] }
        guard !expected.isEmpty else { return reader.read(content, orders) }
        let all = orders + expected
        let results = reader.read(content, all)
        guard results.count == all.count, !results.contains(where: \.mayBeOfNumber) else {
            return reader.read(content, orders)
        }
        state.withLock { state in
            state.results = zip(all, results).dropFirst(orders.count).map { (order: $0, result: $1) }
        }
        return Array(results.prefix(orders.count))
    }
}

extension Result<ImageRecord, ImageRejection> {
    /// Whether there may be a record if fewer orders are read at once.
    fileprivate var mayBeOfNumber: Bool {
        guard case .failure(let rejection) = self else { return false }
        return switch rejection.error.reason {
        case .tooLargeToDecode, .decodeTime, .decoderCrashed, .pixelsUnavailable, .noDecoder, .saturated: true
        case .notAnImage, .truncated, .corrupt, .unsupportedPixels, .deferred: false
        }
    }
}
