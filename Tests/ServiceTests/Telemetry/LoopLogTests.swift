import Platform
import Testing

@testable import Service

@Suite(.timeLimit(.minutes(5))) struct LoopLogTests {
    private static let line =
        "2026-11-22T08:18:44.123Z info request POST /v1/normalize 200 endpoint=normalize serializer=json lane=inline "
        + "in=1024 out=1311 receive=0.012ms decode=0.034ms send=1.051ms total=12345.103ms end=kept "
        + "request=0123456789abcdeffedcba9876543210\n"

    @Test func `appends the lines of an iteration at its end`() throws {
        let pipe = try LogPipe()
        let queue = try LogQueue(writingTo: pipe.writer) { _ in [] }
        var log = LoopLog(AccessLog(format: .text, clock: .example), queue: queue)
        log.append(.example)
        log.append(.example)
        // A line that another thread appends during the iteration precedes those of the iteration.
        queue.append("other\n")
        #expect(pipe.line() == "other\n")
        log.endIteration()
        #expect(pipe.line() == Self.line)
        #expect(pipe.line() == Self.line)
        // An iteration without lines.
        log.endIteration()
        log.append(.example)
        log.endIteration()
        queue.close(within: .seconds(60))
        #expect(pipe.line() == Self.line)
        #expect(queue.droppedLines == 0)
    }

    @Test func `appends many lines before the end of the iteration`() throws {
        let pipe = try LogPipe()
        let queue = try LogQueue(writingTo: pipe.writer) { _ in [] }
        var log = LoopLog(AccessLog(format: .text, clock: .example), queue: queue)
        let lines = (64 << 10) / Self.line.utf8.count + 1
        for _ in 0..<lines { log.append(.example) }
        for _ in 0..<lines { #expect(pipe.line() == Self.line) }
        queue.close(within: .seconds(60))
    }

    @Test func `counts the lines that the queue drops`() throws {
        let pipe = try LogPipe()
        let queue = try LogQueue(writingTo: pipe.writer, maxBytes: 100) { _ in [] }
        var log = LoopLog(AccessLog(format: .text, clock: .example), queue: queue)
        for _ in 0..<3 { log.append(.example) }
        log.endIteration()
        #expect(queue.droppedLines == 3)
    }

    @Test func `appends the remaining lines when it is released`() throws {
        let pipe = try LogPipe()
        let queue = try LogQueue(writingTo: pipe.writer) { _ in [] }
        do {
            var log = LoopLog(AccessLog(format: .text, clock: .example), queue: queue)
            log.append(.example)
        }
        #expect(pipe.line() == Self.line)
    }
}
