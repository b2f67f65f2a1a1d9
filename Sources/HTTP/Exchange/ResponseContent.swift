internal import CMicroHTTPD
package import Primitives

/// The content of a response.
package enum ResponseContent: ~Copyable, Sendable {
    /// A buffer of which the library takes ownership.
    case buffer(OutputBuffer)

    /// Buffers that several responses share, in order. At most ``maxSharedBuffers`` are sent without a copy.
    case shared([SharedBytes])

    /// The maximum number of shared buffers that are sent without a copy. The library keeps a list of them in the small
    /// memory of the connection.
    static let maxSharedBuffers = CMHD_MAX_SLICES

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
        case .shared(let buffers): buffers.reduce(0) { $0 + $1.count }
        }
    }
}
