internal import HTTP

/// The counts of requests, of one loop or of all loops together.
///
/// All counts except `requests` are in one array, so that a request accesses few objects:
///
///     received, sent │ lanes │ ends │ endpoints: buckets, sum │ stages: buckets, sum
struct RequestCounts: Sendable {
    private(set) var requests = RequestTable()
    private var cells = [UInt64](repeating: 0, count: Layout.count)

    /// The indices of the cells. They are constants, unlike `allCases.count`.
    private enum Layout {
        static let received = 0
        static let sent = 1
        static let lanes = 2
        static let ends = lanes + maxLanes
        static let endpoints = ends + maxEnds
        static let stages = endpoints + maxEndpoints * histogram
        static let count = stages + maxStages * histogram

        static let maxLanes = 4
        static let maxEnds = 8
        static let maxEndpoints = 24
        static let maxStages = 8

        /// The number of cells of a histogram: the buckets, and the sum of the durations in nanoseconds.
        static let histogram = DurationBuckets.count + 1
    }

    init() {
        precondition(
            Lane.allCases.count <= Layout.maxLanes && ConnectionEnd.allCases.count <= Layout.maxEnds
                && Endpoint.allCases.count <= Layout.maxEndpoints && RequestStage.allCases.count <= Layout.maxStages,
            "every case has its own cells"
        )
    }

    @inline(__always) mutating func add(_ request: Observation) {
        requests.add(1, to: request.labels)
        var cells = cells.mutableSpan
        cells[Layout.received] &+= request.receivedBytes
        cells[Layout.sent] &+= request.sentBytes
        cells[Layout.lanes &+ Int(request.lane.rawValue)] &+= 1
        cells[Layout.ends &+ Int(request.end.rawValue)] &+= 1
        let durations = request.durations
        Self.add(durations.total, to: &cells, at: Self.start(of: request.endpoint))
        Self.add(durations.receiving, .receive, to: &cells)
        Self.add(durations.waitingForCompute, .computeQueue, to: &cells)
        Self.add(durations.waitingForWorker, .workerQueue, to: &cells)
        Self.add(durations.fetching, .fetch, to: &cells)
        Self.add(durations.decoding, .decode, to: &cells)
        Self.add(durations.sending, .send, to: &cells)
    }

    /// Adds the duration of a stage, unless the stage did not take place.
    @inline(__always) private static func add(
        _ nanoseconds: UInt64,
        _ stage: RequestStage,
        to cells: inout MutableSpan<UInt64>
    ) {
        if nanoseconds > 0 { add(nanoseconds, to: &cells, at: start(of: stage)) }
    }

    @inline(__always) private static func add(
        _ nanoseconds: UInt64,
        to cells: inout MutableSpan<UInt64>,
        at start: Int
    ) {
        cells[start &+ DurationBuckets.index(ofNanoseconds: nanoseconds)] &+= 1
        cells[start &+ DurationBuckets.count] &+= nanoseconds
    }

    private static func start(of endpoint: Endpoint) -> Int {
        Layout.endpoints &+ Int(endpoint.rawValue) &* Layout.histogram
    }

    private static func start(of stage: RequestStage) -> Int {
        Layout.stages &+ Int(stage.rawValue) &* Layout.histogram
    }

    mutating func merge(_ other: borrowing RequestCounts) {
        requests.merge(other.requests)
        for index in cells.indices { cells[index] &+= other.cells[index] }
    }

    // MARK: Reading

    /// The number of bytes of content that were received.
    var receivedBytes: UInt64 { cells[Layout.received] }

    /// The number of bytes of content that were sent.
    var sentBytes: UInt64 { cells[Layout.sent] }

    func requests(on lane: Lane) -> UInt64 { cells[Layout.lanes + Int(lane.rawValue)] }

    func requests(endingWith end: ConnectionEnd) -> UInt64 { cells[Layout.ends + Int(end.rawValue)] }

    /// Returns the durations of the requests to `endpoint`, from the end of the head to the end of the exchange.
    func durations(of endpoint: Endpoint) -> DurationHistogram { histogram(at: Self.start(of: endpoint)) }

    /// Returns the durations of `stage` in the requests in which it took place.
    func durations(of stage: RequestStage) -> DurationHistogram { histogram(at: Self.start(of: stage)) }

    private func histogram(at start: Int) -> DurationHistogram {
        DurationHistogram(
            buckets: Array(cells[start..<start + DurationBuckets.count]),
            nanoseconds: cells[start + DurationBuckets.count]
        )
    }
}

struct DurationHistogram: Equatable, Sendable {
    /// The number of durations in each of the ``DurationBuckets``, not cumulative.
    var buckets: [UInt64]

    /// The sum of the durations, in nanoseconds.
    var nanoseconds: UInt64

    var count: UInt64 { buckets.reduce(0, &+) }
}

/// A stage of a request. The metrics use its name.
enum RequestStage: UInt8, CaseIterable, Sendable {
    case receive
    case computeQueue
    case workerQueue
    case fetch
    case decode
    case send

    /// The name in metrics.
    var name: StaticString {
        switch self {
        case .receive: "receive"
        case .computeQueue: "compute_queue"
        case .workerQueue: "worker_queue"
        case .fetch: "fetch"
        case .decode: "decode"
        case .send: "send"
        }
    }
}

/// The part of a ``RequestRecord`` that the metrics use.
struct Observation: Sendable {
    var labels: RequestLabels
    var endpoint: Endpoint
    var lane: Lane
    var end: ConnectionEnd
    var receivedBytes: UInt64
    var sentBytes: UInt64
    var durations: StageDurations

    @inline(__always) init(_ record: borrowing RequestRecord) {
        labels = RequestLabels(
            endpoint: record.request.endpoint,
            status: record.response.status,
            serializer: record.response.serializer,
            problem: record.response.problem
        )
        endpoint = record.request.endpoint
        lane = record.response.lane
        end = record.end
        receivedBytes = UInt64(truncatingIfNeeded: record.receivedBytes)
        sentBytes = UInt64(truncatingIfNeeded: record.response.sentBytes)
        durations = record.durations
    }
}
