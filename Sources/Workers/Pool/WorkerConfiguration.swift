/// How many workers there are, and what each may take. All limits are inclusive.
package struct WorkerConfiguration: Sendable {
    /// The program that a worker runs, and what stands before the worker's own arguments. By default this one.
    package var executable = "/proc/self/exe"
    package var arguments = ["worker"]

    /// Processes. Default 1.
    package var workers = 1

    /// Jobs that wait for a worker; one more is refused. Default 64.
    package var maxWaitingJobs = 64

    /// Longest content that is decoded, in bytes. Default 32 MiB.
    package var maxContentBytes = 32 << 20

    /// Longest answer, in bytes. Default 48 MiB.
    package var maxAnswerBytes = 48 << 20

    /// All that a worker may have mapped, in bytes. Default 512 MiB.
    package var memoryBytes = 512 << 20

    /// How long one decode may take, in seconds. Default 10.
    package var decodeTimeSeconds = 10

    /// Jobs after which a worker is replaced. Default 100.
    package var maxJobs = 100

    /// The time that a worker may take to be ready; then it is killed, and its start has failed. Default 2 s.
    ///
    /// After each worker that was late the next one has twice the time, up to four times this value: a machine that is too busy to
    /// start a worker in time still gets its workers.
    package var startTimeout: Duration = .seconds(2)

    /// The pause after the first start without seccomp. It doubles after each further one, up to 30 times this value. Default 1 s.
    package var sandboxRetryInterval: Duration = .seconds(1)

    /// How often a worker that has nothing to do is looked at. Default 0.1 s.
    package var watchInterval: Duration = .milliseconds(100)

    /// Shared memory that a job used beyond this goes back to the system after it, in bytes. Default 4 MiB.
    package var maxIdleBytes = 4 << 20

    /// What a worker tries to give up. Default all.
    package var sandbox = SandboxParts.all

    /// Whether pixels are decoded where the system has no seccomp. Default false.
    package var allowsUnsandboxed = false

    package init() {}

    /// What a decode may take besides: half of a worker's memory, and never what is not there.
    var maxDecodeBytes: Int {
        max(0, min(memoryBytes / 2, memoryBytes - maxContentBytes - maxAnswerBytes - Self.baseBytes))
    }

    /// What a worker has mapped before its first job, shared memory aside, with some room: 30 MB were measured.
    private static let baseBytes = 40 << 20
}
