import Batch
import Foundation
import Synchronization
import Testing

@testable import HTTP
@testable import Platform
@testable import Service

@Suite struct BatchWindowTests {
    /// What was written, and whether a write waits.
    private final class Output: Sendable {
        let pieces = Monitor<[String]>([])
        let hasBegun = Atomic<Bool>(false)
        private let isOpen: Monitor<Bool>

        init(isOpen: Bool = true) {
            self.isOpen = Monitor(isOpen)
        }

        func write(_ pieces: [SharedBytes]) {
            hasBegun.store(true, ordering: .relaxed)
            _ = isOpen.wait(until: .never) { $0 ? true : nil }
            let texts = pieces.map { piece in
                piece.withBytes { bytes in
                    var text: [UInt8] = []
                    for index in bytes.indices { text.append(bytes[index]) }
                    return String(decoding: text, as: UTF8.self)
                }
            }
            self.pieces.change { $0 += texts }
        }

        func open() { isOpen.change { $0 = true } }

        var text: String { pieces.withLock { $0.joined() } }
    }

    private func window(_ maxBytes: Int, isOrdered: Bool = true, _ output: Output) -> BatchWindow {
        BatchWindow(maxBytes: maxBytes, isOrdered: isOrdered) { output.write($0) }
    }

    private func block(_ bytes: Int) -> BatchWindow.Work {
        BatchWindow.Work(
            BatchBlock(bytes: [UInt8](repeating: 0, count: bytes), items: []),
            firstIndex: 0,
            of: BatchFile(.standardInput)
        )
    }

    private func piece(_ text: String) -> SharedBytes { SharedBytes(Array(text.utf8)) }

    @Test func `finished output is written in the order of the input`() throws {
        let output = Output()
        let window = window(1_000, output)
        for _ in 0..<3 { window.admit(block(10)) }
        window.close()
        let works = (0..<3).compactMap { _ in window.next() }
        #expect(works.count == 3)
        #expect(window.next() == nil)
        window.put(piece("c"), BatchCounts(items: 1), of: works[2], isLast: true)
        window.put(piece("b1"), BatchCounts(items: 1), of: works[1], isLast: false)
        #expect(output.text == "")
        window.put(piece("a1"), BatchCounts(items: 1), of: works[0], isLast: false)
        #expect(output.text == "a1")
        window.put(piece("a2"), BatchCounts(items: 1, failed: 1), of: works[0], isLast: true)
        #expect(output.text == "a1a2b1")
        window.put(piece("b2"), BatchCounts(items: 1), of: works[1], isLast: true)
        #expect(output.text == "a1a2b1b2c")
        #expect(window.counts == BatchCounts(items: 5, failed: 1))
    }

    @Test func `without an order, output is written when it is finished`() throws {
        let output = Output()
        let window = window(1_000, isOrdered: false, output)
        for _ in 0..<2 { window.admit(block(10)) }
        let works = (0..<2).compactMap { _ in window.next() }
        window.put(piece("b"), BatchCounts(items: 1), of: works[1], isLast: true)
        #expect(output.text == "b")
        window.put(piece("a"), BatchCounts(items: 1), of: works[0], isLast: true)
        #expect(output.text == "ba")
    }

