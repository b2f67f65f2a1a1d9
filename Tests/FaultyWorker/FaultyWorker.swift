internal import CFaults
internal import Glibc
internal import Images
internal import Serialization
internal import Workers

/// A worker that fails on command, for tests of the pool. It is not part of the service.
///
/// Its arguments may begin with a fault and a file. While the file does not exist, the fault occurs at the start:
/// - `hang` never becomes ready.
/// - `exit` ends immediately.
/// - `garbage` sends an invalid message, and `early` sends a message other than `ready` first.
/// - `unsandboxed` becomes ready without seccomp.
@main enum FaultyWorker {
    static func main() {
        var texts = Array(CommandLine.arguments.dropFirst())
        if texts.count == 8 {
            let (fault, gate) = (texts.removeFirst(), texts.removeFirst())
            if unsafe access(gate, F_OK) != 0 { fail(fault, &texts) }
        }
        guard let arguments = WorkerArguments(parsing: texts) else { exit(1) }
        WorkerLoop.run(arguments, renderer: FaultyRenderer())
    }

    private static func fail(_ fault: String, _ texts: inout [String]) {
        let seccomp: UInt32 = 32
        switch fault {
        case "hang": waitForever()
        case "garbage": sendAndWait([0xFF])
        case "early":
            // An answer without a job.
            sendAndWait([3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        case "unsandboxed": texts[4] = String((UInt32(texts[4]) ?? 0) & ~seccomp)
        default: exit(1)
        }
    }

    private static func sendAndWait(_ bytes: [UInt8]) -> Never {
        _ = unsafe send(3, bytes, bytes.count, 0)
        waitForever()
    }

    /// Waits until the worker is killed, or until its parent has ended.
    private static func waitForever() -> Never {
        while getppid() != 1 { sleep(1) }
        exit(1)
    }
}

/// A renderer that executes the command in the first word of the content:
/// - `draw`: each requested thumbnail. Its content is the first bytes of a JPEG, followed by the rest of the command.
/// - `spin N`: the same after N milliseconds of work.
/// - `many`, `large`, `other`: one thumbnail too many, one that is too large, one that is not a JPEG.
/// - `huge`: more than the capacity for the answer; `allocate`: more memory than the process may have.
/// - `corrupt`: the error of corrupt content.
/// - `crashed`: an error that only the service may produce.
/// - anything else: a fault of `CFaults`. If the process survives it, the error contains its result.
final class FaultyRenderer: ImageRenderer {
    func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
        let text = unsafe content.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        switch words.first {
        case nil: throw .unsupported(feature: "nothing")
        case "draw": return draw(text, request)
        case "spin":
            let end = milliseconds() + (words.count > 1 ? Int(words[1]) ?? 0 : 0)
            while milliseconds() < end {}
            return draw(text, request)
        case "many":
            var rendering = draw(text, request)
            rendering.thumbnails += rendering.thumbnails
            return rendering
        case "large":
            var rendering = draw(text, request)
            rendering.thumbnails[0].width += 1
            return rendering
        case "other":
            var rendering = draw(text, request)
            rendering.thumbnails[0].content = Array("<script>".utf8)
            return rendering
        case "huge":
            var rendering = draw(text, request)
            rendering.thumbnails[0].content = [UInt8](repeating: 0xFF, count: 64 << 20)
            return rendering
        case "allocate":
            let memory = [UInt8](repeating: 1, count: 2 << 30)
            throw .unsupported(feature: "memory of \(memory.count) bytes")
        case "corrupt": throw .corrupt(byte: 3, part: "IDAT")
        case "crashed": throw .crashed
        case let word?:
            let result = cfaults_try(word)
            throw .unsupported(feature: "\(word) gave \(result), errno \(errno)")
        }
    }

    private func draw(_ text: String, _ request: RenderingRequest) -> Rendering {
        var rendering = Rendering(.full, integrity: ImageIntegrity(.complete, checked: .pixels))
        rendering.thumbnails = request.thumbnails.map { thumbnail in
            ImageRecord.Thumbnail(
                width: thumbnail.width,
                height: thumbnail.height,
                format: .jpeg,
                content: [0xFF, 0xD8, 0xFF] + Array(text.utf8)
            )
        }
        return rendering
    }

    private func milliseconds() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}
