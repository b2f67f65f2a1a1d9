/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Decodes the escapes of `raw`. A `%` without two hexadecimal digits remains.
    package static func decoded(_ raw: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(raw.count)
        let raw = raw.span
        var index = 0
        while index < raw.count {
            if let byte = raw.percentEncodedByte(at: index, before: raw.count) {
                decoded.append(byte)
                index += 3
            } else {
                decoded.append(raw[index])
                index += 1
            }
        }
        return decoded
    }
}

extension Span<UInt8> {
    /// Returns the byte that `%` and two hexadecimal digits at `index` represent, or `nil` if anything else is there.
    /// - Parameter end: the end of the text, up to which digits are read.
    @inlinable package func percentEncodedByte(at index: Int, before end: Int) -> UInt8? {
        guard self[index] == UInt8(ascii: "%"), index + 2 < end, let high = self[index + 1].hexDigit,
            let low = self[index + 2].hexDigit
        else { return nil }
        return high << 4 | low
    }
}
