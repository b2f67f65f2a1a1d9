internal import HTTP
internal import Images
internal import Serialization
internal import Synchronization

/// The steps that wait for a worker to render thumbnails of one image.
///
/// The first one that begins renders the thumbnails of all others that wait with the same options, in one decode: the
/// decode takes most of the time. Steps that begin at once because workers are idle are not affected.
final class RenderingBatch: Sendable {
    typealias Work = @Sendable (any ImageRenderer) -> Void

    /// The membership of one client, whose step may wait for a worker.
    struct Part: Sendable {
        let batch: RenderingBatch
        let serializer: ResponseSerializer
    }

    struct StepID: Equatable, Sendable {
        fileprivate let number: UInt64
    }

    /// The maximum number of thumbnails of one decode that combines several requests.
    static let maxThumbnails = 8

    private struct Step: Sendable {
        let id: StepID
        let serializer: ResponseSerializer
        let work: Work

        var thumbnails: [ThumbnailRequest] { serializer.options.thumbnails ?? [] }
    }

    /// What must be equal, so that the renderings of two serializers differ in the thumbnails only.
    private struct SharedOptions: Equatable {
        let options: SerializationOptions
        let limits: Limits

        init(_ serializer: ResponseSerializer) {
            var options = serializer.options
            options.thumbnails = nil
            self.options = options
            limits = serializer.limits
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
            let shared = SharedOptions(first.serializer)
            var thumbnails = first.thumbnails.count
            waiting.removeAll { step in
                guard thumbnails + step.thumbnails.count <= maxThumbnails, shared == SharedOptions(step.serializer)
                else { return false }
                thumbnails += step.thumbnails.count
                taken.append(step)
                return true
            }
            return taken
        }
    }

    private let state = Mutex(State())

    /// Adds a step.
    /// - Parameters:
    ///   - serializer: that of the step, all of whose pixels are those of its thumbnails.
    ///   - work: called at most once, with the renderer of the step.
    func add(_ serializer: ResponseSerializer, _ work: @escaping Work) -> StepID {
        state.withLock { state in
            let id = StepID(number: state.nextNumber)
            state.nextNumber += 1
            state.waiting.append(Step(id: id, serializer: serializer, work: work))
            return id
        }
    }

    /// Removes a step.
    /// - Returns: whether the step was removed. If not, it has begun.
    func remove(_ id: StepID) -> Bool {
        state.withLock { $0.remove(id) != nil }
    }

    /// Executes a step, and those that wait with the same options apart from the thumbnails, on a thread that may
    /// block. Has no effect if the step was removed or has begun.
    func run(_ id: StepID, _ renderer: any ImageRenderer) {
        let steps = state.withLock { $0.take(id) }
        guard steps.count > 1 else {
            steps.first?.work(renderer)
            return
        }
        let joint = JointRenderer(renderer)
        for (index, step) in steps.enumerated() {
            // A step whose client has left renders nothing.
            joint.expect(steps[index...].dropFirst().map(\.thumbnails))
            step.work(joint)
        }
    }
}

/// A renderer for steps that run one after the other: the first request renders the thumbnails that the others are
/// expected to request.
///
/// If this fails, every request is rendered alone, because one may need less memory and less time than all of them.
private final class JointRenderer: ImageRenderer {
    private struct State {
        /// The thumbnails of the steps that follow the current one.
        var expected: [[ThumbnailRequest]] = []
        /// The results that were rendered for later steps.
        var results: [(request: RenderingRequest, rendering: Rendering)] = []
        /// Whether the thumbnails of all steps were requested.
        var isTried = false
    }

    private let renderer: any ImageRenderer
    private let state = Mutex(State())

    init(_ renderer: any ImageRenderer) {
        self.renderer = renderer
    }

    func expect(_ thumbnails: [[ThumbnailRequest]]) {
        state.withLock { $0.expected = thumbnails }
    }

    func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
        let (result, expected) = state.withLock { state -> (Rendering?, [[ThumbnailRequest]]) in
            if let index = state.results.firstIndex(where: { $0.request == request }) {
                return (state.results.remove(at: index).rendering, [])
            }
            defer { state.isTried = true }
            return (nil, state.isTried ? [] : state.expected)
        }
        if let result { return result }
        guard !expected.isEmpty else { return try renderer.render(content, request) }
        var joint = request
        joint.thumbnails += expected.joined()
        guard let rendering = try? renderer.render(content, joint),
            rendering.thumbnails.count == joint.thumbnails.count
        else { return try renderer.render(content, request) }

        var rest = rendering.thumbnails[...]
        func next(_ thumbnails: [ThumbnailRequest]) -> Rendering {
            var part = rendering
            part.thumbnails = Array(rest.prefix(thumbnails.count))
            rest = rest.dropFirst(thumbnails.count)
            return part
        }
        let own = next(request.thumbnails)
        let results = expected.map { thumbnails in
            var request = request
            request.thumbnails = thumbnails
            return (request, next(thumbnails))
        }
        state.withLock { $0.results = results }
        return own
    }
}
