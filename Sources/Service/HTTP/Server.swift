internal import Synchronization

/// What all connections of one ``Daemon`` share.
final class Server: Sendable {
    let application: any Application
    let configuration: DaemonConfiguration
    let budget: ContentBudget
    let watchdog: Watchdog

    private let draining = Atomic<Bool>(false)

    init(configuration: DaemonConfiguration, application: any Application) throws(DaemonError) {
        self.application = application
        self.configuration = configuration
        budget = ContentBudget(maxBytes: configuration.maxBufferedBytes)
        watchdog = try Watchdog(interval: configuration.watchInterval)
    }

    /// Whether new requests are refused, and connections close after their answer.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func startDraining() {
        draining.store(true, ordering: .relaxed)
    }
}
