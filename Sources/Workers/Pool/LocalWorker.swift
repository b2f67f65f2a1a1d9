package import Logging
package import Serialization
internal import Synchronization

/// A single worker, which is started by the first image that needs it. Further images wait for it.
package final class LocalWorker: ImageReader {
    private let supervisor: WorkerSupervisor
    private let oneAtATime = Mutex(())
    private let onFailedStarts: (@Sendable () -> Never)?

    /// The number of starts before ``onFailedStarts`` is called. They take two seconds, unless the worker is late.
    private static let maxStarts = 8

    /// - Parameter onFailedStarts: Called if the worker could not be started several times. If it is `nil`, an image is
    ///   rejected after one start.
    package init(
        _ configuration: WorkerConfiguration,
        log: Logger,
        onFailedStarts: (@Sendable () -> Never)? = nil
    ) {
        var configuration = configuration
        // There is no other worker and no queue: on a busy machine it is better to wait for this one.
        configuration.startTimeout = max(configuration.startTimeout, .seconds(10))
        configuration.maxStarts = onFailedStarts == nil ? 1 : Self.maxStarts
        self.onFailedStarts = onFailedStarts
        supervisor = WorkerSupervisor(configuration, log: WorkerLog(log))
    }

    package func read(_ content: Span<UInt8>, _ orders: [ImageOrder]) -> [Result<ImageRecord, ImageRejection>] {
        oneAtATime.withLock { _ in
            let results = supervisor.read(content, orders)
            if supervisor.condition.failure == .cannotStart { onFailedStarts?() }
            return results
        }
    }
}
