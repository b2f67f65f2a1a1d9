internal import Primitives

/// Percent-encoding (RFC 3986 §2.1).
enum PercentEncoding {
    /// Decodes the escapes of `raw`. A `%` without two hexadecimal digits remains.
    static func decoded(_ raw: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(raw.count)
        var index = raw.startIndex
        while index < raw.endIndex {
            if raw[index] == UInt8(ascii: "%"), index + 2 < raw.endIndex, let high = raw[index + 1].hexDigit,
                let low = raw[index + 2].hexDigit
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(raw[index])
                index += 1
            }
        }
        return decoded
    }
}
