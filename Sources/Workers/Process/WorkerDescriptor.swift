/// The descriptors that a worker starts with, after those of a ``ChildProcess``.
enum WorkerDescriptor {
    static let socket: Int32 = 3
    /// The shared memory. It is closed as soon as it is mapped.
    static let memory: Int32 = 4
}
