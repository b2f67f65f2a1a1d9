/// The descriptors that a worker starts with.
enum WorkerDescriptor {
    /// Where it may write a few KiB of last words; in place of the standard streams, so that it neither reads nor fills ours.
    static let lastWords: [Int32] = [0, 1, 2]
    static let socket: Int32 = 3
    /// Closed as soon as it is mapped.
    static let memory: Int32 = 4
}
