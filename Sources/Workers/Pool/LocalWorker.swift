package import Logging
package import Serialization

/// One worker for a program of one thread, started by the first image that needs one.
package final class LocalWorker: ImageRenderer {
    private let slot: WorkerSlot

    package init(_ configuration: WorkerConfiguration, log: Logger) {
        slot = WorkerSlot(configuration, log: WorkerLog(log))
    }

    package func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
        try slot.render(content, request)
    }
}
