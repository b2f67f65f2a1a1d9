// Tests/Fuzz/build compiles this file with each fuzz target of Fetching.
import Fetching

/// What must hold for every stream of bytes that is read as frames.
///
/// The first byte of an input chooses the direction, and the lengths of the pieces in which the rest is received.
enum FetchFrameOracle {
    private static let maxContentBytes = 1_000

    /// Returns what does not hold for `input`, if there is something.
    static func violation(for input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        let direction: FetchFrame.Direction = choice & 1 == 0 ? .toService : .toFetcher
        let stream = Array(input.dropFirst())
        let whole = result(of: stream, direction, pieces: stream.count)
        for pieces in [1, 2 + Int(choice >> 1)] {
            let again = result(of: stream, direction, pieces: pieces)
            if again != whole { return "in pieces of \(pieces) bytes: \(again), at once: \(whole)" }
        }
        return whole.violation ?? violation(of: whole.frames, direction)
    }

    struct Result: Equatable {
        var frames: [FetchFrame] = []
        var error: FetchFrameError?
        var violation: String?
    }

    private static func result(of stream: [UInt8], _ direction: FetchFrame.Direction, pieces: Int) -> Result {
        var reader = FetchFrameReader(receiving: direction, maxContentBytes: maxContentBytes)
        var result = Result()
        var offset = 0
        do throws(FetchFrameError) {
            while offset < stream.count {
                let piece = Array(stream[offset..<min(offset + pieces, stream.count)])
                reader.append(piece.span)
                offset += piece.count
                while let frame = try reader.next() { result.frames.append(frame) }
            }
            // The next frame is incomplete: all frames before it were returned unchanged.
            let read = result.frames.flatMap(\.bytes)
            if read.count + reader.bufferedBytes != stream.count || !stream.starts(with: read) {
                result.violation = "the frames are not those of the stream: \(result.frames)"
            }
        } catch {
            result.error = error
            if (try? reader.next()) != nil || reader.bufferedBytes > 0 { result.violation = "reads after \(error)" }
        }
        return result
    }

    /// Every frame that is accepted is written as it was read.
    private static func violation(of frames: [FetchFrame], _ direction: FetchFrame.Direction) -> String? {
        var transfers: [UInt64: TransferProgress] = [:]
        for frame in frames {
            switch direction {
            case .toFetcher:
                guard let command = try? FetchCommand(frame) else { continue }
                if command.frame != frame { return "\(frame) is written as \(command.frame)" }
            case .toService:
                guard let reply = try? FetchReply(frame) else { continue }
                if reply.frame != frame { return "\(frame) is written as \(reply.frame)" }
                // No order of frames may end the process.
                var progress = transfers[frame.id] ?? TransferProgress(method: frame.id % 2 == 0 ? "GET" : "HEAD")
                let wasFinished = progress.isFinished
                if (try? progress.accept(reply)) != nil, wasFinished { return "\(frame) was accepted after the end" }
                transfers[frame.id] = progress
            }
        }
        return nil
    }
}
