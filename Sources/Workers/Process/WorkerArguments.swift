/// What a worker is told when it starts, as plain numbers on its command line.
package struct WorkerArguments: Equatable, Sendable {
    /// Process of the service, which it ends with.
    var parent: Int32
    /// Room for content in the shared memory, in bytes.
    var contentBytes: Int
    /// Room for answers in the shared memory, in bytes.
    var answerBytes: Int
    /// All that it may have mapped, in bytes.
    var memoryBytes: Int
    var sandbox: SandboxParts

    init(parent: Int32, configuration: WorkerConfiguration) {
        self.parent = parent
        contentBytes = configuration.maxContentBytes
        answerBytes = configuration.maxAnswerBytes
        memoryBytes = configuration.memoryBytes
        sandbox = configuration.sandbox
    }

    /// Nil where they are not five numbers.
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
