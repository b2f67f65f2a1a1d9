internal import Glibc
internal import Images
internal import Platform
internal import Serialization
internal import Workers

/// The program `decant-worker`: it reads images for the service that starts it, in a sandbox.
///
/// Its arguments are ``WorkerArguments``. It is internal, and not meant to be invoked directly.
@main enum WorkerProgram {
    static func main() {
        let texts = Array(CommandLine.arguments.dropFirst())
        guard let arguments = WorkerArguments(parsing: texts) else {
            // Standard error is memory that the service reads after the end, or the terminal of a person.
            let words = "decant-worker: decant starts this program; it is not meant to be invoked directly"
            _ = try? FileDescriptor.standardError().writeLine(words)
            exit(2)
        }
        Heap.configureForWorker()
        let reader =
            arguments.decodesPixels
            ? ImageContentReader(renderer: PixelRenderer(maxMemoryBytes: arguments.maxDecodeBytes))
            : ImageContentReader(renderer: DeferringRenderer.shared)
        WorkerLoop.run(arguments, reader: reader) { WarmUp.run(reader) }
    }
}
