import Serialization

@testable import Service
@testable import Workers

extension DecantApplication {
    /// An application whose parts are the smallest, apart from the given ones.
    convenience init(
        readiness: Readiness,
        workers: WorkerPool? = nil,
        lacksMemoryForWorkers: Bool = false,
        access: AccessControl = .unrestricted,
        metrics: MetricsSources = MetricsSources(),
        _ change: (inout ServiceParts) -> Void = { _ in }
    ) {
        var parts = ServiceParts(
            limits: Limits(),
            readiness: readiness,
            workers: workers,
            lacksMemoryForWorkers: lacksMemoryForWorkers,
            profiles: .builtIn,
            fetch: nil,
            images: ImageSettings(),
            access: access,
            metrics: metrics
        )
        change(&parts)
        self.init(parts, listener: .only)
    }
}
