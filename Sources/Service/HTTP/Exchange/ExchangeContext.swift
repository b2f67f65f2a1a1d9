internal import Synchronization

/// What all exchanges of one ``HTTPServer`` share.
final class ExchangeContext: Sendable {
    let application: any Application
    /// The maximum size of rejected content that is read and dropped, in bytes.
    let maxDiscardedBytes: Int
    let timeLimits: TimeLimits
    let budget: ContentBudget
    let lanes: Lanes

    private let draining = Atomic<Bool>(false)

    init(configuration: HTTPServerConfiguration, application: any Application, lanes: Lanes) {
        self.application = application
        self.lanes = lanes
        maxDiscardedBytes = configuration.maxDiscardedBytes
        timeLimits = TimeLimits(configuration)
        budget = ContentBudget(maxBytes: configuration.maxBufferedBytes)
    }

    /// Whether connections are closed after their next response.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func startDraining() {
        draining.store(true, ordering: .relaxed)
    }
}
