package import Logging
package import Serialization
internal import Synchronization

/// A single worker, which is started by the first image that needs it. Further images wait for it. If it cannot be
/// started, the image is rejected at once: nothing will change while a command runs.
package final class LocalWorker: ImageReader {
    private let supervisor: WorkerSupervisor
    private let oneAtATime = Mutex(())

    package init(_ configuration: WorkerConfiguration, log: Logger) {
        var configuration = configuration
        // There is no other worker and no queue: on a busy machine it is better to wait for this one.
        configuration.startTimeout = max(configuration.startTimeout, .seconds(10))
        configuration.repeatsFailedStarts = false
        supervisor = WorkerSupervisor(configuration, log: WorkerLog(log))
    }

    package func read(_ content: Span<UInt8>, _ orders: [ImageOrder]) -> [Result<ImageRecord, ImageRejection>] {
        oneAtATime.withLock { _ in supervisor.read(content, orders) }
    }
}
