internal import Serialization
internal import Workers

/// The parts of the service that its endpoints use. No part has a default, so that none can be forgotten.
struct ServiceParts {
    /// The maximum limits; a request may lower them.
    var limits: Limits
    var readiness: Readiness
    /// The processes that decode images; `nil` if there are none.
    var workers: WorkerPool?
    /// Whether there are no workers because there is not enough memory.
    var lacksMemoryForWorkers: Bool
    var profiles: ProfileRegistry
    /// Requests resources of origins; `nil` if that is disabled.
    var fetch: FetchService?
    /// The settings of images that are requested.
    var images: ImageSettings
    /// Decides which requests are permitted.
    var access: AccessControl
    /// The sources of the metrics, apart from `readiness`, `workers` and `access`.
    var metrics: MetricsSources

    /// Creates the serializers of the endpoints with options for this purpose.
    func configuredSerializer(for purpose: OptionPurpose) -> ConfiguredSerializer {
        // Each lane passes its own renderer. This one only indicates that pixels are available.
        let renderer = workers.map { _ in RejectingRenderer(.sandboxUnavailable) }
        return ConfiguredSerializer(limits: limits, renderer: renderer, purpose: purpose, profiles: profiles)
    }
}
