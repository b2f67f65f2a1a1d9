/// A frame to the fetcher.
package enum FetchCommand: Equatable, Sendable {
    case start(id: UInt64, FetchStart)
    case cancel(id: UInt64)
    case ping(sequence: UInt64)

    package var frame: FetchFrame {
        switch self {
        case .start(let id, let start): FetchFrame(kind: .start, id: id, payload: start.payload)
        case .cancel(let id): FetchFrame(kind: .cancel, id: id)
        case .ping(let sequence): FetchFrame(kind: .ping, id: sequence)
        }
    }

    /// Interprets the payload of a frame.
    package init(_ frame: FetchFrame) throws(FetchFrameError) {
        switch frame.kind {
        case .start: self = .start(id: frame.id, try FetchStart(payload: frame.payload))
        case .cancel: self = .cancel(id: frame.id)
        case .ping: self = .ping(sequence: frame.id)
        case .head, .data, .end, .failed, .pong, .ready: throw .wrongDirection(frame.kind)
        }
    }
}

/// A frame to the service.
package enum FetchReply: Equatable, Sendable {
    case head(id: UInt64, FetchHead)
    /// - Parameter content: 1 to ``FetchFrame/maxDataBytes`` bytes.
    case data(id: UInt64, content: [UInt8])
    case end(id: UInt64, FetchEnd)
    case failed(id: UInt64, FetchFailureReport)
    case pong(sequence: UInt64)
    /// The fetcher accepts commands.
    /// - Parameter sandbox: The parts of its sandbox that are in effect, as a `SandboxParts`.
    case ready(sandbox: UInt32)

    package var frame: FetchFrame {
        switch self {
        case .head(let id, let head): FetchFrame(kind: .head, id: id, payload: head.payload)
        case .data(let id, let content): FetchFrame(kind: .data, id: id, payload: content)
        case .end(let id, let end): FetchFrame(kind: .end, id: id, payload: end.payload)
        case .failed(let id, let report): FetchFrame(kind: .failed, id: id, payload: report.payload)
        case .pong(let sequence): FetchFrame(kind: .pong, id: sequence)
        case .ready(let sandbox): FetchFrame(kind: .ready, id: 0, payload: sandbox.payload)
        }
    }

    /// Interprets the payload of a frame.
    package init(_ frame: FetchFrame) throws(FetchFrameError) {
        switch frame.kind {
        case .head: self = .head(id: frame.id, try FetchHead(payload: frame.payload))
        case .data: self = .data(id: frame.id, content: frame.payload)
        case .end: self = .end(id: frame.id, try FetchEnd(payload: frame.payload))
        case .failed: self = .failed(id: frame.id, try FetchFailureReport(payload: frame.payload))
        case .pong: self = .pong(sequence: frame.id)
        case .ready:
            guard frame.id == 0 else { throw .invalid(.sandbox) }
            self = .ready(sandbox: try UInt32(payload: frame.payload))
        case .start, .cancel, .ping: throw .wrongDirection(frame.kind)
        }
    }
}

/// The state of one transfer, as far as the service knows it from frames. It rejects frames that cannot follow each
/// other.
package struct TransferProgress: Equatable, Sendable {
    private enum State: Equatable {
        case awaitingHead
        case receiving(hasContent: Bool)
        case finished
    }

    private let isHead: Bool
    private var state = State.awaitingHead

    /// The number of bytes of content that have been received.
    package private(set) var contentBytes: UInt64 = 0

    /// - Parameter method: The method of the request. The response to a HEAD has no content.
    package init(method: String) { isHead = method == "HEAD" }

    /// Whether a final frame was received.
    package var isFinished: Bool { state == .finished }

    /// Accepts a frame of this transfer. `pong` and `ready` belong to no transfer.
    /// - Throws: An error after which the fetcher must be replaced.
    package mutating func accept(_ reply: FetchReply) throws(FetchFrameError) {
        switch (reply, state) {
        case (.head(_, let head), .awaitingHead):
            // RFC 9110 §6.4.1: these responses have no content.
            state = .receiving(hasContent: !isHead && head.status != 204 && head.status != 304)
        case (.data(_, let content), .receiving(hasContent: true)): contentBytes += UInt64(content.count)
        case (.end(_, let end), .receiving):
            guard end.contentBytes == contentBytes else {
                throw .contentLength(reported: end.contentBytes, received: contentBytes)
            }
            state = .finished
        case (.failed, .awaitingHead), (.failed, .receiving): state = .finished
        case (.head, _), (.data, _), (.end, _), (.failed, _), (.pong, _), (.ready, _):
            throw .unexpected(reply.frame.kind)
        }
    }
}

/// The payload of a `ready` frame.
extension UInt32 {
    fileprivate var payload: [UInt8] {
        var writer = FrameWriter()
        writer.integer(self)
        return writer.bytes
    }

    fileprivate init(payload: [UInt8]) throws(FetchFrameError) {
        var cursor = FrameCursor(payload)
        self = try cursor.integer(.sandbox)
        try cursor.end(of: .ready)
    }
}
