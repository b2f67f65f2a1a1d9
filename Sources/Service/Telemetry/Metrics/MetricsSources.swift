internal import Flights
internal import Platform

/// The objects and functions that provide the figures of ``MetricsEndpoint``. Metrics whose source is `nil` are
/// omitted.
///
/// The functions are called on an HTTP thread. They must return within a millisecond, and must not wait for a lane.
struct MetricsSources: Sendable {
    /// The metrics of requests, and the figures of the server.
    var telemetry: Telemetry?

    /// The number of requests in the queue of the compute lane.
    var waitingForCompute: (@Sendable () -> Int)?

    /// The number of log lines that were dropped since the start.
    var droppedLogLines: (@Sendable () -> Int)?

    /// The profiles, whose reloads are counted if there is a file.
    var profiles: ProfileRegistry?

    /// The counts of fetches, and the cache; `nil` if fetching is disabled.
    var fetching: Fetching?

    struct Fetching: Sendable {
        var metrics: FetchMetrics
        var cache: ResponseCache
        /// The fields that are added to requests to origins; `nil` if there is no file.
        var credentials: ReloadableFile<CredentialsFile>?
    }

    /// The resources that the process uses.
    var process: (@Sendable () -> ProcessFigures)?
}
