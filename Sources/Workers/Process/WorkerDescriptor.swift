/// The descriptors that a worker starts with.
enum WorkerDescriptor {
    /// The standard streams. They refer to memory of a few KiB, so that the worker neither reads nor fills those of the service.
    static let lastWords: [Int32] = [0, 1, 2]
    static let socket: Int32 = 3
    /// The shared memory. It is closed as soon as it is mapped.
    static let memory: Int32 = 4
}
