internal import Glibc
internal import Platform
package import Serialization

/// The work of a worker process: it drops all privileges that it does not need, and executes jobs until the service
/// ends. `decant-worker` does this with the readers of images, and a worker for tests with one that fails on command.
package enum WorkerLoop {
    /// Runs the loop on the only thread of its process, and ends the process.
    /// - Parameter prepare: called before the sandbox is entered. Everything that `reader` loads, queries or
    ///   initializes lazily must be available afterwards.
    package static func run(
        _ arguments: WorkerArguments,
        reader: some ImageReader,
        preparing prepare: () -> Void = {}
    ) -> Never {
        run(arguments, preparing: prepare) { content, orders in
            WorkerAnswer(reader.read(content, orders)).wire(maxBytes: arguments.answerBytes)
        }
    }

    /// Runs the loop with a function that returns the bytes of an answer.
    package static func run(
        _ arguments: WorkerArguments,
        preparing prepare: () -> Void = {},
        answer: (Span<UInt8>, [ImageOrder]) -> [UInt8]
    ) -> Never {
        if arguments.niceness > 0 { Thread.lowerPriority(by: arguments.niceness) }
        let bound = arguments.sandbox.contains(.parentBound) ? Sandbox.bind(toParent: arguments.parent) : []
        if arguments.sandbox.contains(.parentBound), bound.isEmpty { exit(status: .orphan) }
        guard let layout = RegionLayout(contentBytes: arguments.contentBytes, answerBytes: arguments.answerBytes) else {
            exit(status: .misuse)
        }
        let region: SharedRegion
        do {
            region = try mapSharedMemory(layout)
        } catch { exit(status: .misuse) }
        prepare()
        let parts = Sandbox.enter(
            arguments.sandbox,
            socket: WorkerDescriptor.socket,
            addressBytes: arguments.memoryBytes
        )
        let socket = MessageSocket(FileDescriptor(owning: WorkerDescriptor.socket, name: "socket"))
        guard socket.send(.ready(bound.union(parts))) else { exit(status: .orphan) }
        // From here on, only the system calls that the filter allows are possible.
        while case .job(let number, let contentBytes, let requestBytes) = socket.receive() {
            let bytes = Self.answer(contentBytes: Int(contentBytes), requestBytes: Int(requestBytes), region, answer)
            guard bytes.count <= layout.answer.count else { exit(status: .answerTooLong) }
            region.write(bytes.span, to: layout.answer)
            guard socket.send(.answer(number: number, answerBytes: UInt32(bytes.count))) else { exit(status: .orphan) }
        }
        exit(status: .done)
    }

    /// Maps the shared memory, and closes its descriptor. The mapping outlives it.
    ///
    /// This is a function because the compiler does not end the lifetime of a descriptor in
    /// ``run(_:reader:preparing:)``, which never returns.
    private static func mapSharedMemory(_ layout: RegionLayout) throws(SystemError) -> SharedRegion {
        let memory = FileDescriptor(owning: WorkerDescriptor.memory, name: "shared memory")
        return try SharedRegion(mapping: memory.number, layout: layout)
    }

    private static func answer(
        contentBytes: Int,
        requestBytes: Int,
        _ region: borrowing SharedRegion,
        _ answer: (Span<UInt8>, [ImageOrder]) -> [UInt8]
    ) -> [UInt8] {
        let layout = region.layout
        guard contentBytes <= layout.content.count, requestBytes <= layout.request.count else { exit(status: .misuse) }
        let orders: [ImageOrder]
        do {
            orders = try [ImageOrder](wire: region.copy(requestBytes, of: layout.request))
        } catch { exit(status: .misuse) }
        return region.withBytes(contentBytes, of: layout.content) { answer($0, orders) }
    }

    /// The exit status of a worker that is not killed.
    private enum Status: Int32 {
        case done = 0
        /// The arguments, or those of a job, are invalid.
        case misuse = 2
        /// The service has ended.
        case orphan = 3
        case answerTooLong = 4
    }

    /// Ends the process with exit_group(2): no handlers are called, and no buffers are flushed.
    private static func exit(status: Status) -> Never { _exit(status.rawValue) }
}
