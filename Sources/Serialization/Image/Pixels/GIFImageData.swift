/// Undoes the compression of a frame's data (GIF89a specification, §22 and appendix F): colour indices out of codes of
/// 2 to 12 bits, in sub-blocks of up to 255 bytes.
///
/// Loose ends, and our choice for each:
/// · Once there are 4096 codes, no more are made until the clear code comes, which may be never.
/// · The first code need not be the clear code.
/// · The end code, or the last sub-block, before the last pixel is damage; data after the last pixel is not.
struct GIFImageData {
    /// Where the next byte is that was not taken.
    private(set) var position: Int
    /// Why no more comes, once none does.
    private(set) var damage: ImageIntegrity?

    private var blockEnd: Int
    private var bits: UInt32 = 0
    private var bitCount = 0

    private let clearCode: Int
    private var codeBits: Int
    /// The code that will be made next.
    private var nextCode: Int
    /// Nil after the clear code.
    private var previous: Int?
    private var isAtEnd = false

    // Of each code: the code of all but the last index, the last index, the first, and how many these are.
    private var prefixes: [UInt16]
    private var lasts: [UInt8]
    private var firsts: [UInt8]
    private var lengths: [UInt16]

    /// The code whose last indices are still to be written, and how many these are.
    private var pendingCode = 0
    private var pendingCount = 0

    private static let maxCodes = 4096

    /// - Parameter start: where the size of the smallest code is.
    init(_ content: Span<UInt8>, at start: Int) {
        let size = content.byte(start) ?? 0
        let isSound = 1...8 ~= size
        if !isSound {
            damage =
                start < content.count
                ? ImageIntegrity(.corrupt, checked: .pixels, byte: start, part: "image data")
                : ImageIntegrity(.truncated, checked: .pixels, byte: content.count)
        }
        position = start + 1
        blockEnd = position
        clearCode = 1 << (isSound ? size : 8)
        codeBits = (isSound ? size : 8) + 1
        nextCode = clearCode + 2
        prefixes = [UInt16](repeating: 0, count: Self.maxCodes)
        lasts = [UInt8](repeating: 0, count: Self.maxCodes)
        firsts = [UInt8](repeating: 0, count: Self.maxCodes)
        lengths = [UInt16](repeating: 1, count: Self.maxCodes)
        for index in 0..<clearCode {
            lasts[index] = UInt8(index)
            firsts[index] = UInt8(index)
        }
    }

    /// How many indices there can be, at most: a table of fewer colours leaves some without one.
    var indexCount: Int { clearCode }

    /// Writes the next indices from the array's start on, up to `count`, for which it has room.
    /// - Returns: how many; fewer only where the data ends early or is corrupt, and then always none afterwards.
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
                damage = ImageIntegrity(.corrupt, checked: .pixels, byte: position - 1, part: "image data")
                break
            }
            previous = code
            pendingCode = code
            pendingCount = Int(lengths[code])
            written += writePending(&indices, at: written, count: count - written)
        }
        if written < count, damage == nil {
            damage = ImageIntegrity(.corrupt, checked: .pixels, byte: min(position, content.count), part: "image data")
        }
        return written
    }

    /// Makes the code that follows from the previous one and `code`.
    /// - Returns: whether `code` can be.
    private mutating func make(_ code: Int) -> Bool {
        if let previous {
            // The code that is being made is known too: it ends as it begins.
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
        // With a smallest code of one bit, that is so after the first code already.
        if nextCode >= 1 << codeBits, codeBits < 12 { codeBits += 1 }
        return true
    }

    /// Writes what is pending, as far as there is room. A code tells its indices from the last to the first.
    private mutating func writePending(_ indices: inout MutableSpan<UInt8>, at start: Int, count: Int) -> Int {
        let fitting = min(pendingCount, count)
        var code = pendingCode
        for _ in fitting..<max(pendingCount, fitting) { code = Int(prefixes[code]) }
        var position = start + fitting
        while position > start {
            position -= 1
            indices[position] = lasts[code]
            code = Int(prefixes[code])
        }
        pendingCount -= fitting
        return fitting
    }

    /// The next code; nil at the end of the data, which is noted.
    private mutating func nextCode(_ content: Span<UInt8>) -> Int? {
        while bitCount < codeBits {
            if position == blockEnd {
                // A sub-block says how long it is, and the last one says zero.
                guard let length = content.byte(position) else {
                    damage = ImageIntegrity(.truncated, checked: .pixels, byte: content.count)
                    return nil
                }
                if length == 0 {
                    isAtEnd = true
                    return nil
                }
                position += 1
                blockEnd = position + length
            }
            guard position < content.count else {
                damage = ImageIntegrity(.truncated, checked: .pixels, byte: content.count)
                return nil
            }
            bits |= UInt32(content[position]) << UInt32(bitCount)
            bitCount += 8
            position += 1
        }
        let code = Int(bits) & ((1 << codeBits) - 1)
        bits >>= UInt32(codeBits)
        bitCount -= codeBits
        return code
    }

    /// Where the sub-block ends that was read last: the one after it begins there.
    var nextBlock: Int { blockEnd }
}
