import Glibc
import Platform
import Testing

@testable import Service

/// The tests wait only for bytes, counters and the end of threads. A blocked test ends with the time limit.
@Suite(.timeLimit(.minutes(5))) struct LogQueueTests {
    private static func queue(_ pipe: LogPipe, maxBytes: Int = 1 << 20) throws -> LogQueue {
        try LogQueue(writingTo: pipe.writer, maxBytes: maxBytes) { Array("dropped \($0)\n".utf8) }
    }

    private static let patient = Duration.seconds(60)

    @Test func `writes lines in their order, also those that are left when it is closed`() throws {
        let pipe = try LogPipe()
        let queue = try Self.queue(pipe)
        queue.append("one\n")
        #expect(pipe.line() == "one\n")
        queue.append("two\nthree\n", count: 2)
        queue.append("four\n")
        #expect(queue.close(within: Self.patient))
        #expect(pipe.text(15) == "two\nthree\nfour\n")
        #expect(queue.droppedLines == 0)
    }

    @Test func `a queue without lines ends immediately`() throws {
        let queue = try Self.queue(LogPipe())
        #expect(queue.close(within: Self.patient))
        // A second call has no effect.
        #expect(queue.close(within: Self.patient))
    }

    @Test func `lines that come after the end are dropped and counted`() throws {
        let pipe = try LogPipe()
        let queue = try Self.queue(pipe)
        queue.close(within: Self.patient)
        queue.append("one\ntwo\n", count: 2)
        #expect(queue.droppedLines == 2)
    }

    @Test func `drops and counts lines while its pipe is not read, and then writes the rest and the count`() throws {
        let pipe = try LogPipe()
        let filled = pipe.fill()
        let queue = try Self.queue(pipe, maxBytes: 100)
        // Each line has ten bytes. The first ten lines are always accepted, and ten more if the writer has already
        // taken the first ones.
        let lines = (100..<200).map { "line \($0).\n" }
        for line in lines { queue.append(line) }
        let dropped = queue.droppedLines
        #expect(80...90 ~= dropped)
        #expect(pipe.read(filled) == [UInt8](repeating: 0, count: filled))
        // If the writer takes the first lines after others have been dropped, there are two reports.
        var (written, reported): ([String], Int) = ([], 0)
        while written.count + reported < 100, case let line = pipe.line(), !line.isEmpty {
            if line.hasPrefix("dropped ") {
                reported += Int(line.dropFirst(8).dropLast()) ?? 0
            } else {
                written.append(line)
            }
        }
        #expect(reported == dropped && written.count == 100 - dropped)
        #expect(Array(written.prefix(10)) == Array(lines.prefix(10)))
        #expect(written == lines.filter(Set(written).contains), "in order, and each whole")
        // The queue continues, and reports nothing twice.
        queue.append("next\n")
        queue.close(within: Self.patient)
        #expect(pipe.line() == "next\n")
        #expect(queue.droppedLines == dropped)
    }

    @Test func `lines that do not fit are dropped together`() throws {
        let pipe = try LogPipe()
        let filled = pipe.fill()
        let queue = try Self.queue(pipe, maxBytes: 10)
        queue.append("0123456789\n")
        #expect(queue.droppedLines == 1)
        queue.append("12345678\n1\n", count: 2)
        #expect(queue.droppedLines == 3)
        queue.append("123456789\n")
        #expect(queue.droppedLines == 3)
        _ = pipe.read(filled)
        #expect(pipe.line() == "123456789\n")
        #expect(pipe.line() == "dropped 3\n")
    }

    @Test func `lines for a closed pipe are dropped and counted`() throws {
        let pipe = try LogPipe()
        pipe.closeReader()
        let queue = try Self.queue(pipe)
        queue.append("one\ntwo\n", count: 2)
        queue.append("three\n")
        #expect(queue.close(within: Self.patient))
        #expect(queue.droppedLines == 3)
    }

    @Test func `continues when writing succeeds again, and reports the lost lines`() throws {
        let (pipe, other) = (try LogPipe(), try LogPipe())
        let queue = try Self.queue(pipe)
        pipe.closeReader()
        queue.append("one\ntwo\n", count: 2)
        #expect(eventually { queue.droppedLines == 2 })
        pipe.redirect(to: other)
        queue.append("three\n")
        #expect(other.line() == "three\n")
        #expect(other.line() == "dropped 2\n")
        queue.append("four\n")
        #expect(other.line() == "four\n")
        #expect(queue.close(within: Self.patient))
    }

    @Test func `a line that is truncated by an error is separated from the next`() throws {
        let (pipe, other) = (try LogPipe(), try LogPipe())
        let queue = try Self.queue(pipe)
        queue.append(String(repeating: "a", count: 200_000) + "\nb\n", count: 2)
        #expect(pipe.text(1) == "a")
        pipe.closeReader()
        #expect(eventually { queue.droppedLines == 2 })
        pipe.redirect(to: other)
        queue.append("next\n")
        #expect(other.text(16) == "\nnext\ndropped 2\n")
        #expect(queue.close(within: Self.patient))
    }

    @Test func `waits for the reader of a nonblocking descriptor`() throws {
        let pipe = try LogPipe()
        let queue = try Self.queue(pipe)
        pipe.setNonblocking(true)
        let lines = String(repeating: String(repeating: "a", count: 99) + "\n", count: 2000)
        queue.append(lines, count: 2000)
        #expect(pipe.text(lines.utf8.count) == lines)
        #expect(queue.close(within: Self.patient))
        #expect(queue.droppedLines == 0)
    }

    @Test(arguments: [false, true])
    func `ends within its time limit if its pipe is not read`(isNonblocking: Bool) throws {
        let pipe = try LogPipe()
        _ = pipe.fill()
        pipe.setNonblocking(isNonblocking)
        let queue = try Self.queue(pipe)
        queue.append("one\n")
        #expect(!queue.close(within: .milliseconds(1)))
        #expect(!queue.close(within: .zero))
        // The thread ends as soon as its descriptor permits it.
        pipe.closeReader()
        #expect(queue.close(within: Self.patient))
        #expect(queue.droppedLines == 1)
    }

    @Test func `lines of many threads are not mixed, and those of each thread keep their order`() throws {
        let (threads, count) = (8, 3000)
        let pipe = try LogPipe()
        let queue = try Self.queue(pipe, maxBytes: 16 << 20)
        let appenders = try (0..<threads).map { thread in
            try Thread {
                for number in 0..<count {
                    let filler = String(repeating: "x", count: (number * 7 + thread * 13) % 100)
                    queue.append("\(thread) \(number) \(filler).\n")
                }
            }
        }
        var next = [Int](repeating: 0, count: threads)
        for _ in 0..<threads * count {
            let words = pipe.line().split(separator: " ", omittingEmptySubsequences: false)
            let thread = try #require(words.count == 3 ? Int(words[0]) : nil)
            let number = next[thread]
            next[thread] += 1
            let filler = String(repeating: "x", count: (number * 7 + thread * 13) % 100)
            try #require(words == ["\(thread)", "\(number)", "\(filler).\n"])
        }
        for appender in appenders { appender.join() }
        #expect(queue.close(within: Self.patient))
        #expect(queue.droppedLines == 0)
    }

    @Test func `a queue that is released ends its thread`() throws {
        let pipe = try LogPipe()
        let released = Monitor(false)
        final class Witness: Sendable {
            let released: Monitor<Bool>
            init(_ released: Monitor<Bool>) { self.released = released }
            deinit { released.change { $0 = true } }
        }
        do {
            let witness = Witness(released)
            let queue = try LogQueue(writingTo: pipe.writer) { count in
                withExtendedLifetime(witness) { Array("dropped \(count)\n".utf8) }
            }
            queue.append("one\n")
        }
        #expect(pipe.line() == "one\n")
        // Only the thread still retains the witness.
        #expect(released.wait(until: .now + Self.patient) { $0 ? true : nil } == true)
    }
}

extension LogQueue {
    func append(_ text: String, count: Int = 1) {
        append(text.utf8.span, count: count)
    }
}
