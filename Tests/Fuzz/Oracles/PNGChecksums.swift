/// Corrects the checksum of every chunk of a PNG; otherwise a fuzzer would not reach the code behind the check.
enum PNGChecksums {
    static func mend(_ content: UnsafeMutableBufferPointer<UInt8>) {
        var start = 8
        while content.count - start >= 12 {
            let count = content[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            guard count <= content.count - start - 12 else { return }
            let end = start + 8 + count
            let checksum = crc32(content[start + 4..<end])
            for index in 0..<4 { content[end + index] = UInt8(truncatingIfNeeded: checksum >> (24 - 8 * index)) }
            start = end + 4
        }
    }

    private static func crc32(_ bytes: Slice<UnsafeMutableBufferPointer<UInt8>>) -> UInt32 {
        ~bytes.reduce(~0) { (crc: UInt32, byte: UInt8) -> UInt32 in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
        }
    }
}