    @Test func `a block waits for space, and a longer one for an empty window`() throws {
        let output = Output()
        let window = window(100, output)
        let admitted = Atomic<Int>(0)
        let reader = try Thread {
            for bytes in [60, 40, 1, 1_000] {
                window.admit(block(bytes))
                admitted.add(1, ordering: .relaxed)
            }
        }
        var works: [BatchWindow.Work] = []
        for _ in 0..<2 { works.append(try #require(window.next())) }
        #expect(eventually { admitted.load(ordering: .relaxed) >= 2 })
        let early = admitted.load(ordering: .relaxed)
        #expect(early == 2)
        window.put(piece(""), BatchCounts(), of: works[0], isLast: true)
        works.append(try #require(window.next()))
        #expect(eventually { admitted.load(ordering: .relaxed) == 3 })
        window.put(piece(""), BatchCounts(), of: works[1], isLast: true)
        let late = admitted.load(ordering: .relaxed)
        #expect(late == 3)
        window.put(piece(""), BatchCounts(), of: works[2], isLast: true)
        reader.join()
        #expect(window.next()?.block.bytes.count == 1_000)
    }

    /// Otherwise a window that is full of output whose turn has not come would wait for itself.
    @Test func `output waits for space in a full window, unless it is the next one`() throws {
        let output = Output()
        let window = window(100, output)
        for _ in 0..<2 { window.admit(block(40)) }
        let works = (0..<2).compactMap { _ in window.next() }
        let second = try Thread {
            window.put(piece(String(repeating: "b", count: 90)), BatchCounts(), of: works[1], isLast: true)
        }
        window.put(piece(String(repeating: "a", count: 500)), BatchCounts(), of: works[0], isLast: false)
        #expect(output.text.count == 500)
        window.put(piece("a"), BatchCounts(), of: works[0], isLast: true)
        second.join()
        #expect(output.text == String(repeating: "a", count: 501) + String(repeating: "b", count: 90))
    }

    /// A program that reads slowly must not make the window grow.
    @Test func `the next output waits in a full window while another thread writes`() throws {
        let output = Output(isOpen: false)
        let window = window(100, output)
        for _ in 0..<2 { window.admit(block(10)) }
        let works = (0..<2).compactMap { _ in window.next() }
        let isPut = Atomic<Bool>(false)
        let writer = try Thread {
            window.put(piece(String(repeating: "a", count: 95)), BatchCounts(), of: works[0], isLast: true)
        }
        #expect(eventually { output.hasBegun.load(ordering: .relaxed) })
        let next = try Thread {
            window.put(piece(String(repeating: "b", count: 50)), BatchCounts(), of: works[1], isLast: true)
            isPut.store(true, ordering: .relaxed)
        }
        let isEarly = isPut.load(ordering: .relaxed)
        #expect(!isEarly)
        output.open()
        writer.join()
        next.join()
        #expect(output.text.count == 145)
    }

    /// Space that becomes free is used once, although all threads that wait for it are woken at the same time.
    @Test func `many threads that wait for space do not exceed the window`() throws {
        let (maxBytes, pieceBytes) = (1_000, 600)
        let peak = Atomic<Int>(0)
        for _ in 0..<300 {
            let output = Output()
            let window = window(maxBytes, output)
            for _ in 0..<9 { window.admit(block(10)) }
            let works = (0..<9).compactMap { _ in window.next() }
            let text = String(repeating: "x", count: pieceBytes)
            let begun = Atomic<Int>(0)
            let threads = try works.dropFirst().map { work in
                try Thread {
                    begun.add(1, ordering: .relaxed)
                    window.put(piece(text), BatchCounts(), of: work, isLast: true)
                    peak.max(window.usedBytes, ordering: .relaxed)
                }
            }
            #expect(eventually { begun.load(ordering: .relaxed) == 8 })
            window.put(piece(text), BatchCounts(), of: works[0], isLast: true)
            for thread in threads { thread.join() }
            #expect(output.text.utf8.count == 9 * pieceBytes)
        }
        #expect(peak.load(ordering: .relaxed) <= maxBytes + pieceBytes)
    }

    private static let maxPieceBytes = 700

    /// Returns one to three texts of different lengths.
    private static func texts(ofBlock index: Int) -> [String] {
        (0...index % 3).map { part in
            let text = "\(index).\(part) "
            let count = (index * 31 + part * 97) % (maxPieceBytes - text.utf8.count)
            return text + String(repeating: "x", count: count)
        }
    }

    @Test func `many threads write all output in order, in a bounded window`() throws {
        let maxBytes = 5_000
        let output = Output()
        let window = window(maxBytes, output)
        let peak = Atomic<Int>(0)
        let threads = try (0..<4).map { _ in
            try Thread {
                while let work = window.next() {
                    let texts = Self.texts(ofBlock: work.firstIndex)
                    for (part, text) in texts.enumerated() {
                        let isLast = part == texts.count - 1
                        window.put(piece(text), BatchCounts(items: isLast ? 1 : 0), of: work, isLast: isLast)
                        peak.max(window.usedBytes, ordering: .relaxed)
                    }
                }
            }
        }
        for index in 0..<2_000 {
            window.admit(
                BatchWindow.Work(
                    BatchBlock(bytes: [UInt8](repeating: 0, count: index % 700), items: []),
                    firstIndex: index,
                    of: BatchFile(.standardInput)
                )
            )
            peak.max(window.usedBytes, ordering: .relaxed)
        }
        window.close()
        for thread in threads { thread.join() }
        #expect(output.text == (0..<2_000).map { Self.texts(ofBlock: $0).joined() }.joined())
        #expect(window.counts.items == 2_000)
        #expect(peak.load(ordering: .relaxed) <= maxBytes + Self.maxPieceBytes)
        #expect(window.usedBytes == 0)
    }
}
