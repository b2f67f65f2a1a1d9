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

    init(parent: Int32, configuration: WorkerConfiguration) {
        self.parent = parent
        contentBytes = configuration.maxContentBytes
        answerBytes = configuration.maxAnswerBytes
        memoryBytes = configuration.memoryBytes
        sandbox = configuration.sandbox
        niceness = configuration.niceness
    }

    /// Returns `nil` unless `texts` are six numbers.
    package init?(parsing texts: [String]) {
        let numbers = texts.compactMap { Int($0) }
        guard numbers.count == 6, texts.count == 6, let parent = Int32(exactly: numbers[0]),
            let parts = UInt32(exactly: numbers[4]), let niceness = Int32(exactly: numbers[5])
        else { return nil }
        self.parent = parent
        contentBytes = numbers[1]
        answerBytes = numbers[2]
        memoryBytes = numbers[3]
        sandbox = SandboxParts(rawValue: parts)
        self.niceness = niceness
    }

    var texts: [String] {
        [Int(parent), contentBytes, answerBytes, memoryBytes, Int(sandbox.rawValue), Int(niceness)].map(String.init)
    }
}
