internal import Images
internal import Serialization

/// The result of one job.
enum WorkerAnswer: Equatable, Sendable {
    case rendering(Rendering)
    case error(RenderingError)

    var wire: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .rendering(let rendering):
            writer.byte(0)
            rendering.write(to: &writer)
        case .error(let error):
            writer.byte(1)
            error.write(to: &writer)
        }
        return writer.bytes
    }

    /// Reads an untrusted answer. Each length, choice and size must be one that `request` can produce.
    init(wire: [UInt8], for request: RenderingRequest, contentBytes: Int) throws(WireError) {
        var reader = WireReader(wire)
        switch try reader.byte() {
        case 0: self = .rendering(try Rendering(from: &reader, for: request, contentBytes: contentBytes))
        case 1: self = .error(try RenderingError(from: &reader, contentBytes: contentBytes))
        default: throw .invalid("answer")
        }
        try reader.end()
    }

    /// Whether the content may have manipulated the state of the worker's process.
    var isSuspect: Bool {
        switch self {
        case .rendering(let rendering): rendering.integrity.verdict == .corrupt && !rendering.integrity.isPictureWhole
        case .error(.corrupt): true
        case .error: false
        }
    }
}
