internal import Platform

/// The arguments of a worker process: plain numbers on its command line.
package struct WorkerArguments: Equatable, Sendable {
    /// The process ID of the service. The worker ends with it.
    var parent: Int32
    /// The capacity for content in the shared memory, in bytes.
    var contentBytes: Int
    /// The capacity for answers in the shared memory, in bytes.
    var answerBytes: Int
    /// The maximum size of the worker's address space, in bytes.
    var memoryBytes: Int
    var sandbox: SandboxParts
    /// The increment of the nice value.
    var niceness: Int32
    /// Whether the worker decodes pixels. Otherwise it rejects images that need pixels as deferred.
    package var decodesPixels: Bool

    init(parent: Int32, configuration: WorkerConfiguration) {
        self.parent = parent
        contentBytes = configuration.maxLengths.content
        answerBytes = configuration.maxLengths.answer
        memoryBytes = configuration.memoryBytes
        sandbox = configuration.sandbox
        niceness = configuration.niceness
        decodesPixels = configuration.decodesPixels
    }

    /// Returns `nil` unless `texts` are seven numbers.
    package init?(parsing texts: [String]) {
        let numbers = texts.compactMap { Int($0) }
        guard numbers.count == 7, texts.count == 7, let parent = Int32(exactly: numbers[0]),
            let parts = UInt32(exactly: numbers[4]), let niceness = Int32(exactly: numbers[5])
        else { return nil }
        self.parent = parent
        contentBytes = numbers[1]
        answerBytes = numbers[2]
        memoryBytes = numbers[3]
        sandbox = SandboxParts(rawValue: parts)
        self.niceness = niceness
        decodesPixels = numbers[6] != 0
    }

    var texts: [String] {
        [
            Int(parent), contentBytes, answerBytes, memoryBytes, Int(sandbox.rawValue), Int(niceness),
            decodesPixels ? 1 : 0,
        ].map(String.init)
    }

    /// The maximum memory that one decode may allocate, in bytes: half of ``memoryBytes``, but at most the part that
    /// the content, the answer and ``baseBytes`` leave.
    package var maxDecodeBytes: Int {
        max(0, min(memoryBytes / 2, memoryBytes - contentBytes - answerBytes - Self.baseBytes))
    }

    /// The memory that a worker may have mapped before its first job, without the shared memory.
    private static let baseBytes = 40 << 20
}
