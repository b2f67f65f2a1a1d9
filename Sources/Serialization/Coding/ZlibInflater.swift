internal import CZlib

/// Inflates raw deflate data (RFC 1951) piece by piece with zlib.
@safe final class ZlibInflater {
    enum Outcome {
        /// All input is consumed, or the output is full.
        case more
        case end
        case corrupt
        case outOfMemory
    }

    private let library: OpaquePointer

    /// The memory of an inflater, in bytes: the window and the tables.
    static let bytes = 48 << 10

    /// - Returns: `nil` if there is no memory.
    init?() {
        guard let library = unsafe czlib_open() else { return nil }
        unsafe self.library = library
    }

    deinit { unsafe czlib_close(library) }

    /// Starts again with other data.
    func restart() { unsafe czlib_restart(library) }

    /// Inflates further input.
    func inflate(
        _ input: Span<UInt8>,
        into output: inout OutputBuffer,
        room: Int
    ) -> (consumed: Int, written: Int, outcome: Outcome) {
        // The output has `room` bytes.
        let (consumed, written, outcome) = unsafe output.append(decoding: input, room: room) {
            unsafe czlib_inflate(library, $0, $1, &$2, $3, room, &$4)
        }
        return (consumed, written, Outcome(outcome))
    }

    /// Returns the CRC-32 of all bytes up to the end of `bytes`. `sum` is the CRC-32 of the preceding bytes; 0 if there
    /// are none.
    static func crc32(_ sum: UInt32, _ bytes: Span<UInt8>) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { unsafe czlib_crc32(sum, $0.baseAddress, $0.count) }
    }

    /// Returns the Adler-32 of all bytes up to the end of `bytes`. `sum` is the Adler-32 of the preceding bytes; 1 if
    /// there are none.
    static func adler32(_ sum: UInt32, _ bytes: Span<UInt8>) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { unsafe czlib_adler32(sum, $0.baseAddress, $0.count) }
    }
}

extension ZlibInflater.Outcome {
    fileprivate init(_ outcome: czlib_outcome) {
        switch outcome {
        case CZLIB_MORE: self = .more
        case CZLIB_END: self = .end
        case CZLIB_NO_MEMORY: self = .outOfMemory
        default: self = .corrupt
        }
    }
}
