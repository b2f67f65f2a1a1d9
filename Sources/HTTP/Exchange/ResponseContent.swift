package import Primitives

package enum ResponseContent: ~Copyable, Sendable {
    /// A buffer of which the library takes ownership.
    case buffer(OutputBuffer)

    /// Content that several responses have.
    case shared(SharedContent)

    /// The number of bytes for which nothing else pays (``SharedContent/ownBytes``).
    var ownBytes: Int {
        switch self {
        case .buffer(let buffer): buffer.count
        case .shared(let content): content.ownBytes
        }
    }

    /// Whether other responses have the same content.
    package var isShared: Bool {
        switch self {
        case .shared: true
        case .buffer: false
        }
    }

    /// The size in bytes.
    package var count: Int {
        switch self {
        case .buffer(let buffer): buffer.count
        case .shared(let content): content.count
        }
    }
}
