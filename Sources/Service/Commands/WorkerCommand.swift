internal import ArgumentParser
internal import Platform
internal import Serialization
internal import Workers

/// The worker process of the service. It is internal, and not meant to be invoked directly.
struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Decodes images for the service that starts it.",
        shouldDisplay: false
    )

    @Argument var numbers: [String] = []

    func run() throws {
        guard let arguments = WorkerArguments(parsing: numbers) else {
            throw CommandFailure(usage: "workers are started by the service; see decant serve --help.")
        }
        Heap.configureForWorker()
        WorkerProgram.run(arguments, renderer: PixelRenderer())
    }
}
