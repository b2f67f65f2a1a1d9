import Glibc

/// Threads for blocking work. Their stacks are small, because a test may open thousands of connections.
enum WorkerThread {
    /// The size of a stack in bytes. Unoptimized code uses less than a tenth of it.
    private static let stackBytes = 512 * 1024

    /// Starts a detached thread that runs `work`.
    static func start(_ work: @escaping @Sendable () -> Void) throws(OriginError) {
        // Not a variable: two modules contain the initializer of its type if another file imports Foundation.
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        defer { pthread_attr_destroy(attributes) }
        pthread_attr_setstacksize(attributes, stackBytes)
        pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        let body = Unmanaged.passRetained(Body(work: work))
        var thread = pthread_t()
        let result = pthread_create(&thread, attributes, Self.main, body.toOpaque())
        guard result == 0 else {
            body.release()
            throw .system("pthread_create", result)
        }
    }

    private final class Body: Sendable {
        let work: @Sendable () -> Void

        init(work: @escaping @Sendable () -> Void) {
            self.work = work
        }
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        context.map { Unmanaged<Body>.fromOpaque($0).takeRetainedValue() }?.work()
        return nil
    }
}
