package import Platform

/// The number of workers and their limits. All limits are inclusive.
package struct WorkerConfiguration: Sendable {
    /// The program that a worker runs. By default `decant-worker` in the folder of this program.
    package var executable = Self.defaultExecutable

    /// The arguments before those of the worker, for tests. Default none.
    package var arguments: [String] = []

    /// The number of worker processes.
    package var workers: Int

    /// The maximum number of jobs that wait for a worker. Further jobs are rejected.
    package var maxWaitingJobs: Int

    /// The maximum lengths of content and of an answer.
    package var maxLengths: Lengths

    /// The maximum size of the address space of a worker, in bytes.
    package var memoryBytes: Int

    /// The maximum time for one decode, in seconds.
    package var decodeTimeSeconds: Int

    /// The number of jobs after which a worker is replaced. Default 100.
    package var maxJobs = 100

    /// Whether the workers decode pixels. Others read facts. Default `true`.
    package var decodesPixels = true

    /// The increment of the nice value of a worker relative to the service, whose threads take precedence under load.
    /// Default 5.
    package var niceness: Int32 = 5

    /// The maximum time for the start of a worker, after which it is killed and its start has failed. Default 2 s.
    ///
    /// After each late worker, the time for the next one is doubled, up to four times this value, so that a machine
    /// that is too busy to start a worker in time still gets its workers.
    package var startTimeout: Duration = .seconds(2)

    /// The maximum number of starts for a job that has begun. If it is one, the job does not wait for the time of the
    /// next start. Default as many as fit into ``startTimeout``.
    var maxStarts = Int.max

    /// The delay after the first start without seccomp. It doubles after each further one, up to 30 times this value.
    /// Default 1 s.
    package var sandboxRetryInterval: Duration = .seconds(1)

    /// The interval at which an idle worker is checked. Default 0.1 s.
    package var watchInterval: Duration = .milliseconds(100)

    /// The amount of shared memory that is kept between jobs, in bytes. Pages beyond it are returned to the system.
    /// Default 4 MiB.
    package var maxIdleBytes = 4 << 20

    /// The parts of the sandbox that are requested. Default all.
    package var sandbox = SandboxParts.all

    /// Whether pixels are decoded even if the system has no seccomp.
    package var allowsUnsandboxed: Bool

    /// Maximum lengths, in bytes, inclusive.
    package struct Lengths: Sendable {
        /// The length of content that is decoded.
        package var content: Int
        /// The length of an answer.
        package var answer: Int

        package init(content: Int, answer: Int) {
            self.content = content
            self.answer = answer
        }
    }

    /// Everything that depends on settings of the service has no default here, so that no setting can be forgotten.
    package init(
        workers: Int,
        memoryBytes: Int,
        decodeTimeSeconds: Int,
        allowsUnsandboxed: Bool,
        maxWaitingJobs: Int,
        maxLengths: Lengths
    ) {
        self.workers = workers
        self.memoryBytes = memoryBytes
        self.decodeTimeSeconds = decodeTimeSeconds
        self.allowsUnsandboxed = allowsUnsandboxed
        self.maxWaitingJobs = maxWaitingJobs
        self.maxLengths = maxLengths
    }

    package static let defaultExecutable = ChildProcess.programBeside("decant-worker")
}
