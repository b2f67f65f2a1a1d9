internal import Serialization
internal import Workers

extension WorkerConfiguration {
    /// The workers that decode pixels.
    static func pixels(_ configuration: Configuration) -> WorkerConfiguration {
        let memoryBytes = configuration.workerMemoryBytes
        return WorkerConfiguration(
            workers: configuration.workers,
            memoryBytes: memoryBytes,
            decodeTimeSeconds: configuration.decodeTimeSeconds,
            allowsUnsandboxed: configuration.allowUnsandboxed,
            maxWaitingJobs: Lanes.maxWaitingJobs,
            maxLengths: Lengths(
                // At least half of the memory remains for the decoding itself.
                content: min(configuration.limits.maxContentBytes, memoryBytes / 4),
                // Thumbnails are written in Base64, with four bytes for three.
                answer: min(configuration.limits.maxOutputBytes / 4 * 3, memoryBytes / 8)
            )
        )
    }

    /// The workers that read facts, of content of any permitted length, encoded or not.
    ///
    /// Only readers in Swift read its structure, so such a worker lives longer: after 10 000 jobs, its start costs
    /// little per job. It has the priority of the service, because its jobs are short: it must not compete with those
    /// that decode pixels.
    static func facts(_ configuration: Configuration) -> WorkerConfiguration {
        let content = max(configuration.limits.maxContentBytes, configuration.limits.maxDecodedBytes)
        let answer = min(configuration.limits.maxOutputBytes, maxFactsBytes)
        var facts = WorkerConfiguration(
            workers: configuration.factWorkers,
            memoryBytes: content + answer + factsBaseBytes,
            decodeTimeSeconds: configuration.decodeTimeSeconds,
            allowsUnsandboxed: configuration.allowUnsandboxed,
            maxWaitingJobs: Lanes.maxWaitingJobs,
            maxLengths: Lengths(content: content, answer: answer)
        )
        facts.maxJobs = 10_000
        facts.niceness = 0
        facts.decodesPixels = false
        return facts
    }

    /// The maximum length of the facts of an image, in bytes.
    private static let maxFactsBytes = ImageRecord.maxJSONBytes

    /// The address space of a worker for facts besides content and answer, in bytes: 58 MiB of code and data of
    /// libraries, which are hardly used; up to 16 MiB of metadata; and JSON of the maximum length, while its buffer
    /// grows and it is copied into the answer.
    private static let factsBaseBytes = 144 << 20
}
