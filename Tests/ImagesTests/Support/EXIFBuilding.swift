@testable import Images
@testable import Serialization

/// Builds EXIF in one byte order, entry by entry.
struct EXIFBuilder {
    struct Entry {
        var tag: Int
        var type: TIFFType
        var count: Int
        var value: [UInt8]
    }

    let order: ByteOrder
    var image: [Entry] = []
    var exif: [Entry] = []
    var gps: [Entry] = []

    init(_ order: ByteOrder) {
        self.order = order
    }

    func two(_ value: Int) -> [UInt8] { order == .big ? .big16(value) : .little16(value) }
    func four(_ value: Int) -> [UInt8] { order == .big ? .big32(value & 0xFFFF_FFFF) : .little32(value & 0xFFFF_FFFF) }

    func text(_ tag: Int, _ text: String) -> Entry {
        Entry(tag: tag, type: .ascii, count: text.utf8.count + 1, value: .ascii(text) + [0])
    }

    func short(_ tag: Int, _ value: Int) -> Entry {
        Entry(tag: tag, type: .short, count: 1, value: two(value))
    }

    func fractions(_ tag: Int, _ numbers: Int..., signed: Bool = false) -> Entry {
        Entry(
            tag: tag,
            type: signed ? .signedRational : .rational,
            count: numbers.count / 2,
            value: numbers.flatMap { four($0) }
        )
    }

    var bytes: [UInt8] {
        var main = image
        let pointers = (exif.isEmpty ? 0 : 1) + (gps.isEmpty ? 0 : 1)
        let exifStart = 8 + size(main) + 12 * pointers
        let gpsStart = exifStart + (exif.isEmpty ? 0 : size(exif))
        if !exif.isEmpty { main.append(Entry(tag: 0x8769, type: .long, count: 1, value: four(exifStart))) }
        if !gps.isEmpty { main.append(Entry(tag: 0x8825, type: .long, count: 1, value: four(gpsStart))) }
        return .ascii(order == .big ? "MM" : "II") + two(42) + four(8) + directory(main, at: 8)
            + (exif.isEmpty ? [] : directory(exif, at: exifStart)) + (gps.isEmpty ? [] : directory(gps, at: gpsStart))
    }

    private func size(_ entries: [Entry]) -> Int {
        6 + 12 * entries.count + entries.reduce(0) { $0 + ($1.value.count > 4 ? $1.value.count : 0) }
    }

    private func directory(_ entries: [Entry], at start: Int) -> [UInt8] {
        var head = two(entries.count)
        var tail: [UInt8] = []
        for entry in entries {
            head += two(entry.tag) + two(Int(entry.type.rawValue)) + four(entry.count)
            if entry.value.count <= 4 {
                head += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                head += four(start + 6 + 12 * entries.count + tail.count)
                tail += entry.value
            }
        }
        return head + four(0) + tail
    }
}
