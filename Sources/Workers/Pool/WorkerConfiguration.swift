package import Platform

/// The number of workers and their limits. All limits are inclusive.
package struct WorkerConfiguration: Sendable {
    /// The program that a worker runs, and the arguments before the worker's own arguments. By default this program.
    package var executable = "/proc/self/exe"
    package var arguments = ["worker"]

    /// The number of worker processes. Default 1.
    package var workers = 1

    /// The maximum number of jobs that wait for a worker. Further jobs are rejected. Default 64.
    package var maxWaitingJobs = 64

    /// The maximum length of content that is decoded, in bytes. Default 32 MiB.
    package var maxContentBytes = 32 << 20

    /// The maximum length of an answer, in bytes. Default 48 MiB.
    package var maxAnswerBytes = 48 << 20

    /// The maximum size of the address space of a worker, in bytes. Default 512 MiB.
    package var memoryBytes = 512 << 20

    /// The maximum time for one decode, in seconds. Default 10.
    package var decodeTimeSeconds = 10

    /// The number of jobs after which a worker is replaced. Default 100.
    package var maxJobs = 100

    /// The maximum time for the start of a worker, after which it is killed and its start has failed. Default 2 s.
    ///
    /// After each late worker, the time for the next one is doubled, up to four times this value, so that a machine
    /// that is too busy to start a worker in time still gets its workers.
    package var startTimeout: Duration = .seconds(2)

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

    /// Whether pixels are decoded even if the system has no seccomp. Default false.
    package var allowsUnsandboxed = false

    package init() {}

    /// The maximum memory that one decode may allocate, in bytes: half of ``memoryBytes``, but at most the part that
    /// the content, the answer and ``baseBytes`` leave.
    var maxDecodeBytes: Int {
        max(0, min(memoryBytes / 2, memoryBytes - maxContentBytes - maxAnswerBytes - Self.baseBytes))
    }

    /// The memory that a worker has mapped before its first job, without the shared memory. The measured value is 30
    /// MB.
    private static let baseBytes = 40 << 20
}
