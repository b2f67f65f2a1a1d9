import Foundation
import Glibc
import Platform
import Testing

@Suite struct ProcessFiguresTests {
    @Test func `every figure of this process is known and plausible`() throws {
        let figures = ProcessFigures.current()
        let memory = try #require(figures.memory)
        #expect(memory.residentBytes > 1 << 20 && memory.virtualBytes >= memory.residentBytes)
        #expect(try #require(figures.processorNanoseconds) > 0)
        let (open, limit) = (try #require(figures.openFiles), try #require(figures.maxOpenFiles))
        #expect(3...limit ~= open)
        let start = try #require(figures.startNanoseconds)
        #expect(ProcessFigures.current().startNanoseconds == start)
        // The process started before this test, and less than a day ago.
        let age = Date().timeIntervalSince1970 - Double(start) / 1e9
        #expect((-0.1...86_400).contains(age))
    }

    @Test func `a descriptor that is opened is counted`() throws {
        // Other tests open descriptors, too, but fewer than this test.
        let before = try #require(ProcessFigures.current().openFiles)
        let descriptors = (0..<400).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        let after = try #require(ProcessFigures.current().openFiles)
        for descriptor in descriptors { close(descriptor) }
        #expect((300...500).contains(after - before))
    }

    @Test(arguments: [
        ("1 (decant) S 0 1 1 0 -1 4194560 1 0 0 0 2 3 0 0 20 0 5 0 987654 1 2 3\n", UInt64(987_654)),
        ("1 (a) b (c) S 0 1 1 0 -1 4194560 1 0 0 0 2 3 0 0 20 0 5 0 42 1 2 3\n", 42),
        ("1 (decant) S 0 1 1 0 -1 4194560 1 0 0 0 2 3 0 0 20 0 5 0", nil), ("", nil), ("1 decant S", nil),
        ("1 (decant) S 0 1 1 0 -1 4194560 1 0 0 0 2 3 0 0 20 0 5 0 -1 1", nil),
    ])
    func `the start is the field after the name of the program`(text: String, ticks: UInt64?) {
        #expect(ProcessFigures.startTicks(inStat: text) == ticks)
    }

    @Test(arguments: [
        ("5021 1894 1 2 0 3 0\n", ProcessMemory(virtualBytes: 5_021 * 4_096, residentBytes: 1_894 * 4_096)),
        ("0 0 0 0 0 0 0\n", ProcessMemory(virtualBytes: 0, residentBytes: 0)),
        ("", nil), ("1", nil), ("a b", nil), ("9223372036854775807 1", nil),
    ])
    func `memory is counted in pages`(text: String, memory: ProcessMemory?) {
        #expect(ProcessMemory(statm: text, pageBytes: 4_096) == memory)
    }

    @Test func `a process that does not exist has no memory`() {
        #expect(ProcessMemory(of: -1) == nil)
    }
}
