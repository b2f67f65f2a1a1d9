internal import HTTP
internal import Serialization
internal import Workers

/// The parts of the service that its endpoints use. No part has a default, so that none can be forgotten.
struct ServiceParts {
    var readiness: Readiness
    var options: Options
    var workers: Workers
    var fetching: Fetching
    /// Decides which requests are permitted.
    var access: AccessControl
    /// The sources of the metrics, apart from `readiness`, `workers` and `access`.
    var metrics: MetricsSources

    /// The configuration of the endpoints.
    struct Options {
        /// The maximum limits; a request may lower them.
        var limits: Limits
        var profiles: ProfileRegistry
        /// Whether a request in the direct form must give the status of the upstream response.
        var requiresUpstreamStatus: Bool
        /// The pages for people at `/` and `/docs`; `nil` if there are none.
        var pages: ServicePages?
    }

    /// The processes that read images.
    struct Workers {
        /// Those that read facts; `nil` if there are none.
        var facts: WorkerPool?
        /// Those that decode pixels; `nil` if there are none.
        var pixels: WorkerPool?
        /// Whether there are none for pixels because there is not enough memory.
        var lackMemory: Bool

        /// The pools with the lanes that they serve.
        var pools: [(lane: Lane, pool: WorkerPool)] {
            [(Lane.facts, facts), (.pixels, pixels)].compactMap { lane, pool in pool.map { (lane, $0) } }
        }
    }

    struct Fetching {
        /// Requests resources of origins; `nil` if that is disabled.
        var service: FetchService?
        /// The settings of images that are requested.
        var images: ImageSettings
    }

    /// Creates the serializers of the endpoints with options for this purpose.
    func configuredSerializer(for purpose: OptionPurpose) -> ConfiguredSerializer {
        ConfiguredSerializer(limits: options.limits, purpose: purpose, profiles: options.profiles)
    }
}
