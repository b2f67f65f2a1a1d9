import Serialization
import SerializationSupport

/// The property list reader's result for `content`.
struct PropertyListReading: Equatable {
    var text: String
    var summary: PropertyListReader.Summary
    var warnings: [Warning] = []
}

func readPropertyList(
    _ content: [UInt8],
    _ configure: (inout PropertyListReader.Options) -> Void = { _ in }
) throws(PropertyListError) -> PropertyListReading {
    var options = PropertyListReader.Options()
    configure(&options)
    var writer = JSONWriter(maxBytes: options.limits.maxOutputBytes)
    var warnings = WarningList(max: options.limits.maxWarnings)
    let summary = try PropertyListReader.read(content.span, options: options, into: &writer, warnings: &warnings)
    return PropertyListReading(
        text: String(decoding: [UInt8](writer.buffer), as: UTF8.self),
        summary: summary,
        warnings: warnings.warnings
    )
}

func readPropertyList(
    _ text: String,
    _ configure: (inout PropertyListReader.Options) -> Void = { _ in }
) throws(PropertyListError) -> PropertyListReading {
    try readPropertyList(Array(text.utf8), configure)
}

/// Returns the error with which `content` is rejected, or `nil` if it is accepted.
func propertyListRefusal(
    of content: [UInt8],
    _ configure: (inout PropertyListReader.Options) -> Void = { _ in }
) -> PropertyListError? {
    do throws(PropertyListError) {
        _ = try readPropertyList(content, configure)
        return nil
    } catch {
        return error
    }
}

/// Returns the binary form of `objects`, the first of which is the value, with offsets of four bytes.
func binaryPropertyList(_ objects: [UInt8]..., referenceBytes: UInt8 = 1) -> [UInt8] {
    binaryPropertyList(objects, referenceBytes: referenceBytes)
}

func binaryPropertyList(_ objects: [[UInt8]], referenceBytes: UInt8 = 1) -> [UInt8] {
    func bytes(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    var content = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
        offsets.append(content.count)
        content += object
    }
    let table = content.count
    for offset in offsets { content += bytes(offset, 4) }
    return content + [0, 0, 0, 0, 0, 0, 4, referenceBytes] + bytes(objects.count, 8) + bytes(0, 8) + bytes(table, 8)
}

/// Returns the bytes of pairs of hexadecimal digits, with spaces between them.
func hex(_ digits: String) -> [UInt8] {
    let digits = digits.filter { $0 != " " }.compactMap { $0.hexDigitValue.map { UInt8($0) } }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
