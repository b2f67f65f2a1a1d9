internal import Synchronization

/// What all connections of one ``Daemon`` share.
final class Server: Sendable {
    let application: any Application
    /// Most content of a refused request that is read and dropped, in bytes.
    let maxDiscardedBytes: Int
    let timeLimits: TimeLimits
    let budget: ContentBudget
    let watchdog: Watchdog
    let lanes: Lanes

    private let draining = Atomic<Bool>(false)

    init(
        configuration: DaemonConfiguration,
        application: any Application,
        lanes: Lanes
    ) throws(DaemonError) {
        self.application = application
        self.lanes = lanes
        maxDiscardedBytes = configuration.maxDiscardedBytes
        timeLimits = TimeLimits(configuration)
        budget = ContentBudget(maxBytes: configuration.maxBufferedBytes)
        watchdog = try Watchdog(interval: configuration.watchInterval)
    }

    /// Whether new requests are refused, and connections close after their answer.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func startDraining() {
        draining.store(true, ordering: .relaxed)
    }
}
