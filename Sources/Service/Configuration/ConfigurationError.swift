/// All that is wrong with a configuration, so that one attempt tells everything.
struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    enum Problem: Equatable, Sendable {
        /// `source` is the flag or the variable that has the value.
        case notAllowed(source: String, value: String, allowed: String)

        /// The largest request allowed could never be held.
        case contentExceedsBuffer(maxContentBytes: Int, maxBufferedBytes: Int)

        /// The bounds together need more than the share of the memory that is safe to plan with.
        case memoryTooSmall(neededBytes: Int, availableBytes: Int, memoryBytes: Int)

        /// The same with a single worker.
        case noRoomForWorker(neededBytes: Int, availableBytes: Int, memoryBytes: Int)
    }

    /// Never empty.
    var problems: [Problem]

    var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

extension ConfigurationError.Problem: CustomStringConvertible {
    var description: String {
        switch self {
        case .notAllowed(let source, let value, let allowed):
            "\(source) is '\(value)'; it must be \(allowed).\(kubernetesHint(source: source, value: value))"
        case .contentExceedsBuffer(let content, let buffered):
            "max-content-bytes is \(content) and max-buffered-bytes \(buffered): the largest content would never fit."
                + " Lower --max-content-bytes or raise --max-buffered-bytes."
        case .memoryTooSmall(let needed, let available, let memory):
            "max-buffered-bytes, \(Configuration.connectionBytes) bytes for each of max-connections and"
                + " \(Configuration.baseBytes) bytes for the process itself make \(needed) bytes, more than \(available), which is"
                + " 80 % of the \(memory) bytes of memory that the service may use."
                + " Lower --max-buffered-bytes or --max-connections, or give it more memory."
        case .noRoomForWorker(let needed, let available, let memory):
            "max-buffered-bytes, \(Configuration.connectionBytes) bytes for each of max-connections, worker-memory-bytes of one"
                + " worker and \(Configuration.baseBytes) bytes for the process itself make \(needed) bytes, more than \(available), which is 80 % of the \(memory) bytes of memory that"
                + " the service may use. Lower --worker-memory-bytes or --max-buffered-bytes, give it more memory, or set"
                + " --workers 0: then no image is decoded."
        }
    }

    /// Kubernetes sets `DECANT_PORT` itself in the pods beside a Service named `decant`.
    private func kubernetesHint(source: String, value: String) -> String {
        source == "DECANT_PORT" && value.hasPrefix("tcp://")
            ? " Kubernetes sets this for a Service named decant; set enableServiceLinks: false in the pod." : ""
    }
}
