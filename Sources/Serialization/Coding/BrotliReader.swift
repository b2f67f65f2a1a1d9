internal import CBrotli

/// Decodes `br` (RFC 7932) with libbrotlidec.
@safe final class BrotliReader: CodingReader {
    private let library: OpaquePointer?

    /// The memory of the decoder in addition to its window, in bytes: prefix codes and context maps.
    private static let tableBytes = 1 << 20

    private(set) var windowBytes = BrotliReader.tableBytes
    private var hasBegun = false

    init() { unsafe library = cbrotli_open() }

    deinit { if let library = unsafe library { unsafe cbrotli_close(library) } }

    func read(_ input: Span<UInt8>, isLast: Bool, into output: inout OutputBuffer, room: Int) -> CodingStep {
        guard let library = unsafe library else { return CodingStep(0, .failed(.outOfMemory)) }
        if !hasBegun, !input.isEmpty {
            hasBegun = true
            windowBytes += Self.windowBytes(first: input[0])
            // Returns first, so that the caller can charge the window before it is allocated.
            return CodingStep(0, .more)
        }
        // The output has `room` bytes.
        let (consumed, written, outcome) = unsafe output.append(decoding: input, room: room) {
            unsafe cbrotli_decode(library, $0, $1, &$2, $3, room, &$4)
        }
        switch outcome {
        case CBROTLI_MORE:
            let isTruncated = isLast && consumed == input.count && written < room
            return CodingStep(consumed, isTruncated ? .failed(.truncated) : .more)
        case CBROTLI_END: return CodingStep(consumed, .end(lacksTrailer: false))
        case CBROTLI_NO_MEMORY: return CodingStep(consumed, .failed(.outOfMemory))
        default: return CodingStep(consumed, .failed(.corrupt(part: .data)))
        }
    }

    /// Returns the window that the first byte of a stream specifies, in bytes (RFC 7932 §9.1).
    static func windowBytes(first: UInt8) -> Int {
        let bits: UInt8 =
            if first & 1 == 0 {
                16
            } else if first & 0x0E != 0 {
                17 + (first >> 1) & 7
            } else {
                switch (first >> 4) & 7 {
                case 0: 17
                // Large windows, which the RFC does not include.
                case 1: 24
                case let rest: 8 + rest
                }
            }
        return 1 << bits
    }
}
