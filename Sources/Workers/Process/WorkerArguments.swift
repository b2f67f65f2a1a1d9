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

    init(parent: Int32, configuration: WorkerConfiguration) {
        self.parent = parent
        contentBytes = configuration.maxContentBytes
        answerBytes = configuration.maxAnswerBytes
        memoryBytes = configuration.memoryBytes
        sandbox = configuration.sandbox
    }

    /// Returns `nil` unless `texts` are five numbers.
    package init?(parsing texts: [String]) {
        let numbers = texts.compactMap { Int($0) }
        guard numbers.count == 5, texts.count == 5, let parent = Int32(exactly: numbers[0]),
            let parts = UInt32(exactly: numbers[4])
        else { return nil }
        self.parent = parent
        contentBytes = numbers[1]
        answerBytes = numbers[2]
        memoryBytes = numbers[3]
        sandbox = SandboxParts(rawValue: parts)
    }

    var texts: [String] {
        [Int(parent), contentBytes, answerBytes, memoryBytes, Int(sandbox.rawValue)].map(String.init)
    }
}
