/// The deflate data of gzip and zlib, and the checksum of its output.
struct DeflateData {
    enum Checksum {
        case crc32
        case adler32
    }

    private let kind: Checksum
    /// The inflater; it is created when there is data.
    private var inflater: ZlibInflater?

    /// The checksum of the output so far.
    private(set) var checksum: UInt32
    /// The length of the output so far, in bytes.
    private(set) var bytes = 0

    init(_ kind: Checksum) {
        self.kind = kind
        checksum = kind == .crc32 ? 0 : 1
    }

    /// Starts again with other data.
    mutating func restart() {
        inflater?.restart()
        checksum = kind == .crc32 ? 0 : 1
        bytes = 0
    }

    /// Inflates further input.
    /// - Returns: the state is `nil` if the data has ended.
    mutating func read(
        _ input: Span<UInt8>,
        isLast: Bool,
        into output: inout OutputBuffer,
        room: Int
    ) -> (consumed: Int, written: Int, state: CodingStep.State?) {
        guard let inflater = inflater ?? ZlibInflater() else { return (0, 0, .failed(.outOfMemory)) }
        self.inflater = inflater
        let start = output.count
        let (consumed, written, outcome) = inflater.inflate(input, into: &output, room: room)
        if written > 0 {
            bytes += written
            checksum = output.withBytes { output in
                let added = output.extracting(droppingFirst: start)
                return switch kind {
                case .crc32: ZlibInflater.crc32(checksum, added)
                case .adler32: ZlibInflater.adler32(checksum, added)
                }
            }
        }
        switch outcome {
        case .end: return (consumed, written, nil)
        case .corrupt: return (consumed, written, .failed(.corrupt(part: .data)))
        case .outOfMemory: return (consumed, written, .failed(.outOfMemory))
        case .more:
            // The output has space left, and there is no more input.
            let isTruncated = isLast && consumed == input.count && written < room
            return (consumed, written, isTruncated ? .failed(.truncated) : .more)
        }
    }
}
