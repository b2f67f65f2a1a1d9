internal import Serialization

/// Decompresses a frame's data (GIF89a specification, §22 and appendix F): colour indices from codes of 2 to 12 bits,
/// in sub-blocks of up to 255 bytes.
///
/// Ambiguities of the format, and how we resolve them:
/// · When there are 4096 codes, no more are added until the clear code, which may never occur.
/// · The first code need not be the clear code.
/// · The end code, or the last sub-block, before the last pixel is damage; data after the last pixel is not.
/// · A minimum code size of 9 to 11 bits is valid if no index exceeds 255, the last one of the largest table.
struct GIFImageData {
    /// The offset of the next byte to read.
    private(set) var offset: Int
    /// The reason why the data ended early, if it did.
    private(set) var damage: ImageIntegrity?

    /// The end of the sub-block that is being read.
    private(set) var blockEnd: Int
    private var bits: UInt32 = 0
    private var bitCount = 0

    private let clearCode: Int
    private var codeBits: Int
    /// The next code to be added.
    private var nextCode: Int
    /// The previous code, or `nil` after the clear code.
    private var previous: Int?
    private var isAtEnd = false

    // For each code: the code of all indices except the last, the last index, the first index, and their number.
    private var prefixes: [UInt16]
    private var lasts: [UInt8]
    private var firsts: [UInt8]
    private var lengths: [UInt16]

    /// The indices of a code that did not fit, and the range of those that are still to be written. They are kept,
    /// because deriving them again for each row would take as many steps as the code has indices.
    private var pending: [UInt8]
    private var pendingRange = 0..<0

    private static let maxCodes = 4096
    private static let maxIndices = 256
    /// The largest minimum code size, in bits, that leaves space for other codes.
    private static let maxSize = 11

    /// - Parameter start: The offset of the minimum code size.
    init(_ content: Span<UInt8>, at start: Int) {
        let size = content.byte(start) ?? 0
        let isSound = 1...Self.maxSize ~= size
        if !isSound {
            damage =
                start < content.count
                ? ImageIntegrity(.corrupt, checked: .pixels, byte: start, part: "image data")
                : ImageIntegrity(.truncated, checked: .pixels, byte: content.count)
        }
        offset = start + 1
        blockEnd = offset
        clearCode = 1 << (isSound ? size : 8)
        codeBits = (isSound ? size : 8) + 1
        nextCode = clearCode + 2
        prefixes = [UInt16](repeating: 0, count: Self.maxCodes)
        lasts = [UInt8](repeating: 0, count: Self.maxCodes)
        firsts = [UInt8](repeating: 0, count: Self.maxCodes)
        lengths = [UInt16](repeating: 1, count: Self.maxCodes)
        pending = [UInt8](repeating: 0, count: Self.maxCodes)
        for index in 0..<min(clearCode, Self.maxIndices) {
            lasts[index] = UInt8(index)
            firsts[index] = UInt8(index)
        }
    }

    /// The maximum number of different indices. If the table has fewer colours, some indices have none.
    var indexCount: Int { min(clearCode, Self.maxIndices) }

    /// Writes the next indices at the start of the array, up to `count`, which must be within its capacity.
    /// - Returns: The number of indices. It is lower only if the data ends early or is corrupt, and is then always 0
    ///   afterwards.
    mutating func decode(_ content: Span<UInt8>, into array: inout [UInt8], count: Int) -> Int {
        var indices = array.mutableSpan
        var written = writePending(&indices, at: 0, count: count)
        while written < count, damage == nil, !isAtEnd {
            guard let code = nextCode(content) else { break }
            if code == clearCode {
                codeBits = clearCode.trailingZeroBitCount + 1
                nextCode = clearCode + 2
                previous = nil
                continue
            }
            if code == clearCode + 1 {
                isAtEnd = true
                break
            }
            guard make(code) else {
                damage = ImageIntegrity(.corrupt, checked: .pixels, byte: offset - 1, part: "image data")
                break
            }
            previous = code
            written += write(code, &indices, at: written, count: count - written)
        }
        if written < count, damage == nil {
            damage = ImageIntegrity(.corrupt, checked: .pixels, byte: min(offset, content.count), part: "image data")
        }
        return written
    }

    /// Adds the code that follows from the previous one and `code`.
    /// - Returns: Whether `code` is valid.
    private mutating func make(_ code: Int) -> Bool {
        guard code < Self.maxIndices || code >= clearCode else { return false }
        if let previous {
            // The code that is being added is also valid: its last index equals its first.
            guard code < nextCode || code == nextCode && nextCode < Self.maxCodes else { return false }
            guard nextCode < Self.maxCodes else { return true }
            prefixes[nextCode] = UInt16(previous)
            firsts[nextCode] = firsts[previous]
            lasts[nextCode] = firsts[code == nextCode ? previous : code]
            lengths[nextCode] = lengths[previous] + 1
            nextCode += 1
        } else if code >= clearCode {
            return false
        }
        // With a minimum code size of one bit, this already happens after the first code.
        if nextCode >= 1 << codeBits, codeBits < 12 { codeBits += 1 }
        return true
    }

    /// Writes the indices of a code within the capacity. The others are pending. A code yields its indices from the
    /// last to the first.
    private mutating func write(_ code: Int, _ indices: inout MutableSpan<UInt8>, at start: Int, count: Int) -> Int {
        let length = Int(lengths[code])
        var code = code
        var index = length
        guard length > count else {
            while index > 0 {
                index -= 1
                indices[start + index] = lasts[code]
                code = Int(prefixes[code])
            }
            return length
        }
        while index > 0 {
            index -= 1
            pending[index] = lasts[code]
            code = Int(prefixes[code])
        }
        pendingRange = 0..<length
        return writePending(&indices, at: start, count: count)
    }

    /// Writes the pending indices within the capacity.
    private mutating func writePending(_ indices: inout MutableSpan<UInt8>, at start: Int, count: Int) -> Int {
        let fitting = min(pendingRange.count, count)
        for index in 0..<fitting { indices[start + index] = pending[pendingRange.lowerBound + index] }
        pendingRange = pendingRange.lowerBound + fitting..<pendingRange.upperBound
        return fitting
    }

    /// Returns the next code, or `nil` at the end of the data, which is recorded.
    private mutating func nextCode(_ content: Span<UInt8>) -> Int? {
        while bitCount < codeBits {
            if offset == blockEnd {
                // A sub-block begins with its length, which is zero in the last one.
                guard let length = content.byte(offset) else {
                    damage = ImageIntegrity(.truncated, checked: .pixels, byte: content.count)
                    return nil
                }
                if length == 0 {
                    isAtEnd = true
                    return nil
                }
                offset += 1
                blockEnd = offset + length
            }
            guard offset < content.count else {
                damage = ImageIntegrity(.truncated, checked: .pixels, byte: content.count)
                return nil
            }
            bits |= UInt32(content[offset]) << UInt32(bitCount)
            bitCount += 8
            offset += 1
        }
        let code = Int(bits) & ((1 << codeBits) - 1)
        bits >>= UInt32(codeBits)
        bitCount -= codeBits
        return code
    }
}
