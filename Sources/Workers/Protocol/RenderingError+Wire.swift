internal import Images
internal import Serialization

extension RenderingError {
    func write(to writer: inout WireWriter) {
        switch self {
        case .truncated(let byte):
            writer.byte(1)
            writer.integer(byte)
        case .corrupt(let byte, let part):
            writer.byte(2)
            writer.optional(byte) { $0.integer($1) }
            writer.optional(part) { $0.text($1) }
        case .unsupported(let feature):
            writer.byte(3)
            writer.text(feature)
        case .tooLarge(let bytes, let max):
            writer.byte(4)
            writer.integer(bytes)
            writer.integer(max)
        case .tooManyPixels(let max):
            writer.byte(5)
            writer.integer(max)
        case .tooManyScans(let max):
            writer.byte(6)
            writer.integer(max)
        case .tooManyFrames(let max):
            writer.byte(7)
            writer.integer(max)
        case .timedOut, .crashed, .sandboxUnavailable, .noRenderer, .saturated, .deferred:
            // Only the service produces these errors; a renderer in a worker has no reason to.
            writer.byte(0)
        }
    }

    init(from reader: inout WireReader, contentBytes: Int) throws(WireError) {
        let limits = 0...Int.max
        switch try reader.byte() {
        case 1: self = .truncated(byte: try reader.integer(0...contentBytes, "byte"))
        case 2:
            let byte = try reader.optional("byte") { (reader) throws(WireError) in
                try reader.integer(0...contentBytes, "byte")
            }
            let part = try reader.optional("part") { (reader) throws(WireError) in
                try reader.text(maxBytes: WireLimits.textBytes, "part")
            }
            self = .corrupt(byte: byte, part: part)
        case 3: self = .unsupported(feature: try reader.text(maxBytes: WireLimits.textBytes, "feature"))
        case 4: self = .tooLarge(bytes: try reader.integer(limits, "bytes"), max: try reader.integer(limits, "max"))
        case 5: self = .tooManyPixels(max: try reader.integer(limits, "max"))
        case 6: self = .tooManyScans(max: try reader.integer(limits, "max"))
        case 7: self = .tooManyFrames(max: try reader.integer(limits, "max"))
        default: throw .invalid("error")
        }
    }
}
