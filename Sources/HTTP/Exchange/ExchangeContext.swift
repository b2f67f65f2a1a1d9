internal import Synchronization

/// The state that all exchanges of one ``HTTPServer`` share.
final class ExchangeContext: Sendable {
    let application: any Application
    /// The maximum size of rejected content that is read and discarded, in bytes.
    let maxDiscardedBytes: Int
    /// The size from which responses are compressed, in bytes; 0 if no response is compressed.
    let gzipResponsesAboveBytes: Int
    let timeLimits: TimeLimits
    let account: MemoryAccount
    let lanes: any LaneScheduler
    let observer: (any ServerObserver)?

    private let draining = Atomic<Bool>(false)

    init(
        configuration: HTTPServerConfiguration,
        application: any Application,
        lanes: any LaneScheduler,
        observer: (any ServerObserver)? = nil,
        account: MemoryAccount? = nil
    ) {
        self.application = application
        self.lanes = lanes
        self.observer = observer
        maxDiscardedBytes = configuration.maxDiscardedBytes
        gzipResponsesAboveBytes = configuration.content.gzipAboveBytes
        timeLimits = TimeLimits(configuration)
        self.account = account ?? MemoryAccount(maxBytes: configuration.content.maxBufferedBytes)
    }

    /// Whether each connection is closed after its next response.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func startDraining() { draining.store(true, ordering: .relaxed) }
}
