/// Builds TIFF files with one page, which is uncompressed unless the data is not.
struct TIFFBuilder {
    var isBigEndian = false
    /// The tags with their values, each a SHORT or, if it is larger, a LONG. The lengths and offsets of the data are
    /// added.
    var tags: [Int: [Int]]
    /// The strips or tiles, in order.
    var data: [[UInt8]]
    var isTiled = false

    var content: [UInt8] {
        let start = 8
        var offsets: [Int] = []
        var body: [UInt8] = []
        for piece in data {
            offsets.append(start + body.count)
            body += piece
        }
        if body.count % 2 == 1 { body.append(0) }
        var tags = tags
        tags[isTiled ? 324 : 273] = offsets
        tags[isTiled ? 325 : 279] = data.map(\.count)

        let directory = start + body.count
        var entries = number(tags.count, 2)
        var values: [UInt8] = []
        let valueStart = directory + 2 + 12 * tags.count + 4
        for (tag, numbers) in tags.sorted(by: { $0.key < $1.key }) {
            let width = numbers.allSatisfy { $0 < 1 << 16 } ? 2 : 4
            var field = numbers.flatMap { number($0, width) }
            entries += number(tag, 2) + number(width == 2 ? 3 : 4, 2) + number(numbers.count, 4)
            if field.count > 4 {
                entries += number(valueStart + values.count, 4)
                values += field
            } else {
                field += [UInt8](repeating: 0, count: 4 - field.count)
                entries += field
            }
        }
        let order: [UInt8] = isBigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
        return order + number(42, 2) + number(directory, 4) + body + entries + number(0, 4) + values
    }

    private func number(_ value: Int, _ count: Int) -> [UInt8] {
        let bytes = littleEndian(value, count)
        return isBigEndian ? bytes.reversed() : bytes
    }
}
