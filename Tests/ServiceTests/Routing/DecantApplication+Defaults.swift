import Serialization

@testable import Service
@testable import Workers

extension DecantApplication {
    /// An application whose parts are the smallest, apart from the given ones.
    convenience init(
        readiness: Readiness,
        workers: WorkerPool? = nil,
        factWorkers: WorkerPool? = nil,
        lacksMemoryForWorkers: Bool = false,
        access: AccessControl = .unrestricted,
        metrics: MetricsSources = MetricsSources(),
        _ change: (inout ServiceParts) -> Void = { _ in }
    ) {
        var parts = ServiceParts(
            readiness: readiness,
            options: ServiceParts.Options(
                limits: Limits(),
                profiles: .builtIn,
                requiresUpstreamStatus: false,
                pages: .embedded
            ),
            workers: ServiceParts.Workers(
                facts: factWorkers,
                pixels: workers,
                lackMemory: lacksMemoryForWorkers
            ),
            fetching: ServiceParts.Fetching(service: nil, images: ImageSettings()),
            access: access,
            metrics: metrics
        )
        change(&parts)
        self.init(parts, listener: .only)
    }
}
