/// All errors of a configuration, so that one attempt reports all of them.
struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    enum Problem: Equatable, Sendable {
        /// `source` is the flag or the variable that has the value.
        case notAllowed(source: String, value: String, allowed: String, reason: String? = nil)

        /// There could never be enough memory for content of the maximum size.
        case contentExceedsBuffer(maxContentBytes: Int, maxBufferedBytes: Int)

        /// The cache would be larger after an eviction than before.
        case cacheKeepsMoreThanCapacity(bytesAfterPurge: Int, capacityBytes: Int)

        /// The settings together need more memory than is available (``Configuration/availableBytes``).
        /// - Parameter fetches: whether the sum includes the cache and the fetcher.
        case memoryTooSmall(neededBytes: Int, availableBytes: Int, memoryBytes: Int, fetches: Bool)

        /// The settings together with a single worker need more memory than is available.
        case noMemoryForWorker(neededBytes: Int, availableBytes: Int, memoryBytes: Int, fetches: Bool)
    }

    /// The errors, of which there is at least one.
    var problems: [Problem]

    var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension ConfigurationError.Problem: CustomStringConvertible {
    var description: String {
        switch self {
        case .notAllowed(let source, let value, let allowed, let reason):
            "\(source) is \(shown(value)); it must be \(allowed)\(reason.map { ": \($0)" } ?? "")."
                + kubernetesHint(source: source, value: value)
        case .contentExceedsBuffer(let content, let buffered):
            "max-content-bytes is \(content), which exceeds max-buffered-bytes, \(buffered)."
                + " Lower --max-content-bytes or raise --max-buffered-bytes."
        case .cacheKeepsMoreThanCapacity(let bytes, let capacity):
            "cache-bytes-after-purge is \(bytes), which exceeds cache-capacity-bytes, \(capacity)."
                + " Lower --cache-bytes-after-purge or raise --cache-capacity-bytes."
        case .memoryTooSmall(let needed, let available, let memory, let fetches):
            "max-buffered-bytes,\(fetchingTerms(fetches)) \(Configuration.connectionBytes) bytes for each of "
                + "max-connections and \(Configuration.baseBytes) bytes for the process itself are \(needed) bytes "
                + "in total, more than \(available), which is 80 % of the \(memory) bytes of memory that the service "
                + "may use. Lower --max-buffered-bytes\(fetches ? ", --cache-capacity-bytes" : "") or "
                + "--max-connections, or give it more memory."
        case .noMemoryForWorker(let needed, let available, let memory, let fetches):
            "max-buffered-bytes,\(fetchingTerms(fetches)) \(Configuration.connectionBytes) bytes for each of "
                + "max-connections, worker-memory-bytes of one worker, \(Configuration.factWorkerBytes) bytes for "
                + "each of fact-workers and \(Configuration.baseBytes) bytes for the process itself are \(needed) "
                + "bytes in total, more than \(available), which is 80 % of the "
                + "\(memory) bytes of memory that the service may use. Lower "
                + "--worker-memory-bytes\(fetches ? ", --cache-capacity-bytes" : "") or --max-buffered-bytes, "
                + "give it more memory, or set --workers 0: then images are rejected."
        }
    }

    /// Returns the value in quotation marks, unless it may contain a password, as a URL does before an `@`.
    private func shown(_ value: String) -> String {
        value.contains("@") ? "a text with an '@', which may contain a password" : "'\(value)'"
    }

    private func fetchingTerms(_ fetches: Bool) -> String {
        fetches ? " cache-capacity-bytes, \(Configuration.maxFetcherBytes) bytes for decant-fetcher," : ""
    }

    /// Returns a hint if the variable was set by Kubernetes, which sets `DECANT_PORT` in pods if there is a Service
    /// with the name `decant`.
    private func kubernetesHint(source: String, value: String) -> String {
        source == "DECANT_PORT" && value.hasPrefix("tcp://")
            ? " Kubernetes sets this for a Service named decant; set enableServiceLinks: false in the pod." : ""
    }
}
