// The frames between the service and `decant-fetcher`, over a stream socket. All integers are little-endian.
//
//     offset  0      4     6      8                 16
//             length kind  flags  identifier        payload
//             u32    u16   u16    u64               `length` bytes
//
//     to the fetcher     start   identifier of the transfer     request, timeouts                (FetchStart)
//                        cancel  identifier of the transfer     –
//                        ping    sequence number                –
//     to the service     head    identifier of the transfer     status, fields                   (FetchHead)
//                        data    identifier of the transfer     1 to 65 536 bytes of content
//                        end     identifier of the transfer     number of content bytes, timings (FetchEnd)
//                        failed  identifier of the transfer     failure, phase, timings, detail  (FetchFailureReport)
//                        pong    sequence number of the ping    –
//                        ready   0                              parts of the sandbox            (u32)
//
// The first frame of a fetcher is `ready`. The response to a transfer is `head`, any number of `data`, and `end`; or
// `failed` at any time. Nothing follows a `cancel` that the service waits for.
//
// Example: `02 00 00 00  12 00  00 00  07 00 00 00 00 00 00 00  6f 6b` is the content "ok" of transfer 7.
//
// The service does not trust the fetcher, which parses what origins send. A length is compared with the maximum of its
// kind when the header is complete, so that no more than one frame is ever buffered. Every other number, enumeration
// and text is checked before a value is created from it. After an error the stream cannot be read further: the fetcher
// is replaced.
//
// There are no optional parts: the two processes are one release. Flags are reserved and zero.

/// One frame, whose payload has not been interpreted.
package struct FetchFrame: Equatable, Sendable {
    /// The number of bytes before the payload.
    package static let headerBytes = 16

    /// The maximum number of content bytes in a `data` frame, inclusive.
    package static let maxDataBytes = 64 * 1024

    package enum Direction: Equatable, Sendable {
        case toFetcher
        case toService
    }

    package enum Kind: UInt16, Equatable, Sendable, CaseIterable {
        case start = 1
        case cancel = 2
        case ping = 3
        case head = 17
        case data = 18
        case end = 19
        case failed = 20
        case pong = 21
        case ready = 22

        package var direction: Direction {
            switch self {
            case .start, .cancel, .ping: .toFetcher
            case .head, .data, .end, .failed, .pong, .ready: .toService
            }
        }

        /// Returns the permitted lengths of the payload, in bytes.
        /// - Parameter maxContentBytes: The maximum length of the content of a request.
        func payloadBytes(maxContentBytes: Int) -> ClosedRange<Int> {
            switch self {
            case .start: 1...(FetchStart.maxBytesWithoutContent + maxContentBytes)
            case .cancel, .ping, .pong: 0...0
            case .head: 1...FetchHead.maxBytes
            case .data: 1...FetchFrame.maxDataBytes
            case .end: FetchEnd.byteCount...FetchEnd.byteCount
            case .failed: 1...FetchFailureReport.maxBytes
            case .ready: 4...4
            }
        }
    }

    package let kind: Kind

    /// The identifier of the transfer, or the sequence number of a ping; 0 in a `ready` frame.
    package let id: UInt64

    package let payload: [UInt8]

    init(kind: Kind, id: UInt64, payload: [UInt8] = []) {
        self.kind = kind
        self.id = id
        self.payload = payload
    }

    /// The frame as it is sent.
    package var bytes: [UInt8] { Self.header(kind, id: id, payloadBytes: payload.count) + payload }

    /// Returns the header of a `data` frame, for a sender that does not copy the content.
    /// - Parameter contentBytes: 1 to ``maxDataBytes``.
    package static func dataHeader(id: UInt64, contentBytes: Int) -> [UInt8] {
        precondition(1...maxDataBytes ~= contentBytes, "the content fits into a frame")
        return header(.data, id: id, payloadBytes: contentBytes)
    }

    private static func header(_ kind: Kind, id: UInt64, payloadBytes: Int) -> [UInt8] {
        var writer = FrameWriter()
        // The types of payloads limit their lengths.
        writer.integer(UInt32(clamping: payloadBytes))
        writer.integer(kind.rawValue)
        writer.integer(UInt16(0))
        writer.integer(id)
        return writer.bytes
    }
}

/// The reason why received bytes are not a valid frame. No case contains anything that an origin sent.
package enum FetchFrameError: Error, Equatable, Sendable {
    case unknownKind(UInt16)
    /// The kind is one that the receiver sends.
    case wrongDirection(FetchFrame.Kind)
    case reservedFlags(UInt16, FetchFrame.Kind)
    case payloadLength(FetchFrame.Kind, bytes: Int, allowed: ClosedRange<Int>)
    /// The payload ends inside a part.
    case truncated(FramePart)
    /// The payload continues after its last part.
    case trailing(FetchFrame.Kind, bytes: Int)
    /// A part has a value that it cannot have.
    case invalid(FramePart)
    /// The frame is not permitted in the state of its transfer.
    case unexpected(FetchFrame.Kind)
    /// `end` reports another number of bytes than the `data` frames contained.
    case contentLength(reported: UInt64, received: UInt64)
}

/// The parts of payloads.
package enum FramePart: Equatable, Sendable {
    case flags
    case timeout
    case slowestRate
    case method
    case url
    case partition
    case fieldCount
    case fieldName
    case fieldValue
    case fields
    case content
    case status
    case contentBytes
    case timing
    case sandbox
    case failure
    case phase
    case detail
}
