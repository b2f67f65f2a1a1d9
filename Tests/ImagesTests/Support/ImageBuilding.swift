@testable import Images
@testable import Serialization

// Small images, built byte by byte.

extension [UInt8] {
    static func big16(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
    static func big32(_ value: Int) -> [UInt8] { big16(value >> 16) + big16(value & 0xFFFF) }
    static func little16(_ value: Int) -> [UInt8] { big16(value).reversed() }
    static func little32(_ value: Int) -> [UInt8] { big32(value).reversed() }
    static func little64(_ value: Int) -> [UInt8] { little32(value) + little32(value >> 32) }
    static func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }
}

/// Builds a PNG, chunk by chunk.
struct PNGBuilder {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    var bytes = signature

    init(width: Int = 3, height: Int = 2, depth: UInt8 = 8, colorType: UInt8 = 2, interlaced: Bool = false) {
        add("IHDR", .big32(width) + .big32(height) + [depth, colorType, 0, 0, interlaced ? 1 : 0])
    }

    mutating func add(_ type: String, _ data: [UInt8] = []) {
        let checked = .ascii(type) + data
        bytes += .big32(data.count) + checked + .big32(Int(ZlibStream.crc32(checked.span)))
    }

    /// A zlib stream of stored blocks.
    static func stored(_ data: [UInt8], times: Int = 1) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var (low, high) = (1, 0)
        for index in 1...times {
            stream += [index == times ? 1 : 0] + [UInt8].little16(data.count) + .little16(~data.count & 0xFFFF) + data
            for byte in data {
                low = (low + Int(byte)) % 65_521
                high = (high + low) % 65_521
            }
        }
        return stream + .big16(high) + .big16(low)
    }

    /// Returns the PNG with data, which no header reader examines, and the end.
    func finished() -> [UInt8] {
        var whole = self
        whole.add("IDAT", [1, 2, 3])
        whole.add("IEND")
        return whole.bytes
    }
}

/// Builds a JPEG, segment by segment.
struct JPEGBuilder {
    var bytes: [UInt8] = [0xFF, 0xD8]

    mutating func add(_ marker: UInt8, _ body: [UInt8]) {
        bytes += [0xFF, marker] + .big16(body.count + 2) + body
    }

    /// Adds a SOF segment: each component has an identifier and its sampling factors as one byte.
    mutating func addFrame(
        _ marker: UInt8 = 0xC0,
        width: Int = 16,
        height: Int = 9,
        _ components: [(UInt8, UInt8)] = [(1, 0x22), (2, 0x11), (3, 0x11)]
    ) {
        let body = [8] + [UInt8].big16(height) + .big16(width) + [UInt8(components.count)]
        add(marker, body + components.flatMap { [$0.0, $0.1, 0] })
    }

    mutating func addJFIF(unit: UInt8 = 1, x: Int = 72, y: Int = 72) {
        add(0xE0, .ascii("JFIF\0") + [1, 2, unit] + .big16(x) + .big16(y) + [0, 0])
    }

    /// Adds a SOS segment and some coded data with a stuffed FF and a restart marker.
    mutating func addScan(_ components: [UInt8] = [1, 2, 3]) {
        let listed = components.flatMap { component -> [UInt8] in [component, 0] }
        add(0xDA, [UInt8(components.count)] + listed + [0, 63, 0])
        bytes += [0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56, 0x78]
    }

    func finished() -> [UInt8] {
        var whole = self
        whole.addScan()
        return whole.bytes + [0xFF, 0xD9]
    }

    /// Returns a JPEG of 16 × 9, YCbCr 4:2:0, baseline.
    static func small() -> [UInt8] {
        var jpeg = JPEGBuilder()
        jpeg.addJFIF()
        jpeg.addFrame()
        return jpeg.finished()
    }
}

func header(_ content: [UInt8], _ configure: (inout ImageHeader.Options) -> Void = { _ in }) throws -> ImageFacts {
    var options = ImageHeader.Options()
    configure(&options)
    return try ImageHeader.read(content.span, options)
}

/// Returns the facts as in an answer.
func facts(_ content: [UInt8], _ configure: (inout ImageHeader.Options) -> Void = { _ in }) throws -> String {
    var options = ImageHeader.Options()
    configure(&options)
    var writer = JSONWriter()
    writer.image(try ImageHeader.read(content.span, options), options.exif, content.span)
    return String(decoding: [UInt8](writer.finish()), as: UTF8.self)
}

/// Returns a colour profile with only its header and a description.
func profile(_ space: String = "RGB ", description: String = "Test") -> [UInt8] {
    let text = [UInt8].ascii(description)
    let tag: [UInt8] = .ascii("desc") + .big32(0) + .big32(text.count + 1) + text + [0]
    let head: [UInt8] = .big32(144 + tag.count) + .ascii("none") + .big32(0x0210_0000) + .ascii("mntr") + .ascii(space)
    let rest = head + .ascii("XYZ ") + [UInt8](repeating: 0, count: 12) + .ascii("acsp")
    return rest + [UInt8](repeating: 0, count: 128 - rest.count) + .big32(1) + .ascii("desc") + .big32(144)
        + .big32(tag.count) + tag
}
